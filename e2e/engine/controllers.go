package engine

import (
	"fmt"
	"testing"
	"time"
)

// StartControllers starts a real kube-controller-manager with the garbage collector and the
// namespace controller only: what is deleted in the foreground, and namespaces, go no other way.
// The garbage collector knows the kinds that are there when it starts, and others half a minute later.
func StartControllers(t testing.TB, api *APIServer) {
	t.Helper()
	program := Binary(t, "kube-controller-manager")
	port := freePorts(t, 1)[0]
	p := start(t, "kube-controller-manager", nil, program, "--kubeconfig="+Kubeconfig(t, api.config),
		"--controllers=garbage-collector-controller,namespace-controller", "--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000",
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir="+t.TempDir())
	Wait(t, "kube-controller-manager", 60*time.Second, func() error { return p.listens(fmt.Sprintf("127.0.0.1:%d", port)) })
}
