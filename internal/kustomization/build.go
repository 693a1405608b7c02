package kustomization

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/internal/manifest"
)

// build returns the objects of a folder with a kustomization. kustomize's own errors are not passed on: they quote
// literals, documents and URLs, which may hold secrets.
func build(limits manifest.Limits, folder, file string, owner func(string) string) ([]manifest.Document, error) {
	files := &localFiles{FileSystem: filesys.MakeFsOnDisk(), limits: limits, left: limits.Total, folder: folder,
		owner: owner}
	root, _, err := files.FileSystem.CleanedAbs(folder)
	if err != nil {
		return nil, manifest.WithoutOperation(filepath.ToSlash(folder), err)
	}
	files.root = root.String()
	resources, err := files.build(longest)
	switch {
	case errors.Is(err, errTooLong):
		return nil, err
	case files.err != nil:
		return nil, files.err
	case err != nil:
		shown := filepath.ToSlash(folder)
		return nil, fmt.Errorf("%s: kustomize: the folder does not build; kubectl kustomize %s shows why", shown, shown)
	}
	var (
		docs []manifest.Document
		errs []error
	)
	for _, r := range resources.Resources() {
		from := file
		if origin, err := r.GetOrigin(); err == nil && origin != nil && origin.Path != "" {
			from = filepath.ToSlash(filepath.Join(folder, origin.Path))
		}
		_ = r.SetOrigin(nil)         // fails for annotations that MarshalJSON or a decoder refuse
		text, err := r.MarshalJSON() // of a value that kustomize has parsed
		found, wrong := limits.Parse(from, text)
		errs = append(errs, err, wrong)
		for _, d := range found { // without the positions in a text that no file has
			docs = append(docs, manifest.Document{File: from, APIVersion: d.APIVersion, Kind: d.Kind,
				Namespace: d.Namespace, Name: d.Name, Fault: d.Fault, JSON: d.JSON})
		}
	}
	return docs, errors.Join(errs...)
}

// localFiles lets kustomize read only regular files of no tenant, within limits: a pipe would block it forever, and it
// expands aliases before their size is known. err is the first refusal, which kustomize may ignore.
type localFiles struct {
	filesys.FileSystem
	limits       manifest.Limits
	left         int64
	folder, root string // as named, and its real path
	owner        func(file string) string
	err          error
}

// longest is how long one build may take: kustomize takes 40 s for 5,000 hosts, and four times that for twice as many.
const longest = 10 * time.Minute

var errTooLong = fmt.Errorf("kustomize builds for more than %s, want fewer objects, labels and patches", longest)

// build has kustomize build. kustomize cannot be stopped: after errTooLong it may still run, and nothing else may be
// built.
func (f *localFiles) build(longest time.Duration) (resmap.ResMap, error) {
	var built resmap.ResMap
	done := make(chan error, 1)
	go func() {
		var err error
		built, err = Run(f, f.root)
		done <- err
	}()
	select {
	case err := <-done:
		return built, err
	case <-time.After(longest):
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(f.folder), errTooLong)
	}
}

// CleanedAbs refuses a link from a kustomization to a file of another name: ReadFile knows it by its name.
func (f *localFiles) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	dir, file, err := f.FileSystem.CleanedAbs(path)
	if err == nil && file != "" && file != filepath.Base(path) && slices.Contains(names, filepath.Base(path)) {
		err = fmt.Errorf("%s: a link to a file of another name, want a regular file", f.shown(path))
		f.err = errors.Join(f.err, err)
	}
	return dir, file, err
}

// shown returns a path for messages.
func (f *localFiles) shown(path string) string {
	inside, err := filepath.Rel(f.root, path)
	if err != nil {
		return filepath.Base(path)
	}
	return filepath.ToSlash(filepath.Join(f.folder, inside))
}

// ReadFile reads a file by its real path.
func (f *localFiles) ReadFile(path string) ([]byte, error) {
	text, err := f.read(path)
	// kustomize tries files that do not exist
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !f.IsDir(path) && f.err == nil {
		f.err = err
	}
	return text, err
}

// perRead is what a read counts beside its bytes: kustomize reads a base again wherever it is named, so that 20 small
// files can name one another a million times.
const perRead = 32 << 10

func (f *localFiles) read(path string) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	shown := f.shown(path)
	text, err := f.limits.ReadFile(path)
	f.left -= int64(len(text)) + perRead
	switch whose := f.owner(shown); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, errors.New(strings.ReplaceAll(err.Error(), path, shown))
	case err != nil:
		return nil, err
	case f.left < 0:
		return nil, fmt.Errorf("%s: this kustomization reads more than %d MiB, want less: each inclusion of a file "+
			"counts, with %d KiB more", shown, f.limits.Total>>20, perRead>>10)
	case whose != "":
		return nil, fmt.Errorf("%s: in a tenant's folder, %s, and the kustomization in %s is %w", shown, whose,
			filepath.ToSlash(f.folder), errNotBuilt)
	case slices.Contains(names, filepath.Base(path)):
		return f.local(shown, text)
	case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
		return text, manifest.CheckWhole(shown, text)
	}
	return text, nil
}

// withPrograms are fields of objects that fetch files or run programs.
var withPrograms = []string{"generators", "transformers", "validators", "helmCharts", "helmChartInflationGenerator"}

// local returns a kustomization that has kustomize annotate each object with its file, or an error if it names anything
// that kustomize would fetch or run.
func (f *localFiles) local(shown string, text []byte) ([]byte, error) {
	docs, err := f.limits.Parse(shown, text)
	if err != nil || len(docs) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%s: found %d documents, want one kustomization", shown, len(docs)))
	}
	var fields map[string]any
	if err := docs[0].DecodeLoose(&fields); err != nil {
		return nil, err
	}
	var problems manifest.Problems
	for _, field := range withPrograms {
		if fields[field] != nil {
			problems.Add(docs[0].Problem(field, "not built: it fetches files or runs programs"))
		}
	}
	each(fields, "", "", func(path, field, value string) {
		inline := field == "patch" || field == "patchesStrategicMerge" && strings.Contains(value, "\n")
		switch {
		case inline && manifest.CheckWhole("", []byte(value)) != nil:
			problems.Add(docs[0].Problem(path, "%s", "an object in it ends before its last line, and the rest would not be "+
				"read: want all its lines indented alike"))
		case !inline && slices.Contains(references, field) && remote.MatchString(value):
			problems.Add(docs[0].Problem(path, "found a remote file or folder, want a local one: sipgen fetches nothing"))
		}
	})
	if err := problems.Err(); err != nil {
		return nil, err
	}
	fields["buildMetadata"] = []string{"originAnnotations"}
	return json.Marshal(fields)
}

// references are the fields with names of files and folders, remote what kustomize takes for a URL.
var (
	references = []string{"resources", "bases", "components", "crds", "configurations", "patchesStrategicMerge", "path",
		"files", "envs", "env"}
	remote = regexp.MustCompile(`(?i)(^|=)(git::)?((https?|ssh|file):|[a-z][a-z0-9-]*@|github\.com[/:])`)
)

// each calls do with each string of a kustomization: its path, its field and itself.
func each(value any, path, field string, do func(path, field, value string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			each(value[key], strings.TrimPrefix(path+"."+key, "."), key, do)
		}
	case []any:
		for i, item := range value {
			each(item, fmt.Sprintf("%s[%d]", path, i), field, do)
		}
	case string:
		do(path, field, value)
	}
}
