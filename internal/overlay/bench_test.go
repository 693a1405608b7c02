package overlay

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
)

// BenchmarkPatches measures the most that a tenant may ask for: as many patches as there may be, trivial ones and ones as large as they may be, on every
// service and on a load balancer of a thousand ports.
func BenchmarkPatches(b *testing.B) {
	trivial := v1.Patch{Patch: `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`, Target: &v1.PatchTarget{Kind: "Deployment"}}
	var labels strings.Builder
	labels.WriteString("metadata: {name: x, annotations: {")
	for i := range 450 {
		fmt.Fprintf(&labels, "k%d: v, ", i)
	}
	labels.WriteString("}}")
	for name, patches := range map[string][]v1.Patch{
		"trivial": repeat(trivial, 32),
		"labels":  repeat(merge(&v1.PatchTarget{Kind: "Deployment"}, labels.String()), 6),
	} {
		for i := range patches {
			if err := validation.CheckPatch(patches[i].Patch); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f := bank(b)
			f.Files["loadbalancer-worker-bank.yaml"] = widened(f.Files["loadbalancer-worker-bank.yaml"])
			for b.Loop() {
				if errs := checked(b, f, patches...); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
	}
}

func repeat(p v1.Patch, n int) []v1.Patch {
	var out []v1.Patch
	for range n {
		out = append(out, p)
	}
	return out
}

// widened is the load balancer's file with a thousand ports.
func widened(text []byte) []byte {
	head, rest, _ := strings.Cut(string(text), "  ports:\n  - {name: port-")
	_, tail, _ := strings.Cut(rest, "  selector:\n")
	var out strings.Builder
	out.WriteString(head + "  ports:\n")
	for i := range 1000 {
		fmt.Fprintf(&out, "  - {name: port-%[1]d, port: %[1]d, protocol: TCP, targetPort: %[1]d, nodePort: %[1]d}\n", 30000+i)
	}
	out.WriteString("  selector:\n" + tail)
	return []byte(out.String())
}
