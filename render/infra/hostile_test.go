package infra

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// hostile are values that break out of one format or another where nobody looks.
var hostile = []string{
	"a\n    server evil 192.0.2.66:6443",
	"a\r\nPermitRootLogin yes",
	`a"b`, "a'b", "a`id`b", "$(id)", "${HOME}", "$IFS", "a;reboot", "a|b", "a&b", "a>b",
	"../../../etc/passwd", "/etc/passwd", "..", ".",
	"a b", "a\tb", "a\x00b", "a\\b", "a#b", "a%b", "a*b", "{{.}}",
	"nоde-1",       // a Cyrillic o
	"node\u200b-1", // a zero-width space
	"node\u202e-1", // writes from right to left
	strings.Repeat("a", 300),
	"- a: b", "a: b", "!!binary x", "&a", "*a", "@a", "yes", "null", "0x10", "1e3",
}

// slots are the places where values from outside come in.
var slots = map[string]func(in *Input, value string){
	"host name":      func(in *Input, value string) { in.Hosts[0].Host.Name = value },
	"host namespace": func(in *Input, value string) { in.Hosts[0].Host.Namespace = value },
	"role":           func(in *Input, value string) { in.Hosts[0].Role = value },
	"network id": func(in *Input, value string) {
		for _, h := range in.Hosts {
			for i := range h.Host.Addresses {
				h.Host.Addresses[i].Network = value
			}
		}
		s := &in.Cluster.Spec.Services
		s.LoadBalancerControlPlane[0].NodeInterface, s.LoadBalancerWorker[0].NodeInterface, s.JumpHost[0].NodeInterface = value, value, value
	},
	"cluster name": func(in *Input, value string) { in.Cluster.Name = value },
	"namespace":    func(in *Input, value string) { in.Cluster.Namespace = value },
	"image":        func(in *Input, value string) { in.Cluster.Spec.Services.JumpHost[0].Image = value },
	"health path": func(in *Input, value string) {
		in.Cluster.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{Path: value}
	},
	"authorized key": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].SSHAuthorizedKeys = []string{value}
	},
	"key's comment": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].SSHAuthorizedKeys = []string{testKey + value}
	},
	"user CA":    func(in *Input, value string) { in.Cluster.Spec.Services.JumpHost[0].TrustedUserCA = value },
	"Secret":     func(in *Input, value string) { in.Cluster.Spec.Services.JumpHost[0].NodeSSHPrivateKeys = value },
	"BMC access": func(in *Input, value string) { in.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: value} },
	"BMC address": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: v1.BMCRedfish}
		for _, h := range in.Hosts {
			h.Host.Namespace = in.Cluster.Namespace
			h.Host.BMC = inventory.BMC{Address: "redfish://192.0.2.1/redfish/v1/Systems/" + value,
				CredentialsName: "bmc"}
		}
	},
	"annotation": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].Service.Service = &v1.ServiceExposure{Annotations: map[string]string{"example.org/note": value}}
	},
	"annotation key": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].Service.Service = &v1.ServiceExposure{Annotations: map[string]string{value: "x"}}
	},
	"node label": func(in *Input, value string) {
		in.Cluster.Spec.Services.JumpHost[0].NodeLabels = map[string]string{"example.org/x": value}
	},
	"issuer": func(in *Input, value string) {
		in.Cluster.Spec.Services.Dex[0].Issuer = "https://dex.example/" +
			value
	},
	"client id":   func(in *Input, value string) { in.Cluster.Spec.Services.Dex[0].StaticClients[0].ID = value },
	"client name": func(in *Input, value string) { in.Cluster.Spec.Services.Dex[0].StaticClients[0].Name = value },
	"claim": func(in *Input, value string) {
		in.Cluster.Spec.Services.Dex[0].Kubernetes = &v1.DexKubernetes{UsernameClaim: value}
	},
	"prefix": func(in *Input, value string) {
		in.Cluster.Spec.Services.Dex[0].Kubernetes = &v1.DexKubernetes{GroupsPrefix: &value}
	},
}

