#!/bin/bash
# hpcbench run qwen3-30b-karolina: Qwen/Qwen3-Coder-30B-A3B-Instruct on karolina, plan default
# Written by hpcbench v0.1.0. Nothing in here depends on the day it was written.
#
# To run it again:    sbatch /scratch/project/open-35-12/hpcbench/runs/qwen3-30b-karolina/script.sh
# Only one repeat:    sbatch --array=1 /scratch/project/open-35-12/hpcbench/runs/qwen3-30b-karolina/script.sh

#SBATCH --job-name=hpcbench-qwen3-30b-karolina
#SBATCH --account=open-35-12
#SBATCH --partition=qgpu
#SBATCH --nodes=1
#SBATCH --gpus=4
#SBATCH --time=01:00:00
#SBATCH --array=1-5
#SBATCH --output=/scratch/project/open-35-12/hpcbench/runs/qwen3-30b-karolina/logs/%A_%a.log
#SBATCH --no-requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@120

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
# Weights are larger than the 25 GB of the home folder.
export APPTAINERENV_HF_HOME=/scratch/project/open-35-12/hf-cache
# Compute nodes have no internet: fail at once and don't wait for it.
export APPTAINERENV_HF_HUB_OFFLINE=1
# /tmp has a few GB only.
export APPTAINERENV_VLLM_CACHE_ROOT=/scratch/project/open-35-12/vllm-cache
# No internet, and nobody's business.
export APPTAINERENV_VLLM_NO_USAGE_STATS=1
export APPTAINERENV_PYTHONNOUSERSITE=1

need() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "hpcbench: $1 was not found: add the module that has it to the site's profile" >&2
  exit 4
}
need apptainer

RUN=/scratch/project/open-35-12/hpcbench/runs/qwen3-30b-karolina
HPCBENCH=/scratch/project/open-35-12/hpcbench/runs/qwen3-30b-karolina/bin/hpcbench
umask 027
cd -- "$RUN" || exit 4
set -euo pipefail

# ---- Server -----------------------------------------------------------------
# hpcbench fills in {port}, {nonce} and {socket} when it starts this command; the
# API key goes through the environment.
SERVER=(
  apptainer exec
  --no-eval
  --nv
  --bind /scratch
  --bind /mnt/proj1
  /scratch/project/open-35-12/images/vllm-openai-v0.32.0.sif
  vllm serve /scratch/project/open-35-12/hf-cache/hub/models--Qwen--Qwen3-Coder-30B-A3B-Instruct/snapshots/b2cff64
  --host 127.0.0.1
  --port '{port}'
  --served-model-name 'Qwen/Qwen3-Coder-30B-A3B-Instruct-{nonce}'
  --tensor-parallel-size 4
)

# ---- Repeats ----------------------------------------------------------------
# The element of the array says which repeat this is.
REPEATS=${SLURM_ARRAY_TASK_ID:-}
case $REPEATS in
  *[!0-9\ ]* | '') echo "hpcbench: no repeats in '$REPEATS': this script is an array job: submit it with sbatch" >&2; exit 2 ;;
esac

# Slurm's signals reach this shell alone, so they are passed on. The first one also ends
# `wait` early: it is called again until the repeat has ended and written down what
# it had. Later ones say nothing new, and bash can lose an exit code over them.
child=
stopped=0
interrupted=0
# shellcheck disable=SC2317,SC2329 # called by trap
on_signal() {
  trap '' TERM INT HUP
  stopped=1
  interrupted=1
  if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null || true; fi
}
trap on_signal TERM INT HUP

run_repeat() {
  local rc
  "$HPCBENCH" repeat "$@" --run "$RUN" -- "${SERVER[@]}" &
  child=$!
  # A signal that came just before could not be passed on.
  if [ "$stopped" = 1 ]; then kill -TERM "$child" 2>/dev/null || true; fi
  while :; do
    interrupted=0
    rc=0
    wait "$child" || rc=$?
    if [ "$interrupted" = 0 ] || ! kill -0 "$child" 2>/dev/null; then break; fi
  done
  child=
  # A repeat that was killed could not end its server itself.
  if [ "$rc" -gt 128 ]; then "$HPCBENCH" sweep "$@" --run "$RUN" || true; fi
  return "$rc"
}

status=0
for N in $REPEATS; do
  rc=0
  if [ "$stopped" = 1 ]; then
    rc=130
    echo "hpcbench: repeat $N was not started: the job was told to end" >&2
  else
    run_repeat "$N" || rc=$?
    if [ "$rc" != 0 ]; then echo "hpcbench: repeat $N ended with exit code $rc" >&2; fi
  fi
  # One bad repeat doesn't stop the others, but the job doesn't look good either.
  if [ "$status" = 0 ]; then status=$rc; fi
done
exit "$status"
