package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// markedCluster is a stand-in of an API server that has the objects of files, Secrets with all of their values,
// whatever is asked for. It notes which Secrets somebody reads: with values, and with their metadata alone.
type markedCluster struct {
	*httptest.Server
	mu   sync.Mutex
	read map[string]bool
}

func newMarkedCluster(t *testing.T, paths ...string) *markedCluster {
	t.Helper()
	docs := need.Value(manifest.Read(paths, nil))(t)
	lists, secrets := map[string][]json.RawMessage{}, map[string]json.RawMessage{}
	for i := range docs {
		doc := &docs[i]
		switch doc.Kind {
		case "BareMetalHost":
			lists["baremetalhosts"] = append(lists["baremetalhosts"], doc.JSON)
		case "SIPCluster":
			lists["sipclusters"] = append(lists["sipclusters"], doc.JSON)
		case "Secret":
			// An API server gives as data what was written as stringData.
			var written struct {
				Data       map[string][]byte `json:"data"`
				StringData map[string]string `json:"stringData"`
			}
			require.NoError(t, json.Unmarshal(doc.JSON, &written))
			if written.Data == nil {
				written.Data = map[string][]byte{}
			}
			for key, value := range written.StringData {
				written.Data[key] = []byte(value)
			}
			metadata := map[string]any{"namespace": doc.Namespace, "name": doc.Name}
			secrets[doc.Namespace+"/"+doc.Name] = need.Value(json.Marshal(map[string]any{"kind": "Secret",
				"apiVersion": "v1",
				"metadata":   metadata, "data": written.Data}))(t)
		}
	}
	c := &markedCluster{read: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		parts := strings.Split(r.URL.Path, "/")
		last := parts[len(parts)-1]
		if len(parts) > 3 && parts[len(parts)-2] == "secrets" {
			key := parts[len(parts)-3] + "/" + last
			c.mu.Lock()
			c.read[key] = true
			c.mu.Unlock()
			if secrets[key] == nil {
				w.WriteHeader(http.StatusNotFound)
				_, _ = fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
				return
			}
			_, _ = w.Write(secrets[key])
			return
		}
		assert.Truef(t, last != "secrets", "Secrets are listed")
		kind := "List"
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
			kind = "PartialObjectMetadataList"
		}
		items := append([]json.RawMessage{}, lists[last]...)
		if kind != "List" && len(items) == 0 {
			items = nil // as a real API server writes an empty list of metadata
		}
		answerList(w, kind, items)
	}))
	t.Cleanup(c.Close)
	return c
}

func answerList(w http.ResponseWriter, kind string, items []json.RawMessage) {
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": kind, "apiVersion": "v1",
		"metadata": map[string]any{"resourceVersion": "7"}, "items": items})
}

func (c *markedCluster) kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t,
		os.WriteFile(file, []byte(`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a"}}],"clusters":[{"name":"a","cluster":{"server":"`+c.URL+`"}}]}`), 0o600))
	return file
}

// TestInitOnACluster: a trial on a live cluster reads it and nothing else, and what is installed there is in the Site.
func TestInitOnACluster(t *testing.T) {
	for _, row := range []struct {
		why, groups string
		in, not     []string
	}{
		{"Flux and Cluster API", "kustomize.toolkit.fluxcd.io cluster.x-k8s.io",
			[]string{"engine: flux", "Chosen: Flux is installed on the cluster.", "  clusterAPI: {}"}, nil},
		{"both engines", "kustomize.toolkit.fluxcd.io argoproj.io", []string{"engine: flux",
			"Chosen: Flux and Argo CD are installed on the cluster; --engine argocd chooses the other."}, nil},
		{"Argo CD, and no Cluster API", "argoproj.io metal3.io", []string{"engine: argocd"}, []string{"clusterAPI"}},
		{"only the provider of Cluster API for metal3", "infrastructure.cluster.x-k8s.io", []string{"engine: flux"},
			[]string{"clusterAPI"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			cluster := newMarkedCluster(t, "../../examples/single/hosts.yaml")
			hosts := cluster.Config.Handler
			cluster.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Truef(t, r.Method == http.MethodGet, "%s %s", r.Method, r.URL)
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
			t.Setenv("KUBECONFIG", cluster.kubeconfig(t))
			for _, args := range [][]string{
				{"init", "--inventory", "cluster", filepath.Join(dir, "trial")},
				{"plan", "--site", filepath.Join(dir, "trial", "site.yaml")},
			} {
				code, out, said := ran(t, args...)
				require.Truef(t, code == exitDone, "%v: exit %d\n%s%s", args, code, out, said)
			}
			site := read(t, filepath.Join(dir, "trial", "site.yaml"))
			for _, word := range row.in {
				assert.Contains(t, site, word)
			}
			for _, word := range row.not {
				assert.NotContains(t, site, word)
			}
		})
	}
}

