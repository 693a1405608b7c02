package services

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const greenSpec = `
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: t, name: green}
spec: {nodes: {Storage: {labelSelector: {matchLabels: {pool: s}}, count: {active: COUNT}}}}
`

// scaleDown: the role shrinks, and Cluster API deletes another machine than that of the host that sipgen lets go.
// status asks for no second machine, and the next run lets the idle host go.
func scaleDown(t *testing.T, api *engine.APIServer, core *engine.ClusterAPI) {
	r := &racks{api: api, core: core, folder: t.TempDir(), templates: map[string]string{"green": "green-a"}}
	objects := strings.ReplaceAll(racksCluster, "red", "green") + strings.NewReplacer("NAME", "green", "red", "green",
		"LABELS", "sip.airshipit.org/node-type: Storage", "ANNOTATIONS", "", "STRATEGY", "RollingUpdate",
		"TEMPLATE", "green-a").Replace(racksDeployment)
	hosts := func(one, two string) string {
		labels := strings.NewReplacer("cluster-name: red", "cluster-name: green")
		return labels.Replace(rackHost("s1", one) + rackHost("s2", two))
	}
	run := func(count, hosts string) {
		applyWithComponent(t, api, r.folder, strings.ReplaceAll(greenSpec, "COUNT", count), hosts, "green", objects)
	}
	status := func() string {
		command := exec.Command(engine.Sipgen(t), "status", "--site", "site.yaml", "--inventory", "hosts.yaml",
			"--previous", "tree")
		command.Dir = r.folder
		said, err := command.CombinedOutput()
		require.Truef(t, err == nil, "sipgen status: %v\n%s", err, said)
		return string(said)
	}
	run("2", hosts("free", "free"))
	r.want(t, "two machines", "green green")
	both := r.machines(t) // the first by name is on s1
	for i := range both {
		r.join(t, &both[i])
	}

	run("1", hosts("used", "used"))
	r.want(t, "one machine", "green")
	r.wantAll(t, "of equal ones Cluster API deletes the first by name", both[1:])
	run("1", hosts("used", "used")) // nothing new
	page := status()
	for _, word := range []string{"s2", "waits until its machine is deleted"} {
		assert.Contains(t, page, word, "before")
	}
	need.Write(t, r.folder+"/hosts.yaml", hosts("idle", "used"))
	page = status()
	for _, word := range []string{"idle, while metal3/s2 should be", "Run sipgen before you delete a machine"} {
		assert.Contains(t, page, word, "idle")
	}
	run("1", hosts("idle", "used"))
	said := status()
	assert.Contains(t, said, "metal3/s1", "after")
	assert.Contains(t, said, "releasing", "after")
	assert.NotContains(t, said, "metal3/s2", "after")
	r.want(t, "one machine", "green")
	r.wantAll(t, "its host stays", both[1:])
}
