package infra

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/object"
)

const (
	// dexUID is the user of Dex's image.
	dexUID           = 1001
	dexPort          = 5556
	dexTelemetryPort = 5558
	// Two mounts side by side: one inside the other, read-only, would have no place.
	dexFolder = "/etc/dex/config"
	dexTLS    = "/etc/dex/tls"
)

// dexLives fails once the certificate is newer than the container, or if Dex does not answer. Dex's own reloader waits
// for the file to be created, and the kubelet renames the folder of a Secret's volume; it creates the termination log
// anew for each container. The kubelet ignores the error of an image without sh; one without wget is not asked.
var dexLives = fmt.Sprintf(`test ! %s/tls.crt -nt %s &&
if command -v wget >/dev/null; then wget -q -O /dev/null http://127.0.0.1:%d/healthz/live; fi`,
	dexTLS, corev1.TerminationMessagePathDefault, dexTelemetryPort)

// dexConfig is Dex's configuration file, as far as it is used. Dex runs with unknown fields forbidden.
type dexConfig struct {
	Issuer           string                 `json:"issuer"`
	Storage          dexStorage             `json:"storage"`
	Web              dexWeb                 `json:"web"`
	Telemetry        dexTelemetry           `json:"telemetry"`
	Expiry           dexExpiry              `json:"expiry"`
	OAuth2           dexOAuth2              `json:"oauth2"`
	StaticClients    []v1.DexClient         `json:"staticClients"`
	StaticConnectors []apiextensionsv1.JSON `json:"connectors"`
}

type (
	dexStorage struct {
		Type   string           `json:"type"`
		Config dexStorageConfig `json:"config"`
	}
	dexStorageConfig struct {
		InCluster bool `json:"inCluster"`
	}
	dexWeb struct {
		HTTPS         string `json:"https"`
		TLSCert       string `json:"tlsCert"`
		TLSKey        string `json:"tlsKey"`
		TLSMinVersion string `json:"tlsMinVersion"`
	}
	dexTelemetry struct {
		HTTP string `json:"http"`
	}
	dexExpiry struct {
		AuthRequests   string `json:"authRequests"`
		DeviceRequests string `json:"deviceRequests"`
		IDTokens       string `json:"idTokens"`
	}
	dexOAuth2 struct {
		SkipApprovalScreen bool `json:"skipApprovalScreen"`
	}
)

// dex renders an OIDC provider for the cluster's API server, and the files by which the API server trusts it.
func (o *overlay) dex(i int, dex *v1.Dex) error {
	s := o.dexName(i)
	config, err := object.Marshal(dexConfig{
		Issuer:  dex.Issuer,
		Storage: dexStorage{Type: "kubernetes", Config: dexStorageConfig{InCluster: true}},
		// Without an address Dex listens on both families.
		Web: dexWeb{HTTPS: fmt.Sprintf(":%d", dexPort), TLSCert: dexTLS + "/tls.crt", TLSKey: dexTLS + "/tls.key",
			TLSMinVersion: "1.2"},
		Telemetry: dexTelemetry{HTTP: fmt.Sprintf(":%d", dexTelemetryPort)},
		Expiry: dexExpiry{
			// Each request of anybody is an object of the management cluster until its login or its end, which is a day
			// by default.
			AuthRequests: "10m", DeviceRequests: "5m",
			// Who leaves a group keeps what it gave for at most this long; kubelogin renews by itself.
			IDTokens: "1h",
		},
		OAuth2:           dexOAuth2{SkipApprovalScreen: dex.SkipApprovalScreen},
		StaticClients:    dexClients(dex),
		StaticConnectors: dex.Connectors,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	o.folder(configMap{name: s.name}, s.name, map[string][]byte{"config.yaml": config})
	tenant, err := tenantFiles(dex)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	for name, text := range tenant {
		o.files[s.name+"/tenant/"+name] = text
	}

	tlsSecret := cmp.Or(dex.TLS.SecretName, s.name+"-tls")
	var env []corev1.EnvVar
	for _, e := range dex.Env {
		env = append(env, corev1.EnvVar{Name: e.Name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: e.SecretRef.Name}, Key: e.SecretRef.Key,
		}}})
	}
	// A field that this Dex does not know must not be passed over in silence.
	env = append(env, corev1.EnvVar{Name: "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS", Value: "true"})
	container := corev1.Container{
		Name:    "dex",
		Image:   o.image(s, dex.Image, o.Site.Spec.Images.Dex),
		Command: []string{"dex", "serve", dexFolder + "/config.yaml"},
		Env:     env,
		Ports: []corev1.ContainerPort{
			{Name: "https", ContainerPort: dexPort, Protocol: corev1.ProtocolTCP},
			{Name: "telemetry", ContainerPort: dexTelemetryPort, Protocol: corev1.ProtocolTCP},
		},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz/ready",
				Port: intstr.FromString("telemetry")}},
			PeriodSeconds: 10,
		},
		LivenessProbe: &corev1.Probe{
			ProbeHandler:     corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", dexLives}}},
			PeriodSeconds:    20,
			TimeoutSeconds:   5,
			FailureThreshold: 6,
		},
		Resources:       resourcesFor(&dex.Service, "50m", "64Mi", "256Mi"),
		SecurityContext: restricted(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: dexFolder, ReadOnly: true},
			{Name: "tls", MountPath: dexTLS, ReadOnly: true},
		},
	}
	pod := o.pod(s, &dex.Service, dexUID, container, fromConfigMap("config", s.name, 0o444, "config.yaml"),
		fromSecret("tls", tlsSecret))
	pod.Spec.ServiceAccountName = s.name
	pod.Spec.AutomountServiceAccountToken = ptr(true)
	ports := []corev1.ServicePort{{
		Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromString("https"),
		NodePort: dex.NodePort,
	}}
	var more []any
	if dex.TLS.IssuerRef != nil {
		more = append(more, o.certificate(s, dex, tlsSecret))
	}
	return o.serve(s, &dex.Service, pod, ports, portRange{dexPort, dexPort}, dexTelemetryPort, more...)
}

