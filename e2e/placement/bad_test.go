package placement

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/airshipit/sipgen/render/site/ledger"
)

// nobody is a server that fails the test when it is asked anything.
func nobody(t *testing.T) (string, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	return server.URL, &asked
}

type fields = map[string]any

// Nothing in a ledger is believed that has not the form that sipgen gives it: who can push to the fleet's repository can edit it, and it is
// loaded by somebody who may write every claim there is.
func TestBadLedgers(t *testing.T) {
	f := twoTenants(t, "two-tenants")
	f.render(t)
	url, asked := nobody(t)
	provider := func(f fields) fields { return list(f, "resource_providers")[3].(fields) }
	consumer := func(f fields) fields { return list(f, "consumers")[1].(fields) }
	first := func(f fields) string { return provider(f)["provider"].(fields)["uuid"].(string) }
	one := fields{"resources": fields{ledger.ResourceClass: 1}}
	for _, row := range []struct {
		why, want string
		edit      func(fields)
	}{
		{"another format", `format: found 2, want 1`, func(f fields) { f["format"] = 2 }},
		{"no format", `format: found null, want 1`, func(f fields) { delete(f, "format") }},
		{"another site", `site: found "dc2", want two-tenants`, func(f fields) { f["site"] = "dc2" }},
		{"another microversion", `microversion: found "1.39", want 1.38`, func(f fields) { f["microversion"] = "1.39" }},
		{"somebody else's class", `resource_class: found "VCPU", want CUSTOM_SIPGEN_HOST`, func(f fields) { f["resource_class"] = "VCPU" }},
		{"a field that is none", `"delete_all": not a field of this format`, func(f fields) { f["delete_all"] = true }},
		{"hosts for two", `inventories: found {"CUSTOM_SIPGEN_HOST":{"allocation_ratio":2`, func(f fields) {
			object(f, "inventories", ledger.ResourceClass)["allocation_ratio"] = 2
		}},
		{"an inventory of others", `want one that can be claimed once`, func(f fields) { object(f, "inventories")["VCPU"] = fields{"total": 1} }},
		{"no lists", `traits, resource_providers, consumers: want lists`, func(f fields) { f["consumers"] = fields{} }},
		{"somebody else's trait", `traits[0]: found "CUSTOM_NOVA", want CUSTOM_SIPGEN_...`, func(f fields) { list(f, "traits")[0] = "CUSTOM_NOVA" }},
		{"a trait that leaves the path", `traits[0]: found "CUSTOM_SIPGEN_/../../allocations"`, func(f fields) { list(f, "traits")[0] = "CUSTOM_SIPGEN_/../../allocations" }},
		{"a trait with a line end", `traits[0]: found "CUSTOM_SIPGEN_A\n"`, func(f fields) { list(f, "traits")[0] = "CUSTOM_SIPGEN_A\n" }},
		{"a trait too long", `traits[0]: found "CUSTOM_SIPGEN_AAAA`, func(f fields) { list(f, "traits")[0] = "CUSTOM_SIPGEN_" + strings.Repeat("A", 242) }},
		{"a host's trait that is not listed", `resource_providers[3].traits: found "CUSTOM_SIPGEN_X", want one of traits`, func(f fields) {
			provider(f)["traits"] = []any{"CUSTOM_SIPGEN_X"}
		}},
		{"a host's trait of others", `resource_providers[3].traits: found "HW_CPU_X86_AVX"`, func(f fields) { provider(f)["traits"] = []any{"HW_CPU_X86_AVX"} }},
		{"a host that is text", `resource_providers[3]: found "x", want host, provider and traits`, func(f fields) { list(f, "resource_providers")[3] = "x" }},
		{"a host with a parent", `resource_providers[3]: found {`, func(f fields) { object(provider(f), "provider")["parent_provider_uuid"] = stranger }},
		{"a host's name with a control character", `resource_providers[3].host: found "metal3/\u001b[2Ja"`, func(f fields) { provider(f)["host"] = "metal3/\x1b[2Ja" }},
		{"a host without a namespace", `resource_providers[3].host: found "server-1", want namespace/name`, func(f fields) { provider(f)["host"] = "server-1" }},
		{"an id that others made", `resource_providers[3].provider.uuid: found "` + stranger + `", want a UUID of version 5`, func(f fields) {
			object(provider(f), "provider")["uuid"] = stranger
		}},
		{"an id that leaves the path", `.provider.uuid: found "../traits/CUSTOM_NOVA"`, func(f fields) { object(provider(f), "provider")["uuid"] = "../traits/CUSTOM_NOVA" }},
		{"a name of others", `.provider.name: found "compute-1", want sipgen/two-tenants/`, func(f fields) { object(provider(f), "provider")["name"] = "compute-1" }},
		{"another site's name", `.provider.name: found "sipgen/dc2/`, func(f fields) {
			object(provider(f), "provider")["name"] = "sipgen/dc2/" + provider(f)["host"].(string)
		}},
		{"another host's name", `.provider.name: found "sipgen/two-tenants/vino-system/x"`, func(f fields) {
			object(provider(f), "provider")["name"] = "sipgen/two-tenants/vino-system/x"
		}},
		{"one id for two hosts", `a UUID that stands there twice`, func(f fields) {
			object(list(f, "resource_providers")[4], "provider")["uuid"] = first(f)
		}},
		{"one host twice", `a name that stands there twice`, func(f fields) {
			again := *new(fields)
			text, _ := json.Marshal(provider(f))
			_ = json.Unmarshal(text, &again)
			object(again, "provider")["uuid"] = "aaaaaaaa-aaaa-5aaa-8aaa-aaaaaaaaaaaa"
			f["resource_providers"] = append(list(f, "resource_providers"), again)
		}},
		{"a consumer that is a host", `a UUID that stands there twice`, func(f fields) { consumer(f)["uuid"] = first(f) }},
		{"a consumer of others", `consumers[1].uuid: found "` + stranger + `", want a UUID of version 5`, func(f fields) { consumer(f)["uuid"] = stranger }},
		{"a consumer that is a list", `consumers[1]: found [], want body, cluster and uuid`, func(f fields) { list(f, "consumers")[1] = []any{} }},
		{"a cluster without a namespace", `consumers[1].cluster: found "edge-b", want namespace/name`, func(f fields) { consumer(f)["cluster"] = "edge-b" }},
		{"the user of others", `consumers[1].body.user_id: found "nova", want sipgen/two-tenants`, func(f fields) { object(consumer(f), "body")["user_id"] = "nova" }},
		{"the project of others", `consumers[1].body.project_id: found "admin", want two-tenants/tenant-b`, func(f fields) {
			object(consumer(f), "body")["project_id"] = "admin"
		}},
		{"the type of others", `consumers[1].body.consumer_type: found "INSTANCE", want SIPCLUSTER`, func(f fields) { object(consumer(f), "body")["consumer_type"] = "INSTANCE" }},
		{"a generation in the body", `consumers[1]: found {`, func(f fields) { object(consumer(f), "body")["consumer_generation"] = 7 }},
		{"a claim of others' providers", `consumers[1].body.allocations: found "` + stranger + `", want one of resource_providers`, func(f fields) {
			object(consumer(f), "body", "allocations")[stranger] = one
		}},
		{"a claim of two", `consumers[1].body.allocations: found {"resources":{"CUSTOM_SIPGEN_HOST":2}}, want one CUSTOM_SIPGEN_HOST`, func(f fields) {
			object(consumer(f), "body", "allocations")[first(f)] = fields{"resources": fields{ledger.ResourceClass: 2}}
		}},
		{"a claim of processors", `consumers[1].body.allocations: found {"resources":{"VCPU":1}}`, func(f fields) {
			object(consumer(f), "body", "allocations")[first(f)] = fields{"resources": fields{"VCPU": 1}}
		}},
		{"one host for two clusters", `two clusters claim it`, func(f fields) {
			for _, c := range list(f, "consumers") {
				object(c, "body", "allocations")[first(f)] = one
			}
		}},
	} {
		t.Run(row.why, func(t *testing.T) {
			var file fields
			if err := json.Unmarshal(f.tree[ledger.Path], &file); err != nil {
				t.Fatal(err)
			}
			row.edit(file)
			text, err := json.Marshal(file)
			if err != nil {
				t.Fatal(err)
			}
			out := f.run(t, url, text)
			if out.code != 2 || out.stdout != "" || !strings.Contains(out.stderr, "load.sh: FILE: ") || !strings.Contains(out.stderr, row.want) {
				t.Errorf("found %d, %s%s, want %s", out.code, out.stdout, out.stderr, row.want)
			}
			if strings.ContainsAny(out.stderr, "\x1b") {
				t.Errorf("a control character reaches the terminal: %q", out.stderr)
			}
			if n := asked.Load(); n > 0 {
				t.Errorf("Placement was asked %d times", n)
			}
		})
	}
	for why, text := range map[string]string{"no JSON": "a: b", "nothing": "", "a list": "[]", "text": `"x"`, "half of it": string(f.tree[ledger.Path][:500]), "two of it": `{"format":1} {"format":1}`} {
		if out := f.run(t, url, []byte(text)); out.code != 2 || !strings.Contains(out.stderr, "load.sh: FILE: found something else than one JSON object") || asked.Load() > 0 {
			t.Errorf("%s: found %d, %s", why, out.code, out.stderr)
		}
	}
	// All problems at once.
	out := f.run(t, url, []byte(`{"format": 1, "site": "a", "traits": [], "resource_providers": [], "consumers": []}`))
	for _, want := range []string{"site: found", "microversion: found null", "resource_class: found null", "inventories: found null"} {
		if !strings.Contains(out.stderr, want) {
			t.Errorf("no %q in %s", want, out.stderr)
		}
	}
}

