#!/bin/sh
# A batch of jobs as a Slurm array: sbatch --array=1-8 apps/deploy/slurm-batch.sh jobs.jsonl [options]
#
# Each task has one shard, and a file of results of its own. A task that was stopped or moved goes on where it was. To
# run some tasks again, say how many shards there are: SHARDS=8 sbatch --array=3,5 apps/deploy/slurm-batch.sh jobs.jsonl
#SBATCH --job-name=impasse
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu

jobs=$1
shift
shard=$SLURM_ARRAY_TASK_ID
if [ -z "${SHARDS:-}" ]; then
    if [ "$SLURM_ARRAY_TASK_MIN" -ne 1 ] || [ "$SLURM_ARRAY_TASK_MAX" -ne "$SLURM_ARRAY_TASK_COUNT" ]; then
        echo "error: the array is not 1-N: how many shards are there? Set SHARDS for sbatch" >&2
        exit 64
    fi
    SHARDS=$SLURM_ARRAY_TASK_COUNT
fi
exec impasse batch "$jobs" --shard "$shard/$SHARDS" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --results "${jobs%.jsonl}-results-$shard.jsonl" "$@"
