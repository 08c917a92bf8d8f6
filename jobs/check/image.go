package check

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hpcbench/apptainer"
	"hpcbench/engine/vllm"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// nodeArch is what the nodes of every site so far are.
const nodeArch = "amd64"

// contained says whether the engine runs in a container.
func (s Subject) contained() bool {
	return s.Site.Runtime.Command != sites.None && s.Site.Runtime.Command != ""
}

// image reads the image's header and says what it is.
func image(s Subject) []Finding {
	r := &report{name: "image"}
	if !s.contained() || s.Site.Image == "" {
		return nil // settings says it
	}
	prepare := fmt.Sprintf("correct `image`, or run `hpcbench prepare --site %s --image-from docker://…`", s.Site.Name)
	path, err := apptainer.Resolve(s.Site.Image)
	if err != nil {
		r.fail(prepare, "%v", err)
		return r.found
	}
	sif, err := apptainer.Inspect(path)
	if err != nil {
		r.fail(prepare, "%v", err)
		return r.found
	}
	if err := sif.CheckArch(nodeArch); err != nil {
		r.fail("", "%v", err)
		return r.found
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o002 != 0 {
		r.fail("chmod o-w it, or copy it", "everybody may write %s, and jobs run what is in it", path)
	}
	words := fmt.Sprintf("%s, %s for %s", path, sizeWords(sif.SizeBytes), sif.Arch)
	if !sif.Created.IsZero() {
		words += ", made " + sif.Created.Format("2006-01-02")
	}
	if sif.From != "" {
		words += ", from " + sif.From
	}
	r.ok("%s%s", words, labelWords(sif.Labels)).settled("image")
	if info, err := os.Lstat(s.Site.Image); err == nil && info.Mode()&os.ModeSymlink != 0 {
		r.warn("name the file itself as `image`: a job whose image moved while it waited stops with that reason", "%s is a link, now to %s", s.Site.Image, path)
	}
	return r.found
}

// labelWords shows the labels that say what is inside.
func labelWords(labels map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		small := strings.ToLower(name)
		if strings.Contains(small, "version") || strings.Contains(small, "vllm") || strings.Contains(small, "revision") {
			value := strings.Map(func(c rune) rune {
				if c < ' ' || c == 0x7f {
					return ' '
				}
				return c
			}, labels[name])
			if len(value) > 80 {
				value = value[:80] + "…"
			}
			words = append(words, name+"="+value)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, ", ")
}

// release says what was learnt of the engine in the image.
func release(s Subject) []Finding {
	r := &report{name: "engine"}
	if !s.contained() || s.Site.Image == "" || s.Site.Engine != sites.VLLM {
		return nil
	}
	path, err := apptainer.Resolve(s.Site.Image)
	if err != nil {
		return nil // image says it
	}
	prepare := fmt.Sprintf("run `hpcbench prepare --site %s` once", s.Site.Name)
	_, learnt, err := resolve.Learnt(s.Site.CacheDir, path)
	switch {
	case err != nil:
		r.warn(prepare, "%v", err)
		return r.found
	case learnt.Version == "":
		r.warn(prepare, "which vLLM is in the image, and which flags it has, hasn't been asked yet")
		return r.found
	}
	if s.Spec != nil {
		if err := vllm.CheckFlags(s.Spec.Server.Command, learnt.Flags, learnt.Version); err != nil {
			r.fail("leave it out, or take another image", "%v", err)
			return r.found
		}
	}
	r.ok("vLLM %s with %d flags, asked on %s", learnt.Version, len(learnt.Flags), learnt.LearntAt.Format("2006-01-02"))
	return r.found
}

// runtimeProgram looks for the container runtime on this node. Where a module brings
// it, it may be missing here and still be there in the job.
func runtimeProgram(s Subject) []Finding {
	r := &report{name: "runtime"}
	if !s.contained() {
		return nil
	}
	program := s.Site.Runtime.Command
	if path, err := s.Look(program); err == nil {
		r.ok("%s is %s", program, path).settled("setup")
		return r.found
	}
	if len(s.Site.Setup) > 0 {
		r.add(Claim, "", "%s isn't on PATH here; the site's lines (%s) are to bring it in the job", program, strings.Join(s.Site.Setup, "; "))
		return r.found
	}
	r.fail("load its module, and write the line as `setup` into sites/"+s.Site.Name+".yaml", "%s isn't on PATH", program)
	return r.found
}

// binds says which paths of the host are there to be seen in the container.
func binds(s Subject) []Finding {
	r := &report{name: "binds"}
	if !s.contained() {
		return nil
	}
	var there, missing []string
	for _, path := range slices.Sorted(maps.Keys(s.Site.Binds)) {
		if err := unix.Access(path, unix.F_OK); err == nil {
			there = append(there, path)
			continue
		}
		missing = append(missing, path)
		if !s.Site.Binds[path].Optional {
			r.fail("correct `binds`, or mark it optional", "%s isn't here, and the container is to see it", path)
		}
	}
	if len(r.found) == 0 && len(there)+len(missing) > 0 {
		if f := r.ok("the container sees %s; not here: %s", some(there), some(missing)); len(there) > 0 {
			f.settled("binds")
		}
	}
	return r.found
}
