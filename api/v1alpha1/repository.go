package v1alpha1

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// scpURL is git's short form of a URL for ssh.
var scpURL = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[A-Za-z0-9_./~-]+$`)

// SCP reports whether the URL has git's short form, user@host:path.
func (r *Repository) SCP() bool { return scpURL.MatchString(r.URL) }

// SSH reports whether a valid URL uses ssh, and returns its port.
func (r *Repository) SSH() (ssh bool, port int) {
	parsed, err := url.Parse(r.URL)
	if err != nil || r.SCP() {
		return true, 22
	}
	ssh = parsed.Scheme == "ssh"
	if _, err := fmt.Sscanf(parsed.Port(), "%d", &port); err == nil && port > 0 {
		return ssh, port
	}
	switch parsed.Scheme {
	case "ssh":
		return true, 22
	case "http":
		return false, 80
	}
	return false, 443
}

// FluxURL returns a valid URL in a form that Flux's GitRepository accepts: ssh:// in place of git's short form
// user@host:path.
func (r *Repository) FluxURL() string {
	if !r.SCP() {
		return r.URL
	}
	host, path, _ := strings.Cut(r.URL, ":")
	return "ssh://" + host + "/" + strings.TrimLeft(path, "/")
}

// FluxLacksCredentials reports whether Flux reads the repository by ssh and has no Secret with credentials.
func (s *Site) FluxLacksCredentials() bool {
	ssh, _ := s.Spec.Repository.SSH()
	return s.Spec.Engine == EngineFlux && ssh && s.Spec.Flux.SecretName == ""
}

// Repository is a git repository, a branch and a folder in it.
type Repository struct {
	// URL: ssh, https or file, without credentials. For Flux, user@host:path becomes ssh://user@host/path.
	URL string `json:"url"`
	// Branch that the engine applies. Default main.
	// +optional
	Branch string `json:"branch,omitempty"`
	// Folder of the tree. Default: the repository's root.
	// +optional
	Path string `json:"path,omitempty"`
}
