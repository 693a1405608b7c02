package publish

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// past is a commit of a history: at a minute, on top of the one before or of another one, with a file changed.
type past struct {
	minute      int
	file        string // empty: none is changed
	from, merge int    // numbers of commits, of which the first is 1
	message     string
}

func minute(n int) time.Time { return time.Unix(1700000000+60*int64(n), 0) }

// record writes a history to main: the content of a file is its number among those of its name, or what a name
// behind = says.
func record(t testing.TB, repo string, history []past) {
	t.Helper()
	var stream strings.Builder
	for i, c := range history {
		fmt.Fprintf(&stream, "commit refs/heads/main\nmark :%d\ncommitter Rival <rival@example.org> %d +0000\n"+
			"data %d\n%s\n", i+1, minute(c.minute).Unix(), len(c.message), c.message)
		if c.from == 0 {
			c.from = i
		}
		if c.from > 0 {
			fmt.Fprintf(&stream, "from :%d\n", c.from)
		}
		if c.merge > 0 {
			fmt.Fprintf(&stream, "merge :%d\n", c.merge)
		}
		name, text, chosen := strings.Cut(c.file, "=")
		if !chosen {
			text = fmt.Sprint("change ", i)
		}
		switch {
		case text == "":
			fmt.Fprintf(&stream, "D %s\n", name)
		case name != "":
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
		}
	}
	load := exec.Command("git", "fast-import", "--quiet", "--force")
	load.Dir, load.Stdin = repo, strings.NewReader(stream.String())
	need.Output(t, load)
}

// then is a history with so many commits of another folder after it, a minute each.
func then(history []past, count int) []past {
	last := history[len(history)-1].minute
	for i := range count {
		history = append(history, past{minute: last + i + 1, file: "other/a"})
	}
	return history
}

// lastChange fails unless a target's last change is of a minute.
func lastChange(t testing.TB, why string, target Target, since, want int) {
	t.Helper()
	tip, err := Read(t.Context(), target)
	require.Truef(t, err == nil, "%s: %v", why, err)
	found := tip.LastChange(t.Context(), minute(since), anyFile)
	assert.Truef(t, found.Equal(minute(want)), "%s: found minute %v, want %d", why, found.Sub(minute(0)).Minutes(),
		want)
}

func anyFile(string) bool { return true }

// TestLastChangeOfSomeFiles: a commit changes the folder at its time only by a file that concerns the caller, in
// whatever way: new, changed, gone, with a whole folder, or where another thing was.
func TestLastChangeOfSomeFiles(t *testing.T) {
	t.Parallel()
	concerns := func(name string) bool { return strings.HasPrefix(name, "hosts/") || name == "deep/in/hosts" }
	for _, row := range []struct {
		change string
		want   int
	}{
		{"site/PLAN.md=2", 10}, {"site/hosts2/a", 10}, {"site/deep/in/other", 10}, {"site/hosts/a=2", 20},
		{"site/hosts/a=", 20}, {"site/hosts/b", 20}, {"site/hosts/c/d", 20}, {"site/deep/in/hosts", 20},
		{"site/deep/in/hosts/a", 10},
	} {
		repo := bare(t)
		record(t, repo, []past{{minute: 5, file: "site/PLAN.md=1"}, {minute: 10, file: "site/hosts/a=1"},
			{minute: 20, file: row.change}, {minute: 30, file: "other/a"}})
		tip := mustRead(t, Target{URL: repo, Branch: "main", Path: "site"})
		found := tip.LastChange(t.Context(), minute(15), concerns)
		assert.Truef(t, found.Equal(minute(row.want)), "%s: found minute %v, want %d", row.change,
			found.Sub(minute(0)).Minutes(), row.want)
	}
}

const day = 24 * 60

