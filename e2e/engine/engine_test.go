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
	for name, mode := range map[string]os.FileMode{"etcd": 0o755, "kustomize-controller": 0o755, "kubectl": 0o644} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, mode))
	}
	path, err := Build(context.Background(), "etcd", io.Discard)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(folder, "etcd"), path)
	for _, name := range []string{"kustomize-controller", "kubectl", "kube-apiserver"} {
		assert.Empty(t, programs[name].released(name), name)
	}
}
