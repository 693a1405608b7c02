package preflight

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// TestLeftovers: what an installation of SIP leaves to be seen to is a warning, with the command; once sipgen's services are synced there is none.
func TestLeftovers(t *testing.T) {
	cluster := v1.SIPCluster{}
	cluster.Namespace, cluster.Name = "lma-infra", "lma"
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{}, {HostKeys: "keys"}}
	cluster.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{}, {PortName: v1.PortNameSIP}, {PortName: v1.PortNameHTTPS}}
	clusters := []v1.SIPCluster{cluster}
	sip := inventory.Owner{Manager: "manager", Operation: "Update", Made: true}
	object := func(kind, list string, i int, owners ...inventory.Owner) inventory.ServiceObject {
		return inventory.ServiceObject{Kind: kind, Namespace: "lma-infra", Name: v1.ServiceName(list, i, "lma"), Owners: owners}
	}
	service := func(i int, owners ...inventory.Owner) inventory.ServiceObject {
		return object(inventory.KindService, v1.ListControlPlane, i, owners...)
	}
	jump := func(i int, owners ...inventory.Owner) inventory.ServiceObject {
		return object(inventory.KindDeployment, v1.ListJumpHost, i, owners...)
	}
	handed := inventory.Owner{Manager: "kustomize-controller", Operation: "Apply", Made: true}
	synced := func(o inventory.ServiceObject) inventory.ServiceObject {
		o.Rendered = true
		return o
	}
	missing := []inventory.SecretSeen{{Namespace: "lma-infra", Name: "jumphost-lma-host-keys", Missing: true}, {Namespace: "lma-infra", Name: "keys", Unread: "the account may not look"}}
	finalized := func(namespace string, index int, deleting bool) []inventory.Finalized {
		return []inventory.Finalized{{Namespace: namespace, Name: "lma", Index: index, Deleting: deleting}}
	}
	for _, row := range []struct {
		why  string
		got  []finding.Finding
		want []string // words of the only finding; none: nothing is found
	}{
		{"SIP's port http becomes https", PortNames(clusters, []inventory.ServiceObject{service(0, sip)}),
			[]string{"Service lma-infra/loadbalancer-controlplane-lma: the SIP operator calls its port http, and lma-infra/lma calls it https", "set spec.services.loadBalancerControlPlane[0].portName to http"}},
		{"and so it is while it is only handed over", PortNames(clusters, []inventory.ServiceObject{service(0, handed)}), []string{"calls it https"}},
		{"https by name", PortNames(clusters, []inventory.ServiceObject{service(2, sip)}), []string{"loadBalancerControlPlane[2].portName"}},
		{"the port keeps SIP's name", PortNames(clusters, []inventory.ServiceObject{service(1, sip)}), nil},
		{"the Service is sipgen's", PortNames(clusters, []inventory.ServiceObject{synced(service(0, handed))}), nil},
		{"somebody's by kubectl", PortNames(clusters, []inventory.ServiceObject{service(0, inventory.Owner{Manager: "kubectl-create", Operation: "Update", Made: true})}), nil},
		{"a Deployment has no port name that counts", PortNames(clusters, []inventory.ServiceObject{object(inventory.KindDeployment, v1.ListControlPlane, 0, sip)}), nil},
		{"nothing is there", PortNames(clusters, nil), nil},

		{"no host keys", MissingHostKeys(clusters, []inventory.ServiceObject{jump(0, sip)}, missing),
			[]string{"Deployment lma-infra/jumphost-lma: there is no Secret jumphost-lma-host-keys: ", "no host of the tenant is labeled", "kubectl -n lma-infra create secret generic jumphost-lma-host-keys --from-file"}},
		{"nobody may look", MissingHostKeys(clusters, []inventory.ServiceObject{jump(1, handed)}, missing),
			[]string{"could not check whether there is a Secret keys: the account may not look", "kubectl -n lma-infra get secret keys"}},
		{"host keys are there", MissingHostKeys(clusters, []inventory.ServiceObject{jump(0, sip)}, []inventory.SecretSeen{{Namespace: "lma-infra", Name: "jumphost-lma-host-keys"}}), nil},
		{"it was not looked", MissingHostKeys(clusters, []inventory.ServiceObject{jump(0, sip)}, nil), nil},
		{"the jump host is sipgen's", MissingHostKeys(clusters, []inventory.ServiceObject{synced(jump(0, handed))}, missing), nil},

		{"a finalizer", Finalizers(clusters, finalized("lma-infra", 2, false)),
			[]string{"SIPCluster lma-infra/lma: it has the finalizer sip.airship.airshipit.org/finalizer: ", `--type=json -p '[{"op":"test","path":"/metadata/finalizers/2","value":"sip.airship.airshipit.org/finalizer"},{"op":"remove","path":"/metadata/finalizers/2"}]'`}},
		{"of a cluster that is not taken over yet", Finalizers(clusters, finalized("others", 0, false)), nil},
		{"and that somebody deletes", Finalizers(clusters, finalized("others", 0, true)), []string{"SIPCluster others/lma: it is being deleted"}},
		{"of one that is rendered and deleted", Finalizers(clusters, finalized("lma-infra", 0, true)), []string{"it is being deleted"}},
	} {
		switch {
		case len(row.want) == 0 && len(row.got) == 0:
			continue
		case len(row.got) != 1 || len(row.want) == 0 || row.got[0].Severity != finding.Warning:
			t.Errorf("%s: got %v, want %q", row.why, row.got, row.want)
			continue
		}
		for _, want := range row.want {
			if text := row.got[0].Sentence(); !strings.Contains(text, want) {
				t.Errorf("%s: got  %s\nwant %s", row.why, text, want)
			}
		}
	}
	if got := HostKeySecrets(clusters, []inventory.ServiceObject{jump(0, sip), synced(jump(1, handed))}); len(got) != 1 || got[0].Name != "jumphost-lma-host-keys" {
		t.Errorf("looked for %v, want the one Secret of the jump host that is SIP's", got)
	}
}
