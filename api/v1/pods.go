package v1

// Pods is the settings of a service's pods that need no grant of patches. Affinity and spread apply to the service's
// own pods and to node labels, never to pods of others.
type Pods struct {
	// Labels of the pods, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the pods, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Requirements and preferences for nodes, besides nodeLabels. Default: none.
	// +optional
	NodeAffinity *NodeAffinity `json:"nodeAffinity,omitempty"`
	// Keeps the service's pods in the same domain, for example a zone. Default: none.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	PodAffinity []PodTerm `json:"podAffinity,omitempty"`
	// Keeps the service's pods in different domains. Default: none.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	PodAntiAffinity []PodTerm `json:"podAntiAffinity,omitempty"`
	// Spreads the service's pods over domains of nodes. whenUnsatisfiable defaults to ScheduleAnyway. Default:
	// over nodes, if possible.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	TopologySpread []TopologySpread `json:"topologySpread,omitempty"`
	// Timing of the main container's probes.
	// +optional
	Probes *Probes `json:"probes,omitempty"`
}

// NodeAffinity is requirements and preferences for node labels.
type NodeAffinity struct {
	// Requirements that a node must meet.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Required []NodeRequirement `json:"required,omitempty"`
	// Preferences, each with a weight.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Preferred []NodePreference `json:"preferred,omitempty"`
}

// NodeRequirement is a requirement for one label of a node.
type NodeRequirement struct {
	// Key of a node label.
	Key string `json:"key"`
	// Comparison of the label with values.
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist;Gt;Lt
	Operator string `json:"operator"`
	// Values for In and NotIn; one whole number for Gt and Lt.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Values []string `json:"values,omitempty"`
}

// NodePreference is a requirement with a weight.
type NodePreference struct {
	NodeRequirement `json:",inline"`
	// Weight of the preference.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight"`
}

// PodTerm is a domain of nodes that the service's own pods share or avoid.
type PodTerm struct {
	// Node label of the domains, for example topology.kubernetes.io/zone.
	TopologyKey string `json:"topologyKey"`
	// Weight of a preference. Default: a requirement.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Weight int32 `json:"weight,omitempty"`
}

// TopologySpread is the spread of the service's own pods over domains.
type TopologySpread struct {
	// Node label of the domains, for example topology.kubernetes.io/zone.
	TopologyKey string `json:"topologyKey"`
	// Maximum difference of pods between domains. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxSkew int32 `json:"maxSkew,omitempty"`
	// Minimum number of domains. Only with DoNotSchedule.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	MinDomains int32 `json:"minDomains,omitempty"`
	// ScheduleAnyway (default) prefers an even spread; DoNotSchedule keeps other pods pending.
	// +kubebuilder:validation:Enum=ScheduleAnyway;DoNotSchedule
	// +optional
	WhenUnsatisfiable string `json:"whenUnsatisfiable,omitempty"`
}

// Probes is the timing of a container's probes.
type Probes struct {
	// Probe that opens a pod to traffic.
	// +optional
	Readiness *ProbeTimes `json:"readiness,omitempty"`
	// Probe that restarts the container.
	// +optional
	Liveness *ProbeTimes `json:"liveness,omitempty"`
	// Probe with liveness's action. Delays the other probes until the first success. Default: none.
	// +optional
	Startup *ProbeTimes `json:"startup,omitempty"`
}

// ProbeTimes is the timing of one probe. Unset fields keep the rendered value.
type ProbeTimes struct {
	// Seconds before the first probe.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=300
	// +optional
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// Seconds between probes.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	// +optional
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// Seconds to wait for an answer.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// Consecutive failures that count.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}
