package v1

// Pods is what a tenant chooses for the pods of a service: typed options, which need no grant of patches. What they are about is the service's own
// pods and the labels of nodes, never pods of others.
type Pods struct {
	// Labels of the pods, besides those that sipgen and the Site set. Reserved keys are refused.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the pods. Reserved keys are refused.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// NodeAffinity chooses nodes by their labels, besides nodeLabels.
	// +optional
	NodeAffinity *NodeAffinity `json:"nodeAffinity,omitempty"`
	// PodAffinity keeps the service's own pods together, in one zone for example.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	PodAffinity []PodTerm `json:"podAffinity,omitempty"`
	// PodAntiAffinity keeps the service's own pods apart.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	PodAntiAffinity []PodTerm `json:"podAntiAffinity,omitempty"`
	// TopologySpread spreads the service's own pods over domains of nodes. Default: over nodes, as far as possible.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	TopologySpread []TopologySpread `json:"topologySpread,omitempty"`
	// Probes set the times of the main container's probes. What is probed is the service's.
	// +optional
	Probes *Probes `json:"probes,omitempty"`
}

// NodeAffinity is requirements of nodes' labels.
type NodeAffinity struct {
	// Required must all be met, or the pods do not run.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Required []NodeRequirement `json:"required,omitempty"`
	// Preferred are met where possible.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Preferred []NodePreference `json:"preferred,omitempty"`
}

// NodeRequirement is about one label of a node.
type NodeRequirement struct {
	// Key of the label.
	Key string `json:"key"`
	// Operator is In, NotIn, Exists, DoesNotExist, Gt or Lt.
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist;Gt;Lt
	Operator string `json:"operator"`
	// Values for In and NotIn; one whole number for Gt and Lt; none for the others.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Values []string `json:"values,omitempty"`
}

// NodePreference is a requirement with a weight.
type NodePreference struct {
	NodeRequirement `json:",inline"`
	// Weight against other preferences, 1 to 100.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight"`
}

// PodTerm is about the domains in which the service's own pods are.
type PodTerm struct {
	// TopologyKey is the label of nodes whose values are the domains, as in topology.kubernetes.io/zone.
	TopologyKey string `json:"topologyKey"`
	// Weight, 1 to 100, makes it a preference. Without it, a pod for which it cannot be met does not run.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Weight int32 `json:"weight,omitempty"`
}

// TopologySpread is how evenly the service's own pods are spread.
type TopologySpread struct {
	// TopologyKey is the label of nodes whose values are the domains, as in topology.kubernetes.io/zone.
	TopologyKey string `json:"topologyKey"`
	// MaxSkew is by how many pods domains may differ. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxSkew int32 `json:"maxSkew,omitempty"`
	// MinDomains that there have to be. Only with DoNotSchedule.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MinDomains int32 `json:"minDomains,omitempty"`
	// WhenUnsatisfiable is ScheduleAnyway, the default, or DoNotSchedule: a pod that would make the spread uneven does
	// not run.
	// +kubebuilder:validation:Enum=ScheduleAnyway;DoNotSchedule
	// +optional
	WhenUnsatisfiable string `json:"whenUnsatisfiable,omitempty"`
}

// Probes are the times of a container's probes.
type Probes struct {
	// Readiness says when a pod gets traffic.
	// +optional
	Readiness *ProbeTimes `json:"readiness,omitempty"`
	// Liveness says when the container is restarted.
	// +optional
	Liveness *ProbeTimes `json:"liveness,omitempty"`
	// Startup holds back the others until the container has answered once. It probes what liveness does, with these times.
	// Default: none.
	// +optional
	Startup *ProbeTimes `json:"startup,omitempty"`
}

// ProbeTimes are those of one probe. What is left out stays as it is rendered.
type ProbeTimes struct {
	// InitialDelaySeconds before the first probe, 0 to 300.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=300
	// +optional
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// PeriodSeconds between probes, 1 to 300.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	// +optional
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// TimeoutSeconds for an answer, 1 to 60.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// FailureThreshold is after how many failures in a row it counts, 1 to 100.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}
