package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// file is the ledger as who loads it reads it.
type file struct {
	About         string           `json:"about"`
	Format        int              `json:"format"`
	Microversion  string           `json:"microversion"`
	Site          string           `json:"site"`
	ResourceClass string           `json:"resource_class"`
	Inventories   map[string]stock `json:"inventories"`
	Traits        []string         `json:"traits"`
	Providers     []provider       `json:"resource_providers"`
	Consumers     []struct {
		consumer
		Body struct {
			consumerBody
			Allocations map[string]allocation `json:"allocations"`
		} `json:"body"`
	} `json:"consumers"`
}

func site(traits ...v1alpha1.LedgerTrait) *v1alpha1.Site {
	s := &v1alpha1.Site{}
	s.Name = "dc1"
	s.Spec.Services.Ledger = &v1alpha1.Ledger{Traits: traits}
	return s
}

func line(name string, verdict schedule.Verdict, cluster string, labels ...string) schedule.HostLine {
	host := &inventory.Host{Namespace: "metal3", Name: name, Labels: map[string]string{}}
	for i := 0; i+1 < len(labels); i += 2 {
		host.Labels[labels[i]] = labels[i+1]
	}
	out := schedule.HostLine{Host: host, Verdict: verdict}
	if cluster != "" {
		out.Cluster = schedule.ClusterKey{Namespace: "tenants", Name: cluster}
	}
	return out
}

func rendered(t testing.TB, s *v1alpha1.Site, lines ...schedule.HostLine) (string, file) {
	t.Helper()
	text, err := Render(s, &schedule.Placement{Hosts: lines})
	if err != nil {
		t.Fatal(err)
	}
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return string(text), f
}

// The published test vector of version 5: RFC 9562, appendix A.4.
func TestUUIDOfTheRFC(t *testing.T) {
	dns := [16]byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	if got := format(uuid5(dns, "www.example.com")); got != "2ed6657d-e927-568b-95e1-2665a8aea6a2" {
		t.Errorf("found %s, want that of the RFC", got)
	}
}

// Ids are what live ledgers are known by: Python's uuid.uuid5 gave these. One that changes makes every host a new one, and a claim of it a
// second claim.
func TestIdsStay(t *testing.T) {
	host := schedule.HostKey{Namespace: "metal3", Name: "server-1"}
	if got := HostID("dc1", host); got != "e9e7dd33-b85f-5a80-bd64-796886a37ab4" {
		t.Errorf("host: found %s", got)
	}
	if got := ClusterID("dc1", schedule.ClusterKey{Namespace: "metal3", Name: "server-1"}); got != "a1b09e79-ec40-503a-9007-3e346327c005" {
		t.Errorf("cluster: found %s", got)
	}
	if HostID("dc2", host) == HostID("dc1", host) {
		t.Error("two sites have one id")
	}
}

// A host is its cluster's from the run that assigns it to the one that sees it clean.
func TestWhoseAHostIs(t *testing.T) {
	for _, row := range []struct {
		verdict schedule.Verdict
		claimed bool
	}{
		{schedule.Assigned, true}, {schedule.Held, true}, {schedule.Pending, true}, {schedule.Releasing, true},
		{schedule.Free, false}, {schedule.NotEligible, false},
	} {
		cluster := ""
		if row.claimed {
			cluster = "edge-a"
		}
		_, f := rendered(t, site(), line("server-1", row.verdict, cluster))
		if len(f.Providers) != 1 {
			t.Errorf("%s: found %d resource providers, want that of the host", row.verdict, len(f.Providers))
		}
		if got := len(f.Consumers) == 1; got != row.claimed {
			t.Errorf("%s: claimed: found %v, want %v", row.verdict, got, row.claimed)
		}
	}
}

