//! Tests of BPMN files with several pools, and of the messages between them.

use crate::bpmn::{check, flows_of};
use crate::read_as;

/// Two pools that exchange messages, and a participant without a process.
fn pools(flows: &str) -> String {
    format!(
        "<definitions><collaboration id='c'><participant id='A' processRef='p'/><participant id='B' processRef='q'/>\
         <participant id='C'/>{flows}</collaboration><process id='p'><startEvent id='a'/><sendTask id='s'/>\
         <receiveTask id='r'/><endEvent id='z'/>{}</process><process id='q'><startEvent id='b'>\
         <messageEventDefinition/></startEvent><endEvent id='y'><messageEventDefinition/></endEvent>{}</process>\
         <process id='empty'/></definitions>",
        flows_of("a->s,s->r,r->z"),
        flows_of("b->y")
    )
}

#[test]
fn pools_exchange_messages() {
    let flows = "<messageFlow id='m' sourceRef='s' targetRef='b'/><messageFlow id='n' sourceRef='y' targetRef='r'/>\
                 <messageFlow id='o' sourceRef='s' targetRef='C'/>";
    check(
        &pools(flows),
        &[
            "[begin]: start > -start +running +start p",
            "[complete]: !a-s !s-r !r-z !b-y !message b !message r running !start p end z<=1 end y<=1 > +end -running \
             0end z 0end y",
            "[a]: start p > +a-s -start p",
            "s: a-s > -a-s +s-r +message b",
            "r: s-r message r > -s-r +r-z -message r",
            "[z]: r-z > -r-z +end z",
            "b: message b > +b-y -message b",
            "y: b-y > -b-y +message r +end y",
        ],
    );
}

#[test]
fn messages_of_other_participants_may_always_come() {
    check(
        &pools("<messageFlow id='m' sourceRef='C' targetRef='b'/>"),
        &[
            "[begin]: start > -start +running +start p +start q",
            "[complete]: !a-s !s-r !r-z !b-y running !start p !start q end z<=1 end y<=1 > +end -running 0end z 0end y",
            "[a]: start p > +a-s -start p",
            "s: a-s > -a-s +s-r",
            "r: s-r > -s-r +r-z",
            "[z]: r-z > -r-z +end z",
            "b: start q > +b-y -start q",
            "y: b-y > -b-y +end y",
        ],
    );
}

#[test]
fn messages_that_are_not_read() {
    let flow = |from: &str, to: &str| pools(&format!("<messageFlow id='m' sourceRef='{from}' targetRef='{to}'/>"));
    for (text, code) in [
        (flow("s", "x"), "bpmn::unknown-id"),
        (flow("s", "r"), "bpmn::structure"),
        (flow("a", "b"), "bpmn::structure"),
        (flow("y", "z"), "bpmn::structure"),
        (
            pools("<messageFlow id='m' sourceRef='y' targetRef='s'/><messageFlow id='n' sourceRef='s' targetRef='b'/>"),
            "bpmn::unsupported",
        ),
    ] {
        assert_eq!(read_as("t.bpmn", &text).expect_err(&text).code(), code, "{text}");
    }
}
