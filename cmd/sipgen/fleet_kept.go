package main

import (
	"bytes"
	"fmt"
	"os"
)

// keptOutputs are outputs that wait until each host is one Site's: in memory as long as they are small, else in a file
// without a name, so that the memory of a run does not grow with the number of Sites.
type keptOutputs struct {
	of   map[string]*keptOutput
	size int
	file *os.File
	end  int64 // of the file
}

// keptOutput is a Site's output. The texts are in the file if it is filed.
type keptOutput struct {
	done     *siteOutput
	filed    bool
	at       int64
	out, err int // lengths of the texts
}

// mostInMemory is how many bytes of outputs are kept in memory.
const mostInMemory = 4 << 20

// keep takes a Site's output, in place of one that it has.
func (k *keptOutputs) keep(done *siteOutput) error {
	if k.of == nil {
		k.of = map[string]*keptOutput{}
	}
	kept := &keptOutput{done: done, at: k.end, out: done.out.Len(), err: done.err.Len()}
	k.of[done.site.Name] = kept
	if k.size += kept.out + kept.err; k.size <= mostInMemory {
		return nil
	}
	if k.file == nil {
		file, err := os.CreateTemp("", "sipgen-outputs-")
		if err != nil {
			return fmt.Errorf("no place for the outputs of the Sites, which are bigger than %d MB: $TMPDIR: %w",
				mostInMemory>>20, err)
		}
		k.file = file
		if err := os.Remove(file.Name()); err != nil { // nothing is left of it, however the process ends
			return err
		}
	}
	for _, text := range []*bytes.Buffer{&done.out, &done.err} {
		n, err := k.file.Write(text.Bytes())
		if err != nil {
			return fmt.Errorf("keeping the outputs of the Sites: %w", err)
		}
		k.end += int64(n)
		*text = bytes.Buffer{} // Reset would keep its memory
	}
	kept.filed = true
	return nil
}

// take returns a Site's output, nil if there is none, and keeps it no longer.
func (k *keptOutputs) take(site string) (*siteOutput, error) {
	kept := k.of[site]
	if kept == nil {
		return nil, nil
	}
	delete(k.of, site)
	if !kept.filed {
		return kept.done, nil
	}
	text := make([]byte, kept.out+kept.err)
	if _, err := k.file.ReadAt(text, kept.at); err != nil {
		return nil, fmt.Errorf("keeping the outputs of the Sites: %w", err)
	}
	kept.done.out, kept.done.err = *bytes.NewBuffer(text[:kept.out:kept.out]), *bytes.NewBuffer(text[kept.out:])
	return kept.done, nil
}

func (k *keptOutputs) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
