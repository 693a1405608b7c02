package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// The kubeconfig's library repeats a proxy-url that is none.
func TestProxyOfAKubeconfigIsMasked(t *testing.T) {
	for _, proxy := range []string{"squid:pr0xys3cret@proxy:3128", "http://squid:pr0xys3cret%zz@proxy",
		"ftp://squid:pr0xys3cret@proxy"} {
		file := filepath.Join(t.TempDir(), "kubeconfig")
		need.Write(t, file, fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\n"+
			"contexts: [{name: a, context: {cluster: a}}]\n"+
			"clusters: [{name: a, cluster: {server: 'https://192.0.2.1', proxy-url: %q}}]\n", proxy))
		_, err := (&Inputs{Kubeconfig: file}).RestConfig()
		assert.ErrorContains(t, err, "proxy-url", proxy)
		assert.Truef(t, !strings.Contains(err.Error(), "pr0xys3cret"), "%s: found %v", proxy, err)
	}
}
