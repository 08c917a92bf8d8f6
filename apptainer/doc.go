// Package apptainer writes the command lines of the two container runtimes found
// on HPC sites, Apptainer (`apptainer`) and SingularityCE (`singularity`), and
// reads what a SIF image says about itself. It starts nothing and it knows
// nothing of Slurm or of the engine inside the image.
//
// What the command lines do on purpose:
//
//   - Values go through the environment (APPTAINERENV_X or SINGULARITYENV_X),
//     never through --env: an argument list is readable by everybody on the
//     node. The prefix also beats what the image sets for the same name.
//   - --no-eval is always given. Without it both runtimes put a prefixed value
//     between double quotes and let a shell evaluate it, so a `$` or a backtick
//     in a value would run.
//   - $HOME stays mounted, with neither --no-home nor --home: engines look for
//     configuration there, and a home outside of /home would need a bind of its
//     own. Packages in ~/.local, which would shadow the image's, are switched
//     off with PYTHONNOUSERSITE=1 instead, and caches are sent elsewhere by the
//     site's environment.
//   - The engine is the runtime's direct child. Outside a terminal the runtime
//     forwards signals to that child alone, so a shell in between would swallow
//     the TERM; `sh -c` is refused unless it ends in exec.
package apptainer
