#!/bin/sh
# A batch of jobs as a Slurm array: sbatch --array=1-8 deploy/slurm-batch.sh jobs.jsonl [options]
#
# Each task has one shard, and a file of results of its own. A task that was stopped or moved goes on where it was.
#SBATCH --job-name=impasse
#SBATCH --cpus-per-task=2
#SBATCH --requeue

jobs=$1
shift
first=${SLURM_ARRAY_TASK_MIN:-1}
shard=$((SLURM_ARRAY_TASK_ID - first + 1))
exec impasse batch "$jobs" --shard "$shard/$SLURM_ARRAY_TASK_COUNT" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --results "${jobs%.jsonl}-results-$shard.jsonl" "$@"
