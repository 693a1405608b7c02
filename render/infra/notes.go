package infra

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
)

// anyNode is a placeholder for an address of a node of the management cluster, which sipgen does not have.
const anyNode = "MANAGEMENT-NODE"

// Notes returns markdown for a reader of PLAN.md: how to reach the cluster's services, and who may log in. It has no
// secret in it, and is empty for a cluster without services.
func Notes(in *Checked) string {
	o := newOverlay(in)
	var out strings.Builder
	services := &o.Cluster.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		lb := &services.LoadBalancerControlPlane[i]
		name := v1.ServiceName(v1.ListControlPlane, i, o.Cluster.Name)
		host, port := o.reached(name, &lb.Service, lb.NodePort, apiPort)
		fmt.Fprintf(&out, "- API servers, by `%s`: `https://%s:%d`\n", name, host, port)
	}
	for i := range services.LoadBalancerWorker {
		lb := &services.LoadBalancerWorker[i]
		name := v1.ServiceName(v1.ListWorker, i, o.Cluster.Name)
		host, _ := o.reached(name, &lb.Service, lb.NodePortRange.Start, lb.NodePortRange.Start)
		fmt.Fprintf(&out, "- Workers, by `%s`: `%s`, TCP ports %s\n", name, host, lb.NodePortRange)
	}
	for i := range services.JumpHost {
		o.jumpNotes(&out, i, &services.JumpHost[i])
	}
	for i := range services.Dex {
		o.dexNotes(&out, i, &services.Dex[i])
	}
	return out.String()
}

// reached returns the host and port at which people reach a Service.
func (o *overlay) reached(name string, spec *v1.Service, nodePort, port int32) (string, int32) {
	inCluster := name + "." + o.Cluster.Namespace + ".svc"
	switch spec.ExposureType(nodePort) {
	case corev1.ServiceTypeNodePort:
		return anyNode, nodePort
	case corev1.ServiceTypeLoadBalancer:
		if addresses := spec.Service.Addresses(); len(addresses) > 0 {
			return uri(addresses[0]), port
		}
		return "LOAD-BALANCER-ADDRESS", port
	default:
		if spec.ClusterIP != nil && *spec.ClusterIP != "" && *spec.ClusterIP != corev1.ClusterIPNone {
			return uri(*spec.ClusterIP), port
		}
		return inCluster, port
	}
}

// uri puts an IPv6 address in brackets.
func uri(address string) string {
	if strings.Contains(address, ":") {
		return "[" + address + "]"
	}
	return address
}

func (o *overlay) jumpNotes(out *strings.Builder, i int, jump *v1.JumpHost) {
	name := v1.ServiceName(v1.ListJumpHost, i, o.Cluster.Name)
	host, port := o.reached(name, &jump.Service, jump.NodePort, 22)
	fmt.Fprintf(out, "\n<details><summary>Jump host <code>%s</code></summary>\n\n", name)
	table, err := o.table(jump.NodeInterface, jump.AddressFamily)
	if err != nil {
		table = nil
	}
	if len(table) > 0 {
		out.WriteString("For `~/.ssh/config`; then `ssh " + table[0].Aliases()[0] + "` goes through the jump host:\n\n```sshconfig\n")
		fmt.Fprintf(out, "Host %s\n    HostName %s\n    Port %d\n    User %s\n\nHost", name, strings.Trim(host, "[]"), port, jumpUser)
		for _, h := range table {
			out.WriteString(" " + h.Aliases()[0])
		}
		fmt.Fprintf(out, "\n    ProxyJump %s\n```\n\n", name)
	}
	if bmcAccess(jump) != v1.BMCNone {
		out.WriteString("On it, `host list` shows the hosts, and `host reboot NAME` restarts one.\n\n")
	}
	out.WriteString(loginNotes(jump))
	out.WriteString("</details>\n")
}

// maxLogins is how many keys that may log in are listed.
const maxLogins = 50

// loginNotes lists who may log in, by fingerprints, which people compare. The comments of keys are left out, because
// the author of a key chooses them.
func loginNotes(jump *v1.JumpHost) string {
	var lines []string
	for _, key := range jump.SSHAuthorizedKeys {
		lines = append(lines, "- `"+validation.KeyFingerprint(key)+"`")
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if n := len(lines) - maxLogins; n > 0 {
		lines = append(lines[:maxLogins:maxLogins], fmt.Sprintf("- and %d more", n))
	}
	if jump.TrustedUserCA != "" {
		lines = append(lines, "- every user certificate that `"+validation.KeyFingerprint(jump.TrustedUserCA)+"` signs")
	}
	if len(lines) == 0 {
		return "No user may log in: it has no keys.\n\n"
	}
	return "May log in (`ssh-keygen -lf KEY.pub` prints a key's fingerprint):\n\n" + strings.Join(lines, "\n") + "\n\n"
}

// jumpUser is the login name in the jump host's image.
const jumpUser = "sip"

// HostKeysCommand makes the Secret with a jump host's own keys, and leaves no copy behind.
func HostKeysCommand(namespace, name string) string {
	return `d=$(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -C ` + name + ` -f "$d/ssh_host_ed25519_key" &&
  kubectl -n ` + namespace + ` create secret generic ` + name + ` --from-file="$d/ssh_host_ed25519_key"; rm -rf "$d"`
}

func (o *overlay) dexNotes(out *strings.Builder, i int, dex *v1.Dex) {
	name := v1.ServiceName(v1.ListDex, i, o.Cluster.Name)
	id := identityOf(dex)
	fmt.Fprintf(out, "\n<details><summary>OIDC provider <code>%s</code></summary>\n\n", name)
	fmt.Fprintf(out, "The API server's half is in `infra/%s/tenant/`. For people, with the kubectl plugin oidc-login (kubelogin):\n\n```sh\n", name)
	lines := []string{
		"kubectl config set-credentials " + o.Cluster.Name + "-oidc", "--exec-api-version=client.authentication.k8s.io/v1",
		"--exec-interactive-mode=IfAvailable", "--exec-command=kubectl", "--exec-arg=oidc-login", "--exec-arg=get-token",
		"--exec-arg=--oidc-issuer-url=" + id.issuer, "--exec-arg=--oidc-client-id=" + id.clientID,
	}
	for _, scope := range []string{"email", "profile", "groups", "offline_access"} {
		lines = append(lines, "--exec-arg=--oidc-extra-scope="+scope)
	}
	if !publicClient(dex, id.clientID) {
		lines = append(lines, `--exec-arg=--oidc-client-secret="$CLIENT_SECRET"`)
	}
	if id.ca != "" {
		lines = append(lines, "--exec-arg=--certificate-authority=issuer-ca.crt")
	}
	out.WriteString(strings.Join(lines, " \\\n  ") + "\n```\n\n</details>\n")
}

func publicClient(dex *v1.Dex, id string) bool {
	for _, client := range dex.StaticClients {
		if client.ID == id {
			return client.Public
		}
	}
	return false
}
