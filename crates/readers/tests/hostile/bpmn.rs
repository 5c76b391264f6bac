//! Hostile BPMN files.

use crate::xml::{Case, case, joined};

fn process(content: &str) -> String {
    format!("<definitions><process id='p'>{content}</process></definitions>")
}

fn flow(from: &str, to: &str) -> String {
    format!("<sequenceFlow id='{from}-{to}' sourceRef='{from}' targetRef='{to}'/>")
}

/// A sub-process in which `count` tasks start together, with `events` timers at its boundary.
fn interrupted(count: usize, events: usize) -> String {
    let event = |i| format!("<boundaryEvent id='b{i}' attachedToRef='s'><timerEventDefinition/></boundaryEvent>");
    let tasks = joined(count, |i| format!("<task id='t{i}'/>"));
    process(&format!("<subProcess id='s'>{tasks}</subProcess>{}", joined(events, event)))
}

pub(crate) fn bpmn() -> Vec<Case> {
    vec![
        case("million_tasks.bpmn", "limit::transitions", || {
            process(&joined(1_000_000, |i| format!("<task id='t{i}'/>")))
        }),
        case("many_tasks.bpmn", "", || process(&joined(30_000, |i| format!("<task id='t{i}'/>")))),
        case("million_flows.bpmn", "limit::places", || {
            let flow = |i| format!("<sequenceFlow id='f{i}' sourceRef='a' targetRef='b'/>");
            process(&format!("<task id='a'/><task id='b'/>{}", joined(1_000_000, flow)))
        }),
        case("nested.bpmn", "limit::nesting", || process(&joined(1_000_000, |i| format!("<subProcess id='s{i}'>")))),
        case("long_id.bpmn", "limit::name", || process(&format!("<task id='{}'/>", "x".repeat(2_000_000)))),
        case("long_name.bpmn", "limit::name", || process(&format!("<task id='t' name='{}'/>", "x".repeat(2_000_000)))),
        case("long_element.bpmn", "bpmn::unsupported", || process(&format!("<{}/>", "x".repeat(2_000_000)))),
        case("many_skipped.bpmn", "", || process(&format!("<task id='t'/>{}", "<documentation/>".repeat(2_000_000)))),
        case("interrupted.bpmn", "limit::arcs", || interrupted(10_000, 10_000)),
        case("inclusive.bpmn", "limit::unfolding", || {
            let (count, gateway) = (15_000, |i: usize| format!("<inclusiveGateway id='g{i}'/>"));
            let flows = joined(count - 2, |i| {
                flow(&format!("g{i}"), &format!("g{}", i + 1)) + &flow(&format!("g{i}"), &format!("g{}", i + 2))
            });
            process(&(joined(count, gateway) + &flows))
        }),
        case("nested_inclusive.bpmn", "limit::unfolding", || {
            let count = 8_000;
            let gateways = joined(count, |i| {
                format!("<inclusiveGateway id='s{i}'/><inclusiveGateway id='j{i}'/><task id='t{i}'/>")
            });
            let flows = joined(count - 1, |i| {
                let (s, j, t) = (format!("s{i}"), format!("j{i}"), format!("t{i}"));
                let (next, last) = (format!("s{}", i + 1), format!("j{}", i + 1));
                [flow(&s, &next), flow(&last, &j), flow(&s, &t), flow(&t, &j)].concat()
            });
            let inner = flow(&format!("s{}", count - 1), &format!("j{}", count - 1));
            process(&(gateways + &flows + &inner))
        }),
    ]
}
