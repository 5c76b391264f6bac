//! The queries of a file of TAPAAL.

use super::nodes::Res;
use crate::mcc::{self, Formulas};
use crate::reach::{Questions, net_of};
use crate::subject::Subject;
use crate::xml::{Tag, Xml};
use formats::codes;
use formats::error::printable;
use formats::format::Read;
use formats::source::{Limits, Source};
use std::borrow::Cow;
use std::collections::HashSet;

/// Reads the reachability queries in XML, and warns about all other queries.
pub(super) fn queries(source: &Source, limits: &Limits, read: &mut Read) -> Res<()> {
    let net = net_of(&read.problem, &source.name, "queries")?;
    let mut xml = Xml::new(source, limits)?;
    let mut questions = Questions::new(xml.text, Subject::Net(&net), limits);
    let mut formulas = Formulas::new(&net);
    let mut ids: HashSet<String> = HashSet::new();
    xml.expect_open("the element `pnml`")?;
    while let Some(tag) = xml.child()? {
        let outside = xml.depth() - 1;
        if tag.name == "query" {
            let name = xml.attribute(&tag, "name")?.unwrap_or(Cow::Borrowed("query"));
            let id = mcc::id_of(&name, &mut ids);
            let asked = query(&mut xml, &tag, &mut formulas)
                .and_then(|question| questions.ask(id, &question, tag.span.clone()));
            if let Err(why) = asked {
                let message = format!("the query `{}` is not read: {}", printable(&name), why.message());
                let warning = xml.text.error(&codes::PNML_NOT_READ, tag.span.clone(), message).warning();
                read.warnings.push(*warning.label("this one").hint("ask it in a file of properties, or by --target"));
            }
        }
        xml.skip_to(outside)?;
    }
    questions.put_into(&mut read.problem, &source.name)
}

/// Reads the question of the open `query`.
pub(super) fn query<'a>(xml: &mut Xml<'a>, tag: &Tag<'a>, formulas: &mut Formulas<'_>) -> Res<crate::reach::Question> {
    let refused = |xml: &Xml<'a>, why: &str| Err(xml.text.error(&codes::PNML_NOT_READ, tag.span.clone(), why));
    if xml.attribute(tag, "active")?.is_some_and(|active| active == "false") {
        return refused(xml, "it is not active");
    }
    while let Some(child) = xml.child()? {
        if child.name == "formula" {
            return formulas.formula(xml)?.question(xml, true);
        }
        xml.skip()?;
    }
    refused(xml, "it is not in XML")
}
