package v1

// Pods is the labels and annotations of a service's pods, which need no grant of patches.
type Pods struct {
	// Labels of the pods, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the pods, without reserved keys. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}
