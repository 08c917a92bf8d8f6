package slurm

import "fmt"

// maxArrayTasks bounds what ArrayTasks lists; Slurm's own MaxArraySize is at most 4,000,001.
const maxArrayTasks = 100_000

// ArrayTasks lists the elements of an --array value, such as "1-3,7%2", in its order.
func ArrayTasks(s string) ([]uint64, error) {
	ranges, _, err := parseTasks(s)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", s, err)
	}
	var tasks []uint64
	for _, r := range ranges {
		for t := r.first; t <= r.last; t += r.step {
			if tasks = append(tasks, t); len(tasks) > maxArrayTasks {
				return nil, fmt.Errorf("array %q: more than %d elements", s, maxArrayTasks)
			}
		}
	}
	return tasks, nil
}
