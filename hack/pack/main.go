// Command pack makes the files of a release so that equal input gives equal bytes.
//
//	pack archive OUT.tar.gz FILE...   the files by their base names, the first one executable
//	pack sbom IN.json OUT.json        a CycloneDX document without what depends on the machine it was made on
//	pack notices OUT                  the licenses and notices of the packages on standard input (see notices)
//
// The environment's SOURCE_DATE_EPOCH (reproducible-builds.org) is every file's time in an archive.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH"), os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(2)
	}
}

func run(args []string, epoch string, in io.Reader) error {
	switch {
	case len(args) > 2 && args[0] == "archive":
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 {
			return fmt.Errorf("SOURCE_DATE_EPOCH: found %q, want seconds since 1970", epoch)
		}
		content, err := archive(args[2:], time.Unix(seconds, 0).UTC())
		if err != nil {
			return err
		}
		return os.WriteFile(args[1], content, 0o644)
	case len(args) == 3 && args[0] == "sbom":
		content, err := os.ReadFile(args[1])
		if err != nil {
			return err
		}
		if content, err = sbom(content); err != nil {
			return fmt.Errorf("%s: %w", args[1], err)
		}
		return os.WriteFile(args[2], content, 0o644)
	case len(args) == 2 && args[0] == "notices":
		content, err := notices(in)
		if err != nil {
			return err
		}
		return os.WriteFile(args[1], content, 0o644)
	}
	return errors.New("usage: pack archive OUT.tar.gz FILE... | pack sbom IN.json OUT.json | pack notices OUT")
}

// archive returns a gzipped tar of files in the order given, owned by root, all of one time.
func archive(files []string, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	tarred := tar.NewWriter(zipped)
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if i == 0 {
			mode = 0o755
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: filepath.Base(file), Size: int64(len(content)), Mode: mode,
			ModTime: when, Format: tar.FormatUSTAR}
		if err := tarred.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if _, err := tarred.Write(content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := errors.Join(tarred.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// sbom takes the hashes of the tool that wrote the document out of it: they are of a binary for the machine that makes
// the release. A serial number or a time is an error, because no two runs would agree on it.
func sbom(content []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var document map[string]any
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	if document["bomFormat"] != "CycloneDX" {
		return nil, fmt.Errorf("bomFormat: found %v, want CycloneDX", document["bomFormat"])
	}
	metadata, _ := document["metadata"].(map[string]any)
	if document["serialNumber"] != nil || metadata["timestamp"] != nil {
		return nil, errors.New("has a serial number or a time, want neither")
	}
	tools, found := metadata["tools"].([]any)
	if !found || len(tools) == 0 {
		return nil, errors.New("metadata.tools: missing")
	}
	for _, tool := range tools {
		if tool, isObject := tool.(map[string]any); isObject {
			delete(tool, "hashes")
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
