package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

// BenchmarkFromCluster reads hosts as large as inspection makes them, about 12 KB each, over HTTP on loopback. The server
// costs little: its pages are one host's text with other names.
func BenchmarkFromCluster(b *testing.B) {
	host := inspectedHost(b)
	for _, hosts := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				start, _ := strconv.Atoi(r.URL.Query().Get("continue"))
				end := min(start+pageSize, hosts)
				metadata := `"resourceVersion":"7"`
				if end < hosts {
					metadata += fmt.Sprintf(`,"continue":"%d","remainingItemCount":%d`, end, hosts-end)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"kind":"BareMetalHostList","apiVersion":"metal3.io/v1alpha1","metadata":{%s},"items":[`, metadata)
				for i := start; i < end; i++ {
					if i > start {
						_, _ = w.Write([]byte(","))
					}
					_, _ = w.Write([]byte(strings.Replace(host, "NAME", fmt.Sprintf("node-%05d", i), 1)))
				}
				_, _ = w.Write([]byte("]}"))
			}))
			defer server.Close()
			b.SetBytes(int64(hosts * len(host)))
			b.ReportAllocs()
			for b.Loop() {
				inv, err := Hosts(context.Background(), &rest.Config{Host: server.URL}, Options{})
				need.Must(b, err == nil && len(inv.Hosts) == hosts, "%v", err)
			}
		})
	}
}

// inspectedHost is a host with managedFields, and the hardware of a server with many disks and NICs.
func inspectedHost(b *testing.B) string {
	b.Helper()
	api := newFakeAPI(b, inventorytest.Managed)
	host := api.objects["baremetalhosts"][0]
	metadata := host["metadata"].(map[string]any)
	metadata["name"] = "NAME"
	metadata["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] = strings.Repeat("x", 1500)
	var nics, disks []any
	for i := range 12 {
		nics = append(nics, map[string]any{"name": fmt.Sprintf("eno%d", i), "model": "0x8086 0x1572", "mac": fmt.Sprintf("52:54:00:00:00:%02x", i), "speedGbps": 25, "vlanId": 0, "pxe": i == 0})
	}
	for i := range 24 {
		disks = append(disks, map[string]any{"name": fmt.Sprintf("/dev/sd%c", 'a'+i), "sizeBytes": 1920383410176, "serialNumber": "S4YNNE0N801234", "wwn": "0x5002538e40a1b2c3", "wwnWithExtension": "0x5002538e40a1b2c3", "hctl": "0:0:0:0", "model": "SAMSUNG MZ7LH1T9", "vendor": "ATA", "type": "SSD"})
	}
	host["status"] = map[string]any{
		"operationalStatus": "OK", "provisioning": map[string]any{"state": "available"},
		"hardware": map[string]any{"cpu": map[string]any{"arch": "x86_64", "count": 128, "flags": strings.Fields(strings.Repeat("avx512f sse4_2 ", 90))}, "nics": nics, "storage": disks, "ramMebibytes": 524288},
	}
	text := need.Value(json.Marshal(host))(b)
	return string(text)
}
