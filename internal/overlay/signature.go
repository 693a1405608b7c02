package overlay

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// Signature tells changes of folders apart: equal ones have the same Changes, but for the names of the clusters.
type Signature [sha256.Size]byte

// SignatureOf returns the signature of a change in the folders of a cluster, "namespace/name", each before and after.
// It is that of their bytes, with the cluster's names left open. What differs in a configuration is left out, as it is
// in Changes, unless it is about logins. So are files, and documents of a file, that do not differ, below a
// kustomization that does not: each cluster has node ports of its own.
func SignatureOf(cluster string, folders ...[2]map[string][]byte) Signature {
	hash := sha256.New()
	for i, folder := range folders {
		before, after := folder[0], folder[1]
		same := bytes.Equal(before[kustomizationFile], after[kustomizationFile])
		var configuration map[string]bool
		if same {
			configuration = configurationOf(after)
		}
		for _, file := range slices.Sorted(maps.Keys(union(before, after))) {
			was, had := before[file]
			is, has := after[file]
			if same && file != kustomizationFile && bytes.Equal(was, is) {
				continue
			}
			fmt.Fprintf(hash, "%d %q %t %t\n", i, open(cluster, file), had, has)
			if configuration[file] {
				continue
			}
			if same && file != kustomizationFile {
				was, is = differing(was, is)
			}
			for _, content := range [][]byte{was, is} {
				words := open(cluster, string(content))
				fmt.Fprintf(hash, "%d\n%s", len(words), words)
			}
		}
	}
	return Signature(hash.Sum(nil))
}

// differing returns two files that sipgen rendered without the documents that both have at the same place.
func differing(was, is []byte) ([]byte, []byte) {
	mark := []byte("\n---\n")
	before, after := bytes.Split(was, mark), bytes.Split(is, mark)
	if len(before) != len(after) {
		return was, is
	}
	for i := range before {
		if bytes.Equal(before[i], after[i]) {
			before[i], after[i] = nil, nil
		}
	}
	return bytes.Join(before, mark), bytes.Join(after, mark)
}

// open leaves the names of a cluster in a text open. Of namespace edge-7 and name edge, the longer is found first.
func open(cluster, words string) string {
	namespace, name, _ := strings.Cut(cluster, "/")
	if len(namespace) > len(name) {
		return text.Renamed(text.Renamed(words, namespace, "\x01"), name, "\x00")
	}
	return text.Renamed(text.Renamed(words, name, "\x00"), namespace, "\x01")
}

// configurationOf returns the files that are keys of generated ConfigMaps, but for those about logins.
func configurationOf(files map[string][]byte) map[string]bool {
	folder, err := read(files)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for i := range folder.Kustomization.ConfigMapGenerator {
		generator := &folder.Kustomization.ConfigMapGenerator[i]
		if generator.Options != nil && generator.Options.DisableNameSuffixHash {
			continue // its content is compared
		}
		for _, source := range generator.FileSources {
			key, _, _ := strings.Cut(source, "=")
			if key != authorizedKeys && key != trustedUserCA && key != dexConfiguration {
				out[fileOf(source)] = true
			}
		}
	}
	return out
}

// Renamed returns the changes that a cluster has if another one has the given changes, with the same Signature. False:
// a field has a name of the other cluster, and the words about it may have that for another reason.
func Renamed(changes []objdiff.Effect, from, to string) ([]objdiff.Effect, bool) {
	names := strings.NewReplacer("\x00", to[strings.Index(to, "/")+1:], "\x01", to[:strings.Index(to, "/")])
	out := slices.Clone(changes)
	for i := range out {
		o := &out[i]
		for _, words := range slices.Concat(o.Fields, o.Immutable, o.Logins, o.NoLogins,
			[]string{o.Reached, o.WasReached}) {
			if open(from, words) != words {
				return nil, false
			}
		}
		kind, name, _ := strings.Cut(o.Object, " ")
		o.Object = kind + " " + names.Replace(open(from, name))
	}
	return out, true
}
