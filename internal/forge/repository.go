package forge

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
)

// Provider is a kind of forge: the pages and the API that it has.
type Provider string

// The kinds of forges. Forgejo speaks Gitea's API.
const (
	Unknown Provider = ""
	GitHub  Provider = "github"
	GitLab  Provider = "gitlab"
	Gitea   Provider = "gitea"
)

// hostKinds are the kinds of forges by host name. No request is made.
var hostKinds = map[string]Provider{"github.com": GitHub, "gitlab.com": GitLab, "codeberg.org": Gitea,
	"gitea.com": Gitea}

// sshAliases are hosts that take ssh on port 443 for another one.
var sshAliases = map[string]string{"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com",
	"www.github.com": "github.com"}

// KindOf returns the kind of the forge that a remote is on. name is a kind's, or "auto": by well-known host
// names, and Unknown for any other.
func KindOf(remote, name string) (Provider, error) {
	switch Provider(name) {
	case GitHub, GitLab, Gitea:
		return Provider(name), nil
	case "auto":
	default:
		return Unknown, redact.Errorf("found %q, want auto, github, gitlab, gitea or none", name)
	}
	address, found := parseRemote(remote)
	if !found {
		return Unknown, nil
	}
	if isCloud(address.Hostname()) {
		return GitHub, nil
	}
	return hostKinds[address.Hostname()], nil
}

// Repository is a repository on a forge, found by Locate.
type Repository struct {
	Kind Provider
	// Web is where the forge's pages begin, without a slash at its end: https://git.example.org, or with a port or a
	// folder. There is never a user or a password in it.
	Web string
	// Path is the repository's, with slashes and without .git: owner/name, on GitLab also with groups in groups.
	Path string
}

// String returns the repository's page.
func (r Repository) String() string { return r.Web + "/" + escapePath(r.Path) }

// Locate finds a repository's forge from the URL that git uses: https, http, ssh, or git's short form user@host:path.
// It returns false for a folder or a file URL. The pages of a forge that is reached by ssh are assumed at https on
// the same host, unless web is set.
func Locate(remote string, kind Provider, web string) (Repository, bool, error) {
	address, found := parseRemote(remote)
	if !found {
		return Repository{}, false, nil
	}
	parts := strings.Split(strings.TrimSuffix(strings.Trim(address.Path, "/"), ".git"), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." || oneLine(part) != part {
			return Repository{}, false, fmt.Errorf("%s: not the path of a repository on a forge", oneLine(address.Host))
		}
	}
	base, parts, err := pagesOf(address, parts, kind, web)
	if err != nil {
		return Repository{}, false, err
	}
	if len(parts) < 2 || len(parts) > 2 && kind.ownerAndName() {
		return Repository{}, false, fmt.Errorf("%s: path %s: want OWNER/NAME", oneLine(address.Host),
			strings.Join(parts, "/"))
	}
	return Repository{Kind: kind, Web: base, Path: strings.Join(parts, "/")}, true, nil
}

// ownerAndName reports whether repositories are not in nested groups, which only GitLab has.
func (k Provider) ownerAndName() bool { return k == GitHub || k == Gitea }

// pagesOf returns where the forge's pages begin, and the parts of a remote's path without the folder that the forge
// is in.
func pagesOf(address *url.URL, parts []string, kind Provider, web string) (base string, rest []string, err error) {
	switch {
	case web != "":
		base, folder, err := parseWeb(web)
		if len(parts) > len(folder)+1 && slices.Equal(parts[:len(folder)], folder) {
			parts = parts[len(folder):]
		}
		return base, parts, err
	case address.Scheme == "ssh" || hostKinds[address.Hostname()] != Unknown:
		return "https://" + bracket(address.Hostname()), parts, nil
	}
	base = address.Scheme + "://" + address.Host
	// The part before owner/name is a folder that the forge is in.
	if n := len(parts) - 2; n > 0 && kind.ownerAndName() {
		return base + "/" + escapePath(strings.Join(parts[:n], "/")), parts[n:], nil
	}
	return base, parts, nil
}

