//! Tests of BPMN files: the net of each construct.

use crate::pnml::net;
use crate::read_as;
use model::{Net, PlaceId, TransitionId};

/// A file with one process. `a -> b` in the second text is a sequence flow.
pub(crate) fn file(nodes: &str, flows: &str) -> String {
    format!("<definitions><process id='p'>{nodes}{}</process></definitions>", flows_of(flows))
}

/// Sequence flows, with ids made of the ids of their ends.
pub(crate) fn flows_of(flows: &str) -> String {
    let flow = |flow: &str| {
        let (from, to) = flow.trim().split_once("->").unwrap();
        let (from, to) = (from.trim(), to.trim());
        format!("<sequenceFlow id='{from}-{to}' sourceRef='{from}' targetRef='{to}'/>")
    };
    flows.split_terminator(',').map(flow).collect()
}

/// Nodes from a list of an element and an id each: `task t, endEvent z`.
pub(crate) fn nodes(list: &str) -> String {
    let node = |node: &str| {
        let (element, id) = node.trim().split_once(' ').unwrap();
        format!("<{element} id='{id}'/>")
    };
    list.split_terminator(',').map(node).collect()
}

fn net_of(text: &str) -> Net {
    let read = read_as("t.bpmn", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    assert!(read.warnings.is_empty(), "{text}");
    net(&read.problem).clone()
}

/// Lines `name: guards > effects` of all transitions, with silent ones in brackets. Guards of one token are shown
/// without a number, tests for no token as `!place`, for at most one as `place<=1`. Effects are `+place`, `-place` and
/// `0place` for a reset, with `1place` for a reset that leaves a token.
fn steps(net: &Net) -> Vec<String> {
    let place = |p: PlaceId| net.place(p).name.as_str();
    let step = |(t, transition): (usize, &model::Transition)| {
        let guard = |guard: &model::Guard| match (&guard.range.at_least, &guard.range.at_most) {
            (least, None) => format!("{}{}", if *least == 1u8.into() { "" } else { "several " }, place(guard.place)),
            (_, Some(most)) if *most == 0u8.into() => format!("!{}", place(guard.place)),
            (least, Some(most)) if least == most => format!("{}={most}", place(guard.place)),
            (_, Some(most)) => format!("{}<={most}", place(guard.place)),
        };
        let effect = |effect: &model::Effect| match effect.delta() {
            Some(delta) => format!("{}{}", if *delta < 0.into() { "-" } else { "+" }, place(effect.place)),
            None => format!("{}{}", effect.add, place(effect.place)),
        };
        let guards: Vec<String> = transition.guards.iter().map(guard).collect();
        let effects: Vec<String> = transition.effects.iter().map(effect).collect();
        let name = &transition.name;
        let name = if net.is_silent(TransitionId::new(t)) { format!("[{name}]") } else { name.clone() };
        format!("{name}: {} > {}", guards.join(" "), effects.join(" "))
    };
    net.transitions().iter().enumerate().map(step).collect()
}

pub(crate) fn check(text: &str, expected: &[&str]) {
    let net = net_of(text);
    assert_eq!(steps(&net), expected, "{text}");
    let initial: Vec<&str> =
        net.places().iter().filter(|p| !p.initial.contains(&0u8.into())).map(|p| p.name.as_str()).collect();
    assert_eq!(initial, ["start"]);
}

#[test]
fn a_sequence_of_events_and_tasks() {
    let text = "<?xml version='1.0'?><bpmn2:definitions xmlns:bpmn2='http://www.omg.org/spec/BPMN/20100524/MODEL'>
        <bpmn2:message id='m'/><bpmn2:process id='p' isClosed='false' processType='None'>
        <bpmn2:laneSet id='l'><bpmn2:lane id='l1'><bpmn2:flowNodeRef>a</bpmn2:flowNodeRef></bpmn2:lane></bpmn2:laneSet>
        <bpmn2:startEvent id='a' name='' parallelMultiple='false'><bpmn2:outgoing>f</bpmn2:outgoing></bpmn2:startEvent>
        <bpmn2:userTask id='t' name='look  at&#10;it'><bpmn2:documentation>Look.</bpmn2:documentation>
          <bpmn2:multiInstanceLoopCharacteristics isSequential='true'/><bpmn2:ioSpecification/></bpmn2:userTask>
        <bpmn2:endEvent id='z'/><bpmn2:textAnnotation id='x'><bpmn2:text>note</bpmn2:text></bpmn2:textAnnotation>
        <bpmn2:sequenceFlow id='f' sourceRef='a' targetRef='t'><bpmn2:extensionElements/></bpmn2:sequenceFlow>
        <bpmn2:sequenceFlow id='g' sourceRef='t' targetRef='z'/></bpmn2:process>
        <bpmndi:BPMNDiagram><bpmndi:BPMNPlane/></bpmndi:BPMNDiagram></bpmn2:definitions>";
    check(text, &["[a]: start > -start +f", "t: f > -f +g", "[z]: g > +end -g"]);
    let net = net_of(text);
    assert_eq!(net.shown_transition(TransitionId(1)), "look at it");
    assert_eq!(net.shown_place(PlaceId(2)), "a -> look at it");
    assert_eq!(net.finals(), [vec![(PlaceId(1), 1u8.into())]]);
}

#[test]
fn tasks_merge_and_fork() {
    check(
        &file(&nodes("startEvent a, startEvent b, task t, endEvent z, endEvent y"), "a->t,b->t,t->z,t->y"),
        &[
            "[begin]: start > -start +running +start p",
            "[t <- a-t]: a-t > -a-t +to t",
            "[t <- b-t]: b-t > -b-t +to t",
            "[complete]: !a-t !b-t !t-z !t-y running !start p !to t end z<=1 end y<=1 > +end -running 0end z 0end y",
            "[a]: start p > +a-t -start p",
            "[b]: start p > +b-t -start p",
            "t: to t > +t-z +t-y -to t",
            "[z]: t-z > -t-z +end z",
            "[y]: t-y > -t-y +end y",
        ],
    );
}

#[test]
fn exclusive_gateways_choose_and_merge() {
    check(
        &file(&nodes("startEvent a, exclusiveGateway g, exclusiveGateway h, endEvent z"), "a->g,g->h,h->g,h->z"),
        &[
            "[g <- a-g]: a-g > -a-g +to g",
            "[g <- h-g]: h-g > -h-g +to g",
            "[a]: start > -start +a-g",
            "[g]: to g > +g-h -to g",
            "[h -> h-g]: g-h > -g-h +h-g",
            "[h -> h-z]: g-h > -g-h +h-z",
            "[z]: h-z > +end -h-z",
        ],
    );
}

#[test]
fn several_ends_without_forks() {
    check(
        &file(&nodes("startEvent a, exclusiveGateway g, endEvent z, task y"), "a->g,g->y,g->z"),
        &[
            "[a]: start > -start +a-g",
            "[g -> g-y]: a-g > -a-g +g-y",
            "[g -> g-z]: a-g > -a-g +g-z",
            "[z]: g-z > +end -g-z",
            "y: g-y > +end -g-y",
        ],
    );
}

#[test]
fn parallel_gateways_fork_and_join() {
    check(
        &file(
            &nodes("startEvent a, parallelGateway g, task t, task u, parallelGateway h, endEvent z"),
            "a->g,g->t,g->u,t->h,u->h,h->z",
        ),
        &[
            "[a]: start > -start +a-g",
            "[g]: a-g > -a-g +g-t +g-u",
            "t: g-t > -g-t +t-h",
            "u: g-u > -g-u +u-h",
            "[h]: t-h u-h > -t-h -u-h +h-z",
            "[z]: h-z > +end -h-z",
        ],
    );
}

#[test]
fn nodes_start_and_end_without_events() {
    check(
        &file(&nodes("task t, task u, parallelGateway j"), "t->j,u->j"),
        &[
            "[begin]: start > -start +start t +start u",
            "t: start t > +t-j -start t",
            "u: start u > +u-j -start u",
            "[j]: t-j u-j > +end -t-j -u-j",
        ],
    );
}

#[test]
fn events_behind_a_gateway_compete() {
    check(
        &file(
            "<startEvent id='a'/><eventBasedGateway id='g'/><intermediateCatchEvent id='m'><messageEventDefinition/>\
             </intermediateCatchEvent><intermediateCatchEvent id='t'><timerEventDefinition><timeDuration>P1D\
             </timeDuration></timerEventDefinition></intermediateCatchEvent><receiveTask id='r'/><endEvent id='z'/>",
            "a->g,g->m,g->t,g->r,m->z,t->z,r->z",
        ),
        &[
            "[z <- m-z]: m-z > -m-z +to z",
            "[z <- t-z]: t-z > -t-z +to z",
            "[z <- r-z]: r-z > -r-z +to z",
            "[a]: start > -start +a-g",
            "m: a-g > -a-g +m-z",
            "t: a-g > -a-g +t-z",
            "r: a-g > -a-g +r-z",
            "[z]: to z > +end -to z",
        ],
    );
}

#[test]
fn inclusive_gateways_choose_and_wait() {
    check(
        &file(
            &nodes("startEvent a, inclusiveGateway s, task t, inclusiveGateway j, endEvent z"),
            "a->s,s->t,t->j,s->j,j->z",
        ),
        &[
            "[a]: start > -start +a-s",
            "[s -> s-t]: a-s > -a-s +s-t +bypass s-j",
            "[s -> s-j]: a-s > -a-s +s-j +bypass s-t",
            "[s -> s-t, s-j]: a-s > -a-s +s-t +s-j",
            "t: s-t > -s-t +t-j",
            "[j <- t-j]: t-j bypass s-j > -t-j +j-z -bypass s-j",
            "[j <- s-j]: s-j bypass s-t > -s-j +j-z -bypass s-t",
            "[j <- t-j, s-j]: t-j s-j > -t-j -s-j +j-z",
            "[z]: j-z > +end -j-z",
        ],
    );
}

#[test]
fn the_default_flow_is_taken_alone() {
    check(
        &file(
            "<startEvent id='a'/><inclusiveGateway id='s' default='s-u'/><task id='t'/><task id='u'/>\
             <inclusiveGateway id='j'/>",
            "a->s,s->t,t->j,s->u,u->j",
        ),
        &[
            "[a]: start > -start +a-s",
            "[s -> s-t]: a-s > -a-s +s-t +bypass s-u",
            "[s -> s-u]: a-s > -a-s +s-u +bypass s-t",
            "t: s-t > -s-t +t-j",
            "u: s-u > -s-u +u-j",
            "[j <- t-j]: t-j bypass s-u > +end -t-j -bypass s-u",
            "[j <- u-j]: u-j bypass s-t > +end -u-j -bypass s-t",
        ],
    );
}

#[test]
fn links_jump() {
    check(
        &file(
            "<startEvent id='a'/><intermediateThrowEvent id='x'><linkEventDefinition name='L'/>\
             </intermediateThrowEvent><intermediateCatchEvent id='y'>\
             <linkEventDefinition name='L'/></intermediateCatchEvent><endEvent id='z'/>",
            "a->x,y->z",
        ),
        &["[a]: start > -start +a-x", "[x]: a-x > -a-x +link y", "[y]: link y > +y-z -link y", "[z]: y-z > +end -y-z"],
    );
}

#[test]
fn boundary_events_are_alternatives() {
    check(
        &file(
            "<startEvent id='a'/><task id='t'/><boundaryEvent id='b' attachedToRef='t'><errorEventDefinition/>\
             </boundaryEvent><endEvent id='z'/>",
            "a->t,t->z,b->z",
        ),
        &[
            "[z <- t-z]: t-z > -t-z +to z",
            "[z <- b-z]: b-z > -b-z +to z",
            "[a]: start > -start +a-t",
            "t: a-t > -a-t +t-z",
            "b: a-t > -a-t +b-z",
            "[z]: to z > +end -to z",
        ],
    );
}

#[test]
fn a_timer_beside_a_task_fires_once() {
    check(
        &file(
            "<startEvent id='a'/><task id='t'/><boundaryEvent id='b' attachedToRef='t' cancelActivity='false'>\
             <timerEventDefinition/></boundaryEvent><endEvent id='z'/>",
            "a->t,t->z,b->z",
        ),
        &[
            "[z <- t-z]: t-z > -t-z +to z",
            "[z <- b-z]: b-z > -b-z +to z",
            "[a]: start > -start +a-t",
            "[enter t]: a-t > -a-t +active t",
            "t: active t > +t-z -active t",
            "t after b: active t after b > +t-z -active t after b",
            "b: active t > +b-z -active t +active t after b",
            "[z]: to z > +end -to z",
        ],
    );
}

#[test]
fn a_sub_process_of_one_token() {
    check(
        &file(
            "<startEvent id='a'/><subProcess id='s'><startEvent id='b'/><task id='t'/><endEvent id='c'/>\
             <sequenceFlow id='b-t' sourceRef='b' targetRef='t'/><sequenceFlow id='t-c' sourceRef='t' targetRef='c'/>\
             </subProcess><endEvent id='z'/>",
            "a->s,s->z",
        ),
        &[
            "[a]: start > -start +a-s",
            "[enter s]: a-s > -a-s +start s +active s",
            "[complete s]: end s active s > +s-z -end s -active s",
            "[b]: start s > +b-t -start s",
            "t: b-t > -b-t +t-c",
            "[c]: t-c > -t-c +end s",
            "[z]: s-z > +end -s-z",
        ],
    );
}

#[test]
fn a_sub_process_of_several_tokens_with_a_timer() {
    check(
        &file(
            "<startEvent id='a'/><subProcess id='s'><task id='t'/><task id='u'/></subProcess>\
             <boundaryEvent id='b' attachedToRef='s'><timerEventDefinition/></boundaryEvent><endEvent id='z'/>",
            "a->s,s->z,b->z",
        ),
        &[
            "[z <- s-z]: s-z > -s-z +to z",
            "[z <- b-z]: b-z > -b-z +to z",
            "[a]: start > -start +a-s",
            "[enter s]: a-s > -a-s +start t +start u +active s",
            "[complete s]: !start t !start u end s active s > +s-z 0end s -active s",
            "b: active s > +b-z 0start t 0start u 0end s -active s",
            "t: start t > -start t +end s",
            "u: start u > -start u +end s",
            "[z]: to z > +end -to z",
        ],
    );
}

#[test]
fn errors_end_the_sub_process_that_catches_them() {
    check(
        &file(
            "<startEvent id='a'/><subProcess id='s'><subProcess id='q'><endEvent id='e'><errorEventDefinition \
             errorRef='E'/></endEvent><task id='t'/></subProcess><boundaryEvent id='f' attachedToRef='q'>\
             <errorEventDefinition errorRef='F'/></boundaryEvent></subProcess><boundaryEvent id='b' attachedToRef='s'>\
             <errorEventDefinition errorRef='E'/></boundaryEvent><endEvent id='z'/>",
            "a->s,s->z,b->z",
        ),
        &[
            "[z <- s-z]: s-z > -s-z +to z",
            "[z <- b-z]: b-z > -b-z +to z",
            "[a]: start > -start +a-s",
            "[enter s]: a-s > -a-s +start q +active s",
            "[complete s]: end s active s > +s-z -end s -active s",
            "[enter q]: start q > -start q +start e +start t +active q",
            "[complete q]: !start e !start t end q active q > +end s 0end q -active q",
            "f: active q > 0start e 0start t +end s 0end q -active q",
            "e: start e > +b-z 0start q 0start e 0start t 0end s 0end q 0active s 0active q",
            "t: start t > -start t +end q",
            "[z]: to z > +end -to z",
        ],
    );
}

#[test]
fn terminate_events_clear_their_scope() {
    check(
        &file(
            "<startEvent id='a'/><task id='t'/><endEvent id='y'/><endEvent id='z'>\
             <terminateEventDefinition/></endEvent>",
            "a->t,t->y,t->z",
        ),
        &[
            "[begin]: start > -start +running +start p",
            "[complete]: !a-t !t-y !t-z running !start p end y<=1 end z<=1 > +end -running 0end y 0end z",
            "[a]: start p > +a-t -start p",
            "t: a-t > -a-t +t-y +t-z",
            "[y]: t-y > -t-y +end y",
            "z: t-z > 0a-t 0t-y 0t-z 0start p 0end y 1end z",
        ],
    );
}
