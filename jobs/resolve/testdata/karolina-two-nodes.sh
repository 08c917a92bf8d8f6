#!/bin/bash
# hpcbench run karolina-qwen3-coder-30b-a3b-instruct-g16: Qwen/Qwen3-Coder-30B-A3B-Instruct on karolina, plan demo
# Written by hpcbench v1.0.0. Nothing in here depends on the day it was written.
#
# 5 repeats, array: independent jobs, so that nodes differ
# Walltime of a job: 1 x (start 6m4s + load 8s + drain at most 30s + stop 30s) = 7m12s
# + reserve for one slow start 12m9s + TERM 2m before the end, which Slurm may send 1 min early
# = 22m20s, asked for as 00:23:00
#
# To run it again:    sbatch /scratch/project/open-30-15/alice/hpcbench/runs/karolina-qwen3-coder-30b-a3b-instruct-g16/script.sh
# Only one repeat:    sbatch --array=1 /scratch/project/open-30-15/alice/hpcbench/runs/karolina-qwen3-coder-30b-a3b-instruct-g16/script.sh

#SBATCH --job-name=hpcbench-karolina-qwen3-coder-30b-a3b-instruct-g16
#SBATCH --account=open-30-15
#SBATCH --partition=qgpu
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=128
#SBATCH --time=00:23:00
#SBATCH --array=1-5
#SBATCH --output=/scratch/project/open-30-15/alice/hpcbench/runs/karolina-qwen3-coder-30b-a3b-instruct-g16/logs/%A_%a.log
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
    LD_LIBRARY_PATH) ;;
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
export APPTAINERENV_DO_NOT_TRACK=1
# a benchmark reports to nobody
export APPTAINERENV_HF_HUB_DISABLE_TELEMETRY=1
# compute nodes have no way out; without it every start waits for time-outs
export APPTAINERENV_HF_HUB_OFFLINE=1
# the home folder is visible inside; packages in ~/.local would replace the image's
export APPTAINERENV_PYTHONNOUSERSITE=1
# as HF_HUB_OFFLINE, for the tokenizer
export APPTAINERENV_TRANSFORMERS_OFFLINE=1
# a benchmark reports to nobody, and nobody could be reached
export APPTAINERENV_VLLM_NO_USAGE_STATS=1
# kernels that the driver compiles, else in ~/.nv
export APPTAINERENV_CUDA_CACHE_PATH=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/cuda
# FlashInfer compiles at run time, else in the home folder
export APPTAINERENV_FLASHINFER_WORKSPACE_BASE=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/flashinfer
# weights don't fit the 25 GB of the home folder; one copy for the project
export APPTAINERENV_HF_HOME=/scratch/project/open-30-15/hf-cache
# compiled kernels, else in /tmp, which has a few GB only
export APPTAINERENV_TORCHINDUCTOR_CACHE_DIR=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/inductor
# compiled kernels, else in the home folder
export APPTAINERENV_TRITON_CACHE_DIR=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/triton
# compiled graphs; array elements start together and must not write the same files
export APPTAINERENV_VLLM_CACHE_ROOT=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/vllm
# everything else that would go to ~/.cache
export APPTAINERENV_XDG_CACHE_HOME=/scratch/project/open-30-15/alice/hpcbench/cache/jobs/"${SLURM_JOB_ID:-}"/xdg

need() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "hpcbench: $1 was not found: add the module that has it to the site's profile" >&2
  exit 4
}
need apptainer

RUN=/scratch/project/open-30-15/alice/hpcbench/runs/karolina-qwen3-coder-30b-a3b-instruct-g16
HPCBENCH=/scratch/project/open-30-15/alice/hpcbench/runs/karolina-qwen3-coder-30b-a3b-instruct-g16/bin/hpcbench
umask 077
cd -- "$RUN" || exit 4
set -euo pipefail

# ---- Server -----------------------------------------------------------------
# hpcbench fills in {port}, {nonce} and {socket} when it starts this command; the
# API key goes through the environment.
SERVER=(
  apptainer exec
  --no-eval
  --nv
  --bind /scratch/project/open-30-15/alice/hpcbench/cache
  /mnt/proj1/open-30-15/vllm.sif
  vllm serve Qwen/Qwen3-Coder-30B-A3B-Instruct
  --served-model-name 'Qwen/Qwen3-Coder-30B-A3B-Instruct-{nonce}'
  --host 127.0.0.1
  --port '{port}'
  --tensor-parallel-size 8
  --pipeline-parallel-size 2
  --distributed-executor-backend mp
  --master-port '{master_port}'
  --max-model-len 8192
)

# The server runs once a node. The first node's address is found here, because the
# image has no Slurm tools. The port at which the nodes meet, $MASTER_PORT or {master_port},
# is chosen free at start and listens on all addresses.
first_node=
read -r first_node < <(scontrol show hostnames "$SLURM_JOB_NODELIST") || true
if [ -z "$first_node" ]; then
  echo "hpcbench: scontrol didn't name the nodes of this job" >&2
  exit 4
fi
MASTER_ADDR=$(getent ahostsv4 "$first_node" | awk 'NR == 1 { print $1 }') || true
export MASTER_ADDR=${MASTER_ADDR:-$first_node}
# shellcheck disable=SC2016 # each task's own shell expands these
LAUNCH=(
  srun --export=ALL --nodes=2 --ntasks=2 --ntasks-per-node=1
  --cpus-per-task=128
  # One task that ends, well or badly, ends them all: the first node may go on answering for long.
  --kill-on-bad-exit=1 --wait=5
  # exec, so that a signal reaches the server and not this shell.
  bash -c '
    if [ "$SLURM_PROCID" != 0 ]; then set -- "$@" --headless; fi
    exec "$@" --nnodes 2 --node-rank "$SLURM_PROCID" --master-addr "$MASTER_ADDR"' rank
)
SERVER=("${LAUNCH[@]}" "${SERVER[@]}")

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
