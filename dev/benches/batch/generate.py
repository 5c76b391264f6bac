"""Writes small models, and a file of jobs about them.

    python3 dev/benches/batch/generate.py DIR [--jobs 100000] [--models 300]

The models are programs, nets and thread-transition systems of a few kinds. Some are unsafe, some cannot be read, and
one in a hundred is missing. Each round of jobs asks another question about each model, with another engine. No job has
a limit on time, and its answer is the same each time: jobs are unknown because of a bound, or because the engine gives
up; a seed is fixed; and questions that do not fit the model are errors.

Writes DIR/models and DIR/jobs.jsonl. The paths in it are relative, so run the jobs in DIR.
"""

import argparse
import itertools
import json
import os

CLOCKS = """rwb 1
event e[2]
thread A {{ for k in 0..{0} {{ state s[k] {{ request e[0] when k == {0} - 1 {{ request e[1] }} else {{ block e[1] }}
  on * -> s[(k+1)%{0}] }} }} }}
thread B {{ for k in 0..{1} {{ state s[k] {{ request e[0] when k == {2} {{ request e[1] }} else {{ block e[1] }}
  on * -> s[(k+1)%{1}] }} }} }}
thread Marker {{ body {{ wait e[1] bad }} }}
"""

TASK = """rwb 1
event run[2], idle
thread Task {{
  for t in 0..{0} {{ for c in 0..{1} + 1 {{ when c <= t {{ state s[t][c] {{
    when c < {1} {{ request run[0] block run[1], idle }}
    when t < {0} - 1 {{ when c < {1} {{ on run[0] -> s[t+1][c+1] }} on * -> s[t+1][c] }}
    else {{ when c == {1} {{ on * -> s[0][0] }} else {{ when c == {1} - 1 {{ on run[0] -> s[0][0] }} on * -> miss }} }}
  }} }} }} }}
  state miss {{ bad }} }}
thread Other {{ state z {{ request run[1] {2} }} }}
thread Idle {{ state z {{ request idle }} }}
"""

NIM = """rwb 1
check deadlock
event a[{1}], b[{1}]
thread Pile {{
  init left[{0}]
  for n in 0..{0} + 1 {{
    state left[n] {{
      when n == {2} {{ final }}
      when n < {1} {{ block a[n..{1}], b[n..{1}] }}
      for k in 0..{1} {{ when k < n {{ on a[k], b[k] -> left[n - k - 1] }} }}
    }}
  }}
}}
thread Turn {{ body {{ loop {{ final sync wait a[*] block b[*]  final sync wait b[*] block a[*] }} }} }}
thread A {{ body {{ loop {{ final request a[*] }} }} }}
thread B {{ body {{ loop {{ final request b[*] }} }} }}
"""

LOCK = """vars
  idle want crit lock
rules
  idle >= 1 -> idle' = idle - 1, want' = want + 1;
  want >= 1, lock >= 1 -> want' = want - 1, lock' = lock - 1, crit' = crit + 1;
  crit >= 1 -> crit' = crit - 1, lock' = lock + 1, idle' = idle + 1;
  {2}
init
  idle >= 1, want = 0, crit = 0, lock = {0}
target
  crit >= {1}
"""

STAGES = """vars
  free {0}
rules
{1}
init
  free = {2}, {3}
target
  {4}
"""

LOCAL = """{0} {1}
{2}"""

BROKEN = (
    ("rwb", "rwb 1\nthread A {{ state s{0} {{ request\n"),
    ("rwb", "rwb 7\n# {0}\n"),
    ("spec", "vars\n  a{0}\nrules\n  b >= 1 -> a' = a + 1;\ninit\n  a{0} = 0\ntarget\n  a >= 1\n"),
    ("tts", "2 {0}\n0 0 -> x 1\n"),
    ("pnml", "<pnml><net id='{0}'>"),
)


def stages(length, tokens, goal):
    """A pipeline: a token takes a free place, passes each stage, and gives the place back. It can also be dropped."""
    names = [f"s{i}" for i in range(length)]
    rules = ["free >= 1 -> free' = free - 1, s0' = s0 + 1;"]
    rules += [f"{a} >= 1 -> {a}' = {a} - 1, {b}' = {b} + 1;" for a, b in itertools.pairwise(names)]
    rules += [f"{names[-1]} >= 1 -> {names[-1]}' = {names[-1]} - 1, free' = free + 1;"]
    zero = ", ".join(f"{name} = 0" for name in names)
    rules = "\n".join("  " + rule for rule in rules)
    return STAGES.format(" ".join(names), rules, tokens, zero, f"{names[-1]} >= {goal}")


