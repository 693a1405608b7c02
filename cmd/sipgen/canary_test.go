package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"sigs.k8s.io/yaml"
)

// canary is a secret that somebody puts where it does not belong.
type canary struct {
	name, text string
	// certain: it is a secret beyond doubt, and refused wherever it stands.
	certain bool
	// named: its name stands before it, so no free text of a host may show it.
	named bool
	// parts of it that must not be seen; the whole text where there are none.
	parts []string
}

func canaries(t *testing.T) []canary {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block := need.Value(ssh.MarshalPrivateKey(key, "canary"))(t)
	private := string(pem.EncodeToMemory(block))
	const random = "Zt7Kw2Qp9Xv4Lm8Rb3Nd6Hs1Jc5Gf0Ya"
	return []canary{
		{"a private key", private, true, false, strings.Split(strings.TrimSpace(private), "\n")[1:4]},
		{"a private key in base64", base64.StdEncoding.EncodeToString([]byte(private)), true, false, nil},
		{"a token", "gh" + "p_" + random + "u7", true, false, []string{random}},
		{"a URL with a password", "https://robot:Zt7Kw2Qp9Xv4Lm8R@git.example.org/fleet.git", true, false,
			[]string{"Zt7Kw2Qp9Xv4Lm8R"}},
		{"a login", "administrator:Zt7Kw2Qp9Xv4Lm8R", false, false, []string{"Zt7Kw2Qp9Xv4Lm8R"}},
		{"a token of no known form", random, false, false, nil},
		{"a password", "Zebra!Xylophone&9-Kettle?Quartz", false, false, nil},
		{"a named password", "password=Zt7Kw2Qp9Xv4Lm8R", false, true, []string{"Zt7Kw2Qp9Xv4Lm8R"}},
		{"a named token in JSON", `{"token": "Zt7Kw2Qp9Xv4 Lm8R"}`, false, true, []string{"Zt7Kw2Qp9Xv4 Lm8R"}},
	}
}

// seen gives a part of the canary that stands in a text, of 16 characters or more, in any spelling.
func (c canary) seen(text string) string {
	parts := c.parts
	if len(parts) == 0 {
		parts = []string{c.text}
	}
	var spelled []string
	for _, part := range parts {
		raw := []byte(part)
		for before := range 3 { // whatever stands before it
			in64 := base64.StdEncoding.EncodeToString(append(make([]byte, before), raw...))
			spelled = append(spelled, in64[4:],
				base64.URLEncoding.EncodeToString(append(make([]byte, before), raw...))[4:])
		}
		spelled = append(spelled, hex.EncodeToString(raw), url.QueryEscape(part), url.PathEscape(part))
	}
	spelled = append(spelled, parts...)
	for _, form := range spelled {
		for i := 0; i+16 <= len(form); i++ {
			if strings.Contains(text, form[i:i+16]) {
				return form[i : i+16]
			}
		}
	}
	return ""
}

// stringFields lists the places of a type that take a string: "spec.nodes.*.topologyKeys[]". A step * is any key of a
// map, and a last step
// # the key itself.
func stringFields(t reflect.Type, path string, depth int) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if depth == 0 {
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return []string{path}
	case reflect.Slice, reflect.Array:
		return stringFields(t.Elem(), path+"[]", depth-1)
	case reflect.Map:
		return append([]string{path + ".#"}, stringFields(t.Elem(), path+".*", depth-1)...)
	case reflect.Interface:
		return []string{path}
	case reflect.Struct:
		switch t.Name() {
		case "Time", "Quantity", "Duration", "FieldsV1", "RawExtension", "MicroTime", "JSON":
			return []string{path} // read from a string
		}
		var out []string
		for i := range t.NumField() {
			field := t.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-" || !field.IsExported():
			case name == "" || strings.Contains(options, "inline"):
				out = append(out, stringFields(field.Type, path, depth)...)
			default:
				out = append(out, stringFields(field.Type, strings.TrimPrefix(path+"."+name, "."), depth-1)...)
			}
		}
		return out
	}
	return nil
}

