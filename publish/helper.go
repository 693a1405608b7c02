package publish

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/skeema/knownhosts"
)

// AuthFromEnvironment reads credentials from environment variables:
//
//	SIPGEN_GIT_USERNAME, SIPGEN_GIT_PASSWORD, SIPGEN_GIT_TOKEN   HTTP basic, or a bearer token
//	SIPGEN_SSH_KEY_FILE, SIPGEN_SSH_KEY_PASSPHRASE, SIPGEN_SSH_KNOWN_HOSTS
//	SIPGEN_GIT_CA_FILE, SIPGEN_GIT_CERT_FILE, SIPGEN_GIT_KEY_FILE, SIPGEN_GIT_PROXY
//
// For each secret NAME, NAME_FILE names a file that holds it, as Kubernetes and CI systems mount it; a line
// end at its end is dropped.
func AuthFromEnvironment(getenv func(string) string) (Auth, error) {
	var problems []error
	secret := func(name string) string {
		value, file := getenv(name), getenv(name+"_FILE")
		switch {
		case file == "":
			return value
		case value != "":
			problems = append(problems, fmt.Errorf("%s and %s_FILE: want one of them", name, name))
			return ""
		}
		text, err := os.ReadFile(file)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s_FILE: %w", name, err))
		}
		return strings.TrimRight(string(text), "\r\n")
	}
	auth := Auth{
		Username:         getenv("SIPGEN_GIT_USERNAME"),
		Password:         secret("SIPGEN_GIT_PASSWORD"),
		Token:            secret("SIPGEN_GIT_TOKEN"),
		SSHKeyFile:       getenv("SIPGEN_SSH_KEY_FILE"),
		SSHKeyPassphrase: secret("SIPGEN_SSH_KEY_PASSPHRASE"),
		CAFile:           getenv("SIPGEN_GIT_CA_FILE"),
		ClientCertFile:   getenv("SIPGEN_GIT_CERT_FILE"),
		ClientKeyFile:    getenv("SIPGEN_GIT_KEY_FILE"),
		Proxy:            getenv("SIPGEN_GIT_PROXY"),
	}
	if known := getenv("SIPGEN_SSH_KNOWN_HOSTS"); known != "" {
		auth.KnownHosts = strings.Split(known, string(os.PathListSeparator))
	}
	return auth, errors.Join(problems...)
}

// withCredentialHelper runs one exchange with the server. If it wants credentials and none were given, git's
// credential helpers are asked, once. The errors of transports become ours.
func withCredentialHelper[T any](ctx context.Context, r *remote, exchange func(ctx context.Context, active func()) (T, error)) (T, error) {
	got, err := withIdleTimeout(ctx, r.target.IdleTimeout, exchange)
	known := r.target.Auth
	if errors.Is(err, transport.ErrAuthenticationRequired) && known.Password == "" && known.Token == "" && !r.helper.asked && !known.NoHelper {
		r.helper.asked = true
		login := r.askCredentialHelper(ctx)
		if ctx.Err() != nil {
			return got, context.Cause(ctx)
		}
		if login != nil {
			r.auth = login
			got, err = withIdleTimeout(ctx, r.target.IdleTimeout, exchange)
		}
	}
	return got, r.explain(err)
}

// askCredentialHelper asks `git credential fill`. It never prompts.
func (r *remote) askCredentialHelper(ctx context.Context) transport.AuthMethod {
	host := r.endpoint.Host
	if r.endpoint.Port != 0 {
		host = fmt.Sprintf("%s:%d", host, r.endpoint.Port)
	}
	question := fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n", r.endpoint.Protocol, host, strings.TrimPrefix(r.endpoint.Path, "/"))
	if user := r.target.Auth.Username; user != "" {
		question += "username=" + user + "\n"
	}
	if strings.ContainsRune(question, 0) || strings.Count(question, "\n") > 4 {
		return nil // a line end in the URL would say something else
	}
	command := exec.CommandContext(ctx, "git", "credential", "fill")
	command.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=")
	command.Stdin = strings.NewReader(question + "\n")
	command.WaitDelay = time.Second // what git has started may outlive it, and hold its output open
	answer, err := command.Output()
	if err != nil {
		return nil
	}
	login := &githttp.BasicAuth{}
	for line := range bytes.Lines(answer) {
		key, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), "=")
		switch key {
		case "username":
			login.Username = value
		case "password":
			login.Password = value
		}
	}
	if login.Password == "" {
		return nil
	}
	r.helper.secrets = []string{login.Password, basic(login)}
	return login
}

// explain turns the errors of the transports into ours, with what to do.
func (r *remote) explain(err error) error {
	var (
		refused     *refusal
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
	)
	words := ""
	if err != nil {
		words = oneLine(err.Error())
	}
	switch {
	case err == nil, errors.As(err, &refused), errors.Is(err, ErrConflict), errors.Is(err, ErrNoRepository):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTimeout):
		return err
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%w: %s; check the URL, and that these credentials may see it", ErrNoRepository, words)
	case errors.Is(err, transport.ErrAuthenticationRequired):
		if r.auth == nil {
			return fmt.Errorf("%w: the server wants credentials: set SIPGEN_GIT_USERNAME and SIPGEN_GIT_PASSWORD, or SIPGEN_GIT_TOKEN", ErrAuth)
		}
		return fmt.Errorf("%w: the server does not take these credentials: they are wrong, or have expired", ErrAuth)
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return fmt.Errorf("%w: these credentials may not do that there: %s", ErrAuth, words)
	case strings.Contains(words, "unable to authenticate"):
		return fmt.Errorf("%w: the server takes none of the SSH keys: %s", ErrAuth, words)
	case knownhosts.IsHostKeyChanged(err):
		return fmt.Errorf("%w: %s has another key than known_hosts says: it was replaced, or somebody stands in between; ask the server's owner, and only then ssh-keygen -R", ErrHostKey, r.endpoint.Host)
	case knownhosts.IsHostUnknown(err):
		return fmt.Errorf("%w: %s is not in known_hosts: %s", ErrHostKey, r.endpoint.Host, r.target.Auth.scanHost(r.endpoint))
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &hostname):
		return fmt.Errorf("%w: %s; if the server has a private authority, set SIPGEN_GIT_CA_FILE", ErrCertificate, words)
	case strings.Contains(words, "Proxy Authentication Required"):
		return fmt.Errorf("%w: the proxy wants credentials, or others: SIPGEN_GIT_PROXY=http://USER:PASSWORD@HOST:PORT", ErrAuth)
	case strings.Contains(words, "proxyconnect"), strings.Contains(words, "socks connect"):
		return fmt.Errorf("the proxy: %w; check SIPGEN_GIT_PROXY, or HTTPS_PROXY and NO_PROXY", err)
	case strings.Contains(words, "tls: certificate required") && r.target.Auth.ClientCertFile == "":
		return fmt.Errorf("%w: the server wants a client certificate: set SIPGEN_GIT_CERT_FILE and SIPGEN_GIT_KEY_FILE", ErrAuth)
	case strings.Contains(words, "remote error: tls: ") && r.target.Auth.ClientCertFile != "":
		return fmt.Errorf("%w: the server does not take the client certificate %s: %s", ErrAuth, r.target.Auth.ClientCertFile, words)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("a repository on this machine is pushed to by git itself, which is not installed: %w", err)
	}
	return err
}
