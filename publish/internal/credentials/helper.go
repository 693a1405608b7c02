package credentials

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// Ask runs `git credential fill` for a login at an endpoint, of the named user if there is one: nil if git has none.
// It never prompts.
func Ask(ctx context.Context, endpoint *transport.Endpoint, user string) *githttp.BasicAuth {
	host := endpoint.Host
	if endpoint.Port != 0 {
		host = fmt.Sprintf("%s:%d", host, endpoint.Port)
	}
	path, err := url.PathUnescape(endpoint.Path)
	if err != nil {
		path = endpoint.Path
	}
	question := fmt.Sprintf("protocol=%s\nhost=%s\npath=%s\n", endpoint.Protocol, host, strings.TrimPrefix(path, "/"))
	if user != "" {
		question += "username=" + user + "\n"
	}
	if strings.ContainsRune(question, 0) || strings.Count(question, "\n") > 4 {
		return nil // a line end in the URL would change the request
	}
	command := exec.CommandContext(ctx, "git", "credential", "fill")
	command.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=")
	command.Stdin = strings.NewReader(question + "\n")
	command.WaitDelay = time.Second // what git has started may outlive it, and hold its output open
	answer, err := command.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return parseCredentials(answer)
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
