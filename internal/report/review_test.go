package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/internal/objdiff"
)

// reviewed is one Site of a fleet from one base: its report, and its tree before and after.
type reviewed struct {
	plan          *Plan
	before, after map[string][]byte
}

// fleetSite makes a Site whose names and addresses are its own, with a new image of its load balancer.
func fleetSite(n int) reviewed {
	site, namespace, name := fmt.Sprintf("dc%04d", n), "tenant-a", fmt.Sprintf("edge-%d", n)
	files := func(image string) map[string][]byte {
		folder := "clusters/" + namespace + "/" + name
		return map[string][]byte{
			folder + "/infra/loadbalancer-" + name + ".yaml": []byte("apiVersion: apps/v1\nkind: Deployment\n" +
				"metadata: {name: loadbalancer-" + name + ", namespace: " + namespace + "}\n" +
				"spec: {template: {spec: {containers: [{name: loadbalancer, image: '" + image + "'}]}}}\n"),
			folder + "/infra/loadbalancer-" + name + ".cfg": []byte(fmt.Sprintf("# %s\nserver n%d 10.%d.%d.9:6443\n", image, n,
				n/250, n%250)),
			folder + "/hosts/metal3.n1.yaml": []byte("host: " + image + site),
			folder + "/assignments.yaml":     []byte("host: " + image + site),
			folder + "/PLAN.md":              []byte("of " + image + site),
			".sipgen.yaml":                   []byte("of " + image + site),
			"flux/" + namespace + "." + name + ".yaml": []byte("apiVersion: v1\nkind: Kustomization\n" +
				"metadata: {name: sipgen-" + site + "-" +
				image[len(image)-1:] + "}\n"),
		}
	}
	const was, is = "example.org/haproxy:3.2.25", "example.org/haproxy:3.2.26"
	return reviewed{&Plan{Site: site, HasTree: true, Clusters: []ClusterResult{{Namespace: namespace, Name: name,
		Roles: []RoleResult{{Name: "Worker", Held: 5}}}},
		Hosts: []HostResult{{Host: fmt.Sprintf("metal3/n%d", n)}},
		Services: []ServiceChanges{{Cluster: namespace + "/" + name, Objects: []objdiff.Effect{{
			Object: "Deployment loadbalancer-" + name, Rolls: true,
			Fields: []string{"spec.template.spec.containers[loadbalancer].image " + was + " → " + is}}}}}},
		files(was), files(is)}
}

func (r reviewed) review() SiteReview { return ReviewOf(r.plan, r.before, r.after) }

// fleetOf has 1,000 Sites: two hand out hosts, and one is frozen and keeps its services. The others change alike.
func fleetOf() *Review {
	r := &Review{}
	for n := range 1000 {
		site := fleetSite(n)
		cluster := &site.plan.Clusters[0]
		switch n {
		case 500, 777:
			cluster.Roles[0].New = 1
			cluster.Roles[0].Slots = []Slot{{Host: "metal3/new", Status: StatusNew}}
		case 998:
			cluster.Frozen = []string{"spec.nodes: unknown field"}
			site.after, site.plan.Services = site.before, nil
		}
		r.Add(site.review())
	}
	return r
}

// TestReviewOfThousandSites: a reviewer sees the three Sites that are different on the first screen, and the others in
// one group.
func TestReviewOfThousandSites(t *testing.T) {
	r := fleetOf()
	groups := r.Groups()
	require.Len(t, groups, 1)
	assert.Len(t, groups[0].Sites, 999)
	for form, words := range map[string]string{"text": r.Text(ReviewComment), "markdown": r.Markdown(ReviewComment)} {
		lines := strings.Split(words, "\n")
		first := strings.Join(lines[:min(24, len(lines))], "\n")
		for _, site := range []string{"dc0500", "dc0777", "dc0998"} {
			assert.Regexp(t, site+"`?: ", first, form)
		}
		assert.Contains(t, first, "999 sites", form)
		assert.Less(t, strings.Index(first, "dc0998"), strings.Index(first, "dc0500"), "%s: dangers first", form)
		assert.Contains(t, words, "haproxy:3.2.25 → example.org/haproxy:3.2.26", form)
		assert.Contains(t, words, "its pods roll", form)
		assert.LessOrEqual(t, len(words), ReviewComment.Bytes, form)
		assert.NotContains(t, words, "more change", form)
		assert.NotContains(t, words, "more line", form)
		assert.Equal(t, form == "markdown", strings.Contains(words, "<summary>sites</summary>"), form)
	}
	assert.Contains(t, r.Markdown(ReviewComment), "`dc0999`")
	assert.Contains(t, r.Text(ReviewComment), "  at dc0000 dc0001 ")
	assert.Contains(t, r.Text(ReviewComment), "dc0009 and 989 more\n")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back struct {
		BySite []struct{ Site string }
		Groups []ReviewGroup
	}
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Len(t, back.BySite, 3)
	assert.Len(t, back.Groups[0].Sites, 999)
}

