package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// The kubeconfig's library repeats a proxy-url that is none.
func TestProxyOfAKubeconfigIsMasked(t *testing.T) {
	for _, proxy := range []string{"squid:pr0xys3cret@proxy:3128", "http://squid:pr0xys3cret%zz@proxy",
		"ftp://squid:pr0xys3cret@proxy"} {
		file := filepath.Join(t.TempDir(), "kubeconfig")
		need.Write(t, file, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\n"+
			"contexts: [{name: a, context: {cluster: a}}]\n"+
			"clusters: [{name: a, cluster: {server: 'https://192.0.2.1', proxy-url: %q}}]\n", proxy))
		_, err := (&Inputs{Kubeconfig: file}).RestConfig()
		assert.ErrorContains(t, err, "proxy-url", proxy)
		assert.Truef(t, !strings.Contains(err.Error(), "pr0xys3cret"), "%s: found %v", proxy, err)
	}
}

// TestLiveObjectsAreChecked is contract 27: a tree is refused where another site's guards are in force, what the SIP
// operator left is said, and so is what could not be read.
func TestLiveObjectsAreChecked(t *testing.T) {
	in := &Inputs{Site: "../../examples/full-service/site.yaml",
		Specs:     []string{"../../examples/full-service/cluster.yaml"},
		Inventory: "../../examples/full-service/hosts.yaml"}
	p := need.Value(Plan(need.Value(Admit(need.Value(Load(t.Context(), in, nil))(t), Before{}))(t)))(t)
	unread := errors.New("the API server is busy")
	left := func(kind, name string) reading[[]inventory.ServiceObject] {
		return read([]inventory.ServiceObject{{Kind: kind, Namespace: "bank", Name: name}}, nil)
	}
	guards := []inventory.GuardBinding{{Name: "sipgen-dc2-sync-guard-v1", Site: "dc2"}}
	noKeys := leftovers{hostKeys: []inventory.SecretSeen{{Namespace: "bank", Name: "jumphost-bank-host-keys",
		Missing: true}}}
	finalized := leftovers{finalized: []inventory.Finalized{{Namespace: "bank", Name: "bank"}}}
	for _, row := range []struct {
		objects liveObjects
		warning string // or, with refused, the refusal
		refused bool
	}{
		{liveObjects{guards: read(guards, nil)}, "the guards of site dc2 are in force in ", true},
		{liveObjects{services: left(inventory.KindService, "loadbalancer-controlplane-bank")}, "calls its port", false},
		{liveObjects{services: left(inventory.KindDeployment, "jumphost-bank"), leftovers: read(noKeys, nil)},
			"there is no Secret jumphost-bank-host-keys", false},
		{liveObjects{leftovers: read(finalized, nil)}, "it has the finalizer", false},
		{liveObjects{guards: read([]inventory.GuardBinding(nil), unread)},
			"whether another site on this API server guards the same namespaces was not checked: the API server is busy",
			false},
		{liveObjects{services: read([]inventory.ServiceObject(nil), unread)},
			"field ownership of services was not checked", false},
		{liveObjects{leftovers: read(leftovers{}, unread)}, "what the SIP operator may have left was not checked", false},
	} {
		p.Loaded.objects = row.objects
		warnings, err := p.preflight()
		var said []string
		for i := range warnings {
			said = append(said, warnings[i].Sentence())
		}
		if row.refused {
			assert.ErrorContains(t, err, row.warning)
			continue
		}
		assert.NoError(t, err, row.warning)
		assert.Contains(t, strings.Join(said, "\n"), row.warning)
	}
}