func TestBadCalls(t *testing.T) {
	f := twoTenants(t, "two-tenants")
	f.render(t)
	url, _ := nobody(t)
	for _, row := range []struct {
		url, want string
		args      []string
	}{
		{url, "--site: want the Site's name", []string{"--site", ""}},
		{url, "--site: want the Site's name", []string{"--site", "../x"}},
		{url, "--site: want the Site's name", []string{"--site"}},
		{url, "site: found \"two-tenants\", want dc2", []string{"--site", "dc2"}},
		{url, "--max-lost: want a number", []string{"--max-lost", "all"}},
		{url, "--force: unknown option", []string{"--force"}},
		{url, "want one file", []string{"another"}},
		{"", "PLACEMENT_URL: want the URL of Placement", nil},
		{"file:///etc/passwd", "PLACEMENT_URL: want the URL of Placement", nil},
		{"http://user:word@127.0.0.1", "PLACEMENT_URL: want the URL of Placement", nil},
		{"http://127.0.0.1:1/x?y", "PLACEMENT_URL: want the URL of Placement", nil},
		{"http://127.0.0.1:1", "Placement at http://127.0.0.1:1: ", nil},
		{url, "GET /: HTTP 418", nil},
	} {
		out := f.run(t, row.url, f.tree[ledger.Path], row.args...)
		if out.code != 2 || out.stdout != "" || !strings.Contains(out.stderr, row.want) {
			t.Errorf("%s %v: found %d, %s%s, want %q", row.url, row.args, out.code, out.stdout, out.stderr, row.want)
		}
	}
}

