package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestInitOnACluster: a trial on a live cluster reads it and nothing else, and what is installed there is in the Site.
func TestInitOnACluster(t *testing.T) {
	for _, row := range []struct {
		why, groups string
		in, not     []string
	}{
		{"Flux and Cluster API", "kustomize.toolkit.fluxcd.io cluster.x-k8s.io", []string{"engine: flux", "Chosen: Flux is installed on the cluster.", "  clusterAPI: {}"}, nil},
		{"Argo CD, and no Cluster API", "argoproj.io metal3.io", []string{"engine: argocd"}, []string{"clusterAPI"}},
		{"only the provider of Cluster API for metal3", "infrastructure.cluster.x-k8s.io", []string{"engine: flux"}, []string{"clusterAPI"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			cluster := newMarkedCluster(t, "../../examples/single/hosts.yaml")
			hosts := cluster.Config.Handler
			cluster.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				if r.URL.Path != "/apis" {
					hosts.ServeHTTP(w, r)
					return
				}
				var list metav1.APIGroupList
				for _, name := range strings.Fields(row.groups) {
					list.Groups = append(list.Groups, metav1.APIGroup{Name: name})
				}
				_ = json.NewEncoder(w).Encode(list)
			})
			dir := t.TempDir()
			config := filepath.Join(dir, "kubeconfig")
			check(t, os.WriteFile(config, []byte(`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":"`+cluster.URL+`"}}]}`), 0o600))
			t.Setenv("KUBECONFIG", config)
			for _, args := range [][]string{
				{"init", "--inventory", "cluster", filepath.Join(dir, "trial")},
				{"plan", "--site", filepath.Join(dir, "trial", "site.yaml")},
			} {
				var said bytes.Buffer
				if code := run(t.Context(), args, strings.NewReader(""), &said, &said); code != exitDone {
					t.Fatalf("%v: exit %d\n%s", args, code, &said)
				}
			}
			site, err := os.ReadFile(filepath.Join(dir, "trial", "site.yaml"))
			check(t, err)
			for _, want := range row.in {
				if !strings.Contains(string(site), want) {
					t.Errorf("no %q in\n%s", want, site)
				}
			}
			for _, not := range row.not {
				if strings.Contains(string(site), not) {
					t.Errorf("%q in\n%s", not, site)
				}
			}
		})
	}
}
