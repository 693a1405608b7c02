package infra

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/templates"
)

const (
	// jumpUID is the user of the jump host's image.
	jumpUID  = 1000
	sshPort  = 2222
	jumpRoot = "/opt/sip"
)

// jumpHost renders an SSH jump host: sshd without root, the way on to the cluster's hosts and
// to nothing else, and the host command for their power.
func (o *overlay) jumpHost(i int, jump *v1.JumpHost) error {
	s := o.jumpName(i)
	table, err := o.table(jump.NodeInterface, jump.AddressFamily)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	access := bmcAccess(jump)
	if access == v1.BMCRedfish {
		if err := o.redfish(table); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	if err := o.jumpConfigs(s, jump, table, access); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	ports := []corev1.ServicePort{{
		Name: "ssh", Protocol: corev1.ProtocolTCP, Port: 22, TargetPort: intstr.FromString("ssh"), NodePort: jump.NodePort,
	}}
	return o.serve(s, &jump.Service, o.jumpPod(s, jump, table, access), ports, portRange{sshPort, sshPort}, 0)
}

func bmcAccess(jump *v1.JumpHost) string {
	if jump.BMC == nil {
		return v1.BMCMetal3
	}
	return cmp.Or(jump.BMC.Access, v1.BMCMetal3)
}

// redfish adds the systems' URLs to the table, and refuses hosts whose BMC Secret a pod of the cluster's
// namespace cannot mount. Hosts with the same fault are one line: often it is a fault of all.
func (o *overlay) redfish(table []tableHost) error {
	var faults []string
	hosts := map[string][]string{}
	add := func(h *inventory.Host, format string, args ...any) {
		fault := fmt.Sprintf(format, args...)
		if hosts[fault] == nil {
			faults = append(faults, fault)
		}
		hosts[fault] = append(hosts[fault], h.Key())
	}
	for i := range table {
		h := table[i].Member.Host
		switch {
		case h.Namespace != o.Cluster.Namespace:
			add(h, "bmc.access redfish: the BMC Secret is in namespace %s, and a pod mounts Secrets of its own "+
				"namespace %s only; use bmc.access metal3", h.Namespace, o.Cluster.Namespace)
			continue
		case !secretName(h.BMC.CredentialsName):
			add(h, "bmc.access redfish: bmc.credentialsName is %q, want the name of a Secret", h.BMC.CredentialsName)
			continue
		}
		system, err := redfishSystem(h.BMC.Address)
		if err != nil {
			add(h, "%v", err)
		}
		table[i].System = system
	}
	var errs []error
	for _, fault := range faults {
		errs = append(errs, fmt.Errorf("host %s: %s", text.Some(hosts[fault], 3), fault))
	}
	return errors.Join(errs...)
}

// jumpConfigs renders two ConfigMaps. The one with the keys has a constant name, so that an added or removed key
// takes effect within a minute, without ending sessions; the other one rolls the pod.
func (o *overlay) jumpConfigs(s service, jump *v1.JumpHost, table []tableHost, access string) error {
	trusted := ""
	if jump.TrustedUserCA != "" {
		trusted = "TrustedUserCAKeys /opt/sip/keys/trusted_user_ca\n"
	}
	sshd, err := fill("sshd_config.tmpl", values{
		"name": s.name, "port": fmt.Sprint(sshPort), "trustedUserCA": trusted,
		"permitOpen": cmp.Or(strings.Join(permitOpen(table), " "), "none"),
	})
	if err != nil {
		return err
	}
	ssh, err := fill("ssh_config.tmpl", values{"name": s.name, "hosts": sshHosts(table)})
	if err != nil {
		return err
	}
	host, err := templates.FS.ReadFile("jump-host.sh")
	if err != nil {
		return err
	}
	start, err := templates.FS.ReadFile("jump-start.sh")
	if err != nil {
		return err
	}
	proxy := jump.BMC != nil && jump.BMC.Proxy
	files := map[string][]byte{
		"sshd_config": sshd, "ssh_config": ssh, "hosts": hostsFile(table), "host": host, "start": start,
		"settings": fmt.Appendf(nil, "ACCESS=%s\nPROXY=%t\n", access, proxy),
	}
	if access == v1.BMCMetal3 {
		files["kubeconfig"] = []byte(podKubeconfig)
	}
	keys := map[string][]byte{"authorized_keys": authorizedKeys(s.name, jump.SSHAuthorizedKeys)}
	if jump.TrustedUserCA != "" {
		keys["trusted_user_ca"] = []byte(strings.TrimSpace(jump.TrustedUserCA) + "\n")
	}
	o.folder(configMap{name: s.name}, s.name, files)
	o.folder(configMap{name: s.name + "-keys", keepName: true}, s.name, keys)
	return nil
}

// podKubeconfig is for sessions of sshd, which do not have the environment that kubectl looks for
// in a pod. The token stays where the kubelet renews it.
const podKubeconfig = `apiVersion: v1
kind: Config
current-context: pod
contexts:
- name: pod
  context: {cluster: management, user: pod}
clusters:
- name: management
  cluster:
    server: https://kubernetes.default.svc
    certificate-authority: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
users:
- name: pod
  user:
    tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
`

// permitOpen lists SSH on each host, by every name and the address that a ProxyJump may ask for.
// sshHosts are the Host sections of the ssh client's configuration.
func sshHosts(table []tableHost) string {
	var lines strings.Builder
	for _, h := range table {
		fmt.Fprintf(&lines, "\nHost %s\n    HostName %s\n    HostKeyAlias %s\n", strings.Join(h.Aliases(), " "), h.IP,
			h.Long)
	}
	return lines.String()
}

func permitOpen(table []tableHost) []string {
	var out []string
	for _, h := range table {
		for _, name := range h.Aliases() {
			out = append(out, name+":22")
		}
		out = append(out, netip.AddrPortFrom(h.IP, 22).String())
	}
	return out
}

func authorizedKeys(name string, keys []string) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "# May log in to %s.\n", name)
	for _, key := range keys {
		out.WriteString(strings.TrimSpace(key) + "\n")
	}
	return []byte(out.String())
}