func TestFile(t *testing.T) {
	s := site(v1alpha1.LedgerTrait{Name: "RACK", Label: "example.org/rack"})
	text, f := rendered(t, s,
		line("server-2", schedule.Held, "edge-a", "example.org/rack", "r-2"), line("server-1", schedule.Assigned, "edge-a", "example.org/rack", "r1"),
		line("server-4", schedule.Releasing, "edge-b"), line("server-3", schedule.Free, "", "example.org/rack", "r1"))
	want := `{
  "about": "Rendered by sipgen for OpenStack Placement, to be loaded by ci/placement/load.sh. Edits here are overwritten.",
  "format": 1,
  "microversion": "1.38",
  "site": "dc1",
  "resource_class": "CUSTOM_SIPGEN_HOST",
  "inventories": {"CUSTOM_SIPGEN_HOST":{"total":1,"reserved":0,"min_unit":1,"max_unit":1,"step_size":1,"allocation_ratio":1}},
  "traits": [
    "CUSTOM_SIPGEN_RACK_R1",
    "CUSTOM_SIPGEN_RACK_R_2",
    "CUSTOM_SIPGEN_SITE_DC1"
  ],
  "resource_providers": [
    {"host":"metal3/server-1","provider":{"name":"sipgen/dc1/metal3/server-1","uuid":"UUID1"},"traits":["CUSTOM_SIPGEN_RACK_R1","CUSTOM_SIPGEN_SITE_DC1"]},
    {"host":"metal3/server-2","provider":{"name":"sipgen/dc1/metal3/server-2","uuid":"UUID2"},"traits":["CUSTOM_SIPGEN_RACK_R_2","CUSTOM_SIPGEN_SITE_DC1"]},
    {"host":"metal3/server-3","provider":{"name":"sipgen/dc1/metal3/server-3","uuid":"UUID3"},"traits":["CUSTOM_SIPGEN_RACK_R1","CUSTOM_SIPGEN_SITE_DC1"]},
    {"host":"metal3/server-4","provider":{"name":"sipgen/dc1/metal3/server-4","uuid":"UUID4"},"traits":["CUSTOM_SIPGEN_SITE_DC1"]}
  ],
  "consumers": [
    {"cluster":"tenants/edge-a","uuid":"UUIDA","body":{"consumer_type":"SIPCLUSTER","project_id":"dc1/tenants","user_id":"sipgen/dc1","allocations":{
      "UUID1":{"resources":{"CUSTOM_SIPGEN_HOST":1}},
      "UUID2":{"resources":{"CUSTOM_SIPGEN_HOST":1}}
    }}},
    {"cluster":"tenants/edge-b","uuid":"UUIDB","body":{"consumer_type":"SIPCLUSTER","project_id":"dc1/tenants","user_id":"sipgen/dc1","allocations":{
      "UUID4":{"resources":{"CUSTOM_SIPGEN_HOST":1}}
    }}}
  ]
}
`
	names := []string{}
	for i, p := range f.Providers {
		names = append(names, fmt.Sprintf("UUID%d", i+1), p.Provider.UUID)
	}
	names = append(names, "UUIDA", f.Consumers[0].UUID, "UUIDB", f.Consumers[1].UUID)
	if want = strings.NewReplacer(names...).Replace(want); text != want {
		t.Errorf("found\n%s\nwant\n%s", text, want)
	}
}

func TestEmptySiteIsAFile(t *testing.T) {
	text, f := rendered(t, site())
	if f.Providers == nil || f.Consumers == nil || f.Traits == nil || !strings.HasSuffix(text, "\"consumers\": []\n}\n") {
		t.Errorf("found\n%s", text)
	}
}

// The ledger says who has which host: a host's state is none of its business, and neither is the order in which hosts were read.
func TestOnlyHostsLabelsAndClaimsCount(t *testing.T) {
	s := site(v1alpha1.LedgerTrait{Name: "RACK", Label: "rack"})
	var lines []schedule.HostLine
	for i := range 50 {
		l := line(fmt.Sprintf("server-%d", i), schedule.Free, "", "rack", fmt.Sprintf("r%d", i%7))
		if i%3 == 0 {
			l = line(fmt.Sprintf("server-%d", i), schedule.Held, fmt.Sprintf("c%d", i%4), "rack", fmt.Sprintf("r%d", i%7))
		}
		lines = append(lines, l)
	}
	want, _ := rendered(t, s, lines...)
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		l := lines[0].Host
		l.State.Provisioning, l.State.Deleting, l.UID, l.Labels["other"] = "inspecting", true, "another", "x"
		if lines[0].Verdict == schedule.Free {
			lines[0].Verdict = schedule.NotEligible
		}
		if got, _ := rendered(t, s, lines...); got != want {
			t.Fatalf("found\n%s\nwant\n%s", got, want)
		}
	}
}

