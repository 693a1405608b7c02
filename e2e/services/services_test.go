// Package services tests what render/infra renders on real programs: HAProxy, sshd, curl, kubectl,
// Dex and kube-apiserver.
package services

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMain(m *testing.M) { engine.Main(m) }

const (
	namespace = "tenants"
	cluster   = "edge-a"
)

// input is a cluster with the services given, and one host for every address.
func input(services v1.Services, role string, addresses ...string) infra.Input {
	site := &v1alpha1.Site{Spec: v1alpha1.SiteSpec{Repository: v1alpha1.Repository{URL: "https://git.example/site.git"}}}
	site.Name = "services"
	site.Default()
	in := infra.Input{
		Site: site,
		Cluster: &v1.SIPCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: cluster},
			Spec:       v1.SIPClusterSpec{Services: services},
		},
	}
	for i, address := range addresses {
		in.Hosts = append(in.Hosts, infra.Member{Role: role, Host: &inventory.Host{
			Namespace: namespace, Name: "node-" + string(rune('1'+i)),
			Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr(address)}},
		}})
	}
	return in
}

func overlay(t *testing.T, in infra.Input) map[string][]byte {
	t.Helper()
	files, err := infra.Overlay(checked(t, in))
	require.NoError(t, err)
	return files
}

func checked(t *testing.T, in infra.Input) *infra.Checked {
	t.Helper()
	checked, err := infra.Check(in)
	require.NoError(t, err)
	return checked
}

// running is a program that is stopped when the test ends.
type running struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	out bytes.Buffer
}

func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *running) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// start runs cmd, and shows what it wrote if the test fails.
func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd}
	cmd.Stdout, cmd.Stderr = r, r
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.WaitDelay = 5 * time.Second
	require.NoError(t, cmd.Start())
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
		if t.Failed() {
			t.Logf("%s wrote:\n%s", filepath.Base(cmd.Path), r)
		}
	})
	return r
}

// end ends the program, and waits until nothing listens at its address.
func (r *running) end(t *testing.T, address string) {
	t.Helper()
	require.NoError(t, syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL))
	eventually(t, "the end of what listens at "+address, func() error {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return notYet(err != nil)
	})
}

// eventually waits until check says nil. The deadline is far beyond what the check needs.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	engine.Wait(t, what, engine.SyncTimeout, check)
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Truef(t, strings.Count(text, old) == 1, "want %q once in:\n%s", old, text)
	return strings.Replace(text, old, with, 1)
}

func write(t *testing.T, path string, content []byte, mode os.FileMode) {
	t.Helper()
	need.Executable(t, path, string(content)) // some are
	require.NoError(t, os.Chmod(path, mode))
}

var errNotYet = errors.New("not yet")

// notYet is an error until something is so.
func notYet(so bool) error {
	if so {
		return nil
	}
	return errNotYet
}
