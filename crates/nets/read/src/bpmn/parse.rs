//! The parser of BPMN files: XML to nodes and flows with the ids that they name. Elements are identified by their local
//! names, because tools differ in their prefixes. Elements without effect on the control flow are in the table
//! `SKIPPED`. An unknown element of a process is refused.

use super::tree::{Event, Kind, Node, NodeId, Res, Scope, ScopeId, Tree, unsupported};
use crate::xml::{Attributes, Piece, Tag, Xml, attribute, span};
use formats::codes::{self, Code};
use formats::error::{Span, printable};

/// Elements of processes, nodes and flows that say nothing about the order of steps.
const SKIPPED: &[&str] = &[
    "association",
    "auditing",
    "categoryValueRef",
    "correlationSubscription",
    "dataInput",
    "dataInputAssociation",
    "dataObject",
    "dataObjectReference",
    "dataOutput",
    "dataOutputAssociation",
    "dataState",
    "dataStoreReference",
    "documentation",
    "extensionElements",
    "group",
    "humanPerformer",
    "incoming",
    "inputSet",
    "ioBinding",
    "ioSpecification",
    "laneSet",
    "monitoring",
    "outgoing",
    "outputSet",
    "performer",
    "potentialOwner",
    "property",
    "rendering",
    "resourceRole",
    "script",
    "supportedInterfaceRef",
    "supports",
    "textAnnotation",
];

/// A node or flow of a file needs as much memory as this many places or transitions.
const SHARE: usize = 16;

/// A flow with the ids of its ends.
pub(super) struct RawFlow {
    pub(super) id: String,
    pub(super) span: Span,
    pub(super) source: String,
    pub(super) target: String,
    pub(super) is_conditional: bool,
}

/// A participant of a collaboration.
pub(super) struct Participant {
    pub(super) id: String,
    pub(super) span: Span,
    pub(super) process: Option<String>,
    /// The place of a number of instances.
    pub(super) repeats: Option<Span>,
}

/// The content of a file, with references as ids.
#[derive(Default)]
pub(super) struct Raw {
    /// The tree without flows and messages.
    pub(super) tree: Tree,
    pub(super) flows: Vec<RawFlow>,
    pub(super) messages: Vec<RawFlow>,
    pub(super) participants: Vec<Participant>,
    /// The activities of boundary events, in the order of the events.
    pub(super) hosts: Vec<(NodeId, String)>,
    /// Call activities with the ids of what they call.
    pub(super) calls: Vec<(NodeId, String)>,
}

struct Parser<'x, 'a> {
    xml: &'x mut Xml<'a>,
    raw: Raw,
}

pub(super) fn parse(xml: &mut Xml<'_>) -> Res<Raw> {
    let mut parser = Parser { xml, raw: Raw::default() };
    parser.file()?;
    Ok(parser.raw)
}