// os_traits.normalize_name gave the last column, which e2e/placement asks again.
func TestTraits(t *testing.T) {
	for _, row := range []struct{ value, want string }{
		{"r1", "CUSTOM_SIPGEN_RACK_R1"}, {"dc1-r04", "CUSTOM_SIPGEN_RACK_DC1_R04"}, {"R.1_b", "CUSTOM_SIPGEN_RACK_R_1_B"},
		{"r1\n\"}]", "CUSTOM_SIPGEN_RACK_R1____"}, {"ß", "CUSTOM_SIPGEN_RACK__"},
		{"", ""}, {strings.Repeat("a", 64), ""}, {strings.Repeat("a", 63), "CUSTOM_SIPGEN_RACK_" + strings.Repeat("A", 63)},
	} {
		_, f := rendered(t, site(v1alpha1.LedgerTrait{Name: "RACK", Label: "rack"}), line("server-1", schedule.Free, "", "rack", row.value))
		want := []string{"CUSTOM_SIPGEN_SITE_DC1"}
		if row.want != "" {
			want = []string{row.want, "CUSTOM_SIPGEN_SITE_DC1"}
		}
		if !slices.Equal(f.Providers[0].Traits, want) || !slices.Equal(f.Traits, want) {
			t.Errorf("%q: found %v and %v, want %v", row.value, f.Providers[0].Traits, f.Traits, want)
		}
	}
}

// Placement takes names of 200 characters; two that are cut are told apart by their ids.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("a", 250)
	one, other := ProviderName("dc1", schedule.HostKey{Namespace: "metal3", Name: long + "-1"}), ProviderName("dc1", schedule.HostKey{Namespace: "metal3", Name: long + "-2"})
	if len(one) != 200 || len(other) != 200 || one == other || !strings.HasPrefix(one, "sipgen/dc1/metal3/aaa") {
		t.Errorf("found %q and %q", one, other)
	}
	fits := strings.Repeat("a", 200-len("sipgen/dc1/metal3/"))
	if got := ProviderName("dc1", schedule.HostKey{Namespace: "metal3", Name: fits}); got != "sipgen/dc1/metal3/"+fits {
		t.Errorf("found %q, want it whole", got)
	}
}

// FuzzRender: whatever hosts are called and labelled, the file is JSON of the form that is loaded, and no host has two clusters.
func FuzzRender(f *testing.F) {
	f.Add("server-1", "rack", "r1", "edge-a", uint8(0))
	f.Add("a\"},{\"", "rack", "\x00\xff\u2028", "</script>", uint8(3))
	verdicts := []schedule.Verdict{schedule.Assigned, schedule.Held, schedule.Pending, schedule.Releasing, schedule.Free, schedule.NotEligible}
	f.Fuzz(func(t *testing.T, name, label, value, cluster string, pick uint8) {
		verdict := verdicts[int(pick)%len(verdicts)]
		text, read := rendered(t, site(v1alpha1.LedgerTrait{Name: "RACK", Label: label}),
			line(name, verdict, cluster, label, value), line("server-2", schedule.Held, "edge-z"))
		if strings.Count(text, "\n") > 40 {
			t.Errorf("lines that nobody wrote:\n%s", text)
		}
		seen := map[string]bool{}
		for _, c := range read.Consumers {
			for id := range c.Body.Allocations {
				if seen[id] {
					t.Errorf("%s has two clusters", id)
				}
				seen[id] = true
			}
		}
		for _, trait := range read.Traits {
			if strings.Trim(trait, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || len(trait) > 255 {
				t.Errorf("trait %q", trait)
			}
		}
	})
}

// BenchmarkRender renders a site with every second host claimed, 10 hosts a cluster, 20 hosts a rack.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) {
			s := site(v1alpha1.LedgerTrait{Name: "RACK", Label: "rack"})
			var lines []schedule.HostLine
			for i := range n {
				l := line(fmt.Sprintf("server-%05d", i), schedule.Free, "", "rack", fmt.Sprintf("r%d", i/20))
				if i%2 == 0 {
					l = line(fmt.Sprintf("server-%05d", i), schedule.Held, fmt.Sprintf("c%d", i/20), "rack", fmt.Sprintf("r%d", i/20))
				}
				lines = append(lines, l)
			}
			b.ReportAllocs()
			for b.Loop() {
				text, err := Render(s, &schedule.Placement{Hosts: lines})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(text)), "bytes")
			}
		})
	}
}