// dexClients returns every client a name, without which Dex does not start.
func dexClients(dex *v1.Dex) []v1.DexClient {
	clients := slices.Clone(dex.StaticClients)
	for i := range clients {
		clients[i].Name = cmp.Or(clients[i].Name, clients[i].ID)
	}
	return clients
}

// dexStorageRole lets Dex keep its state in its namespace and nowhere else. The definitions of its resources are
// rendered once per site, so it needs no right to make them.
func (o *overlay) dexStorageRole(s service) []any {
	return o.grant(s, o.meta(s), dexRules())
}

func dexRules() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{
		APIGroups: []string{dexGroup}, Resources: dexResources(), Verbs: []string{"get", "list", "watch", "create", "update",
			"patch", "delete"},
	}
}

// certificate is cert-manager's Certificate, in the few fields that are used.
type certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              certificateSpec `json:"spec"`
}

type certificateSpec struct {
	CommonName  string         `json:"commonName,omitempty"`
	SecretName  string         `json:"secretName"`
	DNSNames    []string       `json:"dnsNames,omitempty"`
	IPAddresses []string       `json:"ipAddresses,omitempty"`
	Usages      []string       `json:"usages"`
	PrivateKey  map[string]any `json:"privateKey"`
	IssuerRef   v1.IssuerRef   `json:"issuerRef"`
}

// certificate asks cert-manager for a serving certificate in the name of the issuer's host.
func (o *overlay) certificate(s service, dex *v1.Dex, secret string) *certificate {
	c := &certificate{
		TypeMeta:   metav1.TypeMeta{APIVersion: "cert-manager.io/v1", Kind: "Certificate"},
		ObjectMeta: o.meta(s),
		Spec: certificateSpec{
			SecretName: secret,
			Usages:     []string{"server auth"},
			PrivateKey: map[string]any{"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"},
			IssuerRef: v1.IssuerRef{
				Name: dex.TLS.IssuerRef.Name, Kind: cmp.Or(dex.TLS.IssuerRef.Kind,
					"Issuer"), Group: cmp.Or(dex.TLS.IssuerRef.Group, "cert-manager.io"),
			},
		},
	}
	host := ""
	if parsed, err := url.Parse(dex.Issuer); err == nil {
		host = parsed.Hostname()
	}
	// Vault and Venafi refuse requests without a common name, which has at most 64 characters (RFC 5280, upper bounds).
	if len(host) <= 64 {
		c.Spec.CommonName = host
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		c.Spec.IPAddresses = []string{ip.String()}
	} else {
		c.Spec.DNSNames = []string{host}
	}
	return c
}