// TestInitBesideSites: hosts in namespaces with the guards of another site are left out, and so plan takes the new
// Site. Neither its first SIPCluster nor its node port is that of another site.
func TestInitBesideSites(t *testing.T) {
	binding := func(site string, namespaces ...string) json.RawMessage {
		scope := map[string]any{"namespaceSelector": map[string]any{"matchExpressions": []any{map[string]any{
			"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces}}}}
		if len(namespaces) == 0 {
			scope = nil
		}
		return need.Value(json.Marshal(map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
			"metadata": map[string]any{"name": "sipgen-" + site + "-sync-guard-v1",
				"labels": map[string]any{"sipgen.airshipit.org/site": site}},
			"spec": map[string]any{"matchResources": scope},
		}))(t)
	}
	hosts := read(t, "../../examples/single/hosts.yaml")
	for _, row := range []struct {
		why, name string
		bindings  []json.RawMessage // nil: forbidden
		code      int
		says      string
		// namespaces are those of the Site, tenant that of the first SIPCluster.
		namespaces, tenant string
	}{
		{"no other site", "new", []json.RawMessage{}, 0, "6 hosts, ", "- metal3 # 3 hosts - other # 3 hosts",
			"tenant-a"},
		{"another site in one namespace", "new", []json.RawMessage{binding("dc1", "metal3")}, 0,
			"left out, because the guards of other sites cover them: 3 hosts in metal3 (site dc1)",
			"- other # 3 hosts", "new-tenant-a"},
		{"other sites elsewhere", "new", []json.RawMessage{binding("dc2", "more"), binding("dc1", "edge")}, 0,
			"the first SIPCluster is in namespace new-tenant-a: this API server has other sites (dc1, dc2), " +
				"and each namespace and name is for one SIPCluster",
			"- metal3 # 3 hosts - other # 3 hosts", "new-tenant-a"},
		{"another site, and a name that leaves no room", strings.Repeat("n", 56),
			[]json.RawMessage{binding("dc1", "edge")}, 2, "--cluster is required: this API server has other sites (dc1)",
			"", ""},
		{"the site itself", "dc1", []json.RawMessage{binding("dc1", "metal3")}, 0, "6 hosts, ",
			"- metal3 # 3 hosts - other # 3 hosts", "tenant-a"},
		{"another site everywhere", "new", []json.RawMessage{binding("dc1")}, 2,
			"cover all hosts: 3 hosts in metal3 (site dc1), 3 hosts in other (site dc1): want a namespace of site new's own",
			"", ""},
		{"guards that the account may not list", "new", nil, 0, "namespaces of other sites were not looked for",
			"- metal3 # 3 hosts - other # 3 hosts", "tenant-a"},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := t.TempDir()
			both := filepath.Join(dir, "hosts.yaml")
			other := strings.NewReplacer("namespace: metal3", "namespace: other", "uid: ", "uid: a", "02:00:00:", "02:00:01:",
				"//192.0.2.", "//198.51.100.").Replace(hosts)
			need.Write(t, both, hosts+"\n---\n"+other)
			cluster := newMarkedCluster(t, both)
			others := cluster.Config.Handler
			cluster.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case filepath.Base(r.URL.Path) == "services":
					w.Header().Set("Content-Type", "application/json")
					answerList(w, "List", []json.RawMessage{
						json.RawMessage(`{"metadata":{"name":"a"},"spec":{"ports":[{"port":80,"nodePort":30643}]}}`),
						json.RawMessage(`{"metadata":{"name":"b"},"spec":{"ports":[{"port":80}],"healthCheckNodePort":30644}}`),
					})
				case filepath.Base(r.URL.Path) != "validatingadmissionpolicybindings":
					others.ServeHTTP(w, r)
				case row.bindings == nil:
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusForbidden)
					_, _ = fmt.Fprint(w,
						`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`)
				default:
					w.Header().Set("Content-Type", "application/json")
					answerList(w, "List", row.bindings)
				}
			})
			site := filepath.Join(dir, "site", "site.yaml")
			code, out, said := ran(t, "init", "--kubeconfig", cluster.kubeconfig(t), "--inventory", "cluster",
				"--engine",
				"flux", "--name", row.name, filepath.Dir(site))
			assert.Equal(t, row.code, code, said)
			assert.Contains(t, out+said, row.says)
			if row.code != 0 {
				assert.NoFileExists(t, site)
				return
			}
			_, list, _ := strings.Cut(read(t, site), "    namespaces:\n")
			list, _, _ = strings.Cut(list, "  # The tenants")
			assert.Equal(t, row.namespaces, strings.Join(strings.Fields(list), " "))
			first := read(t, filepath.Join(filepath.Dir(site), "tenants", "first.yaml"))
			assert.Contains(t, first, "  namespace: "+row.tenant+"\n")
			assert.Contains(t, first, "nodePort: 30645", "the first node port that no Service has")
		})
	}
}

