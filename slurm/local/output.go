package local

import (
	"fmt"
	"strconv"
	"strings"
)

// outputPath fills in the file name patterns that sbatch knows.
func outputPath(pattern string, j job, e element) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		width := 0
		k := i + 1
		for k < len(pattern)-1 && pattern[k] >= '0' && pattern[k] <= '9' && k-i <= 2 {
			width = width*10 + int(pattern[k]-'0')
			k++
		}
		var text string
		switch pattern[k] {
		case 'j':
			text = fmt.Sprintf("%0*d", width, e.Raw)
		case 'J':
			text = strconv.FormatUint(e.Raw, 10)
		case 'A':
			text = fmt.Sprintf("%0*d", width, j.ID)
		case 'a':
			task := uint64(4294967294) // what Slurm writes for a job that is no array
			if j.Array {
				task = e.Task
			}
			text = fmt.Sprintf("%0*d", width, task)
		case 'x':
			text = j.Name
		case 'N':
			text = j.Host
		case 'u':
			text = j.User
		case 'n', 't', 's':
			text = "0"
		case '%':
			text = "%"
		default:
			b.WriteByte(pattern[i])
			continue
		}
		b.WriteString(text)
		i = k
	}
	return b.String()
}
