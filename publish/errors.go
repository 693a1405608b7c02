package publish

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/skeema/knownhosts"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/credentials"
	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// What callers tell apart. Each is wrapped by an error that names the place and what to do.
var (
	// ErrForeign: a folder that is not empty and has no OwnershipFile.
	ErrForeign = errors.New("not sipgen's")
	// ErrTaken: a path of the tree holds something that sipgen did not write.
	ErrTaken = treefs.ErrTaken
	// ErrOwnership: the OwnershipFile is damaged, merged or edited.
	ErrOwnership = treefs.ErrOwnership
	// ErrLineEnds: a checkout changed the ends of lines. It is an ErrOwnership.
	ErrLineEnds = treefs.ErrLineEnds
	// ErrNewer: the OwnershipFile is as a newer version of sipgen wrote it. It is an ErrOwnership.
	ErrNewer = treefs.ErrNewer
	// ErrName: a path that no tree may have.
	ErrName = treefs.ErrName
	// ErrEmpty: the tree has no files.
	ErrEmpty = errors.New("the tree is empty")
	// ErrConflict: another push changed the branch since it was read.
	ErrConflict = errors.New("the branch has moved")
	// ErrRejected: the repository refuses the push, and would again.
	ErrRejected = errors.New("push refused")
	// ErrBranch: the repository cannot have the branch of a proposal, or never moves it back. It is an ErrRejected, and
	// says what to do.
	ErrBranch = fmt.Errorf("%w", ErrRejected)
	// ErrOverwrite: the branch of a proposal has commits that sipgen did not write, or a proposal for another tree.
	ErrOverwrite = errors.New("commits that sipgen did not write")
	// ErrOwner: a repository on this machine belongs to another user, and git does not touch it.
	ErrOwner = errors.New("it belongs to another user, and git does not touch it")
	// ErrNoRepository: there is no git repository at the URL, or none that these credentials may see.
	ErrNoRepository = errors.New("no repository")
	// ErrNothingThere: a proposal for a repository that has no commits: there is no branch that it could be merged
	// into.
	ErrNothingThere = errors.New("the repository is empty")
	// ErrNoBranch: the repository has commits, but not on that branch.
	ErrNoBranch = errors.New("no such branch")
	// ErrNoHead: HEAD is detached, or names a branch without a commit, so no new branch can begin there. It is an
	// ErrNoBranch.
	ErrNoHead = errors.New("HEAD names no existing branch")
	// ErrAuth: the server rejected the credentials, or requires some.
	ErrAuth = errors.New("not authorized")
	// ErrHostKey: the SSH server is not in known_hosts, or has another key there.
	ErrHostKey = credentials.ErrHostKey
	// ErrCertificate: the TLS certificate of the server does not verify.
	ErrCertificate = errors.New("certificate not trusted")
	// ErrUnreachable: there is no connection to the server.
	ErrUnreachable = errors.New("cannot be reached")
	// ErrTimeout: Target.Timeout has passed.
	ErrTimeout = errors.New("timed out")
	// ErrUnsigned: a signature is required and there is none.
	ErrUnsigned = errors.New("no signature")
)

// SettingError is an error that a field of Auth may fix: one that is not set, or that the server rejects. The caller
// adds where its users set it.
type SettingError struct {
	Field string // of Auth; "Password" includes Username and Token, "ClientCertFile" its key
	Err   error
}

func (s *SettingError) Error() string { return s.Err.Error() }
func (s *SettingError) Unwrap() error { return s.Err }

// unreachableError is ErrUnreachable, and why, without the addresses that a system's error repeats.
type unreachableError struct {
	why string
	err error
}

func (u *unreachableError) Error() string   { return ErrUnreachable.Error() + ": " + u.why }
func (u *unreachableError) Unwrap() []error { return []error{ErrUnreachable, u.err} }

// unreachable returns why no connection was made, and nothing of an error in one that was.
func unreachable(err error) string {
	var (
		name *net.DNSError
		dial *net.OpError
	)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "no such host"
	case errors.As(err, &name):
		return "the server's name could not be looked up: " + name.Err
	case !errors.As(err, &dial) || dial.Op != "dial":
		return ""
	case dial.Timeout():
		return "the connection timed out"
	}
	for _, cause := range []syscall.Errno{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errors.Is(err, cause) {
			return cause.Error()
		}
	}
	return ""
}

