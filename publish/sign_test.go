package publish

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/airshipit/sipgen/hack/need"
)

func TestSSHSignatureVerifiesInGit(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			key := filepath.Join(dir, "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-a", "1", "-N", "pass phrase", "-f", key).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if _, err := SSHSigner(key, ""); err == nil || !strings.Contains(err.Error(), "passphrase") {
				t.Errorf("without the passphrase: found %v", err)
			}
			if _, err := SSHSigner(key, "wrong"); err == nil {
				t.Error("with a wrong passphrase: want an error")
			}
			signer, err := SSHSigner(key, "pass phrase")
			if err != nil {
				t.Fatal(err)
			}
			public, err := os.ReadFile(key + ".pub")
			if err != nil {
				t.Fatal(err)
			}
			allowed := filepath.Join(dir, "allowed")
			if err := os.WriteFile(allowed, append([]byte("ada@example.org "), public...), 0o600); err != nil {
				t.Fatal(err)
			}
			repo := signedCommit(t, signer)
			out := git(t, repo, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", "--verbose", "main")
			if !strings.Contains(out, `Good "git" signature for ada@example.org`) {
				t.Errorf("git verify-commit: %s", out)
			}
			if out, err := tryGit(repo, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile=/dev/null", "verify-commit", "main"); err == nil {
				t.Errorf("git verify-commit without the key: want a failure, found %s", out)
			}
		})
	}
}

func TestOpenPGPSignatureVerifiesInGit(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		need.Missing(t, "OpenPGP signatures against git: there is no gpg here; Debian has it in gpg")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return meta.When.Add(-time.Hour) }}
	entity, err := openpgp.NewEntity("Ada", "", "ada@example.org", config)
	if err != nil {
		t.Fatal(err)
	}
	var public, private bytes.Buffer
	armored := func(to io.Writer, kind string, write func(io.Writer) error) {
		writer, err := armor.Encode(to, kind, nil)
		if err == nil {
			err = errors.Join(write(writer), writer.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	armored(&public, openpgp.PublicKeyType, entity.Serialize)
	if err := entity.EncryptPrivateKeys([]byte("pass phrase"), config); err != nil {
		t.Fatal(err)
	}
	armored(&private, openpgp.PrivateKeyType, func(w io.Writer) error { return entity.SerializePrivateWithoutSigning(w, config) })
	key := filepath.Join(dir, "key.asc")
	put(t, dir, Tree{"key.asc": private.Bytes(), "public.asc": public.Bytes()})
	if _, err := OpenPGPSigner(key, "", meta.When); err == nil || !strings.Contains(err.Error(), "passphrase") {
		t.Errorf("without the passphrase: found %v", err)
	}
	if _, err := OpenPGPSigner(filepath.Join(dir, "public.asc"), "", meta.When); err == nil {
		t.Error("a public key: want an error")
	}
	signer, err := OpenPGPSigner(key, "pass phrase", meta.When)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GNUPGHOME", dir)
	if out, err := exec.Command("gpg", "--batch", "--import", filepath.Join(dir, "public.asc")).CombinedOutput(); err != nil {
		t.Fatalf("gpg --import: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--kill", "all").Run() })
	repo := signedCommit(t, signer)
	if out := git(t, repo, "verify-commit", "--verbose", "main"); !strings.Contains(out, "Good signature from") {
		t.Errorf("git verify-commit: %s", out)
	}
}

func signedCommit(t *testing.T, signer Signer) string {
	t.Helper()
	repo := bare(t)
	about := meta
	about.Signer, about.RequireSigned = signer, true
	if _, err := publishTree(Target{URL: repo, Branch: "main"}, tree("a", "1"), about); err != nil {
		t.Fatal(err)
	}
	fsck(t, repo)
	return repo
}

type brokenSigner struct{ result []byte }

func (b brokenSigner) Sign(io.Reader) ([]byte, error) {
	if b.result == nil {
		return nil, errors.New("the token is not plugged in")
	}
	return b.result, nil
}

func TestNothingUnsignedIsPushed(t *testing.T) {
	t.Parallel()
	for _, signer := range []Signer{nil, brokenSigner{}, brokenSigner{[]byte{}}} {
		repo := bare(t)
		about := meta
		about.Signer, about.RequireSigned = signer, true
		if _, err := publishTree(Target{URL: repo, Branch: "main"}, tree("a", "1"), about); err == nil {
			t.Errorf("%v: want an error", signer)
		}
		if refs := git(t, repo, "for-each-ref"); refs != "" {
			t.Errorf("%v: pushed %s", signer, refs)
		}
	}
}