var histories = []struct {
	why         string
	path        string // other than site
	since, want int
	history     []past
}{
	{"commits of another site and of specs", "", 15, 10,
		[]past{{minute: 10, file: "site/a"}, {minute: 20, file: "other/a"}, {minute: 30, file: "specs/a"}}},
	{"the whole repository", "/", 15, 20,
		[]past{{minute: 10, file: "site/a"}, {minute: 20, file: "other/a"}, {minute: 30}}},
	{"a folder in a folder", "sites/mine/tree", 15, 10,
		[]past{{minute: 5, file: "sites/mine/a"}, {minute: 10, file: "sites/mine/tree/a"},
			{minute: 20, file: "sites/mine/b"}}},
	{"a merge brings the change when it is merged", "", 15, 40,
		[]past{{minute: 10, file: "site/a"}, {minute: 12, file: "site/a=2", from: 1},
			{minute: 14, file: "other/a", from: 1}, {minute: 40, file: "site/a=2", merge: 2},
			{minute: 50, file: "other/a"}}},
	{"a merge of a branch that has an older folder", "", 25, 20,
		[]past{{minute: 8, file: "site/a"}, {minute: 12, file: "specs/a"}, {minute: 20, file: "site/a", from: 1},
			{minute: 30, file: "specs/a", merge: 2}}},
	{"a revert to an older folder", "", 15, 30,
		[]past{{minute: 10, file: "site/a=1"}, {minute: 20, file: "site/a=2"}, {minute: 30, file: "site/a=1"},
			{minute: 40, file: "other/a"}}},
	{"the tip changed it", "", 15, 20, []past{{minute: 10, file: "site/a"}, {minute: 20, file: "site/a"}}},
	{"a folder that is gone", "", 15, 30,
		[]past{{minute: 10, file: "site/a"}, {minute: 20, file: "site/a="}, {minute: 30, file: "other/a"}}},
	{"a folder that was a file", "", 15, 30,
		[]past{{minute: 10, file: "site"}, {minute: 30, file: "site/a"}, {minute: 40, file: "other/a"}}},
	{"a tip that is older", "", 30, 20, []past{{minute: 10, file: "site/a"}, {minute: 20, file: "other/a"}}},
	{"in the second of the tip", "", 20, 10, []past{{minute: 10, file: "site/a"}, {minute: 20, file: "other/a"}}},
	{"five commits in a row", "", 3 * day, 6,
		append(then([]past{{minute: 1, file: "site/a"}, {minute: 5, file: "other/a"}}, 5),
			past{minute: 3*day + 1, file: "other/a"})},
	{"a clock that is hours slow", "", 3 * day, 3*day + 9,
		append(then([]past{{minute: 3*day + 9, file: "site/a"}, {minute: 2*day + 1, file: "other/a"}}, 9),
			past{minute: 3*day + 20, file: "other/a"})},
	{"machines without a clock", "", 3 * day, 3*day + 9,
		append(then([]past{{minute: 3*day + 9, file: "site/a"}, {minute: 1, file: "other/a"}}, 3),
			past{minute: 3*day + 20, file: "other/a"})},
	{"a change that is older than its parent", "", 15, 20,
		[]past{{minute: 20, file: "other/a"}, {minute: 10, file: "site/a"}, {minute: 30, file: "other/a"}}},
}

func TestLastChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	web, shell := serveHTTPS(t, root), serveSSH(t)
	for i, row := range histories {
		repo := filepath.Join(root, fmt.Sprintf("%d.git", i))
		git(t, root, "init", "--quiet", "--bare", "--initial-branch=main", repo)
		record(t, repo, row.history)
		path := strings.Trim(row.path, "/")
		if row.path == "" {
			path = "site"
		}
		over := Target{URL: web.url + "/" + filepath.Base(repo), Branch: "main", Path: path, Auth: web.login()}
		lastChange(t, row.why+": a path", Target{URL: repo, Branch: "main", Path: path}, row.since, row.want)
		lastChange(t, row.why+": file://", Target{URL: "file://" + repo, Branch: "main", Path: path}, row.since,
			row.want)
		if i > 1 {
			continue // how a history gets here is one thing, what is in it another
		}
		lastChange(t, row.why+": https", over, row.since, row.want)
		lastChange(t, row.why+": ssh", Target{URL: shell.url(t, repo), Branch: "main", Path: path,
			Auth: Auth{SSHKeyFile: shell.userKey, KnownHosts: []string{shell.knownHosts}}}, row.since, row.want)
		for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
			git(t, repo, "config", setting, "true")
			lastChange(t, row.why+": https, with "+setting, over, row.since, row.want)
		}
		if row.why == "commits of another site and of specs" { // its branches of proposals, and branches to make
			git(t, repo, "branch", "sipgen/site", "main~2")
			for _, target := range []Target{over, {URL: repo, Branch: "main", Path: path}} {
				target.Proposal = "sipgen/site"
				lastChange(t, row.why+": a proposal to "+target.String(), target, row.since, row.want)
				target.Proposal, target.Branch, target.Create = "", "new", true
				lastChange(t, row.why+": a new branch in "+target.String(), target, row.since, row.want)
			}
		}
	}
}