// TestWhatIsNotAlike: each difference that is no name and no address makes a group of its own.
func TestWhatIsNotAlike(t *testing.T) {
	edit := func(of map[string][]byte, old, now string) {
		for path, text := range of {
			of[path] = []byte(strings.ReplaceAll(string(text), old, now))
		}
	}
	for _, row := range []struct {
		why    string
		change func(*reviewed)
		alike  bool
	}{
		{"names and addresses", func(*reviewed) {}, true},
		{"addresses that sort in another order", func(s *reviewed) {
			s.after["site/x.yaml"] = []byte("kind: Pod\nmetadata: {name: x}\nspec: {hostAliases: [{ip: 10.0.0.10, " +
				"hostnames: [b]}, {ip: 10.0.0.9, hostnames: [a]}]}\n")
		}, true},
		{"a digest", func(s *reviewed) { edit(s.after, "haproxy:3.2.26", "haproxy:3.2.26@sha256:ab") }, false},
		{"the image before", func(s *reviewed) { edit(s.before, "haproxy:3.2.25", "haproxy:3.2.24") }, false},
		{"a line of a configuration", func(s *reviewed) { edit(s.after, ":6443\n", ":6443\ntimeout 3s\n") }, false},
		{"a port", func(s *reviewed) { edit(s.after, ":6443\n", ":6444\n") }, false},
		{"another object", func(s *reviewed) {
			s.after["policy/x.yaml"] = []byte("kind: Role\nmetadata: {name: x}\n")
		}, false},
		{"a file less", func(s *reviewed) {
			for path := range s.after {
				if strings.HasSuffix(path, ".cfg") {
					delete(s.after, path)
				}
			}
		}, false},
		{"the patch of a host", func(s *reviewed) {
			s.after["clusters/tenant-a/edge-2/hosts/metal3.n2.yaml"] = []byte("kind: BareMetalHost\n")
		}, true},
	} {
		one, two := fleetSite(1), fleetSite(2)
		if strings.HasPrefix(row.why, "addresses that sort") {
			one.after["site/x.yaml"] = []byte("kind: Pod\nmetadata: {name: x}\nspec: {hostAliases: [{ip: 10.0.0.7, " +
				"hostnames: [b]}, {ip: 10.0.0.8, hostnames: [a]}]}\n")
		}
		row.change(&two)
		r := &Review{}
		r.Add(one.review())
		r.Add(two.review())
		assert.Equal(t, row.alike, len(r.Groups()) == 1, row.why)
	}
}

// TestReviewFits: whatever the Sites have to say, a comment has room, and what is left out is counted.
func TestReviewFits(t *testing.T) {
	long := strings.Repeat("@team #12 `x` | \" <a> ", 200)
	r := &Review{}
	for n := range 300 {
		site := fleetSite(n)
		site.after["clusters/tenant-a/other/infra/x.cfg"] = []byte(fmt.Sprint("own ", n, "x")) // each a group
		site.plan.Clusters[0].Frozen = []string{long, long + "2"}
		site.plan.Shortages = slices.Repeat([]string{long + fmt.Sprint(n)}, 3)
		site.plan.Clusters[0].Roles[0].Slots = []Slot{{Host: "metal3/" + strings.Repeat("n", 200), Status: StatusReleased,
			InUse: long}}
		r.Add(site.review())
		r.Add(FailedReview(fmt.Sprint("failed", n), slices.Repeat([]string{long}, 100)))
	}
	for _, room := range []ReviewRoom{ReviewComment, {Bytes: 5000, Lines: 50}} {
		for form, words := range map[string]string{"text": r.Text(room), "markdown": r.Markdown(room)} {
			assert.LessOrEqual(t, len(words), room.Bytes, form)
			assert.Contains(t, words, "… and ", form)
			assert.Regexp(t, `more groups? of \d+ sites`, words, form)
			assert.Regexp(t, `… and [\d,]+ more of this kind of \d+ sites\n`, words, form)
			if form == "text" {
				assert.NotContains(t, words, "@team", form)
			}
		}
	}
}

