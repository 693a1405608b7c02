package files

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

// siteFile writes hosts with managedFields, a status and network data each, as kubectl prints them: a
// stream of YAML documents, or one JSON List.
func siteFile(b *testing.B, hosts int, asJSON bool) string {
	b.Helper()
	var host, secret map[string]any
	if err := yaml.Unmarshal([]byte(strings.Replace(inventorytest.Managed, "spec: {online: true}", "spec: {online: true, bmc: {address: 'redfish://198.51.100.1/x', credentialsName: bmc}, networkData: {name: x}}\nstatus: {operationalStatus: OK, provisioning: {state: available}}", 1)), &host); err != nil {
		b.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(inventorytest.SecretYAML("metal", "x", inventorytest.StringData("networkData", inventorytest.BothYAML))), &secret); err != nil {
		b.Fatal(err)
	}
	var (
		items []json.RawMessage
		out   strings.Builder
	)
	for i := range hosts {
		name := fmt.Sprintf("node-%05d", i)
		host["metadata"].(map[string]any)["name"] = name
		host["spec"].(map[string]any)["networkData"] = map[string]any{"name": name + "-net"}
		secret["metadata"].(map[string]any)["name"] = name + "-net"
		for _, object := range []any{host, secret} {
			if asJSON {
				text := need.Value(json.MarshalIndent(object, "        ", "    "))(b)
				items = append(items, text)
				continue
			}
			text := need.Value(yaml.Marshal(object))(b)
			out.WriteString("---\n" + string(text))
		}
	}
	name := "hosts.yaml"
	if asJSON {
		name = "hosts.json"
		text := need.Value(json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", "    "))(b)
		out.Write(text)
	}
	file := filepath.Join(b.TempDir(), name)
	need.OK(b, os.WriteFile(file, []byte(out.String()), 0o644))
	return file
}

func benchmarkLoad(b *testing.B, file func(*testing.B, int) string) {
	for _, hosts := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			path := file(b, hosts)
			info := need.Value(os.Stat(path))(b)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				inv, err := Load([]string{path}, nil)
				need.Must(b, err == nil && len(inv.Hosts) == hosts, "%v %v", len(inv.Hosts), err)
			}
		})
	}
}

// BenchmarkLoad reads YAML, BenchmarkLoadJSON what kubectl get -o json prints, BenchmarkLoadSnapshot a snapshot.
func BenchmarkLoad(b *testing.B) {
	benchmarkLoad(b, func(b *testing.B, n int) string { return siteFile(b, n, false) })
}

func BenchmarkLoadJSON(b *testing.B) {
	benchmarkLoad(b, func(b *testing.B, n int) string { return siteFile(b, n, true) })
}

func BenchmarkLoadSnapshot(b *testing.B) {
	benchmarkLoad(b, func(b *testing.B, n int) string {
		inv := need.Value(Load([]string{siteFile(b, n, true)}, nil))(b)
		file := need.Value(os.Create(filepath.Join(b.TempDir(), "snapshot.yaml")))(b)
		defer file.Close()
		need.OK(b, WriteSnapshot(file, inv))
		return file.Name()
	})
}