// What is far down is found where the server leaves files out. Elsewhere, and beyond the limit, it is the tip.
func TestLastChangeFarDown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ after, found, unfiltered int }{
		{unfilteredLimit - 1, 1, 1},
		{unfilteredLimit, 1, unfilteredLimit + 1},
		{historyLimit - 1, 1, historyLimit},
		{historyLimit, historyLimit + 1, historyLimit + 1},
	} {
		repo := bare(t)
		record(t, repo, then([]past{{minute: 1, file: "site/a"}}, row.after))
		why := fmt.Sprintf("%d commits after it: ", row.after)
		lastChange(t, why+"a path", Target{URL: repo, Branch: "main", Path: "site"}, 1, row.found)
		reach := httpsTarget(t, repo)
		reach.Path = "site"
		lastChange(t, why+"https", reach, 1, row.unfiltered)
		git(t, repo, "config", "uploadpack.allowFilter", "true")
		lastChange(t, why+"https, with a filter", reach, 1, row.found)
	}
}

// Where the history is not to be had, it is the tip's time.
func TestLastChangeWithoutHistory(t *testing.T) {
	t.Parallel()
	whole := bare(t)
	record(t, whole, []past{{minute: 1, file: "other/a"}, {minute: 10, file: "site/a"}, {minute: 20, file: "other/a"},
		{minute: 30, file: "other/a"}})
	for depth, want := range map[string]int{"2": 30, "3": 30, "4": 10} { // it takes the fourth to see the third
		repo := cloned(t, "file://"+whole, "--bare", "--depth="+depth)
		lastChange(t, "a shallow clone of depth "+depth, Target{URL: repo, Branch: "main", Path: "site"}, 15, want)
	}
	repo := cloned(t, "file://"+whole, "--bare")
	unknown := mustRead(t, Target{URL: repo, Branch: "main", Path: "site"}).LastChange(t.Context(), time.Time{},
		anyFile)
	assert.Truef(t, unknown.Equal(minute(30)), "since an unknown time: found %v", unknown)
	hash := git(t, whole, "rev-parse", "main~1")
	object := filepath.Join(whole, "objects", hash[:2], hash[2:])
	broken := Target{URL: whole, Branch: "main", Path: "site"}
	for _, text := range []string{"", "garbage"} {
		require.NoError(t, errors.Join(os.Remove(object), os.WriteFile(object, []byte(text), 0o644)))
		lastChange(t, fmt.Sprintf("a commit that is %q", text), broken, 15, 30)
	}

	reach := httpsTarget(t, repo)
	reach.Path = "site"
	tip := mustRead(t, reach)
	record(t, repo, []past{{minute: 1, file: "other/a"}})
	git(t, repo, "update-ref", "-d", "refs/heads/main")
	found := tip.LastChange(t.Context(), minute(15), anyFile)
	assert.Truef(t, found.Equal(minute(30)), "a server that has lost the branch: found %v", found)
	assert.Truef(t, (&Snapshot{}).LastChange(t.Context(), minute(1), anyFile).IsZero(), "no commit: found a time")
}
