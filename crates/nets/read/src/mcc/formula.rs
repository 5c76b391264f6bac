//! Parser for the formulas of properties. Open elements are on an explicit stack.

use crate::reach::{Compare, Op, OperandId, Phi, Question, Sum, Unsupported};
use crate::xml::{Piece, Tag, Xml};
use formats::digits::natural;
use formats::error::{Error, printable};
use formats::{codes, suggest};
use model::{Named, Net, NodeNames, PlaceId, TransitionId};
use num_bigint::BigInt;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// Elements of formulas about one marking.
const STATE: &[&str] = &[
    "conjunction",
    "disjunction",
    "negation",
    "implication",
    "equivalence",
    "exclusive-disjunction",
    "integer-le",
    "integer-lt",
    "integer-ge",
    "integer-gt",
    "integer-eq",
    "integer-ne",
    "is-fireable",
    "deadlock",
    "true",
    "false",
];

/// Operators that are connectives of formulas about runs, too.
const CONNECTIVES: &[&str] =
    &["conjunction", "disjunction", "negation", "implication", "equivalence", "exclusive-disjunction"];

/// Operators of formulas about runs, and quantifiers over runs. `before` and `reach` hold the operands of `until`.
const RUNS: &[&str] = &["finally", "globally", "next", "until", "before", "reach", "exists-path", "all-paths"];

pub(crate) struct Reader<'a> {
    places: NodeNames<'a, PlaceId>,
    transitions: NodeNames<'a, TransitionId>,
    /// The number of places and transitions that were named so far. The name of a family counts its members.
    named: usize,
}

/// Operators of numbers.
const INTEGERS: &[&str] = &["integer-constant", "tokens-count", "integer-sum", "integer-difference", "integer-product"];

/// A formula as the file writes it.
pub(crate) enum Written {
    /// A formula, perhaps with quantifiers over paths, and the place where it begins.
    Formula(Phi, Range<usize>),
    /// A sum for which the largest value is asked.
    Bound(Sum),
}

