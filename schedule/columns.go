package schedule

// several stands for more than one value. No label has it.
const several = "\x00"

// column is the value of a label by host; nil where no host carries it.
func (s *site) column(key string) []string {
	if s.columns == nil {
		s.columns = map[string][]string{}
		for i := range s.hosts {
			for key, value := range s.hosts[i].Labels {
				if value != "" {
					s.columns[key] = nil
				}
			}
		}
	}
	column, carried := s.columns[key]
	if carried && column == nil {
		column = make([]string, len(s.hosts))
		for i := range s.hosts {
			column[i] = s.hosts[i].Labels[key]
		}
		s.columns[key] = column
	}
	return column
}

// around is, by value of a narrow key, the value of a wide one on the hosts that carry both.
func (s *site) around(wide, narrow string) map[string]string {
	pair := [2]string{wide, narrow}
	if known, is := s.arounds[pair]; is {
		return known
	}
	outer, inner := s.column(wide), s.column(narrow)
	var around map[string]string
	if outer != nil && inner != nil {
		around = map[string]string{}
		for i, value := range inner {
			if value == "" || outer[i] == "" {
				continue
			}
			if known, is := around[value]; !is {
				around[value] = outer[i]
			} else if known != outer[i] {
				around[value] = several
			}
		}
	}
	if s.arounds == nil {
		s.arounds = map[[2]string]map[string]string{}
	}
	s.arounds[pair] = around
	return around
}

// wider gives for host i the value of key k, of a list of keys, if it lost the label: that of the hosts that share a narrower domain with it, empty if
// it is not known.
func (s *site) wider(keys []string, k, i int) string {
	for _, narrow := range keys[k+1:] {
		column := s.column(narrow)
		if column == nil || column[i] == "" {
			continue
		}
		if value := s.around(keys[k], narrow)[column[i]]; value != several {
			return value
		}
	}
	return ""
}
