//! Reader for the list of properties: `property-set / property / (id, description, formula)`.

use super::formula::Reader;
use crate::codes;
use crate::error::{Error, printable};
use crate::reach::{Question, Questions, net_of};
use crate::source::{Limits, Source};
use crate::subject::Subject;
use crate::xml::{Piece, Tag, Xml, in_utf8};
use model::{Asked, Problem};
use std::collections::HashSet;

type Res<T> = Result<T, Box<Error>>;

/// Reads properties of the net of `problem`. They replace the properties of the problem.
///
/// # Errors
/// Mistakes in the input, and a problem that is not about a net. The problem is then unchanged.
pub(crate) fn read_properties(source: &Source, problem: &mut Problem, limits: &Limits) -> Res<Vec<Error>> {
    let net = net_of(problem, &source.name, "properties of the contest")?;
    let source = &in_utf8(source);
    let mut xml = Xml::new(source, limits)?;
    let mut questions = Questions::new(xml.text, Subject::Net(&net), limits);
    let mut reader = Reader::new(&net);
    let mut ids: HashSet<String> = HashSet::new();
    let mut warnings = Vec::new();
    let root = xml.expect_open("the element `property-set`")?;
    if root.name != "property-set" {
        let message = format!("the file is not a list of properties: it begins with `{}`", printable(root.name));
        let error = xml.text.error(&codes::MCC_ROOT, root.span, message);
        return Err(error.label("expected `property-set`"));
    }
    while let Some(tag) = xml.child()? {
        if tag.name != "property" {
            return Err(unknown(&xml, &tag, "property"));
        }
        let (id, formula) = property(&mut xml, &mut reader, &tag)?;
        if !ids.insert(id.clone()) {
            let message = format!("a second property `{}`", printable(&id));
            return Err(xml.text.error(&codes::MCC_DUPLICATE_ID, tag.span, message).label("again here"));
        }
        match formula {
            Ok(question) => questions.ask(id, &question, tag.span)?,
            Err(why) => {
                warnings.push(*why.hint(format!("`{}` stays unknown", printable(&id))).warning());
                questions.add_unsupported(id, Asked::Never);
            }
        }
    }
    match xml.next()? {
        Piece::End => {}
        _ => return Err(unknown(&xml, &root, "the end of the file")),
    }
    questions.put_into(problem, &source.name)?;
    Ok(warnings)
}

/// Parses the property that `tag` opens. Returns its id and its question, or the error that its kind of question
/// is not supported.
fn property<'a>(xml: &mut Xml<'a>, reader: &mut Reader<'a>, tag: &Tag<'a>) -> Res<(String, Res<Question>)> {
    let (mut id, mut formula) = (None, None);
    while let Some(child) = xml.child()? {
        match child.name {
            "id" if id.is_none() => {
                let (name, span) = xml.content(&child)?;
                if name.is_empty() || name.len() > xml.limits.name_length || name.contains(improper) {
                    let message =
                        if name.is_empty() { "the id of a property is empty" } else { "not a valid id of a property" };
                    let most = xml.limits.name_length;
                    let error = xml.text.error(&codes::MCC_ID, span, message);
                    return Err(error.label(format!("expected a name of 1 to {most} characters, without blanks")));
                }
                id = Some(name.into_owned());
            }
            "formula" if formula.is_none() => {
                let outside = xml.depth() - 1;
                // Examinations are known by the names of their properties only.
                let is_branching = id.as_ref().is_none_or(|id| !id.contains("LTL"));
                formula = Some(match reader.question(xml, is_branching) {
                    Err(why) if why.code() == codes::MCC_REACHABILITY.code => {
                        xml.skip_to(outside)?;
                        Err(why)
                    }
                    other => Ok(other?),
                });
            }
            "description" | "tags" | "toolspecific" | "expected-result" => xml.skip()?,
            _ => return Err(unknown(xml, &child, "one `id` and one `formula`")),
        }
    }
    match (id, formula) {
        (Some(id), Some(formula)) => Ok((id, formula)),
        _ => {
            let error = xml.text.error(&codes::MCC_ELEMENT, tag.span.clone(), "a property without id or formula");
            Err(error.label("expected `id` and `formula` inside"))
        }
    }
}

/// True for a character that ids must not contain. Answers are printed as `FORMULA id TRUE ..`, where a blank in
/// the id would change the meaning.
fn improper(c: char) -> bool {
    c.is_control() || c.is_whitespace()
}

fn unknown<'a>(xml: &Xml<'a>, tag: &Tag<'a>, expected: &str) -> Box<Error> {
    let message = format!("`{}` does not belong here", printable(tag.name));
    xml.text.error(&codes::MCC_ELEMENT, tag.span.clone(), message).label(format!("expected {expected}"))
}