// put sets the value at a path of stringFields, and makes what is on the way to it.
func put(object any, path string, value string) any {
	if path == "" {
		return value
	}
	if rest, ok := strings.CutPrefix(path, "[]"); ok {
		list, _ := object.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = put(list[0], rest, value)
		return list
	}
	path = strings.TrimPrefix(path, ".")
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	mapping, _ := object.(map[string]any)
	if mapping == nil {
		mapping = map[string]any{}
	}
	switch step, rest := path[:end], path[end:]; step {
	case "#":
		var old any = "x"
		for _, key := range slices.Sorted(maps.Keys(mapping)) {
			old = mapping[key]
		}
		mapping[value] = old
	case "*":
		key := "canary"
		for _, known := range slices.Sorted(maps.Keys(mapping)) {
			key = known
		}
		mapping[key] = put(mapping[key], rest, value)
	default:
		mapping[step] = put(mapping[step], rest, value)
	}
	return mapping
}

// connectorFields are fields of Dex's connectors, which are not typed.
var connectorFields = []string{"type", "id", "name", "config.clientID", "config.clientSecret", "config.bindPW",
	"config.BindPW", "config.host", "config.issuer",
	"config.redirectURI", "config.rootCAData", "config.userSearch.filter", "config.scopes[]", "config.password.value",
	"config.#", "config", "#"}

// changing is an input of an example in which one field is another at a time.
type changing struct{ dir, path, first, rest string }

func newChanging(t *testing.T, example, file string) changing {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/"+example)))
	_, objects, _ := strings.Cut(read(t, filepath.Join(dir, file)), "apiVersion:") // comments stand before the first
	first, rest, _ := strings.Cut("apiVersion:"+objects, "\n---\n")
	return changing{dir, filepath.Join(dir, file), first, rest}
}

func (c changing) put(t *testing.T, field, value string) {
	t.Helper()
	var object any
	require.NoError(t, yaml.Unmarshal([]byte(c.first), &object))
	require.NoError(t,
		os.WriteFile(c.path, []byte(string(need.Value(yaml.Marshal(put(object, field, value)))(t))+"---\n"+c.rest),
			0o600))
}

// TestNoSecretIsPrinted puts secrets into every field of what sipgen reads, a field at a time, and looks for them in
// all that it prints. The kinds of secrets take turns; with SIPGEN_CANARIES=all each kind is put into each field. Where
// one is a secret beyond doubt it is refused, so that it never gets into git.
func TestNoSecretIsPrinted(t *testing.T) {
	noSecretIsPrinted(t, func(string) bool { return true },
		os.Getenv("SIPGEN_CANARIES") == "all") // each in each field takes half an hour
}

// TestLeakedSecrets has the fields that one kind of secret once came out of.
func TestLeakedSecrets(t *testing.T) {
	leaked := []string{"spec.nodes.#", "spec.tenants[].specs[]", "metadata.uid", "metadata.labels.*",
		"metadata.labels.#", "status.errorMessage", "spec.consumerRef.name", "spec.bmc.credentialsName",
		"spec.networkData.name", "spec.bootMACAddress", "status.hardware.nics[].name",
		"status.hardware.systemVendor.manufacturer", "spec.nodes.*.hardware.vendor[]", "spec.nodes.*.hardware.model[]"}
	noSecretIsPrinted(t, func(field string) bool { return slices.Contains(leaked, field) }, true)
}