// explain turns the errors of the transports into ours, with what to do.
func (r *remote) explain(err error) error {
	var (
		refused *refusal
		answer  *wire.AnswerError
		library *plumbing.UnexpectedError
		status  *githttp.Err
	)
	message := ""
	if err != nil {
		message = wire.OneLine(err.Error())
	}
	switch {
	case err == nil, errors.As(err, &refused), errors.Is(err, ErrConflict), errors.Is(err, ErrNoRepository):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTimeout):
		return err
	case errors.As(err, &answer):
		return answer
	case r.local != "" && strings.Contains(message, "detected dubious ownership"):
		return fmt.Errorf("%w: %s", ErrOwner, r.local)
	case strings.Contains(message, "object-format=sha256"):
		// The server's announcement, which go-git cannot read.
		return ErrSHA256
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%w: %s; check the URL, and that these credentials can read it", ErrNoRepository,
			strings.TrimRight(message, ": "))
	case errors.Is(err, transport.ErrAuthenticationRequired):
		if r.auth == nil {
			return &SettingError{"Password", fmt.Errorf("%w: the server requires credentials", ErrAuth)}
		}
		return fmt.Errorf("%w: the server rejected these credentials: they are wrong or expired", ErrAuth)
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return fmt.Errorf("%w: these credentials do not allow this: %s", ErrAuth, message)
	case strings.Contains(message, "unable to authenticate"):
		return fmt.Errorf("%w: the server accepted none of the SSH keys: %s", ErrAuth, message)
	case knownhosts.IsHostKeyChanged(err):
		return fmt.Errorf("%w: the key of %s differs from known_hosts: it was replaced, or the connection is intercepted; ask the server's owner before you run ssh-keygen -R", ErrHostKey, r.endpoint.Host)
	case knownhosts.IsHostUnknown(err):
		return fmt.Errorf("%w: %s is not in known_hosts: %s", ErrHostKey, r.endpoint.Host,
			r.target.Auth.keys().ScanHint(r.endpoint))
	}
	if said := r.explainTLS(err, message); said != nil {
		return said
	}
	switch {
	case errors.As(err, &library) && errors.As(library.Err, &status) &&
		status.StatusCode() >= http.StatusInternalServerError:
		return fmt.Errorf("the server answers %d %s: try again, or ask the server's administrator", status.StatusCode(),
			http.StatusText(status.StatusCode()))
	case unreachable(err) != "":
		return &unreachableError{unreachable(err), err}
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("pushing to a local repository needs git, which is not installed: %w", err)
	}
	return err
}

// explainTLS does so for certificates, the server's and ours, and for proxies. It is nil for all else.
func (r *remote) explainTLS(err error, message string) error {
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
	)
	switch {
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &hostname):
		return &SettingError{"CAFile", fmt.Errorf("%w: %s", ErrCertificate, message)}
	case strings.Contains(message, "Proxy Authentication Required"):
		return &SettingError{"Proxy", fmt.Errorf("%w: the proxy requires credentials, or rejected those it got", ErrAuth)}
	case strings.Contains(message, "proxyconnect"), strings.Contains(message, "socks connect"):
		return &SettingError{"Proxy", fmt.Errorf("the proxy: %w", err)}
	case strings.Contains(message, "tls: certificate required") && r.target.Auth.ClientCertFile == "":
		return &SettingError{"ClientCertFile", fmt.Errorf("%w: the server requires a client certificate", ErrAuth)}
	case strings.Contains(message, "remote error: tls: ") && r.target.Auth.ClientCertFile != "":
		return fmt.Errorf("%w: the server rejected the client certificate %s: %s", ErrAuth, r.target.Auth.ClientCertFile,
			message)
	}
	return nil
}

// masked returns an error that may be printed: every line is plain text, and secrets of this login that a library or
// server repeats are masked. The chain for errors.Is stays.
func (r *remote) masked(err error) error {
	if err == nil {
		return nil
	}
	return &maskedError{r.mask(err.Error()), err}
}

type maskedError struct {
	text string
	err  error
}

func (s *maskedError) Error() string { return s.text }
func (s *maskedError) Unwrap() error { return s.err }

func (r *remote) mask(words string) string {
	secrets := r.target.secrets(r.helper.secrets...)
	// Before, since a secret may hold blanks that become one, and after, since it may be whole only then.
	words = redact.Known(words, secrets...)
	words = strings.Join(text.Lines(words), "\n")
	return redact.Text(redact.Known(words, secrets...))
}

// secrets lists what no message may hold.
func (t *Target) secrets(more ...string) []string {
	known := append(credentials.Secrets(t.URL, t.Auth.Proxy, t.Auth.Username, t.Auth.Password), t.Auth.Token,
		t.Auth.SSHKeyPassphrase)
	if login, is := t.Auth.httpLogin().(*githttp.BasicAuth); is {
		known = append(known, credentials.Basic(login))
	}
	return append(known, more...)
}