// sipInputs has what was recorded of the SIP operator's tenant lma.
const sipInputs = "../../testdata/inputs/sip-operator"

// sipOperator is a stand-in of an API server that has SIP's tenant. Deployments are what lists of them give, nil for a
// refusal.
type sipOperator struct {
	*markedCluster
	deployments []json.RawMessage
	// looked: somebody asked for them.
	looked bool
}

func newSIPOperator(t *testing.T) *sipOperator {
	t.Helper()
	s := &sipOperator{markedCluster: newMarkedCluster(t, sipInputs+"/hosts.yaml")}
	others := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch filepath.Base(r.URL.Path) {
		case "sipclusters":
			answerList(w, "List", []json.RawMessage{[]byte(`{"metadata":{"namespace":"lma-infra","name":"lma","finalizers":["sip.airship.airshipit.org/finalizer"]}}`)})
		case "deployments":
			s.looked = true
			assert.Truef(t, strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList"),
				"more than metadata is asked for: %s", r.Header.Get("Accept"))
			if s.deployments == nil {
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`)
				return
			}
			answerList(w, "PartialObjectMetadataList", s.deployments)
		default:
			others.ServeHTTP(w, r)
		}
	})
	return s
}

// sipDeployment is SIP's Deployment of a jump host, with an owner of its fields.
func sipDeployment(manager, operation string) []json.RawMessage {
	return []json.RawMessage{[]byte(`{"metadata":{"namespace":"lma-infra","name":"jumphost-lma","managedFields":[{"manager":"` + manager + `","operation":"` + operation +
		`","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{}}}}}}}}]}}`)}
}

// TestServiceOwners renders from a stand-in of an API server that has SIP's tenant: it is refused over SIP's objects,
// and without the right to look at them there is a warning. So it is with diff, though the tree is there and as it
// would be rendered: before the objects are handed over, 0 would say that the sync is done.
func TestServiceOwners(t *testing.T) {
	synced := func(objects []json.RawMessage) []json.RawMessage {
		return []json.RawMessage{bytes.Replace(objects[0], []byte(`"managedFields"`),
			[]byte(`"labels":{"app.kubernetes.io/managed-by":"sipgen"},"managedFields"`), 1)}
	}
	spec := read(t, sipInputs+"/spec.yaml")
	bare, _, cut := strings.Cut(spec, "  services:\n")
	require.Truef(t, cut && !strings.Contains(bare, "jumpHost"), "no services to leave out")
	const missing, finalizer = "warning: Deployment lma-infra/jumphost-lma: there is no Secret jumphost-lma-host-keys", "warning: SIPCluster lma-infra/lma: it has the finalizer sip.airship.airshipit.org/finalizer"
	for name, row := range map[string]struct {
		spec        string
		deployments []json.RawMessage // nil: forbidden
		code        int
		says, not   string
	}{
		"SIP's, without keys": {spec, sipDeployment("manager", "Update"), 1, missing, "was not checked"},
		"the engine's": {spec, synced(sipDeployment("kustomize-controller", "Apply")), 0, finalizer,
			"host-keys"},
		"not allowed": {spec, nil, 0,
			"field ownership of services was not checked: the account may not list deployments",
			"policy folder grants"},
		"without service": {bare, nil, 0, finalizer, "was not checked"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newSIPOperator(t)
			api.deployments = row.deployments
			dir := t.TempDir()
			config, specs := api.kubeconfig(t), filepath.Join(dir, "spec.yaml")
			require.NoError(t, os.WriteFile(specs, []byte(row.spec), 0o600))
			sipgen := func(command string) (code int, text string) {
				code, out, said := ran(t, command, "--site", sipInputs+"/site.yaml", "-f", specs, "--inventory",
					"cluster",
					"--kubeconfig", config, "--out", filepath.Join(dir, "tree"))
				return code, strings.Join(strings.Fields(out+said), " ")
			}
			wanted := func(command string) {
				t.Helper()
				code, text := sipgen(command)
				if code != row.code || !strings.Contains(text, row.says) || strings.Contains(text, row.not) ||
					code == 2 && strings.Contains(text, "no difference") {
					t.Errorf("%s: exit code %d, want %d, %q and no %q:\n%s", command, code, row.code, row.says, row.not,
						text)
				}
			}
			wanted("render")
			if row.code != 0 { // the tree is there, from a time when nobody owned anything
				api.deployments = []json.RawMessage{}
				if code, text := sipgen("render"); code != 0 {
					t.Fatalf("exit code %d:\n%s", code, text)
				}
				api.deployments = row.deployments
			}
			wanted("diff")
			want := row.spec == spec
			assert.Truef(t, api.looked == want, "looked at Deployments: %t, want %t", api.looked, want)
		})
	}
}
