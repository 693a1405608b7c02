package holdings

import "github.com/airshipit/sipgen/inventory"

// VoidApproval is the Approval of a host that the tree had not given to the cluster when a run first read the approval,
// or whose cluster has no spec that could tell: it covers no use.
const VoidApproval = "void"

// approval returns the note about the approval of the cluster that has the host. A cluster without a spec keeps the
// tree's note, and so does a host whose use is not known. A host that comes to a cluster without a spec may be named in
// it: the spec was written before the cluster had the host.
func (h *Holding) approval(in *Input) string {
	if h.State != Held && h.State != Leaving {
		return ""
	}
	return h.approvalOf(in, h.Cluster)
}

// approvalOf returns the note about the approval of a cluster.
func (h *Holding) approvalOf(in *Input, cluster ClusterKey) string {
	mine := h.Claim != nil && h.Claim.Cluster == cluster
	switch {
	case mine && (!in.Specs[cluster] || h.Host.Unsure() || h.Host.UID == ""):
		return h.Claim.Approval
	case !in.Specs[cluster]:
		return VoidApproval
	case in.Approved == nil || !in.Approved(cluster, h.Host):
		return ""
	case mine && h.Claim.Approval != "":
		return h.Claim.Approval
	case mine:
		return useToken(h.Host)
	}
	return VoidApproval
}

// Approved reports whether the cluster that has the host approved the end of its present use.
func (h *Holding) Approved() bool { return covers(h.Approval, h.Host) }

// covers reports whether an approval is for the present use of a host.
func covers(approval string, h *inventory.Host) bool {
	return Use(h) != "" && !h.Unsure() && approval == useToken(h)
}

// useToken names a host by its uid, and what uses it. Example: "6d1f.../Metal3Machine/metal/cp-0".
func useToken(h *inventory.Host) string { return h.UID + "/" + Use(h) }
