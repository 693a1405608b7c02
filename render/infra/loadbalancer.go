package infra

import (
	"cmp"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// controlPlane renders a load balancer for the API servers.
func (o *overlay) controlPlane(i int, lb *v1.LoadBalancerControlPlane) error {
	s := named(v1.ListControlPlane, i, o.Cluster.Name, "haproxy", "loadbalancer")
	servers, err := o.servers(v1.RoleControlPlane, lb.NodeInterface, lb.AddressFamily)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	var check v1.HealthCheck
	if lb.HealthCheck != nil {
		check = *lb.HealthCheck
	}
	head, err := o.haproxyHead(s.name, "API servers of "+o.Cluster.Key(), lb.HAProxy)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	config, err := fill("loadbalancer-controlplane.cfg.tmpl", merge(frontend(lb.HAProxy), backend(lb.HAProxy, "leastconn"),
		values{
			"head": head, "bind": o.bind(fmt.Sprint(apiPort)), "servers": serverLines(servers, apiPort),
			"checkPath": cmp.Or(check.Path, "/readyz"), "checkStatus": fmt.Sprint(cmp.Or(check.Status, 200)),
			"verify": verification(check.CA),
		}))
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	name := cmp.Or(lb.PortName, v1.PortNameHTTPS)
	target := intstr.FromString(name)
	if name == v1.PortNameSIP {
		// As SIP's Service had it: while pods of both are there, each is found at the number.
		target = intstr.FromInt32(apiPort)
	}
	ports := []corev1.ServicePort{{Name: name, Protocol: corev1.ProtocolTCP, Port: apiPort, TargetPort: target,
		NodePort: lb.NodePort}}
	containerPorts := []corev1.ContainerPort{{Name: name, ContainerPort: apiPort, Protocol: corev1.ProtocolTCP}}
	return o.loadBalancer(s, &lb.Service, lb.HAProxy, check.CA, config, ports, containerPorts)
}

// worker renders a load balancer for a range of the workers' node ports.
func (o *overlay) worker(i int, lb *v1.LoadBalancerWorker) error {
	s := named(v1.ListWorker, i, o.Cluster.Name, "haproxy", "loadbalancer")
	servers, err := o.servers(v1.RoleWorker, lb.NodeInterface, lb.AddressFamily)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	head, err := o.haproxyHead(s.name, "node ports of the workers of "+o.Cluster.Key(), lb.HAProxy)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	config, err := o.workerConfig(lb, head, servers)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	// Node ports are the ports themselves, but a LoadBalancer needs none.
	pinned := lb.ExposureType(lb.NodePortRange.Start) == corev1.ServiceTypeNodePort
	var ports []corev1.ServicePort
	for port := lb.NodePortRange.Start; port <= lb.NodePortRange.End; port++ {
		servicePort := corev1.ServicePort{
			Name: fmt.Sprintf("port-%d", port), Protocol: corev1.ProtocolTCP, Port: port, TargetPort: intstr.FromInt32(port),
		}
		if pinned {
			servicePort.NodePort = port
		}
		ports = append(ports, servicePort)
	}
	return o.loadBalancer(s, &lb.Service, lb.HAProxy, nil, config, ports, nil)
}

// workerConfig returns one backend for all ports, whose servers are reached at the client's port, or one for each
// port. With the PROXY protocol it is one for each, because there a client sends the port itself, and could reach any
// port of the workers: the bind's name says which port a client came to.
func (o *overlay) workerConfig(lb *v1.LoadBalancerWorker, head string, servers []server) ([]byte, error) {
	const balance = "roundrobin"
	checkPort := fmt.Sprint(cmp.Or(lb.CheckPort, 10250))
	if !lb.CheckEachPort && !lb.HAProxy.ProxyAccepted() {
		return fill("loadbalancer-worker.cfg.tmpl", merge(frontend(lb.HAProxy), backend(lb.HAProxy, balance), values{
			"head": head, "bind": o.bind(fmt.Sprintf("%d-%d", lb.NodePortRange.Start, lb.NodePortRange.End)),
			"checkPort": checkPort, "servers": serverLines(servers, 0),
		}))
	}
	check := "check"
	if !lb.CheckEachPort {
		check += " port " + checkPort
	}
	clients := frontend(lb.HAProxy)
	var binds strings.Builder
	var backends []byte
	for port := lb.NodePortRange.Start; port <= lb.NodePortRange.End; port++ {
		fmt.Fprintf(&binds, "    bind %s%s name %d\n", o.bind(fmt.Sprint(port)), clients["acceptProxy"], port)
		text, err := fill("loadbalancer-worker-port.cfg.tmpl", merge(backend(lb.HAProxy, balance), values{
			"port": fmt.Sprint(port), "check": check, "servers": serverLines(servers, int(port)),
		}))
		if err != nil {
			return nil, err
		}
		backends = append(backends, text...)
	}
	delete(clients, "acceptProxy")
	return fill("loadbalancer-worker-ports.cfg.tmpl", merge(clients, values{"head": head, "binds": binds.String(),
		"backends": string(backends)}))
}

// unprivileged is the first port that a process without capabilities may listen on, unless it is told otherwise.
const unprivileged = 1024

// lowest returns the lowest of the ports, or unprivileged.
func lowest(ports []corev1.ServicePort) int32 {
	low := int32(unprivileged)
	for _, port := range ports {
		low = min(low, port.Port)
	}
	return low
}

// loadBalancer renders the configuration, and a Deployment, a Service, a NetworkPolicy and a PodDisruptionBudget
// around it.
func (o *overlay) loadBalancer(s service, spec *v1.Service, options *v1.HAProxy, ca *v1.BackendCA, config []byte,
	ports []corev1.ServicePort, containerPorts []corev1.ContainerPort) error {
	keys, files := map[string]string{"haproxy.cfg": s.name + ".cfg"}, map[string][]byte{s.name + ".cfg": config}
	if ca != nil && ca.PEM != "" {
		keys[caFile], files[s.name+"-"+caFile] = s.name+"-"+caFile, ca.Certificates()
	}
	o.config(configMap{name: s.name, files: keys}, files)

	memory := options.Memory()
	container := corev1.Container{
		// The name that SIP's Deployment had: an apply over it must not leave two containers.
		Name:    "loadbalancer",
		Image:   o.image(s, spec.Image, o.Site.Spec.Images.HAProxy),
		Command: []string{"haproxy", "-W", "-db", "-f", configFolder + "/haproxy.cfg"},
		Ports: append(containerPorts, corev1.ContainerPort{Name: "status", ContainerPort: statusPort,
			Protocol: corev1.ProtocolTCP}),
		ReadinessProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz",
				Port: intstr.FromString("status")}},
			PeriodSeconds: 5,
		},
		LivenessProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz",
				Port: intstr.FromString("status")}},
			TimeoutSeconds:   5,
			FailureThreshold: 6,
		},
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			Exec: &corev1.ExecAction{Command: []string{"sleep", fmt.Sprint(preStopSeconds)}},
		}},
		Resources:       resourcesFor(spec, "100m", "128Mi", memory.String()),
		SecurityContext: restricted(),
		VolumeMounts:    []corev1.VolumeMount{{Name: "config", MountPath: configFolder, ReadOnly: true}},
	}
	volumes := []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: s.name}},
	}}}
	if volume, mounted := caVolume(ca); mounted {
		container.VolumeMounts = append(container.VolumeMounts,
			corev1.VolumeMount{Name: volume.Name, MountPath: caFolder, ReadOnly: true})
		volumes = append(volumes, volume)
	}
	pod := o.pod(s, spec, 99, container, volumes...)
	pod.Spec.TerminationGracePeriodSeconds = ptr[int64](graceSeconds)
	if low := lowest(ports); low < unprivileged {
		// A safe sysctl, which the restricted profile allows: low ports without a capability.
		pod.Spec.SecurityContext.Sysctls = []corev1.Sysctl{{Name: "net.ipv4.ip_unprivileged_port_start",
			Value: fmt.Sprint(low)}}
	}
	pod.Annotations["prometheus.io/scrape"] = "true"
	pod.Annotations["prometheus.io/port"] = fmt.Sprint(statusPort)

	public := portRange{ports[0].TargetPort.IntVal, ports[len(ports)-1].TargetPort.IntVal}
	if len(containerPorts) > 0 {
		public = portRange{containerPorts[0].ContainerPort, containerPorts[0].ContainerPort}
	}
	return o.serve(s, spec, pod, ports, public, statusPort)
}

// deployment replaces its pods without a gap by Kubernetes' default strategy: of up to three replicas a new one is
// ready before an old one goes, of more a quarter goes first.
func (o *overlay) deployment(s service, spec *v1.Service, replicas int32,
	pod corev1.PodTemplateSpec) *appsv1.Deployment {
	var strategy appsv1.DeploymentStrategy
	if hasFixedIPs(spec) {
		// Two pods cannot hold one address: the old one goes first.
		strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr(intstr.FromInt32(0)), MaxUnavailable: ptr(intstr.FromInt32(1)),
			}}
	}
	if spec.Resources == nil {
		o.unsized = append(o.unsized, s.name)
	}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: o.meta(s),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(replicasOf(spec, replicas)),
			Selector: &metav1.LabelSelector{MatchLabels: s.selector()},
			Strategy: strategy,
			Template: pod,
		},
	}
}