func (o *overlay) jumpPod(s service, jump *v1.JumpHost, table []tableHost, access string) corev1.PodTemplateSpec {
	mounts := []corev1.VolumeMount{
		{Name: "ssh", MountPath: "/etc/ssh", ReadOnly: true},
		{Name: "bin", MountPath: jumpRoot + "/bin", ReadOnly: true},
		{Name: "config", MountPath: jumpRoot + "/config", ReadOnly: true},
		{Name: "keys", MountPath: jumpRoot + "/keys", ReadOnly: true},
		{Name: "host-keys", MountPath: jumpRoot + "/host-keys", ReadOnly: true},
		{Name: "run", MountPath: jumpRoot + "/run"},
		{Name: "tmp", MountPath: "/tmp"},
	}
	config := []string{"hosts", "settings"}
	if access == v1.BMCMetal3 {
		config = append(config, "kubeconfig")
	}
	volumes := []corev1.Volume{
		fromConfigMap("ssh", s.name, 0o444, "ssh_config", "sshd_config"),
		fromConfigMap("bin", s.name, 0o555, "host", "start"),
		fromConfigMap("config", s.name, 0o444, config...),
		fromConfigMap("keys", s.name+"-keys", 0o444),
		fromSecret("host-keys", cmp.Or(jump.HostKeys, s.name+"-host-keys")),
		// A line for each key of a Secret, of 1 MiB at most, and the variables of a proxy.
		emptyDir("run", "16Mi"),
		// What people leave there, and kubectl's cache.
		emptyDir("tmp", "256Mi"),
	}
	if jump.NodeSSHPrivateKeys != "" {
		mounts = append(mounts, corev1.VolumeMount{Name: "ssh-private-keys", MountPath: jumpRoot + "/ssh-private-keys",
			ReadOnly: true})
		volumes = append(volumes, fromSecret("ssh-private-keys", jump.NodeSSHPrivateKeys))
	}
	if access == v1.BMCRedfish && len(table) > 0 {
		mounts = append(mounts, corev1.VolumeMount{Name: "bmc", MountPath: jumpRoot + "/bmc", ReadOnly: true})
		volumes = append(volumes, bmcVolume(table))
	}
	var env []corev1.EnvVar
	if jump.BMC == nil || !jump.BMC.Proxy {
		env = []corev1.EnvVar{{Name: "NO_PROXY", Value: "*"}, {Name: "no_proxy", Value: "*"}}
	}
	probe := corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("ssh")}}
	container := corev1.Container{
		Name:            "jumphost",
		Image:           o.image(s, jump.Image, o.Site.Spec.Images.JumpHost),
		Command:         []string{"/bin/sh", jumpRoot + "/bin/start"},
		Env:             env,
		Ports:           []corev1.ContainerPort{{Name: "ssh", ContainerPort: sshPort, Protocol: corev1.ProtocolTCP}},
		ReadinessProbe:  &corev1.Probe{ProbeHandler: probe, PeriodSeconds: 10},
		LivenessProbe:   &corev1.Probe{ProbeHandler: probe, PeriodSeconds: 20, TimeoutSeconds: 5, FailureThreshold: 6},
		Resources:       resourcesFor(&jump.Service, "50m", "64Mi", "512Mi"),
		SecurityContext: restricted(),
		VolumeMounts:    mounts,
	}
	pod := o.pod(s, &jump.Service, jumpUID, container, volumes...)
	pod.Spec.ServiceAccountName = s.name
	pod.Spec.AutomountServiceAccountToken = ptr(access == v1.BMCMetal3)
	for _, h := range table {
		pod.Spec.HostAliases = append(pod.Spec.HostAliases, corev1.HostAlias{IP: h.IP.String(), Hostnames: h.Aliases()})
	}
	return pod
}

// bmcVolume mounts the BMC Secrets of all hosts, each in a folder of the host's name.
func bmcVolume(table []tableHost) corev1.Volume {
	projected := &corev1.ProjectedVolumeSource{DefaultMode: ptr[int32](0o440)}
	for _, h := range table {
		projected.Sources = append(projected.Sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: h.Member.Host.BMC.CredentialsName},
			Items: []corev1.KeyToPath{{Key: "username", Path: h.Long + "/username"},
				{Key: "password", Path: h.Long + "/password"}},
		}})
	}
	return corev1.Volume{Name: "bmc", VolumeSource: corev1.VolumeSource{Projected: projected}}
}

func fromConfigMap(volume, name string, mode int32, keys ...string) corev1.Volume {
	source := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name},
		DefaultMode: ptr(mode)}
	for _, key := range keys {
		source.Items = append(source.Items, corev1.KeyToPath{Key: key, Path: key})
	}
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{ConfigMap: source}}
}

// fromSecret returns readable by the pod's group alone. sshd and ssh refuse private keys that others may read only
// where they own the file, and here root does.
func fromSecret(volume, name string) corev1.Volume {
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: name, DefaultMode: ptr[int32](0o440)},
	}}
}