// parseWeb reads the address of a forge's pages, and gives the folder in it, too.
func parseWeb(web string) (base string, folder []string, err error) {
	address, err := url.Parse(web)
	switch {
	case err != nil, address.Host == "", address.User != nil, address.RawQuery != "", address.Fragment != "",
		address.Scheme != "https" && address.Scheme != "http", oneLine(web) != web:
		return "", nil, errors.New("the forge's address: want https://HOST[:PORT][/FOLDER], without a user")
	}
	path := strings.TrimRight(address.Path, "/")
	return address.Scheme + "://" + address.Host + escapePath(path), strings.Split(strings.Trim(path, "/"), "/"), nil
}

// parseRemote returns a remote as a URL of scheme ssh, https or http, with a host in lower case and without the user.
func parseRemote(remote string) (*url.URL, bool) {
	if scheme, _, ok := strings.Cut(remote, "://"); ok {
		address, err := url.Parse(remote)
		if err != nil || address.Hostname() == "" {
			return nil, false
		}
		switch strings.ToLower(scheme) {
		case "ssh", "git+ssh", "ssh+git":
			return cleanRemote("ssh", address.Hostname(), "", address.Path)
		case "https", "http":
			return cleanRemote(strings.ToLower(scheme), address.Hostname(), address.Port(), address.Path)
		}
		return nil, false
	}
	// git's short form: a colon before any slash. A letter before it is a drive on Windows.
	rest := remote
	if at := strings.LastIndexByte(strings.SplitN(remote, "/", 2)[0], '@'); at >= 0 {
		rest = remote[at+1:]
	}
	if inside, path, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]:"); ok && strings.HasPrefix(rest, "[") {
		return cleanRemote("ssh", inside, "", path)
	}
	host, path, ok := strings.Cut(rest, ":")
	if !ok || len(host) < 2 || strings.ContainsAny(host, `/\`) {
		return nil, false
	}
	return cleanRemote("ssh", host, "", path)
}

// hostName is a DNS name, or an IP address of either kind.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_.-]*[a-z0-9])?$|^[0-9a-f:.]*:[0-9a-f:.]*$`)

func cleanRemote(scheme, host, port, path string) (*url.URL, bool) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !hostName.MatchString(host) {
		return nil, false
	}
	if real, found := sshAliases[host]; found {
		host = real
	}
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	whole := bracket(host)
	if port != "" {
		whole = net.JoinHostPort(host, port)
	}
	return &url.URL{Scheme: scheme, Host: whole, Path: path}, true
}

// bracket writes an IPv6 address as URLs have it.
func bracket(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// Page returns where a person opens a pull request by hand, empty where the kind of forge is unknown.
func (r Repository) Page(base, head string) string {
	switch r.Kind {
	case GitHub:
		return fmt.Sprintf("%s/compare/%s...%s?expand=1", r, escapePath(base), escapePath(head))
	case GitLab:
		return fmt.Sprintf("%s/-/merge_requests/new?%s", r, url.Values{
			"merge_request[source_branch]": {head}, "merge_request[target_branch]": {base},
		}.Encode())
	case Gitea:
		return fmt.Sprintf("%s/compare/%s...%s", r, escapePath(base), escapePath(head))
	}
	return ""
}

// PullRequestPage returns the page of a pull request, empty where the kind of forge is unknown.
func (r Repository) PullRequestPage(number int64) string {
	switch r.Kind {
	case GitHub:
		return fmt.Sprintf("%s/pull/%d", r, number)
	case GitLab:
		return fmt.Sprintf("%s/-/merge_requests/%d", r, number)
	case Gitea:
		return fmt.Sprintf("%s/pulls/%d", r, number)
	}
	return ""
}

// OnHost reports whether an address is a page on the forge's host, at any port, because that of a forge reached by
// ssh is unknown. other is the other host, "" for an invalid address.
func (r Repository) OnHost(page string) (is bool, other string) {
	address, err := url.Parse(page)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.User != nil ||
		address.Hostname() == "" {
		return false, ""
	}
	web, err := url.Parse(r.Web)
	if err == nil && strings.EqualFold(strings.TrimSuffix(address.Hostname(), "."),
		strings.TrimSuffix(web.Hostname(), ".")) {
		return true, ""
	}
	return false, oneLine(address.Host)
}

// escapePath escapes each part of a path, and keeps its slashes.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// isCloud reports whether a host is GitHub Enterprise Cloud with data residency: NAME.ghe.com, its API at
// api.NAME.ghe.com.
func isCloud(host string) bool { return strings.HasSuffix(host, ".ghe.com") }
