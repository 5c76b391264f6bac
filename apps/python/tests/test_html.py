"""Tests of the pictures: well-formed, escaped, without ids, within limits, and the layout."""

from __future__ import annotations

import html
import itertools
import json
import random
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import html_helpers as made

from impasse_mc._html import badge, model_html, outcome_html, run_html
from impasse_mc._html.layout import Box, box, layout
from impasse_mc._html.svg import escape

VOID = {"input", "br"}


class Page(HTMLParser):
    """Checks that tags are nested, and collects attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.stack, f"not closed: {self.stack}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1] == tag, f"</{tag}> after {self.stack}"
        self.stack.pop()

    def handle_data(self, data):
        if self.stack[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def of_class(self, name: str) -> list[dict[str, str]]:
        return [attrs for _, attrs in self.tags if name in attrs.get("class", "").split()]


def outputs() -> dict[str, str]:
    return {
        "program": model_html(made.philosophers()),
        "lock": model_html(made.lock()),
        "net": model_html(made.mutex()),
        "outcome": outcome_html(made.outcome()),
        "run": run_html(made.lock(), made.lock_run(False)),
        "lasso": run_html(made.lock(), made.lock_run(True)),
        "game": run_html(made.mutex(), made.mutex_run()),
        "long": run_html(made.lock(), made.long_run(150, 40)),
    }


@pytest.mark.parametrize("name", list(outputs()))
def test_outputs_are_well_formed_and_alone(name):
    """No ids that could collide, nothing from the network, all rules under one class."""
    text = outputs()[name]
    page = Page(text)
    assert page.tags[0] == ("div", {"class": "impasse-html"})
    for tag, attrs in page.tags:
        assert not {"id", "href", "src", "for"} & set(attrs), (tag, attrs)
        assert not [key for key in attrs if key.startswith("on")]
    assert "url(" not in text and "@import" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    style = re.search(r"<style>(.*?)</style>", text, re.S).group(1)
    rules = re.findall(r"([^{}]+)\{", style.replace("@media (prefers-color-scheme:dark){", ""))
    assert len(rules) > 30
    for selector in ",".join(rules).split(","):
        assert ".impasse-html" in selector


def test_two_outputs_do_not_depend_on_each_other():
    first, second = (model_html(made.mutex()) for _ in range(2))
    assert first == second


EVIL = "<script>alert(1)</script>\"'&\u202e\x00<b>"


def renamed(value):
    """The structure with every name replaced by a hostile one."""
    if isinstance(value, dict):
        return {(k if k in KEYS else EVIL + k): renamed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(each) for each in value]
    if isinstance(value, tuple):
        return tuple(renamed(each) for each in value)
    return EVIL + value if isinstance(value, str) and value not in KINDS else value


KINDS = {"program", "net"}
KEYS = {
    *("kind", "threads", "name", "states", "edges", "events", "from", "to", "initial", "bad"),
    *("final", "hot", "request", "wait", "block", "places", "transitions", "label", "inputs"),
    *("outputs", "size"),
}


@pytest.mark.parametrize("make", [made.philosophers, made.lock, made.mutex])
def test_names_of_models_are_escaped(make):
    model = make()
    evil = made.Model(EVIL, renamed(model.structure()))
    runs = {made.philosophers: made.philosophers_run, made.mutex: made.mutex_run}
    run = runs.get(make, lambda: made.lock_run(True))()
    moves = [
        (EVIL + s.event, [EVIL + r for r in s.requested_by],
         {EVIL + k: after if isinstance(after, int) else EVIL + after
          for k, (_, after) in s.changes.items()})
        for s in run
    ]  # fmt: skip
    initial = {EVIL + k: v if isinstance(v, int) else EVIL + v for k, v in run.initial.items()}
    evil_run = made.Run(initial, moves)
    answers = [
        made.answer(EVIL, "unsafe", evil_run, detail=EVIL, engine=EVIL, asked="EF"),
        made.answer(EVIL, EVIL, None, reason=EVIL, verdict="unknown"),
    ]
    outcome = made.Outcome(evil, answers, "unsafe")
    plain = made.Outcome(model, [made.answer("a", "unsafe", run), answers[1]], "unsafe")
    for text, tame in (
        (model_html(evil), model_html(model)),
        (run_html(evil, evil_run), run_html(model, run)),
        (outcome_html(outcome), outcome_html(plain)),
    ):
        page = Page(text)
        extra = {tag for tag, _ in page.tags} - {tag for tag, _ in Page(tame).tags}
        assert extra <= {"title", "br"}
        assert text.count("<script") == tame.count("<script")
        assert "<b>" not in text and "\u202e" not in text and "\x00" not in text
        assert "alert(1)" in text


def test_escape():
    assert escape("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#x27;"
    assert escape("x\u202ey\x00\ud800z") == "x\ufffdy\ufffd\ufffdz"


@pytest.mark.parametrize(
    ("word", "kind"),
    [("safe", "ip-safe"), ("unsafe", "ip-unsafe"), ("unknown", "ip-unknown")],
)
def test_badges_say_the_verdict_in_words(word, kind):
    page = Page(badge(word))
    assert kind in page.tags[0][1]["class"] and word.upper() in page.text


def test_outcomes_show_all_words():
    page = Page(outcome_html(made.outcome()))
    for word in ("UNSAFE", "SAFE", "UNKNOWN", "REACHABLE", "UNREACHABLE", "timeout"):
        assert word in page.text
    assert "10 s were not enough" in page.text and "checked by kernel" in page.text
    details = [attrs for tag, attrs in page.tags if tag == "details"]
    assert sum("open" in attrs for attrs in details) == 1


def test_what_is_reachable_makes_no_outcome_red():
    run = made.lock_run(False)
    answers = [made.answer("a", "safe"), made.answer("b", "reachable", run, asked="EF")]
    page = Page(outcome_html(made.Outcome(made.lock(), answers, "unsafe")))
    assert not page.of_class("ip-unsafe") and "UNSAFE" not in page.text
    answers = [made.answer("a", "safe"), made.answer("b", "unsafe", run)]
    page = Page(outcome_html(made.Outcome(made.lock(), answers, "unsafe")))
    assert len(page.of_class("ip-unsafe")) == 2


def test_evidence_that_is_trusted_says_so():
    answer = made.answer("x", "safe")
    answer.evidence.trusted = ["solver"]
    text = Page(outcome_html(made.Outcome(made.lock(), [answer], "safe"))).text
    assert "trusts solver" in text


def test_a_run_shows_events_requesters_and_moves():
    page = Page(run_html(made.philosophers(), made.philosophers_run()))
    assert all(f"pick[{i}][0]" in page.text for i in range(3))
    # 6 states at the begin, and two threads that move in each step.
    assert len(page.of_class("ip-box")) == 6 + 2 * 3
    assert len(page.of_class("ip-dot")) == 3


def test_bad_states_and_values_of_variables_are_seen():
    page = Page(run_html(made.lock(), made.lock_run(False)))
    assert len(page.of_class("ip-bad")) == 1
    assert "count: 1 → 2" in page.text


def test_a_lasso_is_marked():
    page = Page(run_html(made.lock(), made.lock_run(True)))
    assert page.of_class("ip-loop-area") and "Steps 1 to 3 repeat for ever." in page.text
    assert len(page.of_class("ip-loop")) == 3
    assert not Page(run_html(made.lock(), made.lock_run(False))).of_class("ip-loop-area")


@pytest.mark.parametrize("loop", [None, 0, 40, 60, 80, 109, 110, 130, 149, 150])
def test_long_runs_are_cut_with_a_note(loop):
    page = Page(run_html(made.lock(), made.long_run(150, loop)))
    assert "Steps 61 to 110 of 150 are left out here." in page.text
    assert len(page.of_class("ip-dot")) == 100
    assert bool(page.of_class("ip-loop-area")) == (loop is not None and loop < 150)
    if loop is not None and loop < 150:
        drawn = [number for number in range(150) if not 60 <= number < 110]
        assert len(page.of_class("ip-loop")) == sum(number >= loop for number in drawn)


def test_a_run_without_steps():
    page = Page(run_html(made.lock(), made.long_run(0)))
    assert "no step" in page.text


def test_many_threads_are_limited_to_those_that_act():
    names = [f"T{i}" for i in range(40)]
    threads = [{"name": name, "states": [made.state("a", initial=True)], "edges": []} for name in names]
    model = made.Model("many", {"kind": "program", "threads": threads, "events": ["e"]})
    run = made.Run(dict.fromkeys(names, "a"), [("e", ["T3"], {"T3": "b"})])
    page = Page(run_html(model, run))
    assert len(page.of_class("ip-lane")) == 1 and "T0, T1" in page.text
    run = made.Run(dict.fromkeys(names, "a"), [("e", ["T3"], dict.fromkeys(names, "b"))])
    page = Page(run_html(model, run))
    assert len(page.of_class("ip-lane")) == 24 and "16 more threads" in page.text


def test_thread_graphs_have_all_states_and_edges():
    page = Page(model_html(made.lock()))
    assert len(page.of_class("ip-box")) == 6 and len(page.of_class("ip-ring")) == 1
    assert len(page.of_class("ip-bad")) == 1 and len(page.of_class("ip-hot")) == 1
    # 8 edges and two arrows of initial states.
    assert len(page.of_class("ip-edge")) == 10
    assert len(page.of_class("ip-waits")) == 5
    assert "⊘ stop" in page.text


def test_large_models_become_tables():
    big = {
        "name": "Big",
        "states": [made.state(f"s{i}", initial=i == 0) for i in range(100)],
        "edges": [made.edge(i, (i + 1) % 100, "e") for i in range(100)],
    }
    model = made.lock()
    model.structure()["threads"].append(big)
    page = Page(model_html(model))
    assert "1 of 3 threads are too large to be drawn here." in page.text
    assert len(page.of_class("ip-box")) == 6 and "100" in page.text
    places = [{"name": f"p{i}", "initial": None if i == 7 else 1} for i in range(100)]
    net = made.Model("big", {"kind": "net", "places": places, "transitions": []})
    page = Page(model_html(net))
    assert "100 nodes" in page.text and not page.of_class("ip-place")
    run = made.Run({f"p{i}": 1 for i in range(100)}, [("t", [], {"p0": 2})])
    page = Page(run_html(net, run))
    assert "p0: 1 → 2" in page.text and not page.of_class("ip-place")
    assert "p29: 1" in page.text and "70 more" in page.text


def test_dense_nets_become_tables():
    places = [{"name": f"p{i}", "initial": 2 * (i == 3)} for i in range(8)]
    arcs = {f"p{i}": i + 1 for i in range(8)}
    transitions = [made.transition(f"t{i}", arcs, {}) for i in range(8)]
    net = made.Model("dense", {"kind": "net", "places": places, "transitions": transitions})
    page = Page(model_html(net))
    assert not page.of_class("ip-place")
    assert {"t0", "p0", "8 p7", "p3: 2"} <= set(page.texts)


def test_huge_models_are_not_asked_for_their_structure():
    class Huge(made.Model):
        def info(self):
            return {"kind": "program", "thread_states": 10**6}

        def structure(self):
            raise AssertionError

    huge = Huge("a/b/huge.rwb", {"kind": "program"})
    page = Page(model_html(huge))
    assert "too large" in page.text and "huge.rwb" in page.texts
    assert Page(run_html(huge, made.lock_run(False))).of_class("ip-lane")


def test_other_kinds_show_their_sizes():
    model = made.Model("adder", {"kind": "circuit", "inputs": 3, "latches": 5, "ands": 99})
    page = Page(model_html(model))
    assert "latches" in page.text and "99" in page.text
    run = made.Run({"l0": False}, [("frame 1", [], {"l0": True})])
    page = Page(run_html(model, run))
    assert "l0: False → True" in page.text and "output" not in page.text
    run[0].shows = ["25 (Y)"]
    page = Page(run_html(model, run))
    assert "output" in page.text and "25 (Y)" in page.text


def test_empty_models():
    for structure in (
        {"kind": "program", "threads": [], "events": []},
        {"kind": "net", "places": [], "transitions": []},
        {"kind": "own"},
    ):
        Page(model_html(made.Model("empty", structure)))


def test_nets_show_tokens_and_weights():
    page = Page(model_html(made.mutex()))
    assert len(page.of_class("ip-place")) == 8 and len(page.of_class("ip-bar")) == 8
    assert len(page.of_class("ip-token")) == 3
    assert page.texts.count("2") == 2 and page.texts.count("6") == 1
    model = made.mutex()
    model.structure()["places"][0]["initial"] = 12
    model.structure()["places"][1]["initial"] = None
    page = Page(model_html(model))
    assert "12" in page.texts and "any" in page.texts and not page.of_class("ip-game")


def test_transitions_that_arcs_do_not_describe():
    model = made.mutex()
    model.structure()["transitions"][0].update(plain=False, inputs={"lock": 0}, label="request")
    page = Page(model_html(model))
    assert "ask_a ∗" in page.texts and "request" in page.texts
    assert "arcs do not show" in page.text and not page.of_class("ip-game")
    assert Page(run_html(model, made.mutex_run())).of_class("ip-game")


def game_data(text: str) -> dict:
    return json.loads(Page(text).of_class("ip-game")[0]["data-game"])


def test_the_game_of_a_run_has_its_markings():
    data = game_data(run_html(made.mutex(), made.mutex_run()))
    marking = list(data["marking"])
    names = [place["name"] for place in made.mutex().structure()["places"]]
    for (_, moved), step in zip(data["steps"], made.mutex_run()):
        for place, tokens in moved:
            marking[place] = tokens
        assert dict(zip(names, marking)) == step.state
    assert len(data["steps"]) == 5 and data["loop"] is None


def test_runs_that_are_no_tokens_are_tables():
    run = made.Run({"shared": "x"}, [("ask_a", [], {"shared": "y"})])
    page = Page(run_html(made.mutex(), run))
    assert not page.of_class("ip-game") and "shared: x → y" in page.text


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def in_browser(tmp_path: Path, body: str, script: str) -> str:
    """What a browser has as text of `#result` after the page and the script ran."""
    if CHROMIUM is None:
        pytest.skip("no chromium")
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><body>{body}<pre id=result></pre><script>"
        f"var out=[];{script};document.getElementById('result').textContent=JSON.stringify(out);"
        "</script>",
        encoding="utf-8",
    )
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
    )
    found = re.search(r"<pre id=\"result\">(.*?)</pre>", done.stdout, re.S)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found.group(1)))


READ = """
var roots=document.querySelectorAll('.ip-game');
function say(r){return r.querySelector('output').textContent;}
function press(r,what){r.querySelector('[data-do='+what+']').click();}
function tokens(r){return Array.from(r.querySelectorAll('.ip-tokens')).map(function(t){
 var x=t.querySelector('text');return x?x.textContent:t.querySelectorAll('circle').length;});}
