// Package check finds out beforehand what would go wrong: for `doctor` everything
// at once, for `submit` the part that costs one question, and for `prepare` it
// brings image and weights into the caches and learns about them. Each check is a
// file and answers findings; it never prints and never stops another one.
//
// What Slurm knows is asked once (Ask), and the checks of it are pure functions of
// those facts and the site's profile. Where the controller and the profile differ the
// controller is right, and the finding shows both. What only a compute node can know is
// a finding of level claim, with the profile's words, until a probe was there.
package check
