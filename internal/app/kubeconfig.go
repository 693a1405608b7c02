package app

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

// Contexts are the names of the contexts in the kubeconfig, sorted.
func (in *Inputs) Contexts(rules *clientcmd.ClientConfigLoadingRules) []string {
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

// There says that a file is, whether it can be read or not.
func There(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// kubeconfigProblem says what a person may have meant where no cluster can be reached: a file that is not there, a context that the kubeconfig
// does not have. nil if it is something else.
func (in *Inputs) kubeconfigProblem(rules *clientcmd.ClientConfigLoadingRules) error {
	if in.Kubeconfig != "" && !There(in.Kubeconfig) {
		return redact.Errorf("--kubeconfig: %s: no such file or directory", in.Kubeconfig)
	}
	if files := filepath.SplitList(os.Getenv(clientcmd.RecommendedConfigPathEnvVar)); in.Kubeconfig == "" && len(files) > 0 && !slices.ContainsFunc(files, There) {
		return redact.Errorf("$KUBECONFIG: %s: no such file or directory", strings.Join(files, ", "))
	}
	_, err := rules.Load()
	if err != nil && strings.Contains(err.Error(), "is registered for version") {
		if in.Kubeconfig == "" {
			return errors.New("$KUBECONFIG: found another object, want a kubeconfig")
		}
		return redact.Errorf("--kubeconfig: %s: found another object, want a kubeconfig", in.Kubeconfig)
	}
	known := in.Contexts(rules)
	switch {
	//guard: who has no kubeconfig is sent to look for a context
	case err == nil && len(known) == 0 && in.Context != "":
		return redact.Errorf("--context: found %q, but there is no kubeconfig with a context: want --kubeconfig FILE, $KUBECONFIG or ~/.kube/config", in.Context)
	case len(known) == 0 || slices.Contains(known, in.Context):
		return nil
	case in.Context == "":
		return redact.Errorf("cluster: the kubeconfig has no current context: want --context, one of %s", strings.Join(known, ", "))
	}
	return redact.Errorf("--context: the kubeconfig has no context %q, want one of %s", in.Context, strings.Join(known, ", "))
}