def hasty(looks, careful):
    """A lock that is taken after some looks. The last look is believed, unless the thread is careful."""
    moves = [f"0 {i} -> 0 {i + 1}" for i in range(looks)]
    moves += [f"0 {looks} -> 1 {looks + 1}", f"1 {looks + 1} -> 0 0"]
    if not careful:
        moves.append(f"1 {looks} -> 1 {looks + 1}")
    target = f"1|{looks + 1},{looks + 1}\n"
    return LOCAL.format(2, looks + 2, target + "\n".join(moves) + "\n")


def models(count):
    """Pairs of a file name and its content (None: the file is missing)."""
    for i in range(count):
        n, k = i // 10, i % 10
        name = f"{i:03}"
        if i % 100 == 99:
            yield f"missing_{name}.rwb", None
        elif k == 0:
            yield f"clocks_{name}.rwb", CLOCKS.format(2 + n % 6, 3 + n // 6, n % 3 if n % 2 else 2 + n // 6)
        elif k in (1, 2):
            yield f"task_{name}.rwb", TASK.format(3 + n % 6, 1 + n % 3, "block idle" if k == 1 else "on idle -> z")
        elif k in (3, 4):
            yield f"nim_{name}.rwb", NIM.format(4 + n % 10, 2 + n // 10, 0 if k == 3 else n % 2)
        elif k == 5:
            more = "lock >= 1 -> idle' = idle + want, want' = 0;" if n % 2 else ""
            yield f"lock_{name}.spec", LOCK.format(1 + n % 4, 1 + n % 4 + n // 4 % 2, more)
        elif k in (6, 7):
            yield f"stages_{name}.spec", stages(2 + n % 4, 1 + n // 4 % 3, 1 + n // 4 % 3 + (k == 6))
        elif k == 8 and n % 2:
            ending, text = BROKEN[n // 2 % len(BROKEN)]
            yield f"broken_{name}.{ending}", text.format(n)
        else:
            yield f"hasty_{name}.tts", hasty(1 + n % 5, n % 2)


PROGRAM = (
    {},
    {"property": ["deadlock"]},
    {"property": ["bad"]},
    {"engine": "explicit", "explore_all": True},
    {"engine": "ic3"},
    {"engine": "dpllt"},
    {"engine": "dpllt", "patterns": "none", "batch": 1},
    {"engine": "stubborn", "property": ["deadlock"]},
    {"ends": "none", "property": ["deadlock"]},
    {"ends": "proper", "shortest": True},
    {"seed": 1},
    {"kernel_only": True, "engine": "ic3"},
    {"property": ["nothing of this name"]},
    {"engine": "cover"},
)
NET = (
    {},
    {"engine": "explicit", "bound": 3},
    {"engine": "explicit", "bound": 2, "explore_all": True},
    {"bound": "1..3", "engine": "ic3.bounded"},
    {"seed": 1, "property": ["target"]},
    {"engine": "ic3.bits", "invariants": "none"},
    {"engine": "equation"},
    {"engine": "cover.backward"},
    {"engine": "concurrency"},
    {"engine": "invariants"},
    {"property": ["target:1"]},
    {"shortest": True},
    {"kernel_only": True},
    {"engine": "intervals"},
)


def jobs(directory, names, count):
    """The jobs, as many as asked for: round by round, a question about each model."""
    for number in range(count):
        turn, i = divmod(number, len(names))
        name = names[i]
        table = NET if name.endswith((".spec", ".tts", ".pnml")) else PROGRAM
        job = {"model": f"{directory}/{name}", "name": f"{name}/{turn}", **table[(turn + i) % len(table)]}
        if "seed" in job:
            job["seed"] = turn
        yield job


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--models", type=int, default=300)
    args = parser.parse_args()
    os.makedirs(f"{args.dir}/models", exist_ok=True)
    names = []
    for name, text in models(args.models):
        names.append(name)
        if text is not None:
            with open(f"{args.dir}/models/{name}", "w") as file:
                file.write(text)
    with open(f"{args.dir}/jobs.jsonl", "w") as file:
        for job in jobs("models", names, args.jobs):
            file.write(json.dumps(job) + "\n")


if __name__ == "__main__":
    main()
