package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/airshipit/sipgen/publish/internal/credentials"
)

// SSHSigner signs commits with an SSH private key, as git does with gpg.format=ssh.
func SSHSigner(keyFile, passphrase string) (Signer, error) {
	key, err := credentials.ReadKey(keyFile, passphrase)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return sshSigner{key}, nil
}

type sshSigner struct{ key ssh.Signer }

// git's namespace for signatures, so that a signature of something else is not one of a commit.
const gitNamespace = "git"

func (s sshSigner) Sign(commit io.Reader) ([]byte, error) {
	signature, err := sshsig.Sign(commit, s.key, sshsig.HashSHA512, gitNamespace)
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(signature), nil
}

// OpenPGPSigner signs commits with an armored OpenPGP private key: the first one in the file that may
// sign. when is the signature's time; the key has to be valid then.
func OpenPGPSigner(keyFile, passphrase string, when time.Time) (Signer, error) {
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("signing key %s: want an armored OpenPGP private key: %w", keyFile, err)
	}
	for _, entity := range ring {
		key, found := entity.SigningKey(when)
		if !found || key.PrivateKey == nil {
			continue
		}
		if key.PrivateKey.Encrypted {
			if passphrase == "" {
				return nil, fmt.Errorf("signing key %s: needs a passphrase", keyFile)
			}
			if err := entity.DecryptPrivateKeys([]byte(passphrase)); err != nil {
				return nil, fmt.Errorf("signing key %s: wrong passphrase: %w", keyFile, err)
			}
		}
		return openPGPSigner{entity, when}, nil
	}
	return nil, fmt.Errorf("signing key %s: %w", keyFile,
		errors.New("no private key in it may sign at the commit's time: expired, revoked, or public keys only"))
}

type openPGPSigner struct {
	entity *openpgp.Entity
	when   time.Time
}

func (s openPGPSigner) Sign(commit io.Reader) ([]byte, error) {
	var signature bytes.Buffer
	config := &packet.Config{Time: func() time.Time { return s.when }}
	if err := openpgp.ArmoredDetachSign(&signature, s.entity, commit, config); err != nil {
		return nil, err
	}
	return append(signature.Bytes(), '\n'), nil
}