/// An open operator.
struct Open<'a> {
    tag: Tag<'a>,
    parts: Vec<OperandId>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { places: net.place_names(), transitions: net.transition_names(), named: 0 }
    }

    /// Parses the content of a `formula` element.
    pub(crate) fn formula(&mut self, xml: &mut Xml<'_>) -> Res<Written> {
        let first = xml.expect_open("a path operator, or what is said of markings")?;
        let written = if first.name == "place-bound" {
            let mut sum = Sum::default();
            self.tokens(xml, &mut sum)?;
            Written::Bound(sum)
        } else {
            let mut phi = Phi::default();
            self.runs(xml, first.clone(), &mut phi)?;
            Written::Formula(phi, first.span)
        };
        match xml.child()? {
            Some(more) => Err(count(xml, &more.span, "a second formula", "the end of the element")),
            None => Ok(written),
        }
    }

    /// Parses the formula about runs that begins with the element `first`.
    fn runs<'x>(&mut self, xml: &mut Xml<'x>, first: Tag<'x>, phi: &mut Phi) -> Res<OperandId> {
        let mut open: Vec<Open<'x>> = Vec::new();
        let mut tag = first.clone();
        loop {
            let done = match tag.name {
                name if CONNECTIVES.contains(&name) || RUNS.contains(&name) => {
                    let is_part = ["before", "reach"].contains(&name);
                    if is_part != open.last().is_some_and(|around| around.tag.name == "until") {
                        return Err(unknown(xml, &tag, if is_part { STATE } else { &["before", "reach"] }));
                    }
                    open.push(Open { tag, parts: Vec::new() });
                    None
                }
                _ if open.last().is_some_and(|around| around.tag.name == "until") => {
                    return Err(unknown(xml, &tag, &["before", "reach"]));
                }
                _ => Some(self.atom(xml, &tag, phi)?),
            };
            if let Some(part) = done {
                match open.last_mut() {
                    Some(around) => around.parts.push(part),
                    None => return Ok(part),
                }
            }
            if phi.len() > xml.limits.formula_nodes {
                let message = format!("the formula has more than {} parts", xml.limits.formula_nodes);
                let error = xml.text.error(&codes::LIMIT_FORMULA, first.span, message);
                return Err(error.label("the formula that begins here"));
            }
            // Handle the ends of connectives, up to the next element.
            tag = loop {
                match xml.next()? {
                    Piece::Open(tag) => break tag,
                    Piece::Text(_, span) => return Err(xml.unexpected_text(span)),
                    Piece::Close | Piece::End => {}
                }
                let Some(closed) = open.pop() else {
                    // This cannot happen, because the XML reader has checked that ends match beginnings.
                    return Err(count(xml, &(0..0), "an element ends that did not begin", "its beginning"));
                };
                let part = join(xml, closed, phi)?;
                match open.last_mut() {
                    Some(around) => around.parts.push(part),
                    None => return Ok(part),
                }
            };
        }
    }

    fn atom(&mut self, xml: &mut Xml<'_>, tag: &Tag<'_>, phi: &mut Phi) -> Res<OperandId> {
        let compare = match tag.name {
            "integer-le" => Compare::AtMost,
            "integer-lt" => Compare::Less,
            "integer-ge" => Compare::AtLeast,
            "integer-gt" => Compare::Greater,
            "integer-eq" => Compare::Equal,
            "integer-ne" => Compare::NotEqual,
            "is-fireable" => {
                let (mut list, mut is_named) = (Vec::new(), false);
                while let Some(child) = xml.child()? {
                    if child.name != "transition" {
                        return Err(unknown(xml, &child, &["transition"]));
                    }
                    let (name, span) = xml.content(&child)?;
                    let named = look_up(xml, &self.transitions, "transition", &name, span.clone())?;
                    self.spend(xml, named.members().len(), span)?;
                    list.extend_from_slice(named.members());
                    is_named = true;
                }
                if !is_named {
                    return Err(count(xml, &tag.span, "`is-fireable` names no transition", "one `transition` or more"));
                }
                return Ok(phi.push(Op::Fireable(list)));
            }
            "true" | "false" | "deadlock" => {
                if let Some(child) = xml.child()? {
                    return Err(count(xml, &child.span, "nothing may stand here", "the end of the element"));
                }
                let op = if tag.name == "deadlock" { Op::Deadlock } else { Op::Constant(tag.name == "true") };
                return Ok(phi.push(op));
            }
            _ => return Err(unknown(xml, tag, STATE)),
        };
        let sum = self.difference(xml, tag)?;
        phi.compare(sum, compare).map_err(|why| unsupported(xml, tag, why))
    }

    /// Parses the two sides of a comparison, and returns the left side minus the right side.
    fn difference(&mut self, xml: &mut Xml<'_>, tag: &Tag<'_>) -> Res<Sum> {
        // The open operators, outermost first. For each: its sum so far, and its number of operands.
        let mut open = vec![(tag.clone(), Sum::default(), 0usize)];
        loop {
            let value = match xml.child()? {
                Some(child) => match child.name {
                    "integer-sum" | "integer-difference" | "integer-product" => {
                        open.push((child, Sum::default(), 0));
                        continue;
                    }
                    "integer-constant" => {
                        let (digits, span) = xml.content(&child)?;
                        Sum::constant(constant(xml, &digits, span)?)
                    }
                    "tokens-count" => {
                        let mut sum = Sum::default();
                        self.tokens(xml, &mut sum)?;
                        sum
                    }
                    _ => return Err(unknown(xml, &child, INTEGERS)),
                },
                None => {
                    let closed = open.pop();
                    let is_outermost = open.is_empty();
                    let Some((_, sum, _)) = closed.filter(|(.., n)| *n == 2 || (!is_outermost && *n > 0)) else {
                        let message = "a comparison with too few or too many operands";
                        return Err(count(xml, &tag.span, message, "two sides, and operands in every sum"));
                    };
                    if is_outermost {
                        return Ok(sum);
                    }
                    sum
                }
            };
            if let Some((around, sum, operands)) = open.last_mut() {
                let before = std::mem::take(sum);
                *sum = match around.name {
                    _ if *operands == 0 => value,
                    "integer-sum" => before.plus(value, false),
                    "integer-product" => before.times(value).map_err(|why| unsupported(xml, around, why))?,
                    // A comparison is that of the difference with 0.
                    _ => before.plus(value, true),
                };
                *operands += 1;
            }
        }
    }

    /// Adds the tokens of the places inside the open `tokens-count` or `place-bound`.
    fn tokens(&mut self, xml: &mut Xml<'_>, sum: &mut Sum) -> Res<()> {
        while let Some(child) = xml.child()? {
            if child.name != "place" {
                return Err(unknown(xml, &child, &["place"]));
            }
            let (name, span) = xml.content(&child)?;
            let named = look_up(xml, &self.places, "place", &name, span.clone())?;
            self.spend(xml, named.members().len(), span)?;
            sum.terms.extend(Sum::of_places(named.members()).terms);
        }
        Ok(())
    }

    /// Counts the nodes that a name stands for.
    fn spend(&mut self, xml: &Xml<'_>, count: usize, span: Range<usize>) -> Res<()> {
        self.named = self.named.saturating_add(count);
        if self.named <= xml.limits.formula_nodes {
            return Ok(());
        }
        let message = format!("the formulas name more than {} places and transitions", xml.limits.formula_nodes);
        Err(xml.text.error(&codes::LIMIT_FORMULA, span, message).label("the limit is reached here"))
    }
}

