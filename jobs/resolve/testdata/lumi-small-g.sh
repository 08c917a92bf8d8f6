#!/bin/bash
# hpcbench run lumi-qwen2.5-coder-7b-instruct-g1: Qwen/Qwen2.5-Coder-7B-Instruct on lumi, plan legacy-lumi
# Written by hpcbench v1.0.0. Nothing in here depends on the day it was written.
#
# 5 repeats, array: independent jobs, so that nodes differ
# Walltime of a job: 1 x (start 3m1s + load 19m + drain at most 9m + stop 30s) = 31m31s
# + reserve for one slow start 11m59s + TERM 2m before the end, which Slurm may send 1 min early
# = 46m30s, asked for as 00:47:00
#
# To run it again:    sbatch /scratch/project_465000123/alice/hpcbench/runs/lumi-qwen2.5-coder-7b-instruct-g1/script.sh
# Only one repeat:    sbatch --array=1 /scratch/project_465000123/alice/hpcbench/runs/lumi-qwen2.5-coder-7b-instruct-g1/script.sh

#SBATCH --job-name=hpcbench-lumi-qwen2.5-coder-7b-instruct-g1
#SBATCH --account=project_465000123
#SBATCH --partition=small-g
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=7
#SBATCH --mem=60G
#SBATCH --time=00:47:00
#SBATCH --array=1-5
#SBATCH --output=/scratch/project_465000123/alice/hpcbench/runs/lumi-qwen2.5-coder-7b-instruct-g1/logs/%A_%a.log
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
    LD_LIBRARY_PATH | SINGULARITY_BIND | SINGULARITY_BINDPATH) ;;
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
# a benchmark reports to nobody
export SINGULARITYENV_DO_NOT_TRACK=1
# a benchmark reports to nobody
export SINGULARITYENV_HF_HUB_DISABLE_TELEMETRY=1
# Slurm sets only ROCR_VISIBLE_DEVICES, and vLLM stops when that is set and this is not
export SINGULARITYENV_HIP_VISIBLE_DEVICES="${ROCR_VISIBLE_DEVICES:-}"
# RCCL must take the four Slingshot ports (hsn0 to hsn3); any other interface is wrong here
export SINGULARITYENV_NCCL_SOCKET_IFNAME=hsn
# the home folder is visible inside; packages in ~/.local would replace the image's
export SINGULARITYENV_PYTHONNOUSERSITE=1
# torch.compile failed in the images of April 2026; costs speed, so set skip when the image's compiler works
export SINGULARITYENV_TORCH_COMPILE_DISABLE=1
# a benchmark reports to nobody
export SINGULARITYENV_VLLM_NO_USAGE_STATS=1
# weights don't fit the 20 GB of the home folder; the place that LUMI's own examples use
export SINGULARITYENV_HF_HOME=/scratch/project_465000123/hf-cache
# MIOpen wants file locks that Lustre does not have
export SINGULARITYENV_MIOPEN_CUSTOM_CACHE_DIR=/tmp/alice-hpcbench-"${SLURM_JOB_ID:-}"-"${SLURM_NODEID:-}"/miopen
# MIOpen wants file locks that Lustre does not have
export SINGULARITYENV_MIOPEN_USER_DB_PATH=/tmp/alice-hpcbench-"${SLURM_JOB_ID:-}"-"${SLURM_NODEID:-}"/miopen
# compiled kernels, else in /tmp, which is memory here
export SINGULARITYENV_TORCHINDUCTOR_CACHE_DIR=/scratch/project_465000123/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/inductor
# downloads of torch, else in the home folder
export SINGULARITYENV_TORCH_HOME=/scratch/project_465000123/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/torch
# compiled kernels, else in the home folder
export SINGULARITYENV_TRITON_CACHE_DIR=/scratch/project_465000123/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/triton
# compiled graphs; array elements start together and must not write the same files
export SINGULARITYENV_VLLM_CACHE_ROOT=/scratch/project_465000123/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/vllm
# everything else that would go to ~/.cache
export SINGULARITYENV_XDG_CACHE_HOME=/scratch/project_465000123/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/xdg

need() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "hpcbench: $1 was not found: add the module that has it to the site's profile" >&2
  exit 4
}
need singularity

RUN=/scratch/project_465000123/alice/hpcbench/runs/lumi-qwen2.5-coder-7b-instruct-g1
HPCBENCH=/scratch/project_465000123/alice/hpcbench/runs/lumi-qwen2.5-coder-7b-instruct-g1/bin/hpcbench
umask 077
cd -- "$RUN" || exit 4
set -euo pipefail

# ---- Server -----------------------------------------------------------------
# hpcbench fills in {port}, {nonce} and {socket} when it starts this command; the
# API key goes through the environment.
SERVER=(
  singularity exec
  --no-eval
  /appl/local/laifs/containers/lumi-multitorch-u24r70f21m50t210-20260415_130625/lumi-multitorch-full-u24r70f21m50t210-20260415_130625.sif
  vllm serve Qwen/Qwen2.5-Coder-7B-Instruct
  --served-model-name 'Qwen/Qwen2.5-Coder-7B-Instruct-{nonce}'
  --host 127.0.0.1
  --port '{port}'
  --tensor-parallel-size 1
  --max-model-len 8192
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
