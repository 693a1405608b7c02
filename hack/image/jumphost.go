package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// jumpHost describes the jump host's image. images/jump-host/Dockerfile is generated from it, for people with a
// container engine; jumpIndex makes the same image without one.
var jumpHost = description{
	Suite: "trixie",
	Base:  "docker.io/library/debian:13-slim",
	Slim: []string{"base-files", "base-passwd", "bash", "coreutils", "dash", "debianutils", "diffutils", "findutils",
		"grep", "gzip", "hostname", "libc-bin", "mawk", "ncurses-base", "sed", "systemd-standalone-sysusers", "tar",
		"util-linux"},
	Packages: []string{"openssh-server", "openssh-client", "curl", "jq", "ca-certificates", "mawk", "bash-completion"},
	User:     "sip",
	ID:       1000,
	Home:     "/tmp",
	Shell:    "/bin/bash",
	Link:     "/usr/local/bin/host",
	Target:   "/opt/sip/bin/host",
	Kubectl:  "/usr/local/bin/kubectl",
	Port:     2222,
	Cmd:      []string{"/bin/sh", "/opt/sip/bin/start"},
}

// description is the content of an image of Debian with kubectl, and how the image runs.
type description struct {
	// Suite of Debian, and Base, an image of it. Slim has the packages of Base that something here runs.
	Suite, Base string
	Slim        []string
	// Packages are installed on top of Base.
	Packages []string
	// User is the name of the image's user, and of the user's group. ID is the number of both.
	User        string
	ID          int
	Home, Shell string
	// Link leads to Target, a file in a volume.
	Link, Target string
	Kubectl      string
	Port         int
	Cmd          []string
}

// account returns the user's lines in passwd, group and shadow.
func (d description) account() (passwd, group, shadow string) {
	return fmt.Sprintf("%s:x:%d:%d::%s:%s\n", d.User, d.ID, d.ID, d.Home, d.Shell),
		fmt.Sprintf("%s:x:%d:\n", d.User, d.ID), d.User + ":*::0:99999:7:::\n"
}

// packages returns Debian's suite and all packages of the image, as debian-root.sh takes them.
func (d description) packages() string {
	return strings.Join(append(append([]string{d.Suite}, d.Slim...), d.Packages...), " ") + "\n"
}

// dockerfile returns the Dockerfile, with a version of kubectl.
func (d description) dockerfile(kubectl string) (string, error) {
	list := func(words []string) (string, error) {
		text, err := json.Marshal(words)
		return strings.ReplaceAll(string(text), ",", ", "), err
	}
	text, err := template.New("Dockerfile").Funcs(template.FuncMap{"join": strings.Join,
		"list": list}).Parse(dockerfile)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = text.Execute(&out, struct {
		description
		Version string
	}{d, kubectl})
	return out.String(), err
}

const dockerfile = `# The jump host's image: sshd and ssh, kubectl for power by metal3, curl and jq for Redfish. It
# has no configuration: the pod brings sshd_config, ssh_config, the keys and the host command.
#
#   docker build -t quay.io/example/jump-host:1 images/jump-host
#   docker buildx build --platform linux/amd64,linux/arm64 -t quay.io/example/jump-host:1 --push images/jump-host
#
# Generated from hack/image/jumphost.go by make generate.

ARG KUBECTL=registry.k8s.io/kubectl:{{.Version}}
ARG BASE={{.Base}}

FROM ${KUBECTL} AS kubectl

FROM ${BASE}
# The link is for login shells, whose profile sets a PATH of its own.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends {{join .Packages " "}} \
 && rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_* \
 && groupadd --gid {{.ID}} {{.User}} \
 && useradd --uid {{.ID}} --gid {{.ID}} --home-dir {{.Home}} --no-create-home --shell {{.Shell}} --password '*' {{.User}} \
 && ln -s {{.Target}} {{.Link}}
COPY --from=kubectl /bin/kubectl {{.Kubectl}}
USER {{.ID}}:{{.ID}}
EXPOSE {{.Port}}
CMD {{list .Cmd}}
`
