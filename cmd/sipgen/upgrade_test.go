package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/e2e/trees"
)

// TestUpgrade goes on from the trees that earlier commits rendered: every host stays where it is, none is new or released, and no object
// that is live is gone or has to be made anew. TestUpgradeLive in e2e does the same with engines.
func TestUpgrade(t *testing.T) {
	all, err := trees.All()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d trees, %v", len(all), err)
	}
	for _, tree := range all {
		t.Run(tree.Name(), func(t *testing.T) {
			live, err := trees.Read(tree.Folder)
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(tree.Folder)); err != nil {
				t.Fatal(err)
			}
			site := filepath.Join(t.TempDir(), "site.yaml")
			text, err := os.ReadFile(tree.Site)
			if err != nil {
				t.Fatal(err)
			}
			inputs := []string{"--site", site, "-f", tree.Specs, "--inventory", tree.Inventory}
			sipgen := func(want int, args ...string) string {
				t.Helper()
				var stdout, stderr bytes.Buffer
				if code := run(t.Context(), append(args, inputs...), strings.NewReader(""), &stdout, &stderr); code != want {
					t.Fatalf("sipgen %v: exit code %d, want %d\n%s%s", args, code, want, &stdout, &stderr)
				}
				return stdout.String()
			}
			// As the notes on upgrading have it: the grants that the specs need, pasted into the Site. Until then nothing is written,
			// and with --keep-going nobody loses anything.
			check(t, os.WriteFile(site, text, 0o600))
			granted := []byte(strings.TrimPrefix(sipgen(0, "tenants", "--suggest", "--previous", folder), "spec:\n"))
			if example := tree.Example; example == "full-service" || example == "hosts-in-git" { // they ask for an address
				sipgen(2, "plan", "--previous", folder)
				sipgen(2, "render", "--out", folder)
				sipgen(1, "render", "--out", folder, "--keep-going")
				frozen, err := trees.Read(folder)
				if err != nil {
					t.Fatal(err)
				}
				for name, was := range live {
					if strings.HasPrefix(name, "clusters/") && path.Base(name) != "assignments.yaml" && !bytes.Equal(was, frozen[name]) {
						t.Errorf("%s: changed in a cluster that is frozen", name)
					}
				}
				live = wantNothingLost(t, live, frozen)
			}
			check(t, os.WriteFile(site, append(text, granted...), 0o600))
			wantKept(t, live, []byte(sipgen(0, "plan", "-o", "json", "--previous", folder)))
			// What replaces a guard is there in the first commit, and what it replaces goes with the second. A tree that lacked one gets it, too.
			for range 2 {
				sipgen(0, "render", "--out", folder)
				next, err := trees.Read(folder)
				if err != nil {
					t.Fatal(err)
				}
				for name, was := range live {
					// Another configuration rolls the pods of a load balancer.
					if path.Ext(name) == ".cfg" && !bytes.Equal(was, next[name]) {
						t.Errorf("%s: changed by the upgrade", name)
					}
				}
				live = wantNothingLost(t, live, next)
				wantGuards(t, live, "delete-guard", "label-guard", "sync-guard")
			}
			sipgen(0, "diff", "--out", folder)
			if _, found := live["policy/replaced-guards.yaml"]; found {
				t.Error("the guards under names that sites shared are still in the tree")
			}
		})
	}
}

// wantNothingLost wants of the next tree that it takes nothing away from the one that is live, and gives it back.
func wantNothingLost(t *testing.T, live, next map[string][]byte) map[string][]byte {
	t.Helper()
	lost, err := trees.Lost(live, next)
	if err != nil {
		t.Fatal(err)
	}
	interrupted, err := trees.Interrupted(live, next)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range append(lost, interrupted...) {
		t.Error(what)
	}
	return next
}

// wantGuards wants guards of hosts in a tree, in force, each for its site.
func wantGuards(t *testing.T, tree map[string][]byte, guards ...string) {
	t.Helper()
	objects, err := trees.Objects(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} {
		for _, guard := range guards {
			found := 0
			for _, o := range objects {
				if o.GetKind() == kind && o.GetName() == "sipgen-"+o.GetLabels()["sipgen.airshipit.org/site"]+"-"+guard+"-v1" {
					found++
				}
			}
			if found != 1 {
				t.Errorf("found %d of kind %s for the %s, want 1", found, kind, guard)
			}
		}
	}
}

// slot is where a host stands.
type slot struct {
	cluster, role string
	standby       bool
}

// wantKept wants of a plan that every host of a tree's assignments is in its slot, and nothing else happens. The assignments are read
// as what they are, YAML, not as sipgen reads them.
func wantKept(t *testing.T, live map[string][]byte, text []byte) {
	t.Helper()
	want := map[string]slot{}
	for name, content := range live {
		if path.Base(name) != "assignments.yaml" {
			continue
		}
		var file struct {
			Metadata struct{ Namespace, Name string }
			Hosts    []struct {
				Namespace, Name, Role string
				Standby               bool
			}
		}
		if err := yaml.Unmarshal(content, &file); err != nil {
			t.Fatal(err)
		}
		for _, host := range file.Hosts {
			want[host.Namespace+"/"+host.Name] = slot{file.Metadata.Namespace + "/" + file.Metadata.Name, host.Role, host.Standby}
		}
	}
	if len(want) == 0 {
		t.Fatal("no assignments in the tree")
	}
	var plan struct {
		Clusters []struct {
			Namespace, Name string
			Roles           []struct {
				Name                                              string
				New, Pending, Released, ShortActive, ShortStandby int
				Slots                                             []struct {
					Host    string
					Standby bool
				}
			}
		}
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	for _, cluster := range plan.Clusters {
		for _, role := range cluster.Roles {
			if role.New+role.Pending+role.Released+role.ShortActive+role.ShortStandby != 0 {
				t.Errorf("%s/%s %s: %+v", cluster.Namespace, cluster.Name, role.Name, role)
			}
			for _, s := range role.Slots {
				got := slot{cluster.Namespace + "/" + cluster.Name, role.Name, s.Standby}
				if want[s.Host] != got {
					t.Errorf("host %s is in %+v, was in %+v", s.Host, got, want[s.Host])
				}
				delete(want, s.Host)
			}
		}
	}
	for host, was := range want {
		t.Errorf("host %s is in no slot, was in %+v", host, was)
	}
}
