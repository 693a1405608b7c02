package credentials

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

// ErrHostKey: the SSH server is not in known_hosts, or has another key there.
var ErrHostKey = errors.New("host key not known")

// Keys are a user's SSH keys, and those of the servers. The zero value uses the agent's keys, those in ~/.ssh and the
// known_hosts of ssh.
type Keys struct {
	File, Passphrase string
	KnownHosts       []string
}

// sshLogin is a user with keys who checks the host's key.
type sshLogin struct {
	user    string
	methods []ssh.AuthMethod
	check   ssh.HostKeyCallback
	kinds   []string // of the keys that known_hosts has for the host
	timeout time.Duration
}

func (s *sshLogin) Name() string   { return "ssh" }
func (s *sshLogin) String() string { return "user: " + s.user }

func (s *sshLogin) ClientConfig() (*ssh.ClientConfig, error) {
	return &ssh.ClientConfig{User: s.user, Auth: s.methods, HostKeyCallback: s.check, HostKeyAlgorithms: s.kinds,
		Timeout: s.timeout}, nil
}

// Login returns the login for an ssh server, which also checks its host key. timeout is for the connection.
func (k Keys) Login(endpoint *transport.Endpoint, timeout time.Duration) (transport.AuthMethod, error) {
	known, err := gitssh.NewKnownHostsDb(k.KnownHosts...)
	if err != nil && strings.Contains(err.Error(), "unable to find any") {
		return nil, fmt.Errorf("%w: no known_hosts file: %s", ErrHostKey, k.ScanHint(endpoint))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: known_hosts: %w", ErrHostKey, err)
	}
	port := endpoint.Port
	if port == 0 {
		port = gitssh.DefaultPort
	}
	login := &sshLogin{
		user: endpoint.User, timeout: timeout,
		check: known.HostKeyCallback(),
		kinds: known.HostKeyAlgorithms(fmt.Sprintf("%s:%d", endpoint.Host, port)),
	}
	if k.File != "" {
		signer, err := ReadKey(k.File, k.Passphrase)
		if err != nil {
			return nil, err
		}
		login.methods = []ssh.AuthMethod{ssh.PublicKeys(signer)}
		return login, nil
	}
	home := sync.OnceValue(homeKeys)
	agent, agentErr := gitssh.NewSSHAgentAuth(endpoint.User)
	login.methods = []ssh.AuthMethod{ssh.PublicKeysCallback(func() ([]ssh.Signer, error) {
		var signers []ssh.Signer
		if agentErr == nil {
			if held, err := agent.Callback(); err == nil {
				signers = held
			}
		}
		return append(signers, home()...), nil
	})}
	return login, nil
}

// ScanHint returns the command that adds a server's host key.
func (k Keys) ScanHint(endpoint *transport.Endpoint) string {
	host, file := endpoint.Host, "~/.ssh/known_hosts"
	if endpoint.Port != 0 && endpoint.Port != gitssh.DefaultPort {
		host = fmt.Sprintf("-p %d %s", endpoint.Port, host)
	}
	if len(k.KnownHosts) > 0 {
		file = k.KnownHosts[0]
	}
	return fmt.Sprintf("ssh-keyscan %s >> %s puts its key there; first compare it with what the server's owner publishes",
		host, file)
}

// ErrPassphrase: a key is encrypted, and no passphrase is given.
var ErrPassphrase = errors.New("needs a passphrase")

// ReadKey reads an SSH private key.
func ReadKey(name, passphrase string) (ssh.Signer, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("ssh key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(pem)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		if passphrase == "" {
			return nil, fmt.Errorf("ssh key %s: %w", name, ErrPassphrase)
		}
		signer, err = ssh.ParsePrivateKeyWithPassphrase(pem, []byte(passphrase))
	}
	if err != nil {
		return nil, fmt.Errorf("ssh key %s: %w", name, err)
	}
	return signer, nil
}

// homeKeys returns the user's own keys that need no passphrase.
func homeKeys() []ssh.Signer {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	var signers []ssh.Signer
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		if signer, err := ReadKey(filepath.Join(home, ".ssh", name), ""); err == nil {
			signers = append(signers, signer)
		}
	}
	return signers
}
