package slurm

import (
	"fmt"
	"strconv"
)

// IndexList reads a list of device numbers as Slurm writes it in SLURM_JOB_GPUS:
// "0,2-5". At most 4,096 of them.
func IndexList(s string) (map[string]bool, error) {
	ranges, _, err := parseTasks(s)
	if err != nil {
		return nil, fmt.Errorf("device list %q: %w", s, err)
	}
	list := map[string]bool{}
	for _, r := range ranges {
		for i := r.first; i <= r.last; i += r.step {
			if list[strconv.FormatUint(i, 10)] = true; len(list) > 4096 {
				return nil, fmt.Errorf("device list %q: more than 4,096 devices", s)
			}
		}
	}
	return list, nil
}
