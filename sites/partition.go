package sites

import (
	"fmt"
	"maps"
	"slices"

	"hpcbench/sites/conf"
)

// PartitionNames lists the partitions, sorted.
func (p Profile) PartitionNames() []string {
	return slices.Sorted(maps.Keys(p.Partitions))
}

// FindPartition gives a partition by its name; the error shows the nearest ones.
func (p Profile) FindPartition(name string) (Partition, error) {
	q, ok := p.Partitions[name]
	if !ok {
		return Partition{}, fmt.Errorf("site %s has no partition %q%s", p.Name, name, conf.DidYouMean(name, p.PartitionNames()))
	}
	return q, nil
}
