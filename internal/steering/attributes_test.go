package steering

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is a folder where git is asked.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	r := repository{t, t.TempDir()}
	r.git("", "init", "--quiet")
	return r
}

func (r repository) git(stdin string, args ...string) string {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), "git", args...)
	command.Dir, command.Stdin = r.dir, strings.NewReader(stdin)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_ATTR_NOSYSTEM=1", "XDG_CONFIG_HOME="+r.dir, "HOME="+r.dir)
	out, err := command.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// has makes these the only files. None of them may say that git changes files which it adds.
func (r repository) has(others []File) {
	r.t.Helper()
	for _, name := range []string{".gitattributes", "fleet"} {
		if err := os.RemoveAll(filepath.Join(r.dir, name)); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, other := range others {
		file := filepath.Join(r.dir, filepath.FromSlash(other.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, other.Text, 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("", "add", "--all")
}

// attributes are those that git has for files.
func (r repository) attributes(names []string, how reading) map[string]map[string]string {
	r.t.Helper()
	args := []string{"check-attr", "--all", "-z", "--stdin"}
	if how == fromIndex {
		args = append(args, "--cached")
	}
	says := map[string]map[string]string{}
	fields := strings.Split(r.git(strings.Join(names, "\x00")+"\x00", args...), "\x00")
	for triple := range slices.Chunk(fields[:len(fields)-1], 3) {
		if says[triple[0]] == nil {
			says[triple[0]] = map[string]string{}
		}
		says[triple[0]][triple[1]] = triple[2]
	}
	return says
}

// compareWithGit says where the rules have other attributes than git. It returns how many there are.
func compareWithGit(t *testing.T, git repository, names []string, others []File) (count int) {
	t.Helper()
	git.has(others)
	for _, how := range []reading{fromIndex, fromFile} {
		says := git.attributes(names, how)
		rules := readAttributes(others, how)
		for _, name := range names {
			have := map[string]string{}
			for key, value := range rules.of(name) {
				switch value.state {
				case set:
					have[key] = "set"
				case unset:
					have[key] = "unset"
				case valued:
					have[key] = value.value
				}
			}
			count += len(have)
			for _, key := range slices.Sorted(maps.Keys(have)) {
				if want, is := says[name][key]; !is || want != have[key] {
					t.Errorf("reading %d: %s: %s: found %q, git has %q (there: %v), by %v", how, name, key, have[key], want, is, rules.of(name)[key].line)
				}
			}
			for _, key := range slices.Sorted(maps.Keys(says[name])) {
				if _, is := have[key]; !is {
					t.Errorf("reading %d: %s: %s: found nothing, git has %q", how, name, key, says[name][key])
				}
			}
		}
	}
	return count
}

// TestGitReadsAttributes compares what lines mean with the installed git.
func TestGitReadsAttributes(t *testing.T) {
	git := newRepository(t)
	const bom = "\xef\xbb\xbf"
	names := []string{"a.cfg", "fleet/clusters/a/infra/x.cfg", "fleet/a", "fleet/b c.cfg", "other/x.md", `fleet/"q".cfg`, "fleet/cl/a/é.cfg"}
	top := func(text string) []File { return []File{{Path: ".gitattributes", Text: []byte(text)}} }
	for name, others := range map[string][]File{
		"a mark at the beginning":     top(bom + "* a\n* b\n"),
		"a mark later":                top("* a\n" + bom + "* b\n"),
		"long lines":                  top("* a\n*" + strings.Repeat(" ", 70000) + "b\n* c\n"),
		"lines of the longest length": top("*" + strings.Repeat(" ", 2045) + "a\n*" + strings.Repeat(" ", 2046) + "b\n*" + strings.Repeat(" ", 2045) + "c\r\n*" + strings.Repeat(" ", 2044) + "d\r\n* e"),
		"a zero":                      top("* a\x00 b\n* c\n"),
		"ends of lines":               top("* a=x\r\n* b\r\r\n* c\r* d\n*.cfg e\r"),
		"macros":                      top("[attr]m x -y z=1\n* m\n*.cfg -m\n[attr]n m\nfleet/** n !z\n[attr] o\n\"[attr] p\" q=2\n*.md p\n* binary\n*.cfg -binary\n"),
		"macros below":                {top("* a\n")[0], {Path: "fleet/.gitattributes", Text: []byte("[attr]m x\n* m\n")}},
		"the later line":              top("* a b\n*.cfg -a !b\n*.cfg a=1 a=2 -a=3 !b=4\n* -=x ok\n* c=\n* =d\n* - e\n* f -\n"),
		"quotes":                      top("\"fleet/b c.cfg\" a\n\"fleet/b\\040c.cfg\"b\n\"x\\\n\"\\q\" c\n\"fleet/\\\"q\\\".cfg\" d\n\"*.cfg e\n\"*\\000x\" f\n\"fleet/cl/a/\\303\\251.cfg\" g\n"),
		"not patterns":                top("!* a\n\"!*\" b\n\\!* c\n# d\n \t* e\n"),
		"in folders":                  {top("* a\n")[0], {Path: "fleet/.gitattributes", Text: []byte("* -a\n/*.cfg b\n/clusters/** c\nfleet/** d\n**/*.cfg e\n")}, {Path: "fleet/clusters/.gitattributes", Text: []byte("* !a\na/infra/* f\n")}},
	} {
		t.Run(name, func(t *testing.T) { compareWithGit(t, git, names, others) })
	}
}

// TestGitMatches compares patterns with the installed git: those that were once read in another way, and random ones, each with an attribute of its own.
func TestGitMatches(t *testing.T) {
	names := []string{"x.cfg", "a", "fleet/x.cfg", "fleet/clusters/a/infra/x.cfg", "fleet/clusters/a/infra/deployment.yaml", "fleet/clusters/a/b/a/x", "fleet/cl/a/infra/y.cfg",
		"fleet/cluster-1/a/infra/y.cfg", "a/a/a", "a/b", "b/a/b/a/b", "ab/ba", "fleet/a]b", "fleet/a-b", "fleet/a[b", "fleet/a\\b", "fleet/a*b", "fleet/A1", "fleet/.x", "-", "a b/c\td"}
	patterns := []string{
		"**/*", "fleet/**/*", "*.c[!x]g", "*.c[[:alpha:]]g", "fleet/cl**/a/infra/*.cfg", "**/a/**/x", "a/**/a", "a/**", "/**", "**", "***", "/", "//", "a//b", "**/", "**/a", "fleet/**/**/x.cfg",
		"fleet/**a", "fleet/a**", `fleet/**\/x.cfg`, "fleet/a[]]b", "fleet/a[]-]b", "fleet/a[a-]b", "fleet/a[^]]b", "fleet/a[[]b", "fleet/a[[:]b", "fleet/a[[:nothing:]]b", "fleet/a[", "fleet/a[!",
		`fleet/a\`, `fleet/a\*b`, `fleet/a[\\]b`, `fleet/a[\]]b`, `fleet/a[*--]b`, "fleet/a[,-.]b", "fleet[/]x.cfg", "fleet?x.cfg", "fleet[!a]x.cfg", "fleet*x.cfg", "*/*/*/*/*.cfg", "fleet/*/a", "?", "[[:punct:]]", "[-a]",
		strings.Repeat("**/", 40) + "nothing", strings.Repeat("a*", 300),
	}
	for class := range classes {
		patterns = append(patterns, "fleet/a[[:"+class+":]]b", "fleet/[[:"+class+":]]*", "fleet/[^[:"+class+":]x]*")
	}
	slices.Sort(patterns)
	random := rand.New(rand.NewPCG(12, 39))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for len(patterns) < 700 {
		var b strings.Builder
		if random.IntN(3) > 0 { // a file's name with other parts
			for _, c := range strings.SplitAfter(pick(names...), "") {
				if random.IntN(4) > 0 {
					b.WriteString(c)
				} else {
					b.WriteString(pick("*", "**", "**/", "/**/", "/**", "?", "", "[!"+c+"]", "["+c+"]", "[a-z]", "[^b]", "["+c, "\\"+c, "[[:alpha:]]", "[![:digit:]/]", "[[:alpha:]-z]", "***"))
				}
			}
		} else {
			for range 1 + random.IntN(7) {
				b.WriteString(pick("a", "b", "/", "/", "*", "**", "**/", "/**/", "?", "[ab]", "[!a]", "[^/]", "[]", "[", "]", "-", "\\", "x", ".cfg", "fleet", "[[:alnum:]_]", "[b-a]", "[\\a-c]", "[:alpha:]"))
			}
		}
		if pattern := b.String(); pattern != "" && !strings.ContainsAny(pattern, blank) {
			patterns = append(patterns, pattern)
		}
	}
	var lines []string
	for i, pattern := range patterns {
		lines = append(lines, fmt.Sprintf("%s p%d", pattern, i))
	}
	if count := compareWithGit(t, newRepository(t), names, []File{file(".gitattributes", lines...)}); count < 1000 {
		t.Errorf("found %d matches, want more than a thousand: the patterns test too little", count)
	}
}

// TestAdvice: with the line that is advised, nothing is refused.
func TestAdvice(t *testing.T) {
	for name, row := range map[string]struct {
		tree   []string
		at     string
		advice string
	}{
		"at the repository's top":     {[]string{"clusters/a/kustomization.yaml", "flux/kustomization.yaml"}, ".gitattributes", "/**"},
		"in a folder":                 {[]string{"fleet/clusters/a/kustomization.yaml", "fleet/flux/kustomization.yaml"}, ".gitattributes", "/fleet/**"},
		"below another folder":        {[]string{"sites/dc1/clusters/a/kustomization.yaml", "sites/dc1/flux/kustomization.yaml"}, "sites/.gitattributes", "/dc1/**"},
		"in the tree":                 {[]string{"fleet/clusters/a/kustomization.yaml", "fleet/flux/kustomization.yaml"}, "fleet/clusters/.gitattributes", "/a/**"},
		"in the only folder":          {[]string{"fleet/kustomization.yaml"}, "fleet/.gitattributes", "/**"},
		"in a folder that needs care": {[]string{"my fleet/clusters/a/kustomization.yaml"}, ".gitattributes", "/**"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Check(ArgoCD, written(row.tree...), []File{file(row.at, "* eol=crlf ident filter=x working-tree-encoding=UTF-16")})
			if err == nil {
				t.Fatal("found nothing, want the line refused")
			}
			_, advice, _ := strings.Cut(err.Error(), "at the end of the file: ")
			if pattern, _, _ := strings.Cut(advice, " "); pattern != row.advice {
				t.Errorf("found %q, want %q", pattern, row.advice)
			}
			if _, err := Check(ArgoCD, written(row.tree...), []File{file(row.at, "* eol=crlf ident filter=x working-tree-encoding=UTF-16", advice)}); err != nil {
				t.Errorf("with the advised line: found %v, want nothing", err)
			}
		})
	}
}
