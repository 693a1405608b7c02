package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestRequestsOfARun counts what a live plan asks of the API server: docs/performance.md has the numbers.
func TestRequestsOfARun(t *testing.T) {
	cluster := newMarkedCluster(t, "../../examples/single/hosts.yaml")
	var (
		mu    sync.Mutex
		asked = map[string]int{}
	)
	answer := cluster.Config.Handler
	cluster.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.Method+" "+r.URL.Path]++
		mu.Unlock()
		answer.ServeHTTP(w, r)
	})
	config := filepath.Join(t.TempDir(), "kubeconfig")
	check(t, os.WriteFile(config, []byte(`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":"`+cluster.URL+`"}}]}`), 0o600))
	t.Setenv("KUBECONFIG", config)
	var said bytes.Buffer
	args := []string{"plan", "--site", "../../examples/single/site.yaml", "--inventory", "cluster", "--previous", "none"}
	if code := run(t.Context(), args, strings.NewReader(""), &said, &said); code != exitDone {
		t.Fatalf("exit %d\n%s", code, &said)
	}
	var lines []string
	for request, n := range asked {
		lines = append(lines, fmt.Sprintf("%d %s", n, request))
	}
	slices.Sort(lines)
	want := []string{
		"1 GET /api/v1/namespaces/metal3/secrets/server-1-network-data", "1 GET /api/v1/namespaces/metal3/secrets/server-2-network-data",
		"1 GET /api/v1/namespaces/metal3/secrets/server-3-network-data", "1 GET /api/v1/services",
		"1 GET /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", "1 GET /apis/airship.airshipit.org/v1/sipclusters",
		"1 GET /apis/apps/v1/deployments", "1 GET /apis/metal3.io/v1alpha1/baremetalhosts", "1 GET /apis/metal3.io/v1alpha1/hardwaredata",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
