//! Reader for the list of properties: `property-set / property / (id, description, formula)`.

use super::formula::{Reader, Written};
use crate::reach::{Questions, net_of};
use crate::subject::Subject;
use crate::xml::{Piece, Tag, Xml, in_utf8};
use formats::codes;
use formats::error::{Error, printable};
use formats::source::{Limits, Source};
use model::{Problem, QuestionForm};
use std::collections::HashSet;

type Res<T> = Result<T, Box<Error>>;

/// Reads properties of the net of `problem`. They replace the properties of the problem.
///
/// # Errors
/// Mistakes in the input, and a problem that is not about a net. The problem is then unchanged.
pub fn read_properties(source: &Source, problem: &mut Problem, limits: &Limits) -> Res<Vec<Error>> {
    let net = net_of(problem, &source.name, "properties of the contest")?;
    let source = &in_utf8(source);
    let mut xml = Xml::new(source, limits)?;
    let mut questions = Questions::new(xml.text, Subject::Net(&net), limits);
    let mut reader = Reader::new(&net);
    let (mut names, mut ids): (HashSet<String>, HashSet<String>) = Default::default();
    let (mut written, mut notes) = (Vec::new(), Vec::new());
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
        let (name, formula) = property(&mut xml, &mut reader, &tag)?;
        if !names.insert(name.clone()) {
            let message = format!("a second property `{}`", printable(&name));
            return Err(xml.text.error(&codes::MCC_DUPLICATE_ID, tag.span, message).label("again here"));
        }
        let id = id_of(&name, &mut ids);
        written.push((id, tag.span, formula));
    }
    match xml.next()? {
        Piece::End => {}
        _ => return Err(unknown(&xml, &root, "the end of the file")),
    }
    let is_linear = is_linear(&source.name, written.iter().filter_map(|(.., formula)| formula.as_ref().ok()));
    for (id, span, formula) in written {
        match formula.and_then(|formula| formula.question(&xml, !is_linear && !names_linear(&id))) {
            Ok(question) => questions.ask(id, &question, span)?,
            Err(why) => {
                notes.push(match why.code() == codes::MCC_NAME.code {
                    true => *why,
                    false => *why.hint(format!("`{}` stays unknown", printable(&id))).warning(),
                });
                questions.add_unsupported(id, QuestionForm::Never);
            }
        }
    }
    questions.put_into(problem, &source.name)?;
    Ok(notes)
}

/// The examinations of linear temporal logic. The names of their files and the ids of their properties contain these.
const LINEAR: [&str; 2] = ["LTLCardinality", "LTLFireability"];

fn names_linear(name: &str) -> bool {
    LINEAR.iter().any(|linear| name.contains(linear))
}

/// Returns true if a file has formulas of linear temporal logic: its name says so, or a formula belongs to no other
/// logic and none needs another one.
fn is_linear<'f>(name: &str, formulas: impl Iterator<Item = &'f Written>) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let known: Vec<bool> = formulas.filter_map(Written::is_linear).collect();
    names_linear(file) || (known.contains(&true) && !known.contains(&false))
}

/// Codes of errors that do not keep the other properties from being answered.
const LEAVES_OTHERS: [&str; 2] = [codes::MCC_REACHABILITY.code, codes::MCC_NAME.code];

/// Parses the property that `tag` opens. Returns its id and its formula, or the error that its kind of formula
/// is not supported, or that it names a node that the net does not have.
fn property<'a>(xml: &mut Xml<'a>, reader: &mut Reader<'a>, tag: &Tag<'a>) -> Res<(String, Res<Written>)> {
    let (mut id, mut formula) = (None, None);
    while let Some(child) = xml.child()? {
        match child.name {
            "id" if id.is_none() => {
                let (name, span) = xml.content(&child)?;
                if name.is_empty() || name.len() > xml.limits.name_length {
                    let message = if name.is_empty() {
                        "the id of a property is empty"
                    } else {
                        "the id of a property is too long"
                    };
                    let most = xml.limits.name_length;
                    let error = xml.text.error(&codes::MCC_ID, span, message);
                    return Err(error.label(format!("expected a name of 1 to {most} characters")));
                }
                id = Some(name.into_owned());
            }
            "formula" if formula.is_none() => {
                let outside = xml.depth() - 1;
                formula = Some(match reader.formula(xml) {
                    Err(why) if LEAVES_OTHERS.contains(&why.code()) => {
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

/// Returns an id for a property: its name with `_` for blanks, and different from all ids before. TAPAAL's names have
/// blanks. Answers are printed as `FORMULA id TRUE ..`, where a blank in the id would change the meaning.
pub fn id_of(name: &str, ids: &mut HashSet<String>) -> String {
    let plain: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut id = plain.clone();
    let mut number = 2usize;
    while !ids.insert(id.clone()) {
        id = format!("{plain}-{number}");
        number += 1;
    }
    id
}

fn unknown<'a>(xml: &Xml<'a>, tag: &Tag<'a>, expected: &str) -> Box<Error> {
    let message = format!("`{}` does not belong here", printable(tag.name));
    xml.text.error(&codes::MCC_ELEMENT, tag.span.clone(), message).label(format!("expected {expected}"))
}
