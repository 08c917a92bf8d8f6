package resolve

import "fmt"

// plan loads the plan and fills in the number of repeats.
func (d *draft) plan() {
	p, err := d.req.Plan(d.site.Plan)
	if err != nil {
		d.fail(err)
	} else {
		d.fail(p.Check())
	}
	d.spec.Plan = p
	d.spec.Repeats = d.req.Repeats
	if d.spec.Repeats == 0 {
		d.spec.Repeats = d.site.Repeats
	}
	if d.spec.Repeats == 0 {
		d.spec.Repeats = 5 // the published tables' number
	}
	if d.spec.Repeats < 1 || d.spec.Repeats > 1000 {
		d.fail(fmt.Errorf("--repeats %d: 1 to 1000", d.spec.Repeats))
	}
}
