#!/usr/bin/env python3
"""Compares our reader of PNML with that of pm4py.

    python3 -m venv target/pm4py && target/pm4py/bin/pip install pm4py
    target/pm4py/bin/python dev/tools/second_reading.py [--nets N] [--seed S]

Both read the same files: the files in pm4py's dialect in crates/formats/tests/dialects, random nets that our test kit writes
in this dialect, and random nets that pm4py exports (with weights, inhibitor and reset arcs, names, final markings). The
script compares places, initial and final markings, names, and behaviour: the enabled transitions of random markings and
their successors, by pm4py's own semantics. Without pm4py the script prints a message and does nothing.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import pm4py
    from pm4py.objects.petri_net.exporter import exporter
    from pm4py.objects.petri_net.importer import importer
    from pm4py.objects.petri_net.inhibitor_reset.semantics import InhibitorResetSemantics
    from pm4py.objects.petri_net.obj import InhibitorNet, Marking, PetriNet, ResetInhibitorNet, ResetNet
    from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to
except ImportError as missing:
    print(f"skipped: no pm4py ({missing}); pip install pm4py")
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Files that pm4py reads correctly. (It ignores `type`, attributes of arcs, and pages inside of pages.)
STATIC = ["pm4py_arcs.pnml", "pm4py_discovered.pnml", "prom_two_finals.pnml", "woped_operators.pnml"]
SEMANTICS = InhibitorResetSemantics()


def ours(paths):
    """Returns our reading of each file, from the example `print_net`."""
    found = []
    for start in range(0, len(paths), 200):
        command = ["cargo", "run", "--quiet", "-p", "impasse-formats", "--example", "print_net", "--"]
        done = subprocess.run(command + paths[start : start + 200], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        found += [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert len(found) == len(paths)
    return found


def fire(net, transition, marking):
    """Returns the marking after firing, or None if the transition is not enabled."""
    for place, least, most in transition["guards"]:
        if marking[place] < int(least) or (most is not None and marking[place] > int(most)):
            return None
    after = dict(marking)
    for place, sources, add in transition["effects"]:
        after[place] = sum(marking[source] for source in sources) + int(add)
    return after


def differences(path, read, rng):
    """Returns the differences between the two readings of a file."""
    if "error" in read:
        return [f"refused: {read['error']}"]
    net, initial, final = importer.apply(path)
    theirs = {place.name: place for place in net.places}
    mine = {place["id"]: place for place in read["places"]}
    # Our reader adds a place that is never marked, for transitions that can never fire.
    extra = set(mine) - set(theirs)
    wrong = []
    if not (set(theirs) <= set(mine) and extra <= {"never"}):
        return [f"places {sorted(mine)} and {sorted(theirs)}"]
    for name, place in theirs.items():
        if int(mine[name]["tokens"]) != initial[place]:
            wrong.append(f"place {name}: {mine[name]['tokens']} and {initial[place]} tokens")
    transitions = {t.name: t for t in net.transitions}
    if sorted(transitions) != sorted(t["id"] for t in read["transitions"]):
        return wrong + ["transitions"]
    for t in read["transitions"]:
        called = " ".join((transitions[t["id"]].properties.get("trans_name_tag") or "").split())
        if called and t["name"] not in (called, f"{called} ({t['id']})", t["id"]):
            wrong.append(f"transition {t['id']} is called {t['name']} and {called}")
    # pm4py merges several final markings, so they are compared only if there is one.
    if len(read["finals"]) == 1:
        listed = {place: int(n) for place, n in read["finals"][0].items() if int(n) > 0}
        if listed != {place.name: n for place, n in final.items()}:
            wrong.append(f"final markings {listed} and {final}")
    for _ in range(30):
        tokens = {name: rng.randrange(5) for name in theirs}
        marking = Marking({theirs[name]: n for name, n in tokens.items() if n > 0})
        here = dict(tokens, **{name: 0 for name in extra})
        for t in read["transitions"]:
            theirs_t = transitions[t["id"]]
            # pm4py tests each arc separately, so a place with several arcs to a transition may become negative there.
            sources = [a.source for a in theirs_t.in_arcs if not isinstance(a, InhibitorNet.InhibitorArc)]
            if len(sources) != len(set(sources)):
                continue
            after = SEMANTICS.execute(theirs_t, net, marking)
            mine_after = fire(read, t, here)
            if (after is None) != (mine_after is None):
                wrong.append(f"{t['id']} in {tokens}: enabled {mine_after is not None} and {after is not None}")
            elif after is not None:
                expected = {name: after[place] for name, place in theirs.items()}
                if expected != {name: mine_after[name] for name in theirs}:
                    wrong.append(f"{t['id']} in {tokens}: {mine_after} and {expected}")
    return wrong


def exported(rng, path):
    """Writes a random net with pm4py's exporter."""
    net = ResetInhibitorNet(f"net{rng.randrange(1000)}")
    places = [PetriNet.Place(f"p {i}" if rng.random() < 0.2 else f"p{i}") for i in range(rng.randrange(1, 6))]
    labels = ["register", "check & pay", "register", None, "ü <x>"]
    transitions = [PetriNet.Transition(f"t{i}", rng.choice(labels)) for i in range(rng.randrange(1, 6))]
    net.places.update(places)
    net.transitions.update(transitions)
    for _ in range(rng.randrange(14)):
        place, transition, weight = rng.choice(places), rng.choice(transitions), rng.randrange(1, 4)
        kind = rng.choice([None, None, "inhibitor", "reset"])
        if rng.random() < 0.5:
            add_arc_from_to(transition, place, net, weight=weight)
        else:
            add_arc_from_to(place, transition, net, weight=weight, type=kind)
    marking = lambda: Marking({p: rng.randrange(1, 4) for p in places if rng.random() < 0.5})
    exporter.apply(net, marking(), path, final_marking=marking())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--nets", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as directory:
        kit = os.path.join(directory, "kit")
        os.mkdir(kit)
        # The test writes two files for each of its 400 cases. The share of cases is in percent.
        share = str(-(-given.nets // 8))
        wanted = dict(os.environ, IMPASSE_WRITE_NETS=kit, IMPASSE_CASES=share, IMPASSE_SEED=str(given.seed))
        test = ["cargo", "test", "--quiet", "-p", "impasse-formats", "--test", "it", "--", "random_nets_in_all_dialects"]
        subprocess.run(test, cwd=ROOT, env=wanted, stdout=subprocess.DEVNULL, check=True)
        groups = {
            "written as pm4py writes": [os.path.join(ROOT, "crates/formats/tests/dialects", name) for name in STATIC],
            "written by our test kit": sorted(os.path.join(kit, name) for name in os.listdir(kit)),
            "exported by pm4py": [os.path.join(directory, f"exported_{i}.pnml") for i in range(given.nets)],
        }
        for path in groups["exported by pm4py"]:
            exported(rng, path)
        failed = 0
        for group, paths in groups.items():
            assert paths, group
            bad = 0
            for path, read in zip(paths, ours(paths)):
                wrong = differences(path, read, rng)
                if wrong:
                    bad += 1
                    print(f"{os.path.basename(path)}: {wrong[0]}")
                    if bad == 1:
                        print(open(path).read())
            print(f"{group}: {len(paths)} files, {bad} differ")
            failed += bad
    print(f"pm4py {pm4py.__version__}, seed {given.seed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
