//! Codes of BPMN files.

use super::codes;

/// A file with a process of a start event `a`, an end event `z`, and these elements.
macro_rules! process {
    ($elements:literal) => {
        concat!(
            "<definitions><process id=\"p\">\n<startEvent id=\"a\"/><endEvent id=\"z\"/>\n",
            $elements,
            "\n</process></definitions>"
        )
    };
}

const GOOD: &str = process!("<sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"z\"/>");
const TASK: &str = process!(
    "<task id=\"t\"/><sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"t\"/>\n<sequenceFlow id=\"g\" sourceRef=\"t\" \
     targetRef=\"z\"/>"
);

codes! {
    BPMN_ROOT "bpmn::no-process" "The file contains no process"
        "A BPMN file is an element `definitions` with a `process` inside that has events and activities."
        "<?xml version=\"1.0\"?><definitions/>", GOOD;
    BPMN_UNSUPPORTED "bpmn::unsupported" "An element that is not supported"
        "A net without this element would have other runs than the process, and so the file is refused. docs/bpmn.md \
         lists all elements that are read, and those that have no effect."
        process!("<complexGateway id=\"g\"/>"), TASK;
    BPMN_DUPLICATE "bpmn::duplicate-id" "An id stands twice"
        "The ids of processes, nodes, flows and participants are all different."
        process!("<task id=\"a\"/>"), TASK;
    BPMN_UNKNOWN "bpmn::unknown-id" "A reference to nothing"
        "Sequence flows and boundary events name nodes of the file by their ids, message flows nodes or participants. \
         Each link has a source and a target."
        process!("<sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"b\"/>"), GOOD;
    BPMN_STRUCTURE "bpmn::structure" "A node or flow where it must not be"
        "Sequence flows stay in their process or sub-process, do not enter start events and boundary events, and do \
         not leave end events. Message flows lead from one pool to another. Event-based gateways lead to events."
        process!("<sequenceFlow id=\"f\" sourceRef=\"z\" targetRef=\"a\"/>"), GOOD;
    BPMN_UNREACHED "bpmn::no-incoming" "A node that no sequence flow leads to"
        "If a process has a start event, this event starts all that happens in it. Without start events, all nodes \
         without incoming flow start together."
        process!("<task id=\"t\"/><sequenceFlow id=\"f\" sourceRef=\"t\" targetRef=\"z\"/>"), TASK;
    BPMN_INCLUSIVE "bpmn::inclusive" "An inclusive gateway without its counterpart"
        "An inclusive gateway that splits has one that joins exactly its branches, at most 8. No branch ends, and \
         nothing else leads into a branch. What other inclusive joins wait for is not known from the tokens near them."
        process!("<inclusiveGateway id=\"g\"/><sequenceFlow id=\"f\" sourceRef=\"a\" targetRef=\"g\"/>\n<sequenceFlow \
                  id=\"x\" sourceRef=\"g\" targetRef=\"z\"/><sequenceFlow id=\"y\" sourceRef=\"g\" targetRef=\"z\"/>"),
        process!("<inclusiveGateway id=\"g\"/><inclusiveGateway id=\"h\"/>\n<sequenceFlow id=\"f\" sourceRef=\"a\" \
                  targetRef=\"g\"/><sequenceFlow id=\"x\" sourceRef=\"g\" targetRef=\"h\"/>\n<sequenceFlow id=\"y\" \
                  sourceRef=\"g\" targetRef=\"h\"/><sequenceFlow id=\"e\" sourceRef=\"h\" targetRef=\"z\"/>");
    BPMN_UNCAUGHT "bpmn::uncaught-error" "An error that no boundary event catches"
        "An error end event ends the nearest sub-process around it that has an error event for this error, or for all \
         errors, at its boundary."
        "<?xml version=\"1.0\"?>\n<definitions><process id=\"p\"><startEvent id=\"a\"/>\n<endEvent \
         id=\"z\"><errorEventDefinition/></endEvent>\n<sequenceFlow id=\"f\" sourceRef=\"a\" \
         targetRef=\"z\"/></process></definitions>", GOOD;
}
