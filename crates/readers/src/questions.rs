//! Selects the properties to check: all properties of the model, or those that the user names by their ids, as with
//! `--property`.

use model::{
    Claim, Formula, FormulaBuilder, FormulaId, Goal, Mismatch, Net, Node, NodeId, Problem, Program, Property,
    QuestionForm,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The id that stands for all threads with hot states.
const EACH_HOT: &str = "hot:*";
/// The id that stands for all temporal formulas of a file.
const EACH_FORMULA: &str = "ltl:*";

/// Checks that these ids may be properties of behavioral programs.
pub fn may_be_of_programs(ids: &[String]) -> Result<(), String> {
    let is_fixed = |id: &str| [Goal::Bad, Goal::Deadlock, Goal::SomeHot].into_iter().any(|g| g.id() == id);
    match ids.iter().find(|id| !is_fixed(id) && !id.starts_with("hot:") && !id.starts_with("ltl:")) {
        Some(id) => Err(format!(
            "no property `{id}`; behavioral programs have `bad`, `deadlock`, `hot` and `hot:THREAD` (`{EACH_HOT}`)"
        )),
        None => Ok(()),
    }
}

/// Returns the properties of a behavioral program with these ids, each once. `asked` are the properties of the problem.
fn of_program(program: &Program, asked: &[Property], ids: &[String]) -> Result<Vec<Property>, String> {
    may_be_of_programs(ids)?;
    let mut properties: Vec<Property> = Vec::new();
    for id in ids {
        let fixed = [Goal::Bad, Goal::Deadlock].into_iter().chain(program.has_hot().then_some(Goal::SomeHot));
        let plain = fixed.filter(|g| g.id() == id);
        let plain = plain.map(|goal| Property::never(goal.id(), goal));
        let hot =
            program.hot_threads().map(|t| Property::never(format!("hot:{}", program.thread(t).name), Goal::Hot(t)));
        let is_formula = |p: &&Property| matches!(p.goal, Goal::Temporal(_)) && (p.id == *id || id == EACH_FORMULA);
        let formulas = asked.iter().filter(is_formula).cloned();
        let hot = hot.filter(|p| p.id == *id || id == EACH_HOT);
        let found: Vec<Property> = plain.chain(hot).chain(formulas).collect();
        if found.is_empty() {
            return Err(match id.starts_with("ltl:") {
                true => format!("no property `{id}`: `--properties FILE` reads formulas"),
                false => format!("no property `{id}`: the program has no such thread with hot states"),
            });
        }
        for property in found {
            if properties.iter().all(|other| other.goal != property.goal) {
                properties.push(property);
            }
        }
    }
    Ok(properties)
}

/// Returns the problem with the properties called `ids` instead of its own properties. If `ids` is empty, the
/// problem keeps its own properties.
pub fn choose(problem: Problem, ids: &[String]) -> Result<Problem, String> {
    if ids.is_empty() {
        return Ok(problem);
    }
    let misfit = |mismatch: Mismatch| mismatch.to_string();
    if let Some(program) = problem.system().as_program() {
        let properties = of_program(program, problem.properties(), ids)?;
        return problem.asking(properties).map_err(misfit);
    }
    let (mut formulas, mut properties) = (problem.formulas().to_vec(), Vec::new());
    let mut each = each_target(&problem, ids);
    if each.is_empty() && ids.iter().any(|id| id == EACH_TARGET) {
        return Err(unknown(&problem, EACH_TARGET));
    }
    for all in ids.iter().filter(|id| ALL_OF_A_KIND.contains(&id.as_str())) {
        let of_kind = problem.properties().iter().filter(|p| p.id.starts_with(&all[..all.len() - 1]));
        let before = each.len();
        each.extend(of_kind.map(|p| p.id.clone()));
        if each.len() == before {
            return Err(unknown(&problem, all));
        }
    }
    let names = Names::of(&problem);
    let is_group = |id: &str| id == EACH_TARGET || ALL_OF_A_KIND.contains(&id);
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut asked: BTreeMap<Goal, &str> = BTreeMap::new();
    for id in ids.iter().filter(|id| !is_group(id)).chain(&each) {
        if !known.insert(id) {
            continue;
        }
        let property = names.named(id, &mut formulas)?;
        if let Some(same) = asked.insert(property.goal, id) {
            return Err(format!("`{id}` and `{same}` are the same question"));
        }
        properties.push(property);
    }
    problem.clone().changed(|asked| (asked.formulas, asked.properties) = (formulas, properties)).map_err(misfit)
}

/// Returns the problem with the questions `asks` of the command line in addition to the properties called
/// `ids`. If `ids` is empty, the properties of the problem are kept only if they come from a file that the
/// user `named`.
pub fn choose_with(problem: Problem, ids: &[String], asks: Vec<Property>, named: bool) -> Result<Problem, String> {
    let chosen = if ids.is_empty() && !named { problem.only(|_| false) } else { choose(problem, ids)? };
    let mut properties = chosen.properties().to_vec();
    for ask in asks {
        if let Some(same) = properties.iter().find(|p| p.id == ask.id) {
            return Err(format!("two questions are called `{}`", same.id));
        }
        if let Some(same) = properties.iter().find(|p| p.goal == ask.goal) {
            return Err(format!("`{}` and `{}` are the same question", same.id, ask.id));
        }
        properties.push(ask);
    }
    chosen.asking(properties).map_err(|mismatch| mismatch.to_string())
}

/// The id that stands for each target by itself.
const EACH_TARGET: &str = "target:*";

/// The ids that stand for all error labels, or all temporal formulas, of a reactive program.
const ALL_OF_A_KIND: [&str; 2] = ["error:*", "ltl:*"];

/// Returns the ids of all targets if `ids` contains [`EACH_TARGET`], and otherwise an empty list.
fn each_target(problem: &Problem, ids: &[String]) -> Vec<String> {
    let target = problem.properties().iter().find(|p| p.id == "target").and_then(|p| problem.formula(p.goal));
    match target.filter(|_| ids.iter().any(|id| id == EACH_TARGET)) {
        Some(target) => (1..=parts(target).len()).map(|k| format!("target:{k}")).collect(),
        None => Vec::new(),
    }
}

/// Returns the problem with the properties called `ids` in addition to its own properties. Unknown ids are
/// ignored. (Evidence may be about a property that the model itself does not ask for.)
pub fn also(problem: Problem, ids: &[String]) -> Problem {
    let mut formulas = problem.formulas().to_vec();
    let mut properties = problem.properties().to_vec();
    let mut known: BTreeSet<String> = properties.iter().map(|p| p.id.clone()).collect();
    let mut asked: BTreeSet<Goal> = problem.goals().collect();
    let names = Names::of(&problem);
    for id in ids {
        if let Ok(property) = names.named(id, &mut formulas)
            && !asked.contains(&property.goal)
            && known.insert(property.id.clone())
        {
            asked.insert(property.goal);
            properties.push(property);
        }
    }
    let also = problem.clone().changed(|asked| (asked.properties, asked.formulas) = (properties, formulas));
    also.unwrap_or(problem)
}

/// Returns the problem with the goals of the claim, if it is about a behavioral program. Evidence may be about a goal
/// that the `check` line of the model does not ask for. If the goals do not fit the problem, the checker refuses the
/// evidence.
#[must_use]
pub fn about(problem: Problem, claim: &Claim) -> Problem {
    if problem.system().as_program().is_none() {
        return problem;
    }
    let of = |goal: &Goal| problem.properties().iter().find(|p| p.goal == *goal).cloned();
    let properties = claim.goals().iter().map(|g| of(g).unwrap_or_else(|| Property::never(g.id(), *g))).collect();
    problem.clone().asking(properties).unwrap_or(problem)
}

/// The properties of a problem by their names.
struct Names<'p> {
    problem: &'p Problem,
    by_id: BTreeMap<&'p str, &'p Property>,
    /// The target, and the nodes of its parts. The target is the union of the parts.
    target: Option<(&'p Formula, Vec<usize>)>,
}

impl<'p> Names<'p> {
    fn of(problem: &'p Problem) -> Self {
        let by_id: BTreeMap<&str, &Property> = problem.properties().iter().map(|p| (p.id.as_str(), p)).collect();
        let target = by_id.get("target").and_then(|p| problem.formula(p.goal));
        Self { problem, target: target.map(|target| (&**target, parts(target))), by_id }
    }

    /// Returns the property called `id`. A part of a target becomes a new formula.
    fn named(&self, id: &str, formulas: &mut Vec<Arc<Formula>>) -> Result<Property, String> {
        let problem = self.problem;
        if let Some(property) = self.by_id.get(id) {
            return Ok((*property).clone());
        }
        let mut of = |formula: Formula| {
            formulas.push(Arc::new(formula));
            Ok(Property::never(id, Goal::Formula(FormulaId::new(formulas.len() - 1))))
        };
        if id == Goal::Deadlock.id() && has_deadlock(problem) {
            let improper = model::improper(problem.system());
            return improper.map_or_else(|| Ok(Property::never(id, Goal::Deadlock)), of);
        }
        if let Some(net) = has_finals(problem).filter(|_| id == FINAL) {
            return of(net.listed()).map(|property| Property { asked: QuestionForm::Expected, ..property });
        }
        if let (Some((target, parts)), Some(number)) = (&self.target, id.strip_prefix("target:")) {
            let number = number.parse::<usize>().ok().filter(|n| (1..=parts.len()).contains(n));
            let number = number.ok_or_else(|| match parts.len() {
                1 => format!("no property `{id}`; the only target is `target:1`"),
                n => format!("no property `{id}`; there are `target:1` to `target:{n}`"),
            })?;
            return of(below(target, parts[number - 1]));
        }
        Err(unknown(problem, id))
    }
}

/// The id of the question whether a final marking of the model is reachable.
const FINAL: &str = "final";

/// Returns the net of the problem if its file lists final markings.
fn has_finals(problem: &Problem) -> Option<&Net> {
    problem.system().as_net().map(|net| &**net).filter(|net| !net.finals().is_empty())
}

/// Returns true if the problem may be asked for deadlocks. Circuits have no deadlocks, and for reactive
/// programs there is no such property.
fn has_deadlock(problem: &Problem) -> bool {
    problem.system().as_program().is_some() || problem.system().as_marked().is_some()
}

/// Maximum number of ids that are listed if an id is unknown.
const LISTED: usize = 8;

fn unknown(problem: &Problem, id: &str) -> String {
    let mut known: Vec<String> = problem.properties().iter().take(LISTED).map(|p| format!("`{}`", p.id)).collect();
    if problem.properties().len() > LISTED {
        known.push(format!("{} more", problem.properties().len() - LISTED));
    }
    if has_deadlock(problem) && problem.properties().iter().all(|p| p.id != Goal::Deadlock.id()) {
        known.push("`deadlock`".to_owned());
    }
    if has_finals(problem).is_some() && problem.properties().iter().all(|p| p.id != FINAL) {
        known.push(format!("`{FINAL}`"));
    }
    if problem.temporal().is_empty() && id.starts_with("ltl:") && problem.system().as_reactive().is_some() {
        return format!("no property `{id}`: `--properties FILE` gives a list of formulas");
    }
    if known.is_empty() {
        return format!("no property `{id}`: the model has none");
    }
    format!("no property `{id}`; the model has {}", known.join(", "))
}

/// Returns the nodes of the targets that a formula is the union of.
fn parts(formula: &Formula) -> Vec<usize> {
    match formula.root() {
        Node::Any(parts) => parts.iter().map(|p| p.index()).collect(),
        Node::All(_) | Node::AtLeast(_) => vec![formula.nodes().len() - 1],
    }
}

/// Returns the number of targets that a formula is the union of.
pub fn targets(formula: &Formula) -> usize {
    parts(formula).len()
}

/// Returns the formula of one node alone.
fn below(formula: &Formula, node: usize) -> Formula {
    let mut needed = BTreeSet::from([node]);
    let mut open = vec![node];
    while let Some(next) = open.pop() {
        if let Node::All(parts) | Node::Any(parts) = &formula.nodes()[next] {
            open.extend(parts.iter().map(|p| p.index()).filter(|p| needed.insert(*p)));
        }
    }
    let mut builder = FormulaBuilder::default();
    let mut copies: BTreeMap<usize, NodeId> = BTreeMap::new();
    for at in needed {
        let copied = |parts: &[NodeId]| parts.iter().map(|p| copies[&p.index()]).collect();
        let copy = match &formula.nodes()[at] {
            Node::All(parts) => builder.all(copied(parts)),
            Node::Any(parts) => builder.any(copied(parts)),
            Node::AtLeast(sum) => builder.at_least(sum.terms.iter().cloned(), sum.at_least.clone()),
        };
        copies.insert(at, copy);
    }
    builder.finish(copies[&node])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Place, PlaceId, Range};

    /// Returns a net with three places. The target is `a >= 1`, or `b >= 2` with `c >= 1`.
    fn problem() -> Problem {
        let place = |name: &str| Place { name: name.to_owned(), initial: Range::exactly(0u8) };
        let net = Net::new(["a", "b", "c"].map(place).to_vec(), Vec::new()).expect("it is a net");
        let mut builder = FormulaBuilder::default();
        let first = builder.cover(&[(PlaceId(0), 1u8.into())]);
        let second = builder.cover(&[(PlaceId(1), 2u8.into()), (PlaceId(2), 1u8.into())]);
        let union = builder.any(vec![first, second]);
        Problem::of_net(Arc::new(net)).never("target", builder.finish(union)).expect("it has these places")
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn targets_are_asked_one_by_one() {
        let chosen = choose(problem(), &ids(&["target:2", "deadlock", "target:2"])).expect("they exist");
        let names: Vec<&str> = chosen.properties().iter().map(|p| p.id.as_str()).collect();
        assert_eq!(names, ["target:2", "deadlock"]);
        let each = choose(problem(), &ids(&["target:*"])).expect("they exist");
        assert_eq!(each.properties().len(), 2);
        let alone = chosen.formula(chosen.properties()[0].goal).expect("a formula");
        assert_eq!(**alone, Formula::cover(&[(PlaceId(1), 2u8.into()), (PlaceId(2), 1u8.into())]));
        assert_eq!(chosen.kind(&chosen.properties()[1]), "deadlock");
    }

    #[test]
    fn evidence_may_ask_more() {
        let all = also(problem(), &ids(&["target:1", "deadlock", "nonsense", "target"]));
        let names: Vec<&str> = all.properties().iter().map(|p| p.id.as_str()).collect();
        assert_eq!(names, ["target", "target:1", "deadlock"]);
        assert_eq!(all.formulas().len(), 2);
    }

    /// There are two final markings: two tokens on `a`, and no tokens. Each final marking determines the tokens
    /// of all places.
    #[test]
    fn final_markings_are_asked_on_demand() {
        let problem = problem();
        assert!(choose(problem.clone(), &ids(&["final"])).is_err());
        let net = problem.system().as_net().expect("a net");
        let finals = vec![vec![(PlaceId(0), 2u8.into())], Vec::new()];
        let problem =
            problem.clone().on(Arc::new(Net::clone(net).with_finals(finals))).expect("the places are the same");
        let chosen = choose(problem.clone(), &ids(&["final"])).expect("there are some");
        assert_eq!(chosen.kind(&chosen.properties()[0]), "reach");
        assert_eq!(chosen.properties()[0].asked, QuestionForm::Expected);
        let formula = chosen.formula(chosen.properties()[0].goal).expect("a formula");
        let holds = |marking: [u32; 3]| testkit::formula::holds(formula, &marking);
        assert!(holds([2, 0, 0]) && holds([0, 0, 0]));
        assert!(!holds([1, 0, 0]) && !holds([3, 0, 0]) && !holds([2, 0, 1]) && !holds([0, 1, 0]));
        assert_eq!(also(problem, &ids(&["final"])).properties().len(), 2);
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for wrong in ["target:0", "target:3", "target:x", "bad", "Target"] {
            assert!(choose(problem(), &ids(&[wrong])).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_question_is_asked_once() {
        let deadlock = Property { id: "X-00".to_owned(), goal: Goal::Deadlock, asked: QuestionForm::Exists };
        let problem = problem().changed(|asked| asked.properties.push(deadlock)).expect("nets have deadlocks");
        assert!(choose(problem.clone(), &ids(&["X-00", "deadlock"])).is_err());
        assert!(choose(problem, &ids(&["X-00", "target"])).is_ok());
    }
}
