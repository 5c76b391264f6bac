//! BPMN 2.0 process models as Petri nets, for questions about their control flow, soundness above all.
//!
//! A file is parsed to a list of processes, nodes and flows (`parse.rs`, `tree.rs`). The references are resolved and
//! checked (`resolve.rs`, `check.rs`). The mapping to a net then works on this list: `net.rs` has places and steps,
//! `nodes.rs` the steps of each node, `activity.rs` activities with boundary events, `join.rs` and
//! `inclusive.rs` inclusive gateways.
//!
//! Data, resources and times are not part of the net: each choice is free, and each event may happen. A construct
//! without a token semantics is refused, because a net that leaves it out would have other runs. Reference:
//! `docs/bpmn.md`.

mod activity;
mod check;
mod inclusive;
mod join;
mod net;
mod nodes;
mod parse;
mod resolve;
mod tree;

use crate::xml::{Xml, in_utf8};
use formats::error::Text;
use formats::format::{Format, Read};
use formats::source::{Limits, Source};
use model::{Net, Problem};
use net::Builder;
use std::sync::Arc;
use tree::{Res, Tree};

/// BPMN process models, read as nets.
pub const FORMAT: Format = Format {
    name: "bpmn",
    extensions: &["bpmn"],
    family: model::Family::Nets,
    doc: "Process models in BPMN 2.0, read as Petri nets (input only).",
    read: Some(read),
    write: None,
    says_goals: false,
};

fn read(source: &Source, limits: &Limits) -> Res<Read> {
    let source = in_utf8(source);
    let mut xml = Xml::new(&source, limits)?;
    let tree = resolve::resolve(xml.text, parse::parse(&mut xml)?)?;
    check::check(xml.text, &tree)?;
    let net = net_of(xml.text, limits, &tree)?;
    Ok(Read { problem: Problem::of_net(Arc::new(net)), warnings: Vec::new() })
}

/// Returns the net of a file.
fn net_of(text: Text<'_>, limits: &Limits, tree: &Tree) -> Res<Net> {
    let blocks = join::blocks(text, limits, tree)?;
    let mut builder = Builder::new(text, limits, tree);
    builder.start = builder.place("start", "", None)?;
    builder.end = builder.place("end", "", None)?;
    nodes::nodes(&mut builder, blocks)?;
    builder.finish()
}