function can(r){return Array.from(r.querySelectorAll('.ip-can')).map(function(g){
 return g.querySelector('title').textContent;});}
function fire(r,n){r.querySelectorAll('[data-transition]')[n].dispatchEvent(
 new MouseEvent('click',{bubbles:true}));}
"""


def test_games_work_in_a_browser(tmp_path):
    body = model_html(made.mutex()) + run_html(made.mutex(), made.mutex_run())
    script = (
        READ
        + """
    var free=roots[0],run=roots[1];
    out.push(can(free),can(run),run.querySelector('.ip-controls').hidden);
    fire(free,1);out.push(say(free));
    fire(free,0);fire(free,1);out.push(tokens(free),can(free),say(free));
    press(free,'back');out.push(tokens(free),say(free));
    press(free,'next');press(free,'first');out.push(say(free),tokens(run));
    press(run,'last');out.push(tokens(run),say(run));
    press(run,'back');out.push(tokens(run),say(run),run.querySelectorAll('tr.ip-now').length);
    """
    )
    (can, can_run, hidden, refused, tokens, can_then, said, back, said_back, first, untouched,
     end, said_end, before, said_before, now) = in_browser(tmp_path, body, script)  # fmt: skip
    assert can == ["ask_a", "ask_b"] and can_run == [] and hidden is False
    assert refused.startswith("step 0 of 0")
    # idle_a, wait_a, crit_a, lock, idle_b, wait_b, crit_b, visits
    assert tokens == [0, 0, 1, 0, 1, 0, 0, 0] and can_then == ["leave_a", "ask_b"]
    assert said == "step 2 of 2: enter_a"
    assert back == [0, 1, 0, 1, 1, 0, 0, 0] and said_back == "step 1 of 2: ask_a"
    assert first == "step 0 of 2: the begin" and untouched == [1, 0, 0, 1, 1, 0, 0, 0]
    assert end == [1, 0, 0, 0, 0, 0, 1, 2] and said_end == "step 5 of 5: enter_b"
    assert before == [1, 0, 0, 1, 0, 1, 0, 2] and said_before == "step 4 of 5: leave_a"
    assert now == 1


@pytest.mark.parametrize("attached", [True, False])
def test_games_work_where_scripts_are_made_anew(tmp_path, attached):
    """JupyterLab sets the HTML of an element, and replaces its scripts by new ones."""
    text = json.dumps(run_html(made.mutex(), made.mutex_run())).replace("</", "<\\/")
    add = "document.body.appendChild(host);"
    script = f"""
    var host=document.createElement('div');{add if attached else ""}
    host.innerHTML={text};
    host.querySelectorAll('script').forEach(function(old){{
     var s=document.createElement('script');s.textContent=old.textContent;
     old.parentNode.replaceChild(s,old);}});
    {"" if attached else add}
    var run=document.querySelector('.ip-game');
    run.querySelector('[data-do=next]').click();
    out.push(run.querySelector('.ip-controls').hidden,run.querySelector('output').textContent);
    """
    assert in_browser(tmp_path, "", script) == [False, "step 1 of 5: ask_a"]


def test_without_scripts_there_is_a_table():
    page = Page(run_html(made.mutex(), made.mutex_run()))
    assert "hidden" in page.of_class("ip-controls")[0]
    assert [attrs["data-step"] for tag, attrs in page.tags if "data-step" in attrs] == list("12345")


def test_themes_of_pages_are_followed(tmp_path):
    """Jupyter, VS Code and documentation say by attributes what theme they have."""
    body = run_html(made.lock(), made.lock_run(True))
    script = """
    var root=document.querySelector('.impasse-html');
    function look(key,value){
     document.body.removeAttribute('data-jp-theme-light');document.body.removeAttribute('class');
     document.documentElement.removeAttribute('data-theme');
     if(key==='data-theme'){document.documentElement.setAttribute(key,value);}
     else if(key){document.body.setAttribute(key,value);}
     out.push([getComputedStyle(root).backgroundColor,
      getComputedStyle(root.querySelector('svg text')).fill]);
    }
    look();look('data-jp-theme-light','true');look('data-jp-theme-light','false');
    look('class','vscode-light');look('class','vscode-dark');look('data-theme','dark');
    document.body.style.setProperty('--jp-layout-color0','rgb(1, 2, 3)');
    look('data-jp-theme-light','false');
    """
    plain, *themes = in_browser(tmp_path, body, script)
    light, dark, code_light, code_dark, pages_dark, own = themes
    assert light != dark and plain in (light, dark)
    assert code_light == light and code_dark == pages_dark == dark
    assert own == ["rgb(1, 2, 3)", dark[1]]


def test_layouts_prefer_few_turned_edges():
    """A workflow whose only way back is `redo`: all other arcs lead forward."""
    names = ["start", "a", "b", "examine", "check", "decide", "redo", "end"]
    edges = [
        ("start", "a"),
        ("start", "b"),
        ("a", "examine"),
        ("b", "check"),
        ("examine", "decide"),
    ]
    edges += [("check", "decide"), ("decide", "end"), ("decide", "redo")]
    back = [("redo", "a"), ("redo", "b")]
    numbers = [(names.index(x), names.index(y)) for x, y in edges + back]
    drawing = layout([box(30, 20)] * len(names), numbers, [0])
    down = [drawing.nodes[x][1] < drawing.nodes[y][1] for x, y in numbers]
    assert down == [True] * len(edges) + [False] * len(back)


# The layout.


def random_graph(random: random.Random) -> tuple[list[Box], list[tuple[int, int]], list]:
    nodes = random.randint(1, 25)
    boxes = [box(random.randint(10, 120), random.randint(10, 60)) for _ in range(nodes)]
    edges = [(random.randrange(nodes), random.randrange(nodes)) for _ in range(random.randint(0, 2 * nodes))]
    labels = [box(random.randint(10, 80), 16) if random.random() < 0.5 else None for _ in edges]
    return boxes, edges, labels


def overlap(one: Box, other: Box, at: tuple, there: tuple) -> bool:
    return (
        at[0] - one.left < there[0] + other.right
        and there[0] - other.left < at[0] + one.right
        and at[1] - one.up < there[1] + other.down
        and there[1] - other.up < at[1] + one.down
    )


@pytest.mark.parametrize("across", [False, True])
def test_layouts_of_random_graphs(across):
    """Nodes and labels never overlap, edges end at their nodes, all is inside the drawing."""
    source = random.Random(5)
    for _ in range(120):
        boxes, edges, labels = random_graph(source)
        first = source.sample(range(len(boxes)), source.randint(0, min(3, len(boxes))))
        drawing = layout(boxes, edges, first, labels, across=across)
        things = list(zip(boxes, drawing.nodes))
        things += [(b, at) for b, at in zip(labels, drawing.labels) if b and at]
        for (one, at), (other, there) in itertools.combinations(things, 2):
            assert not overlap(one, other, at, there)
        for thing, (x, y) in things:
            assert x - thing.left >= -0.2 and x + thing.right <= drawing.width + 0.2
            assert y - thing.up >= -0.2 and y + thing.down <= drawing.height + 0.2
        for (begin, end), route, label in zip(edges, drawing.routes, drawing.labels):
            assert bool(route) == (begin != end)
            assert label is None or begin != end
            for node, point in ((begin, route[:1]), (end, route[-1:])):
                for x, y in point:
                    dx, dy = x - drawing.nodes[node][0], y - drawing.nodes[node][1]
                    assert abs(dx) <= boxes[node].half_width + 0.2
                    assert abs(dy) <= boxes[node].half_height + 0.2


def test_a_tree_and_a_ladder_are_drawn_without_crossings():
    tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]
    ladder = [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7)]
    for edges in (tree, ladder):
        number = max(map(max, edges)) + 1
        drawing = layout([box(20, 20)] * number, edges)
        for (a, b), (c, d) in itertools.combinations(edges, 2):
            pairs = [drawing.nodes[node] for node in (a, b, c, d)]
            if pairs[0][1] == pairs[2][1] and pairs[1][1] == pairs[3][1]:
                assert (pairs[0][0] - pairs[2][0]) * (pairs[1][0] - pairs[3][0]) >= 0


def test_chains_are_straight():
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    drawing = layout([box(30, 20)] * 5, edges, [0])
    assert len({x for x, _ in drawing.nodes[1:4]}) == 1
    assert [y for _, y in drawing.nodes] == sorted(y for _, y in drawing.nodes)


def test_layouts_are_quick_and_deterministic():
    source = random.Random(1)
    edges = [(source.randrange(60), source.randrange(60)) for _ in range(150)]
    import time

    begin = time.perf_counter()
    first = layout([box(60, 26)] * 60, edges, [0], [box(40, 16)] * 150)
    assert time.perf_counter() - begin < 5
    assert first == layout([box(60, 26)] * 60, edges, [0], [box(40, 16)] * 150)
