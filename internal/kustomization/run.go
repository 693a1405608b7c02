package kustomization

import (
	"errors"
	"io"
	"log"
	"os"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// running: kustomize keeps state of its own, and prints to what belongs to the process, so there is one build at a
// time.
var running sync.Mutex

// Run has kustomize build a folder of files. A panic of kustomize, which some inputs cause, is an error. What kustomize
// prints is dropped: hints for users of its command, with the values of objects among them.
func Run(files filesys.FileSystem, folder string) (built resmap.ResMap, err error) {
	running.Lock()
	defer running.Unlock()
	defer silence()()
	defer func() {
		if recover() != nil {
			err = errors.New("kustomize panics")
		}
	}()
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
}

// silence turns off the two ways in which kustomize prints, the log and os.Stderr, and returns a function that turns
// them on again. The commands print to the os.Stderr that they began with.
func silence() func() {
	logged, stderr := log.Writer(), os.Stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		os.Stderr = null
	}
	log.SetOutput(io.Discard)
	return func() {
		log.SetOutput(logged)
		os.Stderr = stderr
		if err == nil {
			_ = null.Close()
		}
	}
}
