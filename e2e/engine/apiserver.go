package engine

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"
)

// The tokens of those who need no ServiceAccount.
const (
	adminToken      = "admin"
	controllerToken = "kube-controller-manager"
)

// tokens are who they stand for: token, user, its id, groups.
const tokens = adminToken + ",admin,admin,system:masters\n" + controllerToken +
	",system:kube-controller-manager,kube-controller-manager\n"

// Options of an API server. The zero value is one that knows only its own tokens.
type Options struct {
	// AuthenticationConfig is a file with an AuthenticationConfiguration.
	AuthenticationConfig string
	// Flags are added to kube-apiserver's, for example --oidc-issuer-url=...
	Flags []string
}

// APIServer is a real kube-apiserver with its own etcd, RBAC on, admission as by default but for
// ServiceAccount, since nothing runs pods here.
type APIServer struct {
	// URL is https on loopback.
	URL string
	// CA is the certificate that it serves with, PEM.
	CA []byte
	// Client reads and writes as the admin, a member of system:masters.
	*Client
	// Operator has the hosts, and HostWatch sees what becomes of them; nil where they were not started.
	Operator  *Operator
	HostWatch *HostWatch
	process   *process
}

// StartAPIServer starts etcd and kube-apiserver and waits until they are ready.
func StartAPIServer(t testing.TB, options Options) *APIServer {
	t.Helper()
	server := Binary(t, "kube-apiserver")
	etcd := startEtcd(t)
	dir := t.TempDir()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv6loopback}, []string{"localhost"})
	require.NoError(t, err)
	accountKey := writeFile(t, dir, "account.key", newKey(t))
	args := []string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--tls-cert-file=" + writeFile(t, dir, "server.crt", cert),
		"--tls-private-key-file=" + writeFile(t, dir, "server.key", key),
		"--token-auth-file=" + writeFile(t, dir, "tokens.csv", []byte(tokens)),
		"--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + accountKey,
		"--service-account-key-file=" + accountKey,
		"--service-cluster-ip-range=10.96.0.0/16",
		"--allow-privileged",
		"--endpoint-reconciler-type=none",
		"--profiling=false",
		"--enable-priority-and-fairness=false",
	}
	if options.AuthenticationConfig != "" {
		args = append(args, "--authentication-config="+options.AuthenticationConfig)
	}
	args = append(args, options.Flags...)
	var api *APIServer
	// A port that was free may be taken by the time it is used.
	for attempt := 1; ; attempt++ {
		port := need.Port(t)
		url := fmt.Sprintf("https://127.0.0.1:%d", port)
		config := &rest.Config{Host: url, BearerToken: adminToken, TLSClientConfig: rest.TLSClientConfig{CAData: cert},
			QPS: 1000, Burst: 1000}
		p := start(t, "kube-apiserver", nil, server, append(args, fmt.Sprintf("--secure-port=%d", port))...)
		api = &APIServer{URL: url, CA: cert, Client: NewClient(t, config), process: p}
		err := Eventually(SyncTimeout, p.while(func() error {
			_, err := api.rest.Get().AbsPath("/readyz").DoRaw(context.Background())
			return err
		}))
		if err == nil {
			break
		}
		if attempt < 3 && strings.Contains(p.log.last(50), "address already in use") {
			p.stop()
			continue
		}
		t.Fatalf("kube-apiserver: not ready: %v\n%s", err, p.log.last(30))
	}
	return api
}

// PID is kube-apiserver's.
func (a *APIServer) PID() int { return a.process.pid() }

// Raw returns what the API server answers at a path.
func (a *APIServer) Raw(path string) ([]byte, error) {
	return a.rest.Get().AbsPath(path).DoRaw(context.Background())
}

// WithToken returns a configuration for anyone who a bearer token stands for.
func (a *APIServer) WithToken(token string) *rest.Config {
	config := rest.AnonymousClientConfig(a.config)
	config.BearerToken = token
	config.QPS, config.Burst = a.config.QPS, a.config.Burst
	return config
}

// As returns a configuration for a user and groups, by impersonation. A service account is the user
// system:serviceaccount:<namespace>:<name>; its groups come by themselves.
func (a *APIServer) As(user string, groups ...string) *rest.Config {
	config := rest.CopyConfig(a.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return config
}

// allRights binds a group to all rights. What it cannot do, a policy denies.
const allRights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: GROUP}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, name: GROUP, apiGroup: rbac.authorization.k8s.io}]
`

// AllRights gives a group all rights, and waits until the API server, which learns of a binding a little later, knows.
func (a *APIServer) AllRights(t testing.TB, group string) {
	t.Helper()
	a.Apply(t, "e2e", strings.ReplaceAll(allRights, "GROUP", group))
	member := NewClient(t, a.As("somebody", group))
	Wait(t, "the rights of "+group, SyncTimeout, func() error {
		if err := member.TryDelete(Hosts, "default", "nobody", true); !apierrors.IsNotFound(err) {
			return fmt.Errorf("found %v, want a host that is not there", err)
		}
		return nil
	})
}

// Kubeconfig writes a configuration as a file, for programs of their own, and gives its path.
func Kubeconfig(t testing.TB, config *rest.Config) string {
	t.Helper()
	return Kubeconfigs(t, map[string]*rest.Config{"e2e": config})
}

// Kubeconfigs is Kubeconfig with several contexts, by name. If there is only one, it is the current one.
func Kubeconfigs(t testing.TB, contexts map[string]*rest.Config) string {
	t.Helper()
	file := clientcmdapi.NewConfig()
	for name, config := range contexts {
		file.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
		file.AuthInfos[name] = &clientcmdapi.AuthInfo{
			Token: config.BearerToken, Impersonate: config.Impersonate.UserName, ImpersonateGroups: config.Impersonate.Groups,
		}
		file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
		if len(contexts) == 1 {
			file.CurrentContext = name
		}
	}
	content, err := clientcmd.Write(*file)
	require.NoError(t, err)
	return writeFile(t, t.TempDir(), "kubeconfig", content)
}

// startEtcd starts etcd and gives its client URL. It is of the release that comes with the API server's: with an older
// one the API server reads every list from etcd, as no site of today does.
func startEtcd(t testing.TB) string {
	t.Helper()
	etcd := Binary(t, "etcd")
	for attempt := 1; ; attempt++ {
		ports := need.Ports(t, 2)
		client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
		p := start(t, "etcd", nil, etcd, "--data-dir="+t.TempDir(), "--logger=zap", "--log-level=warn",
			"--listen-client-urls="+client, "--advertise-client-urls="+client, "--quota-backend-bytes=2147483648",
			"--unsafe-no-fsync",
			"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
		err := Eventually(SyncTimeout, p.while(func() error { return httpOK(client + "/health") }))
		if err == nil {
			return client
		}
		if attempt == 3 || !strings.Contains(p.log.last(50), "address already in use") {
			t.Fatalf("etcd: not healthy: %v", err)
		}
		p.stop()
	}
}

func newKey(t testing.TB) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}