func noSecretIsPrinted(t *testing.T, looksAt func(field string) bool, everyKind bool) {
	ofServices := slices.DeleteFunc(stringFields(reflect.TypeFor[v1alpha1.Site](), "", 14),
		func(field string) bool { return !strings.HasPrefix(field, "spec.services.") })
	all := canaries(t)
	for _, input := range []struct {
		example, file, specs string
		fields               []string
		refuses              bool
	}{
		{"full-service", "cluster.yaml", "cluster.yaml", stringFields(reflect.TypeFor[v1.SIPCluster](), "", 14), true},
		{"full-service", "site.yaml", "cluster.yaml", stringFields(reflect.TypeFor[v1alpha1.Site](), "", 14), true},
		{"full-service", "hosts.yaml", "cluster.yaml", stringFields(reflect.TypeFor[metal3.BareMetalHost](), "", 6),
			false},
		// Here there are services of the site, so that a canary is the only thing that is wrong with them.
		{"whole-site", "site.yaml", "tenants", ofServices, true},
	} {
		require.Truef(t, len(input.fields) >= 40, "%s: found %d fields", input.file, len(input.fields))
		fields := input.fields
		if input.file == "cluster.yaml" {
			fields = append(fields, connectors()...)
		}
		from := newChanging(t, input.example, input.file)
		dir := from.dir
		for i, field := range fields {
			these := all
			if !everyKind {
				these = []canary{all[i%len(all)]}
			}
			if !looksAt(field) {
				continue
			}
			for _, canary := range these {
				from.put(t, field, canary.text)
				in := []string{"--site", filepath.Join(dir, "site.yaml"), "-f", filepath.Join(dir, input.specs),
					"--inventory", filepath.Join(dir, "hosts.yaml")}
				commands := [][]string{{"plan", "-o", "wide"}}
				if canary.name == "a password" {
					commands = [][]string{{"lint"}, {"render", "--out", filepath.Join(dir, "out")}}
				}
				if input.file == "cluster.yaml" { // frozen, it is planned all the same
					explain := []string{"explain", "bank/bank", "--previous", "none"}
					if commands = append(commands, explain); !everyKind { // the commands take turns, too
						commands = commands[i/len(all)%len(commands):][:1]
					}
				}
				for _, command := range commands {
					code, out, said := ran(t, append(slices.Clone(command), in...)...)
					freeText := canary.named && input.file == "hosts.yaml"
					if !canary.certain && !freeText && (!wasRefused(code, said) || out != "" ||
						strings.HasPrefix(field, "spec.patches")) {
						continue // it is a name there, and a good one: there is a plan; of a patch, kustomize says what it cannot read
					}
					said = out + said
					if part := canary.seen(said); part != "" {
						t.Errorf("%s: %s: %s, by %s: %q is printed:\n%s", input.file, field, canary.name, command[0],
							part, said)
					}
					if canary.certain && input.refuses && !wasRefused(code, said) && command[0] != "explain" {
						t.Errorf("%s: %s: %s is taken: exit %d", input.file, field, canary.name, code)
					}
				}
			}
		}
		t.Logf("%s: %d fields", input.file, len(fields))
	}
}

// TestNoSecretOfAnAnnotationIsPrinted puts secrets into the annotations that sipgen reads from a SIPCluster. The
// warnings about them are in the commit, too.
func TestNoSecretOfAnAnnotationIsPrinted(t *testing.T) {
	from := newChanging(t, "full-service", "cluster.yaml")
	var spec map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(from.first), &spec))
	for key, before := range map[string]string{v1.RemoveAnnotation: "x ", v1.ApproveReleaseAnnotation: "",
		v1.DecommissionAnnotation: "", v1.AcceptLossAnnotation: "1 ", v1.LintIgnoreAnnotation: "SIP013: "} {
		for _, canary := range canaries(t) {
			spec["metadata"].(map[string]any)["annotations"] = map[string]string{key: before + canary.text}
			text := need.Value(yaml.Marshal(spec))(t)
			require.NoError(t, os.WriteFile(from.path, []byte(string(text)+"---\n"+from.rest), 0o600))
			for _, command := range [][]string{{"plan", "-o", "markdown"}, {"lint"}} {
				_, out, said := ran(t, append(command, "--site", filepath.Join(from.dir, "site.yaml"), "-f", from.path,
					"--inventory", filepath.Join(from.dir, "hosts.yaml"), "--previous", "none")...)
				part := canary.seen(out + said)
				assert.Emptyf(t, part, "%s: %s, by %s: is printed:\n%s", key, canary.name, command[0], out+said)
			}
		}
	}
}