// A Placement that is too old, one that takes no such token, and one behind something that speaks no JSON.
func TestBadServers(t *testing.T) {
	f := twoTenants(t, "bad-servers")
	f.render(t)
	for _, row := range []struct {
		status       int
		answer, want string
	}{
		{200, `{"versions": [{"max_version": "1.37"}]}`, "older than microversion 1.38"},
		{200, `{"versions": []}`, "older than microversion 1.38"},
		{401, `{}`, "the token may not do this (HTTP 401 or 403)"},
		{403, `{}`, "the token may not do this (HTTP 401 or 403)"},
		{200, "<html>\n@@1 0 200\n</html>", "GET /: HTTP 200"},
		{502, "<html>", "GET /: HTTP 502"},
		{307, `{}`, "GET /: HTTP 307"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				t.Errorf("%s: found a %s", row.want, r.Method)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(row.status)
			_, _ = w.Write([]byte(row.answer))
		}))
		if out := f.run(t, server.URL, f.tree[ledger.Path]); out.code != 2 || !strings.Contains(out.stderr, row.want) {
			t.Errorf("found %d, %s, want %q", out.code, out.stderr, row.want)
		}
		server.Close()
	}
}

// The token is in no argument: everybody on a machine sees those.
func TestTokenIsInNoArgument(t *testing.T) {
	p, f := shared(t), twoTenants(t, "token-is-in-no-argument")
	f.render(t)
	asked := 0
	b := watch(t, p, func(int, *http.Request) {
		asked++
		if asked > 12 {
			return
		}
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Error(err)
		}
		curls := 0
		for _, line := range lines {
			arguments, err := os.ReadFile(line)
			if err != nil {
				continue // it has ended
			}
			if bytes.HasPrefix(arguments, []byte("curl\x00-q\x00-K\x00")) {
				curls++
			}
			if bytes.Contains(arguments, []byte(canary)) {
				t.Error("the token is in an argument")
			}
		}
		if curls == 0 {
			t.Error("no curl is seen: nothing was looked at")
		}
	})
	f.load(t, b.URL, 0)
}
