package v1

import (
	"io"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Load reads the SIPClusters of files, of folders (every .yaml, .yml and .json below them) and of stdin for "-", decoded strictly, and
// validates them, each by itself; ValidateSite says how they clash. Documents of other kinds are left alone. The result is sorted
// by namespace and name. Every problem is reported, joined, with its file, document, line and field; there is no result then.
func Load(paths []string, stdin io.Reader) ([]SIPCluster, error) {
	docs, err := manifest.Read(paths, stdin)
	if err != nil {
		return nil, err
	}
	return FromDocuments(docs)
}

// Parse is Load of one file's text, YAML documents or JSON. file is its name in problems.
func Parse(file string, text []byte) ([]SIPCluster, error) {
	docs, err := manifest.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return FromDocuments(docs)
}
