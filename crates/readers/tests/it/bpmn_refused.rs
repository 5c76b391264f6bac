//! Tests of BPMN files that are refused.

use crate::bpmn::{file, flows_of, nodes};
use crate::read_as;

/// Files with a mistake or a construct that is not read, and the code of the error.
#[test]
fn broken_and_unsupported_files_are_refused() {
    let process = |content: &str| format!("<definitions><process id='p'>{content}</process></definitions>");
    let line = "<startEvent id='a'/><task id='t'/><endEvent id='z'/>";
    let flows = flows_of("a->t,t->z");
    let task = |more: &str| process(&format!("{line}{flows}{more}"));
    let at_task = |event: &str| task(&format!("<boundaryEvent id='b' attachedToRef='t'{event}</boundaryEvent>"));
    let end =
        |event: &str| process(&format!("<startEvent id='a'/><endEvent id='z'>{event}</endEvent>{}", flows_of("a->z")));
    let beside = " cancelActivity='false'><signalEventDefinition/>";
    let inclusive =
        |flows: &str| file(&nodes("startEvent a, inclusiveGateway s, task t, task u, inclusiveGateway j"), flows);
    for (text, code) in [
        ("<definitions>".to_owned(), "xml::syntax"),
        ("<pnml/>".to_owned(), "bpmn::no-process"),
        ("<definitions><process id='p'/></definitions>".to_owned(), "bpmn::no-process"),
        ("<definitions><choreography id='c'/></definitions>".to_owned(), "bpmn::unsupported"),
        (process("text"), "xml::content"),
        (process("<task/>"), "xml::missing-attribute"),
        (process("<task id=''/>"), "xml::missing-attribute"),
        (process("<sequenceFlow id='f' sourceRef='a'/>"), "xml::missing-attribute"),
        (process("<task id='t'/><task id='t'/>"), "bpmn::duplicate-id"),
        (task("<sequenceFlow id='t-z' sourceRef='t' targetRef='z'/>"), "bpmn::duplicate-id"),
        (task("<sequenceFlow id='f' sourceRef='t' targetRef='u'/>"), "bpmn::unknown-id"),
        (task("<sequenceFlow id='f' sourceRef='t' targetRef='p'/>"), "bpmn::structure"),
        (task("<sequenceFlow id='f' sourceRef='t' targetRef='a'/>"), "bpmn::structure"),
        (task("<sequenceFlow id='f' sourceRef='z' targetRef='t'/>"), "bpmn::structure"),
        (
            task("<subProcess id='s'><task id='u'/></subProcess><sequenceFlow id='f' sourceRef='t' targetRef='u'/>"),
            "bpmn::structure",
        ),
        (task("<task id='u'/>"), "bpmn::no-incoming"),
        (process(&format!("{}{}", nodes("task t, task u"), flows_of("t->u,u->t"))), "bpmn::structure"),
        (task("<boundaryEvent id='b' attachedToRef='x'><timerEventDefinition/></boundaryEvent>"), "bpmn::unknown-id"),
        (task("<boundaryEvent id='b' attachedToRef='z'><timerEventDefinition/></boundaryEvent>"), "bpmn::structure"),
        (task("<boundaryEvent id='b'><timerEventDefinition/></boundaryEvent>"), "xml::missing-attribute"),
        (at_task(beside), "bpmn::unsupported"),
        (at_task("><escalationEventDefinition/>"), "bpmn::unsupported"),
        (at_task("><cancelEventDefinition/>"), "bpmn::unsupported"),
        (at_task("><compensateEventDefinition/>"), "bpmn::unsupported"),
        (at_task(">"), "bpmn::unsupported"),
        (at_task("><timerEventDefinition/><signalEventDefinition/>"), "bpmn::unsupported"),
        (task("<thing id='x'/>"), "bpmn::unsupported"),
        (task("<complexGateway id='x'/>"), "bpmn::unsupported"),
        (task("<transaction id='x'/>"), "bpmn::unsupported"),
        (task("<adHocSubProcess id='x'/>"), "bpmn::unsupported"),
        (task("<subProcess id='x' triggeredByEvent='true'/>"), "bpmn::unsupported"),
        (task("<task id='x' isForCompensation='true'/>"), "bpmn::unsupported"),
        (task("<task id='x' startQuantity='2'/>"), "bpmn::unsupported"),
        (task("<receiveTask id='x' instantiate='true'/>"), "bpmn::unsupported"),
        (process("<subProcess id='s'><standardLoopCharacteristics/><task id='t'/></subProcess>"), "bpmn::unsupported"),
        (process("<callActivity id='t' calledElement='p'/>"), "bpmn::unsupported"),
        (process("<startEvent id='a'><errorEventDefinition/></startEvent>"), "bpmn::unsupported"),
        (
            task(
                "<sequenceFlow id='f' sourceRef='t' targetRef='z'><conditionExpression>x</conditionExpression>\
               </sequenceFlow>",
            ),
            "bpmn::unsupported",
        ),
        (end("<escalationEventDefinition/>"), "bpmn::unsupported"),
        (end("<errorEventDefinition/>"), "bpmn::uncaught-error"),
        (
            process(
                "<subProcess id='s'><endEvent id='e'><errorEventDefinition errorRef='E'/></endEvent></subProcess>\
                  <boundaryEvent id='b' attachedToRef='s'><errorEventDefinition errorRef='F'/></boundaryEvent>",
            ),
            "bpmn::uncaught-error",
        ),
        (
            process("<intermediateThrowEvent id='x'><linkEventDefinition name='L'/></intermediateThrowEvent>"),
            "bpmn::unknown-id",
        ),
        (
            process("<intermediateThrowEvent id='x'><linkEventDefinition/></intermediateThrowEvent>"),
            "xml::missing-attribute",
        ),
        (file(&nodes("startEvent a, eventBasedGateway g, task t"), "a->g,g->t"), "bpmn::structure"),
        (inclusive("a->s,s->t,s->u,t->j"), "bpmn::inclusive"),
        (inclusive("a->s,s->t,s->u,t->j,u->j,s->j,u->t"), "bpmn::inclusive"),
        (inclusive("a->s,s->t,t->u,u->j,t->j"), "bpmn::inclusive"),
        (inclusive("a->s,s->t,s->u,t->j,u->j,j->s"), "bpmn::inclusive"),
    ] {
        let error = read_as("t.bpmn", &text).expect_err(&text);
        assert_eq!(error.code(), code, "{text}");
        assert!(error.line_column().is_some(), "{text}");
    }
}

#[test]
fn a_branch_may_have_an_activity_with_a_boundary_event() {
    let nodes = "<startEvent id='a'/><inclusiveGateway id='s'/><task id='t'/><boundaryEvent id='b' attachedToRef='t'>\
                 <timerEventDefinition/></boundaryEvent><task id='u'/><exclusiveGateway id='x'/>\
                 <inclusiveGateway id='j'/>";
    assert!(read_as("t.bpmn", &file(nodes, "a->s,s->t,s->u,t->x,b->x,x->j,u->j")).is_ok());
    let error = read_as("t.bpmn", &file(nodes, "a->s,s->t,s->u,t->x,x->j,u->j")).unwrap_err();
    assert_eq!(error.code(), "bpmn::inclusive");
}

#[test]
fn a_branch_that_another_branch_enters_is_refused() {
    let nodes =
        nodes("startEvent a, inclusiveGateway s, task t, task u, task v, inclusiveGateway j, exclusiveGateway x");
    let error = read_as("t.bpmn", &file(&nodes, "a->x,x->s,x->t,s->t,s->u,t->j,u->j,j->v")).unwrap_err();
    assert_eq!(error.code(), "bpmn::inclusive");
}
