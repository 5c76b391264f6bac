#!/bin/bash
# A cluster of processes in network namespaces of their own, connected by a bridge: as separate machines, on one machine.
# Needs root: `dev/benches/cluster/namespaces.sh IMPASSE MODEL [PROCESSES]`. Prints the report of process 0.
set -eu
impasse=$1 model=$2 count=${3:-3}
name=impasse$$
work=$(mktemp -d)

clean() {
    for ((i = 0; i < count; i++)); do
        ip netns del "$name-$i" 2>/dev/null || true
    done
    ip link del "$name" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

ip link add "$name" type bridge
ip link set "$name" up
for ((i = 0; i < count; i++)); do
    ip netns add "$name-$i"
    ip link add "v$i.$$" type veth peer name eth0 netns "$name-$i"
    ip link set "v$i.$$" master "$name" up
    ip -n "$name-$i" addr add "10.99.0.$((i + 1))/24" dev eth0
    ip -n "$name-$i" link set eth0 up
    ip -n "$name-$i" link set lo up
    echo "10.99.0.$((i + 1)):2101" >>"$work/hosts"
done
"$impasse" cluster key "$work/key" >/dev/null
for ((i = 1; i < count; i++)); do
    ip netns exec "$name-$i" "$impasse" cluster run --hosts "$work/hosts" --process "$i" --key "$work/key" \
        --explore-all "$model" &
done
ip netns exec "$name-0" "$impasse" cluster run --hosts "$work/hosts" --process 0 --key "$work/key" --explore-all "$model"
wait
