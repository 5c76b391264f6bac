//! Lists of formulas and of claims about them, the parts of composed evidence ([`super::composed`]).

use super::about::About;
use super::shape::{BREAKS, Input, Later, Output, Shape, get, invalid, put};
use crate::{certificate, single_kind, trace};
use formats::codes;
use formats::json::{Res, string};
use model::{Claim, Formula, FormulaBuilder, FormulaId, Goal, Node, NodeId, Parts, PlaceId, Problem, Property};
use num_bigint::BigInt;
use std::io;
use std::sync::Arc;

/// Returns the problem about which the parts are: with these formulas after its own, and a goal for each formula.
pub(super) fn extended(problem: &Problem, formulas: &[Arc<Formula>]) -> Option<Problem> {
    let extended = problem.clone().changed(|asked| {
        asked.formulas.extend(formulas.iter().cloned());
        let goal = |number| Goal::Formula(FormulaId::new(number));
        let property = |goal: Goal| Property::never(goal.to_string(), goal);
        let goals = (0..asked.formulas.len()).map(goal).chain([Goal::Deadlock]);
        asked.properties = goals.map(property).collect();
    });
    extended.ok()
}

/// A formula is the list of its nodes, operands first.
impl Shape for Formula {
    const BEFORE: [&'static str; 2] = BREAKS;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        let numbers = |parts: &[NodeId]| parts.iter().map(|part| part.index()).collect::<Vec<usize>>();
        for (i, node) in self.nodes().iter().enumerate() {
            to.text(if i == 0 { "[" } else { "," })?;
            match node {
                Node::All(parts) => {
                    let all = numbers(parts);
                    put!(to, { all })?;
                }
                Node::Any(parts) => {
                    let any = numbers(parts);
                    put!(to, { any })?;
                }
                Node::AtLeast(node) => {
                    let (sum, at_least) = (&node.terms, &node.at_least);
                    put!(to, {sum, at_least})?;
                }
            }
        }
        to.text("]")
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        read_formula(from)
    }
}

fn read_formula(from: &mut Input<'_, '_>) -> Res<Formula> {
    type Sum = Option<Vec<(PlaceId, BigInt)>>;
    type Operands = Option<Vec<usize>>;
    let mut builder = FormulaBuilder::default();
    let mut nodes: Vec<NodeId> = Vec::new();
    let start = from.here();
    from.list(|from| {
        let start = from.here();
        let (all, any, sum, at_least): (Operands, Operands, Sum, Option<BigInt>) = get!(from, {all any sum at_least});
        let operands = |numbers: Vec<usize>| -> Res<Vec<NodeId>> {
            let operands = numbers.into_iter().map(|number| nodes.get(number).copied()).collect::<Option<_>>();
            operands.ok_or_else(|| from.wrong(start, "an operand that does not come before"))
        };
        let node = match (all, any, sum, at_least) {
            (Some(numbers), ..) => builder.all(operands(numbers)?),
            (None, Some(numbers), ..) => builder.any(operands(numbers)?),
            (None, None, Some(terms), Some(least)) => builder.at_least(terms, least),
            _ => {
                let message = "a node without `all`, `any`, or `sum` with `at_least`";
                return Err(from.error(&codes::JSON_MISSING_KEY, start, message));
            }
        };
        nodes.push(node);
        from.take(1)
    })?;
    let root = nodes.last().ok_or_else(|| from.wrong(start, "a formula without nodes"))?;
    Ok(builder.finish(*root))
}

/// Writes the entries of an object with the formulas and the claims.
pub(super) fn write_parts(to: &mut Output<'_>, parts: &Parts) -> io::Result<()> {
    let unfit = || invalid("parts that do not fit the model");
    let (names, extended) = (to.scope.names, extended(to.scope.problem, &parts.formulas).ok_or_else(unfit)?);
    to.text("\"formulas\":")?;
    parts.formulas.write_to(to)?;
    to.text(",\n\"parts\":[")?;
    for (i, claim) in parts.claims.iter().enumerate() {
        let goals: Vec<String> = claim.goals().iter().map(|goal| string(&goal.to_string())).collect();
        to.text(if i == 0 { "" } else { ",\n" })?;
        to.text(&format!("{{\"goals\":[{}],", goals.join(",")))?;
        match &**claim {
            Claim::Unsafe { trace, .. } => trace::write(names, trace, to.out)?,
            Claim::Safe { certificate, .. } => certificate::write(names, &extended, certificate, to.out)?,
            _ => return Err(unfit()),
        }
        to.text("}")?;
    }
    to.text("]")
}

pub(super) fn read_parts(from: &mut Input<'_, '_>, (formulas, parts): (Later, Later)) -> Res<Parts> {
    let (formulas, document, names): (Vec<Arc<Formula>>, _, _) =
        (from.read_at(formulas)?, from.document, from.scope.names);
    let extended = extended(from.scope.problem, &formulas);
    let about = extended.as_ref().and_then(|extended| About::of(extended.system()));
    let (Some(extended), Some(about)) = (&extended, about) else {
        return Err(from.error(&codes::EVIDENCE_KIND, parts, "parts that do not fit the model"));
    };
    let mut claims = Vec::new();
    let kinds: Vec<&'static str> = about.kinds.iter().copied().filter(|kind| !KINDS.contains(kind)).collect();
    let mut keys = vec!["goals"];
    keys.extend(&kinds);
    from.at(parts, |from| {
        from.list(|from| {
            let item = from.value()?;
            let object = document.record(item, "a part", &keys)?;
            let place = document.required(&object, "goals")?;
            let goals = super::read_goals(document, place, extended, &about)?;
            let kind = single_kind(document, item, &object, about.kinds)?;
            claims.push(Arc::new(super::claim_about(document, kind, None, (goals, place), (names, extended))?));
            Ok(())
        })
    })?;
    Ok(Parts { formulas, claims })
}

/// The kinds that consist of parts. Parts are of other kinds.
pub(super) const KINDS: [&str; 2] = ["branching", "bound"];
