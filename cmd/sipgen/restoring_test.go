package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRestoringStops: whoever pastes the commands of "restore-tree" into a shell that goes on after what fails changes
// nothing in the folder that he was in, where the clone fails or no commit fits; that folder may have specs in
// clusters/, and one named fleet.
func TestRestoringStops(t *testing.T) {
	var commands strings.Builder
	for _, text := range namedBlocks(t, "restore-tree") {
		commands.WriteString(text)
	}
	const specs = "git init -q -b main . && git config user.name me && git config user.email me@example.org && " +
		"mkdir clusters fleet && echo a >clusters/a.yaml && " +
		"echo b >fleet/b.yaml && git add . && git commit -q -m specs && git clone -q --bare . ../fleet.git"
	for _, row := range []struct{ why, url, want string }{
		{"no such repository", "/nowhere/fleet.git", "/nowhere/fleet.git"},
		{"a repository without a tree", "../fleet.git", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "specs")
			require.NoError(t, os.Mkdir(dir, 0o755))
			url := row.url
			if !filepath.IsAbs(url) {
				url = filepath.Join(dir, url)
			}
			script := specs + "\n" + strings.ReplaceAll(commands.String(), "https://git.example.org/fleet.git",
				url) + "\ncd " + dir +
				" && echo \"found $commit, changed $(git status --porcelain) $(git rev-list --count HEAD)\""
			cmd := exec.Command("bash", "-c", script)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+t.TempDir(), "GIT_CONFIG_GLOBAL="+os.DevNull,
				"GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.CombinedOutput()
			assert.Truef(t,
				err == nil && strings.HasSuffix(string(out), "found none, changed  1\n") &&
					strings.Contains(string(out), row.want),
				"%v:\n%s", err, out)
		})
	}
}

// TestRestoringWithoutSha256sum: the commands that look for the commit take shasum where there is no sha256sum, and say
// so where there is neither, for that nothing is printed means that no commit fits.
func TestRestoringWithoutSha256sum(t *testing.T) {
	find := namedBlocks(t, "restore-tree")[1]
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	code, _, said := ran(t, "render", "--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--out", "tree")
	require.Truef(t, code == exitDone, "%s", said)
	sum, err := exec.LookPath("sha256sum")
	if err != nil {
		need.Missing(t, "sha256sum")
	}
	require.NoError(t, os.Mkdir("bin", 0o755))
	for _, name := range []string{"awk", "bash", "cut", "git", "grep", "mktemp", "sed"} {
		require.NoError(t, os.Symlink(need.Value(exec.LookPath(name))(t), filepath.Join("bin", name)))
	}
	try := func() string {
		cmd := exec.Command(filepath.Join(work, "bin", "bash"), "-c",
			"git init -q -b main . && git config user.name me && git config user.email me@example.org && git add . "+
				"&& git commit -q -m tree; cd .\n"+
				find+"\necho found $commit of $(git rev-parse HEAD)")
		cmd.Dir = filepath.Join(work, "tree")
		cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "PATH="+filepath.Join(work, "bin"),
			"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		assert.Truef(t, err == nil, "%v:\n%s", err, out)
		return string(out)
	}
	if said := try(); !strings.Contains(said, "stop: there is neither sha256sum nor shasum\n") ||
		!strings.Contains(said, "found none of ") {
		t.Errorf("with neither:\n%s", said)
	}
	need.Executable(t, "bin/shasum", "#!"+filepath.Join(work, "bin", "bash")+
		"\n[ \"$1 $2\" = '-a 256' ] && shift 2 && exec "+sum+" \"$@\"\n")
	said = try()
	_, found, _ := strings.Cut(said, "found ")
	commit, head, _ := strings.Cut(strings.TrimSpace(found), " of ")
	assert.Truef(t, commit == head && len(head) == 40 && !strings.Contains(said, "stop:"), "with shasum:\n%s", said)
}

// TestEmptyVariables: a block of commands that deletes or pushes something stops if a variable of it is empty, as it is
// in a new shell.
func TestEmptyVariables(t *testing.T) {
	dangerous := regexp.MustCompile(`\bdelete\b|\bgit( -C \S+)? (rm|push|revert)\b|\brm -r`)
	variable := regexp.MustCompile(`\$\{?([A-Za-z_]+)(:[?-])?`)
	looked := 0
	for _, page := range handPages(t) {
		for _, b := range commandBlocks(t, page) {
			if !dangerous.MatchString(b.text) {
				continue
			}
			looked++
			sure := map[string]bool{}
			for _, match := range variable.FindAllStringSubmatch(b.text, -1) {
				name := match[1]
				sure[name] = sure[name] || match[2] != "" ||
					regexp.MustCompile(`\b`+name+`=|\bread -r `+name+`\b`).MatchString(b.text)
				if !sure[name] {
					t.Errorf("%s, %q: $%s may be empty; want ${%s:?} where it is used first:\n%s", filepath.Base(page),
						b.name, name, name, b.text)
				}
			}
		}
	}
	assert.Truef(t, looked >= 15, "%d blocks delete or push something: want at least 15", looked)
}