// TestGroupsInOrder: a group with a danger comes first, then the one of the fewest Sites, whatever the order in which
// they are found.
func TestGroupsInOrder(t *testing.T) {
	r := &Review{}
	for n := range 10 {
		site := fleetSite(n)
		switch {
		case n < 2:
			site.after["runner/cronjob.yaml"] = []byte("kind: CronJob\nmetadata: {name: x}\n")
			site.plan.Files = []File{{Path: "runner/cronjob.yaml", Kind: "added"}}
		case n == 9:
			site.after["site/x.yaml"] = []byte("kind: ConfigMap\nmetadata: {name: x}\n")
		}
		r.Add(site.review())
	}
	var sizes []int
	groups := r.Groups()
	for _, group := range groups {
		sizes = append(sizes, len(group.Sites))
	}
	assert.Equal(t, []int{2, 1, 7}, sizes)
	assert.NotEmpty(t, groups[0].Dangers)
	assert.Contains(t, r.Text(ReviewComment), "danger: the runner changes")
}

// TestFailedReview: a Site with many errors takes no more room than another, and the rest is counted.
func TestFailedReview(t *testing.T) {
	s := FailedReview("dc1", slices.Repeat([]string{"no host"}, mostOfSite+2))
	assert.Len(t, s.Errors, mostOfSite)
	assert.Equal(t, 2, s.Omitted)
	r := &Review{}
	r.Add(s)
	assert.Contains(t, r.Text(ReviewComment), "… and 2 more lines of Sites")
	assert.Zero(t, FailedReview("dc1", slices.Repeat([]string{"no host"}, mostOfSite)).Omitted)
}

// TestSharedChanges: Sites that change alike share their sentences, and the review is the same.
func TestSharedChanges(t *testing.T) {
	var kept SharedChanges
	var apart, together Review
	first := fleetSite(0).review()
	kept.Keep(&first)
	for n := range 5 {
		review := fleetSite(n).review()
		apart.Add(review)
		if n == 3 { // of the same key, in other words
			review.shared = []sharedChange{{words: "others"}}
			kept.Keep(&review)
			assert.Equal(t, []sharedChange{{words: "others"}}, review.shared)
		}
		if kept.Keep(&review); n != 3 {
			assert.Same(t, &first.shared[0], &review.shared[0])
		}
		together.Add(review)
	}
	assert.Equal(t, apart.Markdown(ReviewComment), together.Markdown(ReviewComment))
}

// TestWhatAReviewShares: a change of the tree is said once. The sentences about services and policies stand for their
// files, and a file without a sentence has words of its own.
func TestWhatAReviewShares(t *testing.T) {
	infra, policy := "clusters/t/a/infra/x.yaml", "policy/x.yaml"
	object := func(image string) []byte {
		return []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {image: " + image + "}\n")
	}
	services := objects(objdiff.Effect{Object: "Pod x", Fields: []string{"spec.image"}})
	for _, row := range []struct {
		why   string
		plan  Plan
		path  string
		files int
		want  []string
	}{
		{"services with a sentence", services, infra, 1, []string{"Pod x changes: spec.image"}},
		{"services without one", Plan{}, infra, 1, []string{"services of NAMESPACE/NAME: Pod x is changed: spec.image"}},
		{"another file beside services", services, "site/x.yaml", 1, []string{"Pod x changes: spec.image",
			"definitions of the site: Pod x is changed: spec.image"}},
		{"policies", Plan{HasTree: true, Files: []File{{Path: policy, Kind: "changed"}}}, policy, 1,
			[]string{"the policies that guard the hosts change"}},
		{"a host's patch", Plan{}, "clusters/t/a/hosts/m.h.yaml", 1, nil},
		{"nothing", Plan{}, "", 0, nil},
	} {
		before, after := map[string][]byte{"same.yaml": object("x")}, map[string][]byte{"same.yaml": object("x")}
		if row.path != "" {
			before[row.path], after[row.path] = object("one"), object("two")
		}
		s := ReviewOf(&row.plan, before, after)
		var got []string
		for _, change := range s.shared {
			got = append(got, change.words)
		}
		assert.Equal(t, row.want, got, row.why)
		assert.Equal(t, row.files, s.files, row.why)
		assert.Equal(t, len(row.want) > 0, s.key != [32]byte{}, row.why)
	}
}

// TestReviewCountsWhatItOmits: what a Site has to say beyond its room is counted, so that no reviewer takes the list
// for all.
func TestReviewCountsWhatItOmits(t *testing.T) {
	s := ReviewOf(&Plan{Site: "dc1"}, nil, nil, slices.Repeat([]string{"no host"}, mostOfSite+2)...)
	assert.Len(t, s.Problems, mostOfSite)
	assert.Equal(t, 2, s.Omitted)
}
