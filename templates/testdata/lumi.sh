#!/bin/bash
# hpcbench run qwen3-30b-lumi: Qwen/Qwen3-Coder-30B-A3B-Instruct on lumi, plan default
# Written by hpcbench v0.1.0. Nothing in here depends on the day it was written.
#
# Walltime: 5 x (600 s start + 60 s warm-up + 9 x 120 s + 30 s stop) + 300 s reserve
#
# To run it again:    sbatch /scratch/project_465000123/hpcbench/runs/qwen3-30b-lumi/script.sh
# Only one repeat:    HPCBENCH_JOB_REPEATS=1 sbatch /scratch/project_465000123/hpcbench/runs/qwen3-30b-lumi/script.sh

#SBATCH --job-name=hpcbench-qwen3-30b-lumi
#SBATCH --account=project_465000123
#SBATCH --partition=dev-g
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=2
#SBATCH --cpus-per-task=14
#SBATCH --mem-per-gpu=60G
#SBATCH --time=03:00:00
#SBATCH --output=/scratch/project_465000123/hpcbench/runs/qwen3-30b-lumi/logs/%j.log
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
module purge
module use /appl/local/laifs/modules
module load lumi-aif-singularity-bindings || export SINGULARITY_BIND=/var/spool/slurmd,/pfs,/scratch,/projappl,/project,/flash,/appl

# From here on only these variables are left, and no exported function.
while IFS= read -r name; do
  case $name in
    HOME | USER | LOGNAME | SHELL | PATH | PWD | TMPDIR | TERM) ;;
    CUDA_VISIBLE_DEVICES | ROCR_VISIBLE_DEVICES | HIP_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL | HPCBENCH_JOB_REPEATS | HPCBENCH_JOB_WALLTIME_S) ;;
    SINGULARITY_BIND) ;;
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
# Weights are larger than the 20 GB of the home folder.
export SINGULARITYENV_HF_HOME=/scratch/project_465000123/hf-cache
# Compiled kernels out of the home folder.
export SINGULARITYENV_VLLM_CACHE_ROOT=/scratch/project_465000123/vllm-cache
# Lustre has not the locks that MIOpen wants.
export SINGULARITYENV_MIOPEN_USER_DB_PATH=/tmp/"${USER:-}"-miopen-cache-"${SLURM_NODEID:-}"
# The Slingshot network; other interfaces don't reach the other nodes.
export SINGULARITYENV_NCCL_SOCKET_IFNAME=hsn
export SINGULARITYENV_PYTHONNOUSERSITE=1

need() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "hpcbench: $1 was not found: add the module that has it to the site's profile" >&2
  exit 4
}
need singularity

RUN=/scratch/project_465000123/hpcbench/runs/qwen3-30b-lumi
HPCBENCH=/scratch/project_465000123/hpcbench/runs/qwen3-30b-lumi/bin/hpcbench
umask 077
cd -- "$RUN" || exit 4
set -euo pipefail

# ---- Server -----------------------------------------------------------------
# hpcbench fills in {port}, {nonce} and {socket} when it starts this command; the
# API key goes through the environment.
SERVER=(
  singularity exec
  --no-eval
  /appl/local/laifs/containers/lumi-multitorch-u24r70f21m50t210-20260807_115122/lumi-multitorch-full-u24r70f21m50t210-20260807_115122.sif
  vllm serve /scratch/project_465000123/hf-cache/hub/models--Qwen--Qwen3-Coder-30B-A3B-Instruct/snapshots/b2cff64
  --host 127.0.0.1
  --port '{port}'
  --served-model-name 'Qwen/Qwen3-Coder-30B-A3B-Instruct-{nonce}'
  --tensor-parallel-size 2
  --max-model-len 4096
)

# ---- Repeats ----------------------------------------------------------------
# All repeats, one after the other, each with a fresh server.
REPEATS=${HPCBENCH_JOB_REPEATS:-1 2 3 4 5}
case $REPEATS in
  *[!0-9\ ]* | '') echo "hpcbench: no repeats in '$REPEATS': HPCBENCH_JOB_REPEATS is to hold the numbers of the repeats to run" >&2; exit 2 ;;
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