impl<'a> Parser<'_, 'a> {
    fn file(&mut self) -> Res<()> {
        let root = self.xml.expect_open("the element `definitions`")?;
        if root.name != "definitions" {
            let message = format!("the file is not BPMN: it begins with the element `{}`", printable(root.name));
            let error = self.xml.text.error(&codes::BPMN_ROOT, root.span, message);
            return Err(error.label("expected `definitions`"));
        }
        while let Some(tag) = self.xml.child()? {
            match tag.name {
                "process" => self.process(&tag)?,
                "collaboration" => self.collaboration()?,
                "choreography" | "globalChoreographyTask" => return Err(self.refuse(&tag, "")),
                _ => self.xml.skip()?,
            }
        }
        match self.xml.next()? {
            Piece::End if !self.raw.tree.nodes.is_empty() => Ok(()),
            _ => {
                let error = self.xml.text.error(&codes::BPMN_ROOT, root.span, "the file has no process with nodes");
                Err(error.label("expected a `process` with events and activities"))
            }
        }
    }

    fn refuse(&self, tag: &Tag<'a>, hint: &str) -> Box<formats::error::Error> {
        let name = attribute_of(self.xml, tag, "name").or_else(|| attribute_of(self.xml, tag, "id"));
        let name = name.map_or(String::new(), |name| format!(" of `{}`", printable(&name)));
        let what = format!("the element `{}`{name}", printable(tag.name));
        unsupported(self.xml.text, span(tag), &what, hint)
    }

    /// Reads a process and the sub-processes inside.
    fn process(&mut self, tag: &Tag<'a>) -> Res<()> {
        let id = self.id(tag, "id")?;
        let mut open = vec![self.scope(id, span(tag), None)];
        while let Some(&scope) = open.last() {
            match self.xml.child()? {
                Some(tag) => open.extend(self.element(&tag, scope)?),
                None => {
                    self.raw.tree.scopes[scope.0].end = self.raw.tree.scopes.len();
                    open.pop();
                }
            }
        }
        Ok(())
    }

    fn scope(&mut self, id: String, span: Span, owner: Option<NodeId>) -> ScopeId {
        let scopes = &mut self.raw.tree.scopes;
        scopes.push(Scope { id, span, owner, end: 0, nodes: Vec::new(), repeats: None });
        ScopeId(scopes.len() - 1)
    }

    /// Reads an element of a process. Returns the scope that it opens.
    fn element(&mut self, tag: &Tag<'a>, scope: ScopeId) -> Res<Option<ScopeId>> {
        match tag.name {
            "sequenceFlow" => {
                let limit = self.xml.limits.places / SHARE;
                self.count(tag, self.raw.flows.len(), limit, &codes::LIMIT_PLACES, "sequence flows")?;
                let flow = self.flow(tag)?;
                self.raw.flows.push(flow);
            }
            "subProcess" => return self.sub_process(tag, scope).map(Some),
            "standardLoopCharacteristics" | "multiInstanceLoopCharacteristics"
                if self.raw.tree.scope(scope).owner.is_some() =>
            {
                self.raw.tree.scopes[scope.0].repeats = Some(span(tag));
                self.xml.skip()?;
            }
            "transaction" | "adHocSubProcess" => {
                return Err(self.refuse(tag, "a `subProcess` without compensation is read"));
            }
            "complexGateway" => {
                return Err(self.refuse(tag, "exclusive, parallel, inclusive and event-based gateways are read"));
            }
            name if SKIPPED.contains(&name) => self.xml.skip()?,
            name => match Kind::of(name) {
                Some(kind) => self.node(tag, scope, kind)?,
                None => return Err(self.refuse(tag, "docs/bpmn.md lists the elements that are read")),
            },
        }
        Ok(None)
    }

    fn sub_process(&mut self, tag: &Tag<'a>, scope: ScopeId) -> Res<ScopeId> {
        let attributes = self.xml.attributes(tag)?;
        if is_true(&attributes, "triggeredByEvent") {
            let hint = "boundary events of a sub-process are read";
            return Err(self.refuse_as(tag, "an event sub-process", hint));
        }
        let node = self.push(tag, &attributes, scope, Kind::Task(false))?;
        let inside = self.scope(self.raw.tree.node(node).id.clone(), span(tag), Some(node));
        self.raw.tree.nodes[node.0].kind = Kind::Sub(inside);
        Ok(inside)
    }

    fn refuse_as(&self, tag: &Tag<'a>, what: &str, hint: &str) -> Box<formats::error::Error> {
        unsupported(self.xml.text, span(tag), what, hint)
    }

    /// Reads a node that is no sub-process.
    fn node(&mut self, tag: &Tag<'a>, scope: ScopeId, kind: Kind) -> Res<()> {
        let attributes = self.xml.attributes(tag)?;
        if is_true(&attributes, "instantiate") && matches!(kind, Kind::Gateway(_) | Kind::Task(_)) {
            let hint = "write a start event for the message";
            return Err(self.refuse_as(tag, "a gateway or task that starts a process", hint));
        }
        if is_true(&attributes, "parallelMultiple") {
            return Err(self.refuse_as(tag, "an event with several definitions", "write an event for each of them"));
        }
        let node = self.push(tag, &attributes, scope, kind)?;
        if let Some(called) = attribute(&attributes, "calledElement").filter(|called| !called.is_empty()) {
            self.raw.calls.push((node, called.to_owned()));
        }
        let event = self.definitions(tag)?;
        let is_interrupting = !is_false(&attributes, "cancelActivity");
        let kind = &mut self.raw.tree.nodes[node.0].kind;
        let is_event = match kind {
            Kind::Start(old) | Kind::End(old) | Kind::Catch(old) | Kind::Throw(old) => {
                event.clone_into(old);
                true
            }
            Kind::Boundary { event: old, interrupting, .. } => {
                (*old, *interrupting) = (event.clone(), is_interrupting);
                true
            }
            _ => false,
        };
        if !is_event && event != Event::Plain {
            return Err(self.refuse_as(tag, "an event definition of a node that is no event", ""));
        }
        if tag.name == "boundaryEvent" {
            let host = self.id(tag, "attachedToRef")?;
            self.raw.hosts.push((node, host));
        }
        Ok(())
    }

    /// Adds a node without its content.
    fn push(&mut self, tag: &Tag<'a>, attributes: &Attributes<'a>, scope: ScopeId, kind: Kind) -> Res<NodeId> {
        let limit = self.xml.limits.transitions / SHARE;
        self.count(tag, self.raw.tree.nodes.len(), limit, &codes::LIMIT_TRANSITIONS, "nodes")?;
        if is_true(attributes, "isForCompensation") {
            return Err(self.refuse_as(tag, "an activity for compensation", ""));
        }
        for quantity in ["startQuantity", "completionQuantity"] {
            if attribute(attributes, quantity).is_some_and(|number| number != "1") {
                return Err(self.refuse_as(tag, &format!("a `{quantity}` other than 1"), ""));
            }
        }
        let id = self.id(tag, "id")?;
        let name = attribute(attributes, "name").unwrap_or_default();
        self.short(tag, name)?;
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = if name.is_empty() { id.clone() } else { name };
        let default = attribute(attributes, "default").filter(|flow| !flow.is_empty()).map(str::to_owned);
        let (incoming, outgoing, boundary) = (Vec::new(), Vec::new(), Vec::new());
        let node = NodeId(self.raw.tree.nodes.len());
        self.raw.tree.nodes.push(Node {
            id,
            name,
            span: span(tag),
            scope,
            kind,
            default,
            incoming,
            outgoing,
            boundary,
        });
        self.raw.tree.scopes[scope.0].nodes.push(node);
        Ok(node)
    }

    /// Reads the content of a node. Returns the definition of an event.
    fn definitions(&mut self, node: &Tag<'a>) -> Res<Event> {
        let mut event = None;
        while let Some(tag) = self.xml.child()? {
            let name = tag.name;
            if name.ends_with("EventDefinition") || name == "eventDefinitionRef" {
                if event.is_some() {
                    let hint = "write an event for each of them";
                    return Err(self.refuse_as(node, "an event with several definitions", hint));
                }
                event = Some(self.definition(&tag)?);
            } else if !SKIPPED.contains(&name) && !name.ends_with("LoopCharacteristics") {
                return Err(self.refuse(&tag, "docs/bpmn.md lists the elements that are read"));
            }
            self.xml.skip()?;
        }
        Ok(event.unwrap_or(Event::Plain))
    }

    fn definition(&self, tag: &Tag<'a>) -> Res<Event> {
        let reference = |name| self.xml.attribute(tag, name).map(|value| value.filter(|value| !value.is_empty()));
        Ok(match tag.name {
            "messageEventDefinition" => Event::Message,
            "timerEventDefinition" => Event::Timer,
            "signalEventDefinition" | "conditionalEventDefinition" => Event::Other,
            "terminateEventDefinition" => Event::Terminate,
            "linkEventDefinition" => Event::Link(self.xml.required(tag, "name")?.trim_ascii().to_owned()),
            "errorEventDefinition" => Event::Error(reference("errorRef")?.map(|error| error.into_owned())),
            _ => {
                let hint = "timer, message, signal, conditional, link, error and terminate events are read";
                return Err(self.refuse(tag, hint));
            }
        })
    }

    fn flow(&mut self, tag: &Tag<'a>) -> Res<RawFlow> {
        let (id, source, target) = (self.id(tag, "id")?, self.id(tag, "sourceRef")?, self.id(tag, "targetRef")?);
        let mut is_conditional = false;
        let depth = self.xml.depth();
        while let Some(tag) = self.xml.child()? {
            match tag.name {
                "conditionExpression" => {
                    while self.xml.depth() > depth {
                        is_conditional |= matches!(self.xml.next()?, Piece::Text(..));
                    }
                }
                name if SKIPPED.contains(&name) => self.xml.skip()?,
                _ => return Err(self.refuse(&tag, "")),
            }
        }
        Ok(RawFlow { id, span: span(tag), source, target, is_conditional })
    }

    fn collaboration(&mut self) -> Res<()> {
        while let Some(tag) = self.xml.child()? {
            match tag.name {
                "participant" => {
                    let process = self.xml.attribute(&tag, "processRef")?.filter(|process| !process.is_empty());
                    // A reference may have a prefix, as qualified names have.
                    let process = process.map(|process| process.rsplit(':').next().unwrap_or_default().to_owned());
                    let mut participant =
                        Participant { id: self.id(&tag, "id")?, span: span(&tag), process, repeats: None };
                    while let Some(tag) = self.xml.child()? {
                        if tag.name == "participantMultiplicity" {
                            participant.repeats = Some(span(&tag));
                        }
                        self.xml.skip()?;
                    }
                    self.raw.participants.push(participant);
                }
                "messageFlow" => {
                    let flow = self.flow(&tag)?;
                    self.raw.messages.push(flow);
                }
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    /// Returns an attribute that is an id. Refuses empty and too long ids.
    fn id(&self, tag: &Tag<'a>, name: &str) -> Res<String> {
        let id = self.xml.required(tag, name)?;
        self.short(tag, &id)?;
        Ok(id.trim_ascii().to_owned())
    }

    fn short(&self, tag: &Tag<'a>, name: &str) -> Res<()> {
        if name.len() <= self.xml.limits.name_length {
            return Ok(());
        }
        let message = format!("the id or name has more than {} bytes", self.xml.limits.name_length);
        Err(self.xml.text.error(&codes::LIMIT_NAME, tag.span.clone(), message).label("too long"))
    }

    fn count(&self, tag: &Tag<'a>, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        if have < most {
            return Ok(());
        }
        let message = format!("the file has more than {most} {what}");
        Err(self.xml.text.error(code, tag.span.clone(), message).label("the limit is reached here"))
    }
}

fn attribute_of(xml: &Xml<'_>, tag: &Tag<'_>, name: &str) -> Option<String> {
    xml.attribute(tag, name).ok().flatten().filter(|value| !value.is_empty()).map(|value| value.into_owned())
}

fn is_true(attributes: &Attributes<'_>, name: &str) -> bool {
    attribute(attributes, name).is_some_and(|value| matches!(value.trim_ascii(), "true" | "1"))
}

fn is_false(attributes: &Attributes<'_>, name: &str) -> bool {
    attribute(attributes, name).is_some_and(|value| matches!(value.trim_ascii(), "false" | "0"))
}