// Lines that the rendered files may have: whatever a value does, there is no other.
var allowedLines = map[string]*regexp.Regexp{
	"cfg": regexp.MustCompile(`^( *#.*| *|global|defaults|frontend (status|clients)|backend (kube-apiservers|workers)` +
		`|    (log|maxconn|hard-stop-after|mode|option|retries|timeout|monitor-uri|stats|default_backend|balance|default-server|bind|http-request) [A-Za-z0-9 .:{}/_-]+` +
		`|    http-check (send meth GET uri /[A-Za-z0-9._~/?=&-]* ver HTTP/1.1 hdr Host kubernetes hdr User-Agent haproxy-check|expect status [0-9]{3})` +
		`|    server [a-z0-9.:-]+ (\[[0-9a-f:]+\]|[0-9.]+)(:6443)?)$`),
	"ssh_config":      regexp.MustCompile(`^( *#.*| *|Host( [a-z0-9.-]+)+|Host \*|    (HostName|HostKeyAlias|StrictHostKeyChecking|UserKnownHostsFile|Include) [a-z0-9.:/_-]+)$`),
	"sshd_config":     regexp.MustCompile(`^( *#.*| *|PermitOpen( [a-z0-9.:\[\]-]+)+|[A-Z][A-Za-z0-9]+ [A-Za-z0-9 /:=._-]+)$`),
	"authorized_keys": regexp.MustCompile(`^(# May log in to [a-z0-9-]+\.|ssh-ed25519 [A-Za-z0-9+/]+=*[ \t]?\P{C}*)$`),
	"trusted_user_ca": regexp.MustCompile(`^ssh-ed25519 [A-Za-z0-9+/]+=*[ \t]?\P{C}*$`),
	"hosts":           regexp.MustCompile(`^[a-z0-9.-]+\t[a-z0-9.-]+\t[a-z0-9-]+\t[a-z0-9.-]+\t[A-Za-z0-9._-]*\t(active|standby)\t[0-9a-f.:]+\t(-|https?://[A-Za-z0-9._~:/\[\]-]+)\t(verify|insecure)$`),
	"settings":        regexp.MustCompile(`^(ACCESS=(metal3|redfish|none)|PROXY=(true|false))$`),
	"flags.txt":       regexp.MustCompile(`^--oidc-[a-z-]+=[A-Za-z0-9_.:/@#~?=&%+,;!*()\[\]-]+$`),
}

// harmless complains about what a value did to the rendered files.
func harmless(t *testing.T, files map[string][]byte) {
	t.Helper()
	for name, text := range files {
		assert.Truef(t,
			!strings.Contains(name, "..") && !strings.HasPrefix(name, "/") && !strings.ContainsFunc(name,
				func(r rune) bool { return r <= ' ' || r > '~' }),
			"the file %q leaves its folder or its alphabet", name)
		for suffix, pattern := range allowedLines {
			if !strings.HasSuffix(name, suffix) {
				continue
			}
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSuffix(line, "\n")
				assert.Truef(t, pattern.MatchString(line), "%s: unexpected line %q", name, line)
			}
		}
		if strings.HasSuffix(name, ".yaml") {
			for _, document := range strings.Split(string(text), "\n---\n") {
				var object struct{ Kind string }
				assert.NoError(t, yaml.Unmarshal([]byte(document), &object), name)
			}
		}
	}
}

func TestHostileValuesAreRefusedOrHarmless(t *testing.T) {
	refused := 0
	for slot, set := range slots {
		for _, value := range hostile {
			in := tenant()
			set(&in, value)
			files, err := overlayOf(in)
			if err != nil {
				refused++
				continue
			}
			harmless(t, files)
			require.Truef(t, !t.Failed(), "%s: %q did this", slot, value)
		}
	}
	assert.Truef(t, refused >= len(slots)*len(hostile)/2, "only %d of %d were refused", refused,
		len(slots)*len(hostile))
}

// The notes go into markdown that a browser may show.
func TestNotesCarryNoMarkup(t *testing.T) {
	for slot, set := range slots {
		for _, value := range append([]string{"<script>", "](javascript:x)", "```"}, hostile...) {
			in := tenant()
			set(&in, value)
			if notes := notesOf(in); strings.Contains(notes, "<script") || strings.Contains(notes, "](") ||
				strings.Contains(notes, "evil") || strings.Count(notes, "```")%2 != 0 {
				t.Errorf("%s: %q is in the notes:\n%s", slot, value, notes)
			}
		}
	}
}

// only leaves out the services that a value is not in, where it is in one of them. The others render as they always do,
// and marshalling them again and again is what takes a fuzzer's time.
func only(in *Input) {
	was, is := reflect.ValueOf(tenant().Cluster.Spec.Services), reflect.ValueOf(&in.Cluster.Spec.Services).Elem()
	changed := reflect.New(is.Type()).Elem()
	for i := range is.NumField() {
		if !reflect.DeepEqual(is.Field(i).Interface(), was.Field(i).Interface()) {
			changed.Field(i).Set(is.Field(i))
		}
	}
	if !changed.IsZero() {
		is.Set(changed)
	}
}

func FuzzOverlay(f *testing.F) {
	for _, value := range hostile {
		f.Add(value, uint8(0))
	}
	names := slices.Sorted(maps.Keys(slots)) // the number of a slot means the same in every run
	f.Fuzz(func(t *testing.T, value string, slot uint8) {
		in := tenant()
		slots[names[int(slot)%len(names)]](&in, value)
		only(&in)
		if files, err := overlayOf(in); err == nil {
			harmless(t, files)
		}
		_ = notesOf(in)
	})
}
