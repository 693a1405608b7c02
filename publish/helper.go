package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/publish/internal/wire"
)

// withCredentialHelper runs one exchange with the server. If it wants credentials and none were given, git's
// credential helpers are asked, once. The errors of transports become ours.
func withCredentialHelper[T any](ctx context.Context, r *remote, exchange func(ctx context.Context, active func()) (T, error)) (T, error) {
	got, err := wire.WithIdleTimeout(ctx, r.target.IdleTimeout, exchange)
	known := r.target.Auth
	if errors.Is(err, transport.ErrAuthenticationRequired) && known.Password == "" && known.Token == "" && !r.helper.asked && !known.NoHelper {
		r.helper.asked = true
		login := r.askCredentialHelper(ctx)
		if ctx.Err() != nil {
			return got, context.Cause(ctx)
		}
		if login != nil {
			r.auth = login
			got, err = wire.WithIdleTimeout(ctx, r.target.IdleTimeout, exchange)
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
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	login := parseCredentials(answer)
	if login == nil {
		return nil
	}
	r.helper.secrets = []string{login.Password, basic(login)}
	return login
}

// parseCredentials reads the answer of git's credential helpers, nil where it has no password. See git-credential(1).
func parseCredentials(answer []byte) *githttp.BasicAuth {
	login := &githttp.BasicAuth{}
	for line := range bytes.Lines(answer) {
		key, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), "=")
		switch {
		case !found:
		case key == "username":
			login.Username = value
		case key == "password":
			login.Password = value
		}
	}
	if login.Password == "" {
		return nil
	}
	return login
}
