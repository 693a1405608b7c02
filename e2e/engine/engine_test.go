package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReleased: a released program is taken before anything is built, but for one whose waits are shorter here.
func TestReleased(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("KUBEBUILDER_ASSETS", folder)
	for _, name := range Programs() {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o755))
	}
	require.NoError(t, os.Chmod(filepath.Join(folder, "kubectl"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(folder, "kube-apiserver")))
	path, err := Build(context.Background(), "etcd", io.Discard)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(folder, "etcd"), path)
	for _, name := range []string{"kube-controller-manager", "argocd", "kustomize", "gitea", "krew"} {
		assert.Equal(t, filepath.Join(folder, name), programs[name].released(name))
	}
	for _, name := range []string{"kustomize-controller", "baremetal-operator", "kubectl", "kube-apiserver"} {
		assert.Empty(t, programs[name].released(name), name)
	}
}
