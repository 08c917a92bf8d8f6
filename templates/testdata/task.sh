#!/bin/bash
# hpcbench doctor: a look at a compute node
# Written by hpcbench v1.

#SBATCH --partition=qgpu
#SBATCH --time=00:05:00
#SBATCH --no-requeue
#SBATCH --open-mode=append

# ---- Environment ------------------------------------------------------------
# Strict mode comes last: site profiles and modules fail under set -e and set -u.
set +eu +o posix
# Settings of a container runtime come from the modules and from below, not from
# the shell that submitted the job.
unset "${!APPTAINER@}" "${!SINGULARITY@}"

# Jobs that don't inherit a login shell have no module command. A profile may replace
# PATH: what was on it stays, at its end.
path=$PATH
# shellcheck disable=SC1090,SC1091
type module >/dev/null 2>&1 || [ ! -r /etc/profile ] || . /etc/profile
[ "$PATH" = "$path" ] || PATH=$PATH:$path
command -v apptainer >/dev/null || ml apptainer

# From here on only these variables are left, and no exported function.
while IFS= read -r name; do
  case $name in
    HOME | USER | LOGNAME | SHELL | PATH | PWD | TMPDIR | TERM) ;;
    CUDA_VISIBLE_DEVICES | ROCR_VISIBLE_DEVICES | HIP_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | HPCBENCH_JOB_REPEATS | HPCBENCH_JOB_WALLTIME_S) ;;
    FROM_SETUP) ;;
    SLURM_* | SLURMD_*) ;;
    *) unset -v "$name" 2>/dev/null || export -n "${name?}" ;;
  esac
done < <(compgen -e)
while read -r _ _ name; do unset -f "$name"; done < <(declare -Fx)

# One language and one time format, so that every tool's output can be read back.
export LC_ALL=C.UTF-8
export SLURM_TIME_FORMAT=standard
# $HOME is visible in the container: packages in ~/.local would shadow the image's.
export PYTHONNOUSERSITE=1
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV "${!CONDA@}"
# weights
export HF_HOME='/a b'

need() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "hpcbench: $1 was not found: add the module that has it to the site's profile" >&2
  exit 4
}
need apptainer

umask 077
cd -- /scratch/project/open-30-15/alice/hpcbench/runs/.doctor-1 || exit 4
set -euo pipefail
# exec, so that Slurm's signals reach it.
exec \
  /scratch/project/open-30-15/alice/hpcbench/runs/.doctor-1/bin/hpcbench \
  probe \
  /scratch/project/open-30-15/alice/hpcbench/runs/.doctor-1 \
  < /dev/null
