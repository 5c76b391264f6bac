"""The token game: a net whose tokens move along a run, or as transitions are chosen.

The script is the same for every output, and has no text of the model in it: the data is in an
attribute, and names are only read from what is drawn. It looks for games that are not ready yet,
because a notebook may run it apart from its place in the page. Without it, the marking at the
begin and the table of steps are there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import net, svg

# Steps of a run that the game can show.
MOST_STEPS = 2000

_SCRIPT = """
(function(){
"use strict";
var NS="http://www.w3.org/2000/svg";
function begin(root){
 var d=JSON.parse(root.dataset.game),free=d.free,done=[],at=0,timer=null,i;
 var places=[],bars=[];
 root.querySelectorAll("[data-place]").forEach(function(g){places[g.dataset.place]=g;});
 root.querySelectorAll("[data-transition]").forEach(function(g){bars[g.dataset.transition]=g;});
 var rows=root.querySelectorAll("tr[data-step]");
 var box=root.querySelector(".ip-controls"),say=box.querySelector("output");
 var slide=box.querySelector("input"),buttons={};
 box.querySelectorAll("button").forEach(function(b){buttons[b.dataset.do]=b;});
 function steps(){return free?done:d.steps;}
 function marking(k){
  var m=d.marking.slice();
  for(i=0;i<k;i++){steps()[i][1].forEach(function(c){m[c[0]]=c[1];});}
  return m;
 }
 function tokens(g,n){
  var t=g.querySelector(".ip-tokens"),e;
  t.textContent="";
  if(n<d.spots.length){d.spots[n].forEach(function(s){
   e=document.createElementNS(NS,"circle");
   e.setAttribute("cx",s[0]);e.setAttribute("cy",s[1]);e.setAttribute("r","3.6");
   e.setAttribute("class","ip-token");t.appendChild(e);});}
  else{e=document.createElementNS(NS,"text");e.setAttribute("y","4");
   e.setAttribute("class","ip-middle ip-strong");
   e.textContent=String(n).length>5?String(n).slice(0,4)+"\\u2026":n;t.appendChild(e);}
 }
 function can(m,t){return d.arcs[t][0].every(function(a){return m[a[0]]>=a[1];});}
 function fire(t){
  var m=marking(at),to=m.slice(),changes=[];
  if(!can(m,t)){return;}
  d.arcs[t][0].forEach(function(a){to[a[0]]-=a[1];});
  d.arcs[t][1].forEach(function(a){to[a[0]]+=a[1];});
  to.forEach(function(n,p){if(n!==m[p]){changes.push([p,n]);}});
  done=done.slice(0,at);done.push([t,changes]);show(at+1);
 }
 function title(t){return bars[t].querySelector("title").textContent.split("\\n")[0];}
 function show(k){
  var all=steps(),m,last,some=false;
  at=Math.max(0,Math.min(all.length,k));
  m=marking(at);last=at?all[at-1]:null;
  places.forEach(function(g,p){tokens(g,m[p]);g.classList.remove("ip-changed");});
  if(last){last[1].forEach(function(c){places[c[0]].classList.add("ip-changed");});}
  bars.forEach(function(g,t){
   var on=free&&can(m,t);some=some||on;
   g.classList.toggle("ip-fired",!!last&&last[0]===t);
   g.classList.toggle("ip-can",on);
   if(free){g.setAttribute("tabindex",on?"0":"-1");g.setAttribute("role","button");
    g.setAttribute("aria-disabled",String(!on));}
  });
  rows.forEach(function(r){r.classList.toggle("ip-now",+r.dataset.step===at);});
  var now=root.querySelector("tr.ip-now"),pane=now&&now.closest(".ip-tall");
  if(pane){pane.scrollTop=now.offsetTop-pane.clientHeight/2;}
  slide.max=all.length;slide.value=at;
  buttons.first.disabled=buttons.back.disabled=at===0;
  buttons.next.disabled=buttons.last.disabled=at===all.length;
  if(buttons.play){buttons.play.disabled=all.length===0;}
  say.textContent="step "+at+" of "+all.length+(last?": "+title(last[0]):": the begin");
  if(free&&!some){say.textContent+=" \\u2014 no transition can fire";}
  if(!free&&at===all.length&&d.loop!==null){
   say.textContent+=" \\u2014 goes on as after step "+d.loop;}
 }
 function stop(){
  if(timer){clearInterval(timer);timer=null;buttons.play.textContent="\\u25b6 play";}
 }
 function act(what){
  if(what==="play"){
   if(timer){stop();return;}
   if(at===steps().length){show(0);}
   buttons.play.textContent="\\u23f8 stop";
   timer=setInterval(function(){
    if(!root.isConnected){stop();return;}
    if(at===steps().length){if(d.loop!==null&&d.loop<at){show(d.loop);}else{stop();return;}}
    show(at+1);},700);
   return;
  }
  stop();
  show({first:0,back:at-1,next:at+1,last:steps().length}[what]);
 }
 Object.keys(buttons).forEach(function(what){
  buttons[what].addEventListener("click",function(){act(what);});});
 slide.addEventListener("input",function(){stop();show(+slide.value);});
 if(free){bars.forEach(function(g,t){
  g.addEventListener("click",function(){fire(t);});
  g.addEventListener("keydown",function(e){
   if(e.key==="Enter"||e.key===" "){e.preventDefault();fire(t);}});});}
 rows.forEach(function(r){r.addEventListener("click",function(){stop();show(+r.dataset.step);});});
 box.hidden=false;show(0);
}
document.querySelectorAll(".ip-game[data-game]:not([data-ready])").forEach(function(root){
 root.setAttribute("data-ready","");
 begin(root);
});
})();
"""


def free_game(structure: Mapping[str, Any]) -> str:
    """The net at its begin; enabled transitions can be chosen.

    It is a picture only if a place is open, or if arcs do not say all about a transition.
    """
    marking = [place["initial"] for place in structure["places"]]
    picture = net.net_svg(structure, marking)
    if None in marking:
        note = "“any”: the number of tokens at the begin is open."
        return picture + svg.tag("p", note, class_="ip-note")
    if not all(map(net.is_plain, structure["transitions"])):
        return picture
    hint = svg.tag("span", "Click a highlighted transition to fire it.", class_="ip-soft")
    return _game(structure, marking, None, None, _controls(False) + hint, picture, "")


def run_game(
    structure: Mapping[str, Any],
    marking: Sequence[int],
    steps: Sequence[tuple[int, Sequence[tuple[int, int]]]],
    loop: int | None,
    table: str,
) -> str:
    """The net, and tokens that move along steps: a transition and the new numbers of tokens."""
    picture = net.net_svg(structure, marking)
    return _game(structure, marking, steps, loop, _controls(True), picture, table)


def _game(
    structure: Mapping[str, Any],
    marking: Sequence[int],
    steps: Sequence[tuple[int, Sequence[tuple[int, int]]]] | None,
    loop: int | None,
    controls: str,
    picture: str,
    table: str,
) -> str:
    number = {place["name"]: index for index, place in enumerate(structure["places"])}
    data = {
        "free": steps is None,
        "marking": list(marking),
        "steps": steps or [],
        "loop": loop,
        "spots": net.SPOTS,
        "arcs": [
            [[[number[place], tokens] for place, tokens in each[side].items()] for side in ("inputs", "outputs")]
            for each in structure["transitions"]
        ]
        if steps is None
        else [],
    }
    text = json.dumps(data, separators=(",", ":"))
    box = svg.tag("div", controls, class_="ip-controls", hidden="")
    game = svg.tag("div", box, picture, table, class_="ip-game", data_game=text)
    return game + svg.tag("script", _SCRIPT)


def _controls(play: bool) -> str:
    buttons = [("first", "«", "to the begin"), ("back", "‹", "one step back")]
    if play:
        buttons.append(("play", "▶ play", "play"))
    buttons += [("next", "›", "one step on"), ("last", "»", "to the end")]
    parts = [
        svg.tag("button", text, type="button", data_do=what, title=title, aria_label=title)
        for what, text, title in buttons
    ]
    slider = svg.tag("input", type="range", min=0, max=0, value=0, aria_label="step")
    return "".join(parts) + slider.replace("</input>", "") + svg.tag("output", aria_live="polite")