/// Parses an integer. The contest has no negative ones, but they are accepted.
fn constant(xml: &Xml<'_>, written: &str, span: Range<usize>) -> Res<BigInt> {
    let (negative, digits) = written.strip_prefix('-').map_or((false, written), |rest| (true, rest));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("`{}` is not an integer", printable(written));
        return Err(xml
            .text
            .error(&codes::MCC_NUMBER, span, message)
            .label("expected decimal digits, perhaps after `-`"));
    }
    let value = BigInt::from(natural(xml.text, xml.limits, &codes::MCC_NUMBER, digits, span)?);
    Ok(if negative { -value } else { value })
}

fn operands(count: usize) -> String {
    match count {
        0 => "no operand".to_owned(),
        1 => "one operand".to_owned(),
        n => format!("{n} operands"),
    }
}

/// Makes the node of a connective that has ended.
fn join(xml: &Xml<'_>, closed: Open<'_>, phi: &mut Phi) -> Res<OperandId> {
    let Open { tag, parts } = closed;
    let wrong = |expected: &str| {
        let message = format!("`{}` with {}", tag.name, operands(parts.len()));
        Err(count(xml, &tag.span, &message, expected))
    };
    Ok(match (tag.name, parts.as_slice()) {
        ("exists-path" | "all-paths", [of]) => phi.push(Op::Path { exists: tag.name == "exists-path", of: *of }),
        ("exists-path" | "all-paths", _) => return wrong("one operand"),
        ("negation", [part]) => phi.push(Op::Not(*part)),
        ("finally", [part]) => phi.push(Op::Finally(*part)),
        ("globally", [part]) => phi.push(Op::Globally(*part)),
        ("next", [part]) => phi.push(Op::Next(*part)),
        ("before" | "reach", [part]) => *part,
        ("until", [before, reach]) => phi.push(Op::Until(*before, *reach)),
        ("negation" | "finally" | "globally" | "next" | "before" | "reach", _) => return wrong("one operand"),
        ("until", _) => return wrong("`before` and `reach`"),
        (_, []) => return wrong("one operand or more"),
        ("conjunction", _) => phi.push(Op::All(parts)),
        ("disjunction", _) => phi.push(Op::Any(parts)),
        ("implication", [a, b]) => {
            let not = phi.push(Op::Not(*a));
            phi.push(Op::Any(vec![not, *b]))
        }
        ("equivalence", [a, b]) => phi.push(Op::Same(*a, *b)),
        ("exclusive-disjunction", [a, b]) => {
            let same = phi.push(Op::Same(*a, *b));
            phi.push(Op::Not(same))
        }
        _ => return wrong("two operands"),
    })
}

fn look_up<'a, T: Copy>(
    xml: &Xml<'_>,
    known: &NodeNames<'a, T>,
    what: &str,
    name: &str,
    span: Range<usize>,
) -> Res<Named<'a, T>> {
    known.get(name).ok_or_else(|| {
        let message = format!("the net has no {what} `{}`", printable(name));
        let error = xml.text.error(&codes::MCC_NAME, span, message).label("not in the net");
        let mut names: Vec<&str> = known.texts().collect();
        names.sort_unstable();
        suggest::hinted(
            error,
            name,
            names,
            "properties name places and transitions by their ids, or by names that are unique",
        )
    })
}

impl Written {
    /// Returns what [`Phi::is_linear`] says.
    pub(crate) fn is_linear(&self) -> Option<bool> {
        if let Self::Formula(phi, _) = self { phi.is_linear() } else { None }
    }

    /// Returns what the formula asks. `is_branching` is explained at [`Phi::question`].
    pub(crate) fn question(self, xml: &Xml<'_>, is_branching: bool) -> Res<Question> {
        match self {
            Self::Bound(sum) => Ok(Question::Bound(sum)),
            Self::Formula(phi, span) => phi.question(is_branching).ok_or_else(|| {
                let message = "the formula is neither about one path nor a formula of computation tree logic";
                let error = xml.text.error(&codes::MCC_REACHABILITY, span, message).label("begins here");
                error.hint(
                    "expected one temporal operator inside each path operator, or one path operator around the whole \
                     formula",
                )
            }),
        }
    }
}

fn unsupported(xml: &Xml<'_>, tag: &Tag<'_>, why: Unsupported) -> Box<Error> {
    let (message, hint) = why.words();
    xml.text.error(&codes::MCC_REACHABILITY, tag.span.clone(), message).label("not supported").hint(hint)
}

fn unknown(xml: &Xml<'_>, tag: &Tag<'_>, expected: &[&str]) -> Box<Error> {
    let message = format!("`{}` does not belong here", printable(tag.name));
    let error = xml.text.error(&codes::MCC_ELEMENT, tag.span.clone(), message).label("unknown");
    suggest::hinted(error, tag.name, expected.iter().copied(), &format!("expected one of {}", expected.join(", ")))
}

fn count(xml: &Xml<'_>, span: &Range<usize>, message: &str, expected: &str) -> Box<Error> {
    xml.text.error(&codes::MCC_COUNT, span.clone(), message).label(format!("expected {expected}"))
}
