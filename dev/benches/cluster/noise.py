"""Opens sessions that break the rules on the ports of a cluster, before and during its run.

    python3 dev/benches/cluster/noise.py IMPASSE MODEL --sessions N [--processes P]

The ports are known because the hosts are listed. Each session sends random bytes, a record of TLS that never ends,
nothing, or single bytes slowly. Some stay open. The last process
starts when each other port has had N sessions. Prints how many sessions each port accepted and how many were refused
(ports are closed when all processes are connected), and the time of the run with and without them.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time


def free_ports(count):
    """Ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def search(options, directory, counts, noisy):
    """Runs a cluster. Returns the report of process 0 and the seconds."""
    ports = free_ports(options.processes)
    hosts, key = f"{directory}/hosts", f"{directory}/key"
    with open(hosts, "w") as file:
        file.writelines(f"127.0.0.1:{port}\n" for port in ports)
    if not os.path.exists(key):
        subprocess.run([options.impasse, "cluster", "key", key], check=True, capture_output=True)
    over = threading.Event()
    threads = [threading.Thread(target=noise, args=(ports, over, counts, i)) for i in range(4)] if noisy else []
    start = time.time()
    common = [options.impasse, "cluster", "run", "--hosts", hosts, "--key", key, "--explore-all", "--format", "json",
              "--quiet", "--restarts", "0", options.model]
    first = subprocess.Popen([*common, "--process", "0"], stdout=subprocess.PIPE, text=True)
    for thread in threads:
        thread.start()
    last = options.processes - 1
    others = [subprocess.Popen([*common, "--process", str(number)], stdout=subprocess.DEVNULL)
              for number in range(1, last)]
    # The last process comes late, while all other ports get sessions.
    while noisy and any(counts.get(port, 0) < options.sessions for port in ports[:last]):
        time.sleep(0.01)
    start = time.time() if noisy else start
    others.append(subprocess.Popen([*common, "--process", str(last)], stdout=subprocess.DEVNULL))
    out, _ = first.communicate(timeout=600)
    seconds = time.time() - start
    over.set()
    codes = [first.returncode] + [other.wait(timeout=60) for other in others]
    for thread in threads:
        thread.join()
    for line in out.splitlines():
        if '"properties"' in line:
            report = json.loads(line)
            return [(one["id"], one["verdict"], one["stats"]["states"]) for one in report["properties"]], codes, seconds
    return None, codes, seconds


def noise(ports, over, counts, seed):
    """Opens sessions until the run is over."""
    rng, held = random.Random(seed), []
    while not over.is_set():
        one = socket.socket()
        one.settimeout(0.2)
        port = rng.choice(ports)
        try:
            one.connect(("127.0.0.1", port))
        except OSError:
            counts["refused"] += 1
            one.close()
            time.sleep(0.0005)
            continue
        counts[port] = counts.get(port, 0) + 1
        how = rng.randrange(5)
        try:
            if how == 0:
                held.append(one)
            elif how == 1:
                one.sendall(bytes([22, 3, 1, 2, 0, 1]))
                held.append(one)
            elif how == 2:
                one.sendall(rng.randbytes(rng.randrange(1, 3000)))
            elif how == 3:
                for byte in rng.randbytes(3):
                    one.sendall(bytes([byte]))
                    time.sleep(0.001)
            else:
                one.sendall(b"\x16\x03\x01" + rng.randbytes(rng.randrange(1, 500)))
                one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if how > 1:
            one.close()
        if len(held) > 100:
            held.pop(0).close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("impasse")
    parser.add_argument("model")
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=3)
    options = parser.parse_args()
    counts = {"refused": 0}
    with tempfile.TemporaryDirectory() as directory:
        quiet = search(options, directory, counts, False)
        noisy = search(options, directory, counts, True)
    print(f"without: {quiet}\nwith {counts}: {noisy}")
    sys.exit(0 if quiet[:2] == noisy[:2] and quiet[0] else 1)


main()
