package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// podsOf reads a SIPCluster with one load balancer that has these fields.
func podsOf(fields string) ([]v1.SIPCluster, error) {
	docs, err := manifest.Parse("spec.yaml",
		[]byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: tenants, name: edge-a}\n"+
			"spec: {services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, "+fields+"}]}}\n"))
	if err != nil {
		return nil, err
	}
	return api.ClustersFromDocuments(docs)
}

// TestPodOptions: what a tenant may say of its pods, and what is refused, by the words of the refusal.
func TestPodOptions(t *testing.T) {
	const at = "spec.services.loadBalancerControlPlane[0]."
	for _, row := range []struct{ why, fields, want string }{
		{"nothing", "pods: {}", ""},
		{"labels and annotations", "labels: {team: net}, annotations: {example.org/contact: 'a, b'}, pods: {labels: {example.org/a: b}, annotations: {prometheus.io/port: '9'}}", ""},

		{"a label by which Services find pods",
			"pods: {labels: {app.kubernetes.io/instance: loadbalancer-controlplane-edge-b}}",
			at + `pods.labels["app.kubernetes.io/instance"]: is Kubernetes' own: tenants may not set such keys`},
		{"the engine's annotation", "annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}",
			at + `annotations["kustomize.toolkit.fluxcd.io/prune"]: steers the GitOps engine`},
		{"a network by Multus", "pods: {annotations: {k8s.v1.cni.cncf.io/networks: kube-system/bmc}}",
			at + `pods.annotations["k8s.v1.cni.cncf.io/networks"]: attaches networks`},
		{"a Secret of a vault", "pods: {annotations: {vault.hashicorp.com/agent-inject: 'true'}}", "mounts Secrets"},
		{"an address by an annotation of all objects", "annotations: {metallb.io/loadBalancerIPs: 192.0.2.1}",
			"asks for an address"},
		{"a runtime's device", "pods: {annotations: {io.katacontainers.config.hypervisor.path: /bin/sh}}",
			"steers the container runtime"},
		{"a label that is none", "labels: {'a b': c}", at + `labels["a b"]: name part must consist`},
		{"a label's value that breaks a line", `pods: {labels: {team: "a\nb"}}`, at + "pods.labels[\"team\"]: "},
		{"an annotation that steers a terminal", `annotations: {team: "a\x1b[2Jb"}`,
			at + `annotations["team"]: contains a line break or a control character`},
		{"an annotation like a book", "pods: {annotations: {team: " + strings.Repeat("x", 16<<10+1) + "}}",
			at + `pods.annotations["team"]: found 16385 bytes, want at most 16384`},
		{"annotations that no object can have",
			"pods: {annotations: {" + strings.Repeat("k%d: "+strings.Repeat("x", 16<<10)+", ", 12) + "a: b}}",
			at + "pods.annotations: 196646 bytes in all, want at most 196608"},
		{"the same, of a Service in two places",
			"annotations: {" + strings.Repeat("k%d: "+strings.Repeat("x", 16<<10)+", ",
				6) + "a: b}, service: {annotations: {b: " + strings.Repeat("x", 6*16<<10) + "}}",
			at + "annotations: 196"},
		{"one annotation at two places", "annotations: {a: b}, service: {annotations: {a: c}}",
			at + `annotations["a"]: is in service.annotations too`},

		{"a node by its name", "pods: {nodeAffinity: {required: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}", "pods.nodeAffinity: unknown field"},
		{"pods of other namespaces", "pods: {podAntiAffinity: [{topologyKey: kubernetes.io/hostname, namespaceSelector: {}}]}", "pods.podAntiAffinity: unknown field"},
		{"a toleration", "pods: {tolerations: [{operator: Exists}]}", "pods.tolerations"},
		{"a command for a probe", "pods: {probes: {liveness: {exec: {command: [sh]}}}}", "pods.probes: unknown field"},
	} {
		fields := row.fields
		for i := 0; strings.Contains(fields, "k%d"); i++ {
			fields = strings.Replace(fields, "k%d", fmt.Sprintf("k%02d", i), 1)
		}
		_, err := podsOf(fields)
		found := ""
		if err != nil {
			found = err.Error()
		}
		if row.want == "" && err != nil || !strings.Contains(found, row.want) {
			t.Errorf("%s:\nfound %s\nwant  %s", row.why, found, row.want)
		}
	}
}