// TestNoSecretOfTheCommandLineIsPrinted puts secrets into flags, arguments and the environment.
func TestNoSecretOfTheCommandLineIsPrinted(t *testing.T) {
	const example = "../../examples/single/"
	in := []string{"--site", example + "site.yaml", "-f", example + "cluster.yaml", "--inventory",
		example + "hosts.yaml"}
	empty := filepath.Join(t.TempDir(), "fleet.git")
	for _, canary := range canaries(t) {
		for i, arguments := range [][]string{
			{canary.text}, {"plan", canary.text}, {"plan", "--" + canary.text}, {"plan", "--output", canary.text},
			{"plan", "--accept-loss", canary.text},
			{"plan", "--without", canary.text}, {"plan", "--count", canary.text}, {"plan", "--with", canary.text},
			{"explain", canary.text},
			{"plan", "--repo", canary.text},
			{"plan", "--repo", "https://" + url.PathEscape(canary.text) + "@127.0.0.1:1/x.git"},
			{"plan", "--repo", "https://u:" + url.PathEscape(canary.text) + "@127.0.0.1:1/x.git"},
			{"plan", "--repo", "https://u:" + canary.text + "@127.0.0.1:1/x.git"},
			{"plan", "--repo", "u:" + canary.text + "@127.0.0.1:x.git"},
			{"plan", "--repo", empty, "--branch", canary.text}, {"plan", "--repo", empty, "--path", canary.text},
			{"publish", "--repo", empty, "--forge", canary.text, "--propose", "x"},
			{"publish", "--repo", "https://127.0.0.1:1/a/b", "--forge", "gitea", "--forge-url", canary.text,
				"--propose", "x"},
			{"publish", "--repo", empty, "--label", canary.text + ",", "--propose", "x"},
			{"publish", "--repo", empty, "--dry-sha", canary.text, "--hydrator-metadata"},
			{"publish", "--repo", empty, "--hydrator-metadata=" + canary.text},
			{"publish", "--repo", empty, "--author", canary.text}, {"lint", "--fail-on", canary.text},
			{"diff", "--color", canary.text, "--out", "x"}, {"inventory", "--context", canary.text},
			{"impact", canary.text}, {"impact", "--by", canary.text}, {"impact", "x", "--tolerate", canary.text},
			{"impact", "--by", "rack", "--at-most", canary.text}, {"impact", canary.text, "--by", "rack"},
		} {
			t.Run(canary.name+"/"+strconv.Itoa(i), func(t *testing.T) {
				t.Setenv("SIPGEN_GIT_PASSWORD", canary.text)
				t.Setenv("SIPGEN_GIT_USERNAME", "robot")
				t.Setenv("SIPGEN_GIT_PROXY", "http://robot:"+url.PathEscape(canary.text)+"@127.0.0.1:1")
				t.Setenv("SIPGEN_FORGE_TOKEN", "x"+canary.text)
				whole := slices.Clone(arguments)
				if len(arguments) > 1 && arguments[0] != "inventory" {
					whole = append(whole, in...)
				}
				_, out, errs := ran(t, whole...)
				said := out + errs
				if !canary.certain { // a file's name, or a repository's, is repeated
					said = strings.ReplaceAll(said, arguments[len(arguments)-1]+": no ", "")
				}
				part := canary.seen(said)
				assert.Truef(t, part == "", "%v: %q is printed: %s", fmt.Sprintf("%.20q", arguments), part, errs)
			})
		}
	}
}

// ofSecrets are the fields where a short password is likely to be put: those that hold or name a secret, and the values
// of variables.
var ofSecrets = regexp.MustCompile(`(?i)secret|passw|token|credential|bindpw|private|hostkeys|authorizedkeys|env\[\]\.(value|\*)|env\.\*|rootcadata|caBundle`)

// TestNoShortPasswordIsPrinted: no rule tells a short password from a name, so what stands in a field of secrets is
// repeated by no error, whatever it looks like. docs/tenants.md says so.
func TestNoShortPasswordIsPrinted(t *testing.T) {
	const password = "hunter2"
	for _, input := range []struct {
		file   string
		fields []string
		least  int
	}{
		{"cluster.yaml", append(stringFields(reflect.TypeFor[v1.SIPCluster](), "", 14), connectors()...), 14},
		{"site.yaml", stringFields(reflect.TypeFor[v1alpha1.Site](), "", 14), 10},
	} {
		fields := slices.DeleteFunc(slices.Clone(input.fields),
			func(field string) bool { return !ofSecrets.MatchString(field) })
		require.Truef(t, len(fields) >= input.least, "%s: found %d fields of secrets, want %d: %q", input.file,
			len(fields), input.least, fields)
		from := newChanging(t, "full-service", input.file)
		dir := from.dir
		refused := 0
		for _, field := range fields {
			from.put(t, field, password)
			in := []string{"render", "--out", filepath.Join(dir, "out"), "--site", filepath.Join(dir, "site.yaml"),
				"-f", filepath.Join(dir, "cluster.yaml"), "--inventory", filepath.Join(dir, "hosts.yaml")}
			code, out, said := ran(t, in...)
			if !wasRefused(code, said) {
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "out")))
				continue // it is the name of a Secret there, and a good one
			}
			refused++
			assert.NotContains(t, out+said, password, input.file+": "+field+": it is repeated")
		}
		t.Logf("%s: %d fields, %d refused", input.file, len(fields), refused)
		assert.Truef(t, refused != 0, "%s: nothing was refused", input.file)
	}
}

func connectors() (fields []string) {
	for _, field := range connectorFields {
		fields = append(fields, "spec.services.dex[].connectors[]."+field)
	}
	return fields
}
