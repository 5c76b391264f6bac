#!/bin/bash
# A search on many machines by Slurm: `sbatch apps/deploy/slurm.sh MODEL [OPTIONS of impasse cluster run]`.
#
# The key and the checkpoint are in the directory of the job, which all machines share. Make the key once:
# `impasse cluster key cluster.key`. When a process is lost, all are started again, and when a machine fails, Slurm
# requeues the job. The search goes on from the last level that is saved.
#SBATCH --job-name=impasse
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=32
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
threads=${SLURM_CPUS_PER_TASK:-1}

# One process per task, one worker per core: `srun` does not take the number of cores from the job. Slurm does not start
# a lost task again, so when a process is lost, all tasks end (exit code 75), and this script starts them again.
for attempt in 1 2 3 4 5 6; do
    code=0
    srun --cpus-per-task="$threads" --kill-on-bad-exit=0 \
        impasse cluster run --slurm --key cluster.key --threads "$threads" --restarts 0 \
        --checkpoint "checkpoint-${SLURM_JOB_ID}" "$@" || code=$?
    # A task that was killed has a code above 128. Everything else is an answer, or an error that stays.
    if [ "$code" -ne 75 ] && [ "$code" -le 128 ]; then break; fi
    echo "attempt $attempt ended with exit code $code" >&2
done
exit "$code"
