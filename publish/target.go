package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Target names a folder on a branch of a repository, and how to get there.
type Target struct {
	// URL is a path, or a file, ssh, https or http URL; git's short form user@host:path is ssh.
	URL string
	// Branch is read and, unless Proposal is set, pushed to. Empty: the one that HEAD names.
	Branch string
	// Path is the tree's folder in the repository, with slashes. Empty: its root.
	Path string
	// Create makes Branch from the tip of HEAD's branch where it does not exist. In a repository without any
	// commit a branch is always made.
	Create bool
	// Proposal is a branch to push to instead: one commit on top of Branch, replaced by the next proposal. ErrOverwrite
	// if it has commits that carry none of the keys of Meta.Trailers, which sipgen did not write, merges with files
	// that no merged commit has, or a proposal for another tree.
	Proposal string
	// Timeout is how long Read or Loop may take in all, however busy the server is: ErrTimeout. Zero: thirty
	// minutes.
	Timeout time.Duration
	// Waiting is called once if Loop waits for a lock of the branch, with the server's words, which name it. nil: it
	// waits without a word.
	Waiting func(reason string) `json:"-"`
	// Auth is how to log in. The zero value uses the SSH agent, the user's keys and known_hosts, and git's
	// credential helper.
	Auth Auth
}

// String returns the repository, branch and folder as people may read it: without user, password or token.
func (t Target) String() string {
	text := redact.URL(t.URL)
	if branch := t.pushBranch(); branch != "" {
		text += " " + branch
	}
	if t.Path != "" {
		text += " " + t.Path
	}
	return text
}

func (t Target) pushBranch() string {
	if t.Proposal != "" {
		return t.Proposal
	}
	return t.Branch
}

// endpoint checks the target and gives the transport's form of it. Credentials in the URL move to Auth.
func (t *Target) endpoint() (*transport.Endpoint, error) {
	if t.URL == "" {
		return nil, errors.New("no repository: want a path or a URL")
	}
	for _, branch := range []string{t.Branch, t.Proposal} {
		if branch == "" {
			continue
		}
		if err := checkBranch(branch); err != nil {
			return nil, err
		}
	}
	if t.Proposal != "" && t.Proposal == t.Branch {
		return nil, fmt.Errorf("branch %s: a proposal needs a branch of its own", t.Branch)
	}
	if t.Path = strings.Trim(path.Clean("/"+t.Path), "/"); t.Path != "" {
		if err := treefs.CheckName(t.Path); err != nil {
			return nil, fmt.Errorf("path: %w", err)
		}
	}
	// Without the slashes the scheme would be the name of an SSH server.
	if scheme, rest, ok := strings.Cut(t.URL, ":"); ok && isScheme(scheme) && !strings.HasPrefix(rest, "//") {
		return nil, fmt.Errorf("the repository's URL: want %s, with two slashes behind the colon",
			redact.URL(scheme+"://"+strings.TrimLeft(rest, "/")))
	}
	endpoint, err := transport.NewEndpoint(t.URL)
	if err != nil {
		return nil, fmt.Errorf("%s: not a path or URL of a repository", redact.URL(t.URL))
	}
	switch endpoint.Protocol {
	case "file":
		if endpoint.Host != "" && endpoint.Host != "localhost" {
			return nil, fmt.Errorf("%s: a file URL with a host; want file:///path", redact.URL(t.URL))
		}
	case "ssh":
		if endpoint.User == "" {
			endpoint.User = "git"
		}
	case "https", "http":
		endpoint.Path = escapedPath(t.URL)
		if endpoint.User != "" || endpoint.Password != "" {
			if t.Auth.Username == "" && t.Auth.Password == "" && t.Auth.Token == "" {
				t.Auth.Username, t.Auth.Password = endpoint.User, endpoint.Password
			}
			endpoint.User, endpoint.Password = "", ""
		}
	default:
		return nil, fmt.Errorf("%s: transport %s: want a path, file, ssh or https", redact.URL(t.URL), endpoint.Protocol)
	}
	return endpoint, nil
}

// escapedPath returns the path of a URL that was read before as git asks for it: escaped as it was given, and without
// the slash at its end.
func escapedPath(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path := strings.TrimRight(parsed.EscapedPath(), "/")
	if parsed.RawQuery != "" {
		path += "?" + parsed.RawQuery
	}
	return path
}

// checkBranch accepts a name that git accepts for a new branch, as git check-ref-format --branch does, and no name
// with another meaning.
func checkBranch(branch string) error {
	if short, whole := strings.CutPrefix(branch, "refs/heads/"); whole {
		return redact.Errorf("branch %q: want the name alone, as in %q", branch, short)
	}
	if err := plumbing.NewBranchReferenceName(branch).Validate(); err != nil || strings.HasPrefix(branch, "-") ||
		branch == "HEAD" || branch == "@" {
		return redact.Errorf("branch %q: not a name for a branch", branch)
	}
	return nil
}

// isScheme reports whether a word before a colon is a URL's, and not the name of an ssh server.
func isScheme(word string) bool {
	switch strings.ToLower(word) {
	case "http", "https", "ssh", "git", "file", "git+ssh", "ssh+git":
		return true
	}
	return false
}

// defaultTimeout is how long everything may take without a Target.Timeout.
const defaultTimeout = 30 * time.Minute

// withTimeout returns a context that ends when the target's time is up.
func (t *Target) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(t.Timeout, defaultTimeout)
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %s", ErrTimeout, limit))
}
