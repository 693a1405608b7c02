// Package engine runs the real parts that sipgen's output meets, for tests: kube-apiserver with etcd,
// kube-controller-manager, the baremetal-operator, Flux's kustomize-controller and Argo CD. Each is built once from
// the Go module below e2e/engines that pins it, listens on free ports of the loopback interface only, keeps its files
// in the test's own folder, and is gone when the test is, however the test ends.
//
// Where nothing real can be had on one machine, something stands in, and does no more than its doc comment says:
// Kubelet for those who run pods, Flux.Publish for Flux's source-controller, of which Sources is a real one, and the
// baremetal-operator's own test mode for Ironic and the servers behind it.
package engine

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/require"
)

// program is a binary that is built from a module below e2e/engines.
type program struct {
	// folder of the module.
	folder string
	// module that the version is that of, and the main package.
	module, main string
	// shorter are waits of the program that nothing depends on and no option shortens, and what they are here.
	shorter []shorter
}

// shorter is a line of a package of the program's module with a wait, and that line with a shorter one.
type shorter struct{ file, line, short string }

var programs = map[string]program{
	"kube-controller-manager": {"kubernetes", "k8s.io/kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager", nil},
	"kube-apiserver":          {"kubernetes", "k8s.io/kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", nil},
	"kubectl":                 {"kubernetes", "k8s.io/kubernetes", "k8s.io/kubernetes/cmd/kubectl", nil},
	// It looks every five seconds whether a Deployment is ready.
	"kustomize-controller": {"kubernetes", "github.com/fluxcd/kustomize-controller",
		"github.com/fluxcd/kustomize-controller",
		[]shorter{{"internal/controller/kustomization_controller.go", "Interval: 5 * time.Second,",
			"Interval: 500 * time.Millisecond,"}}},
	"source-controller": {"kubernetes", "github.com/fluxcd/source-controller", "github.com/fluxcd/source-controller", nil},
	// What Ironic would do takes its test mode as long as this, for one host after another.
	"baremetal-operator": {"kubernetes", operatorModule, operatorModule, []shorter{
		{operatorTestMode, "var deprovisionRequeueDelay = time.Second * 10", "var deprovisionRequeueDelay = time.Second"},
		{operatorTestMode, "var provisionRequeueDelay = time.Second * 10", "var provisionRequeueDelay = time.Second"},
		{operatorTestMode, "var inspectionRequeueDelay = time.Second * 2", "var inspectionRequeueDelay = time.Second / 2"},
	}},
	"argocd":                {"kubernetes", "github.com/argoproj/argo-cd/v3", "github.com/argoproj/argo-cd/v3/cmd", nil},
	"kustomize":             {"kubernetes", "sigs.k8s.io/kustomize/kustomize/v5", "sigs.k8s.io/kustomize/kustomize/v5", nil},
	"etcd":                  {"kubernetes", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3", nil},
	"cluster-api":           {"cluster-api", clusterAPIModule, clusterAPIModule + "/core", nil},
	"kubeadm-control-plane": {"cluster-api", clusterAPIModule, clusterAPIModule + "/controlplane/kubeadm", nil},
	"gitea":                 {"gitea", "code.gitea.io/gitea", "code.gitea.io/gitea", nil},
	"krew":                  {"krew", "sigs.k8s.io/krew", "sigs.k8s.io/krew/cmd/krew", nil},
}

// ErrUnavailable says that an engine's modules cannot be had here: they are not in the module
// cache, and there is no network.
var ErrUnavailable = errors.New("modules cannot be downloaded")

// Programs returns the names that Binary knows, sorted.
func Programs() []string {
	names := make([]string, 0, len(programs))
	for name := range programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Binary returns the path of an engine's binary, and builds it if the cache does not have it. Where
// its modules cannot be downloaded the test is skipped; with CI=true in the environment it fails.
func Binary(t testing.TB, name string) string {
	t.Helper()
	path, err := Build(context.Background(), name, os.Stderr)
	unavailable(t, err)
	return path
}

func unavailable(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if errors.Is(err, ErrUnavailable) {
		need.Missing(t, "real engines: %v", err)
	}
	t.Fatal(err)
}

// Build is Binary without a test: it gives the path of the binary, and says on log what it builds
// while it builds. Only one process builds a program at a time. What is in $KUBEBUILDER_ASSETS is not built.
func Build(ctx context.Context, name string, log io.Writer) (string, error) {
	p, found := programs[name]
	if !found {
		return "", fmt.Errorf("engine %q: not known, want one of %s", name, strings.Join(Programs(), ", "))
	}
	if path := p.released(name); path != "" {
		return path, nil
	}
	folder := filepath.Join(root(), "e2e", "engines", p.folder)
	key, err := p.key(folder)
	if err != nil {
		return "", err
	}
	target := filepath.Join(CacheDir(), "engines", name+"-"+key, name)
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(target + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	return target, p.build(ctx, folder, target, log)
}

// released returns the path of a program in a folder of released ones, as setup-envtest fills it; empty if there is
// none. A program with shorter waits is in no release.
func (p program) released(name string) string {
	folder := os.Getenv("KUBEBUILDER_ASSETS")
	if folder == "" || len(p.shorter) > 0 {
		return ""
	}
	path, err := exec.LookPath(filepath.Join(folder, name))
	if err != nil {
		return ""
	}
	return path
}

// key tells builds apart: everything that decides what the binary is.
func (p program) key(folder string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%d\n%s", len(content), content)
	}
	fmt.Fprintln(sum, runtime.GOOS, runtime.GOARCH, runtime.Version(), p.main, p.shorter)
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func (p program) build(ctx context.Context, folder, target string, log io.Writer) error {
	name := filepath.Base(target)
	version, err := output(ctx, folder, "go", "list", "-m", "-f", "{{.Version}}", p.module)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrUnavailable, err)
	}
	fmt.Fprintf(log, "e2e: %s: getting the modules of %s %s\n", name, p.module, version)
	packages, err := output(ctx, folder, "go", "list", "-deps", "-f", "{{.ImportPath}}", p.main)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrUnavailable, err)
	}
	fmt.Fprintf(log, "e2e: %s: building %d packages, minutes the first time\n", name, strings.Count(packages, "\n")+1)
	started := time.Now()
	flags, tags := "-s -w", ""
	if p.folder == "kubernetes" {
		// Without these the server calls itself v0.0.0-master, and clients look at the version.
		v := "-X k8s.io/component-base/version."
		minor := strings.Split(version, ".")[1]
		flags += " " + v + "gitVersion=" + version + " " + v + "gitMajor=1 " + v + "gitMinor=" + minor
	}
	if p.folder == "gitea" {
		// by cgo: wants a C compiler
		flags, tags = flags+" -X main.Version="+strings.TrimPrefix(version, "v"), "sqlite sqlite_unlock_notify"
	}
	modfile := filepath.Join(folder, "go.mod")
	if len(p.shorter) > 0 {
		if modfile, err = p.modfile(ctx, folder, filepath.Dir(target)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	// Linked beside its place and renamed, so that an interrupted build leaves no half a binary.
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-modfile", modfile, "-tags", tags, "-ldflags",
		flags, "-o", target+".new", p.main)
	cmd.Dir = folder
	cmd.Env = buildEnvironment()
	if p.folder == "gitea" {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := progress(stderr, name, log)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: go build %s: %w\n%s", name, p.main, err, strings.Join(lines, "\n"))
	}
	if err := os.Rename(target+".new", target); err != nil {
		return err
	}
	fmt.Fprintf(log, "e2e: %s: built in %s\n", name, time.Since(started).Round(time.Second))
	return nil
}

