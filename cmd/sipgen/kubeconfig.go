package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/airshipit/sipgen/internal/redact"
)

// contexts are the names of the contexts in the kubeconfig, sorted.
func (in *inputs) contexts(rules *clientcmd.ClientConfigLoadingRules) []string {
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

// there says that a file is, whether it can be read or not.
func there(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// kubeconfigProblem says what a person may have meant where no cluster can be reached: a file that is not there, a context that the kubeconfig
// does not have. nil if it is something else.
func (in *inputs) kubeconfigProblem(rules *clientcmd.ClientConfigLoadingRules) error {
	if in.kubeconfig != "" && !there(in.kubeconfig) {
		return redact.Errorf("--kubeconfig: %s: no such file or directory", in.kubeconfig)
	}
	if files := filepath.SplitList(os.Getenv(clientcmd.RecommendedConfigPathEnvVar)); in.kubeconfig == "" && len(files) > 0 && !slices.ContainsFunc(files, there) {
		return redact.Errorf("$KUBECONFIG: %s: no such file or directory", strings.Join(files, ", "))
	}
	_, err := rules.Load()
	if err != nil && strings.Contains(err.Error(), "is registered for version") {
		if in.kubeconfig == "" {
			return errors.New("$KUBECONFIG: found another object, want a kubeconfig")
		}
		return redact.Errorf("--kubeconfig: %s: found another object, want a kubeconfig", in.kubeconfig)
	}
	known := in.contexts(rules)
	switch {
	//guard: who has no kubeconfig is sent to look for a context
	case err == nil && len(known) == 0 && in.context != "":
		return redact.Errorf("--context: found %q, but there is no kubeconfig with a context: want --kubeconfig FILE, $KUBECONFIG or ~/.kube/config", in.context)
	case len(known) == 0 || slices.Contains(known, in.context):
		return nil
	case in.context == "":
		return redact.Errorf("cluster: the kubeconfig has no current context: want --context, one of %s", strings.Join(known, ", "))
	}
	return redact.Errorf("--context: the kubeconfig has no context %q, want one of %s", in.context, strings.Join(known, ", "))
}
