package schedule

import "cmp"

// StillUsed is a host that a cluster released, that was seen without labels, and that is in use all the same: its release was approved while a machine was on
// it. No label says any more whose machine that is, so the tree does.
type StillUsed struct {
	Host HostKey
	UID  string
	// Cluster that had the host. It may be gone.
	Cluster ClusterKey
	// Consumer that the host had when it was seen without labels, empty where it had none.
	Consumer string
}

// releasedInUse finds the hosts that clusters have released and that are in use still: those that the previous tree was releasing, which are seen without
// labels now (clean), and those that it has noted before. A host is noted until it is seen unused, is a cluster's again, is another host of that
// name, or has another consumer than it had. An inventory that is older than the tree ends nothing.
func (s *site) releasedInUse(before []StillUsed, clean map[int32]*PreviousClaim) {
	found := map[int32]StillUsed{}
	for _, was := range before {
		i := s.find(was.Host)
		if i < 0 || clean[i] != nil {
			continue
		}
		h := &s.hosts[i]
		consumer := h.State.Consumer.String()
		switch {
		case h.role != nil, s.live(h).complete:
		case was.UID != "" && h.UID != "" && was.UID != h.UID:
		case !h.State.InUse() && !s.options.LabelsOlder:
		case was.Consumer != "" && consumer != "" && was.Consumer != consumer:
		default:
			found[i] = was
		}
	}
	for i, t := range clean {
		if h := &s.hosts[i]; h.State.InUse() {
			found[i] = StillUsed{Host: h.key(), UID: cmp.Or(h.UID, t.UID), Cluster: t.Cluster, Consumer: h.State.Consumer.String()}
		}
	}
	byCluster := map[ClusterKey][]HostKey{}
	for i := range s.hosts {
		if used, is := found[int32(i)]; is {
			s.stillUsed = append(s.stillUsed, used)
			byCluster[used.Cluster] = append(byCluster[used.Cluster], used.Host)
		}
	}
	for key, hosts := range byCluster { // warnings are sorted
		s.warn(UsedAfterRelease{key, hosts})
	}
}