// modfile writes the module's go.mod with the program's own module replaced by a copy whose waits are shorter, below a
// folder.
func (p program) modfile(ctx context.Context, folder, target string) (string, error) {
	module, err := output(ctx, folder, "go", "list", "-m", "-f", "{{.Dir}}", p.module)
	if err != nil {
		return "", err
	}
	patched, file := filepath.Join(target, "module"), filepath.Join(target, "go.mod")
	if err := os.RemoveAll(patched); err != nil {
		return "", err
	}
	if err := os.CopyFS(patched, os.DirFS(module)); err != nil {
		return "", err
	}
	for _, s := range p.shorter {
		path := filepath.Join(patched, s.file)
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(content), s.line); n != 1 {
			return "", fmt.Errorf("%s of %s: found %d lines %q, want one", s.file, p.module, n, s.line)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(content), s.line, s.short, 1)), 0o600); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(target, name), content, 0o600); err != nil {
			return "", err
		}
	}
	_, err = output(ctx, folder, "go", "mod", "edit", "-replace="+p.module+"="+patched, file)
	return file, err
}

// progress reads what go build -v prints, says now and then where it is, and gives the last lines.
func progress(r io.Reader, name string, log io.Writer) []string {
	var last []string
	next, count := time.Now().Add(10*time.Second), 0
	for s := bufio.NewScanner(r); s.Scan(); {
		last = append(last, s.Text())
		if len(last) > 20 {
			last = last[1:]
		}
		count++
		if now := time.Now(); now.After(next) {
			fmt.Fprintf(log, "e2e: %s: %d packages compiled, now %s\n", name, count, s.Text())
			next = now.Add(10 * time.Second)
		}
	}
	return last
}

// ModuleDir returns the folder of a module that an engine's module requires, downloading it if need
// be: engines ship their CustomResourceDefinitions as files of their modules.
func ModuleDir(t testing.TB, engineFolder, module string) string {
	t.Helper()
	folder := filepath.Join(root(), "e2e", "engines", engineFolder)
	if _, err := output(t.Context(), folder, "go", "mod", "download", module); err != nil {
		unavailable(t, fmt.Errorf("%s: %w: %w", module, ErrUnavailable, err))
	}
	dir, err := output(t.Context(), folder, "go", "list", "-m", "-f", "{{.Dir}}", module)
	require.NoError(t, err)
	return dir
}

// CacheDir returns where built engines are kept: SIPGEN_CACHE, or .cache in the repository.
func CacheDir() string {
	if dir := os.Getenv("SIPGEN_CACHE"); dir != "" {
		return dir
	}
	return filepath.Join(root(), ".cache")
}

// root finds the repository's folder: the nearest one above the working folder with sipgen's go.mod. runtime.Caller
// gives no path if a test is built with -trimpath.
func root() string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if content, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil &&
			strings.HasPrefix(string(content), "module github.com/airshipit/sipgen\n") {
			return folder
		}
	}
	panic("the working folder is not in sipgen's repository")
}

func buildEnvironment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false -mod=readonly")
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = buildEnvironment()
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
