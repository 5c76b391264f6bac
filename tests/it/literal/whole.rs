//! Questions about nets and thread-transition systems as a whole, and about each of their nodes, against brute force on
//! the literal meaning of a text. The text is also converted to every other format, and questions are asked again.

use super::arcs::{ArcNet, Format};
use super::{Literal, Marking, threads, write};
use impasse::formats::{Ask, Limits, Source, apply_init, ask, by_name, read};
use impasse::model::Problem;
use impasse::{Answer, Options, check};
use std::collections::HashMap;
use std::fmt::Write as _;
use testkit::Random;
use testkit::coloured::{Coloured, meaning, questions};

/// Systems with more markings, or with more tokens on a place, are left out.
const MOST: usize = 60;
/// Number of questions about single nodes.
const NODES: usize = 6;
/// Formats to which nets are converted.
const WRITTEN: [&str; 4] = ["pnml", "tina", "lola", "spec"];
const WHOLE: [&str; 5] = ["ONESAFE", "QUASILIVENESS", "LIVENESS", "STABLEMARKING", "REVERSIBLE"];

/// Counters over the compared texts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) texts: u64,
    /// Number of texts that are left out, because they have too many markings.
    pub(crate) large: u64,
    /// Numbers of answers, by value: false or 0, true or more.
    pub(crate) answers: [u64; 2],
    /// Number of conversions to a format, and back.
    pub(crate) written: u64,
}

/// A value: a truth, or a number of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Truth(bool),
    Number(i128),
}

/// A question with its value by definition.
type Asked = (String, Value);

/// Compares a random net with arcs of all kinds that a format has.
///
/// # Errors
/// A description of the first difference.
pub(crate) fn net(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed ^ 0x6172_6373);
    let format = *random.pick(&Format::ALL);
    let is_workflow = format == Format::Tina && random.one_in(2);
    let net = if is_workflow { ArcNet::random_workflow(random) } else { ArcNet::random(random, format) };
    let text = net.text(format);
    let said = |e: String| format!("{e}\n{text}");
    let problem = ours(&format!("t.{}", format.extension()), text.as_bytes()).map_err(said)?;
    let Some(graph) = Graph::of(&net) else {
        tally.large += 1;
        return Ok(());
    };
    let (place, transition) = match format {
        Format::Lola | Format::Spec => ("p_", if format == Format::Lola { "t_" } else { "r" }),
        _ => ("p ", "t "),
    };
    let mut asked = graph.whole(net.steps());
    let places = (0..net.starts().len()).map(|p| format!("{place}{p}")).collect::<Vec<_>>();
    let first = usize::from(format == Format::Spec);
    let steps = (0..net.steps()).map(|t| format!("{transition}{}", t + first)).collect::<Vec<_>>();
    asked.extend(graph.nodes(&places, &steps, random));
    if net.is_workflow() {
        asked.extend(graph.sound(&net));
    } else if is_workflow && ask_one(&problem, "SOUND").is_ok() {
        return Err(said("SOUND is asked of a net that is no workflow net".to_owned()));
    }
    compare(&problem, &asked, tally).map_err(said)?;
    counts(&problem, graph.markings.len()).map_err(said)?;
    let nameless: Vec<Asked> = asked.into_iter().filter(|(question, _)| !question.contains('"')).collect();
    there_and_back(&problem, &nameless, tally).map_err(said)
}

/// Compares a random thread-transition system.
///
/// # Errors
/// A description of the first difference.
pub(crate) fn system(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed ^ 0x7474_7377);
    let write::Tts { text, .. } = write::tts(random);
    let init = format!("0|{}", ["0", "0,0", "0,0,0"][random.below(3)]);
    let literal = threads::Threads::read(&text, None, Some(&init));
    let said = |e: String| format!("{e}\n--init '{init}'\n{}", String::from_utf8_lossy(&text));
    let mut problem = ours("t.tts", &text).map_err(said)?;
    apply_init(&mut problem, &init).map_err(|e| said(e.to_string()))?;
    let Some(graph) = Graph::of(&literal) else {
        tally.large += 1;
        return Ok(());
    };
    let mut asked = graph.whole(literal.steps());
    let system = problem.system().as_threads().ok_or("no thread-transition system")?;
    let shared = (0..system.shared()).map(|s| format!("s{s}"));
    let places = shared.chain((0..system.locals()).map(|l| format!("l{l}"))).collect::<Vec<_>>();
    asked.extend(graph.nodes(&places, &[], random));
    compare(&problem, &asked, tally).map_err(said)
}

/// Compares a random coloured net.
///
/// # Errors
/// A description of the first difference.
pub(crate) fn coloured(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed ^ 0x636f_6c6f);
    let net = Coloured::random(random);
    let text = net.text();
    let said = |e: String| format!("{e}\n{text}");
    let Some(graph) = net.explore(MOST) else {
        tally.large += 1;
        return Ok(());
    };
    let problem = ours("t.pnml", text.as_bytes()).map_err(said)?;
    let whole = WHOLE.map(|question| (question.to_owned(), Value::Truth(questions::truth(&net, &graph, question))));
    let mut asked = Vec::new();
    let most = |of: &dyn Fn(&meaning::Marking) -> i64| graph.markings.iter().map(of).max().unwrap_or(0);
    for place in 0..net.places() {
        let tokens = |of: &dyn Fn(&meaning::Marking) -> i64, name: &str, asked: &mut Vec<Asked>| {
            asked.push((format!("MAX \"{name}\""), Value::Number(most(of).into())));
            asked.push((format!("EF \"{name}\" >= 1"), Value::Truth(most(of) >= 1)));
        };
        tokens(&|m| questions::tokens(m, place), &format!("p{place}"), &mut asked);
        for colour in net.colours(place).into_iter().filter(|colour| !colour.is_empty()) {
            let of = |m: &meaning::Marking| m.get(&(place, colour.clone())).copied().unwrap_or(0);
            tokens(&of, &net.place_name(place, &colour), &mut asked);
        }
    }
    let bindings = net.bindings();
    let fires = |is: &dyn Fn(usize) -> bool| Value::Truth(graph.next.iter().flatten().any(|(b, _)| is(*b)));
    for t in 0..net.transitions() {
        asked.push((format!("EF FIREABLE(t{t})"), fires(&|b| bindings[b].transition == t)));
        for name in net.binding_names(t) {
            asked.push((format!("EF FIREABLE(\"{name}\")"), fires(&|b| bindings[b].name == name)));
        }
    }
    random.shuffle(&mut asked);
    asked.truncate(2 * NODES);
    compare(&problem, &[&whole[..], &asked].concat(), tally).map_err(said)?;
    counts(&problem, graph.markings.len()).map_err(said)?;
    there_and_back(&problem, &whole[4..], tally).map_err(said)
}

fn ours(name: &str, text: &[u8]) -> Result<Problem, String> {
    let source = Source { name: name.to_owned(), bytes: text.to_vec() };
    read(source, None, &Limits::default()).map(|read| read.problem).map_err(|e| format!("{e} {:?}", e.line_column()))
}

/// Asks one question. The error is that of the question.
fn ask_one(problem: &Problem, question: &str) -> Result<Answer, String> {
    let mut problem = problem.clone();
    let asked = ask(&mut problem, question, 1, &Limits::default()).map_err(|e| e.to_string())?;
    let Ask::Property(property) = asked else { return Err(format!("{question} names a property")) };
    let problem = problem.asking(vec![property]).map_err(|e| e.to_string())?;
    check(&problem, &Options::default()).answers.pop().ok_or_else(|| "no answer".to_owned())
}

fn compare(problem: &Problem, asked: &[Asked], tally: &mut Tally) -> Result<(), String> {
    tally.texts += 1;
    for (question, expected) in asked {
        let answer = ask_one(problem, question).map_err(|e| format!("{question}: {e}"))?;
        let is_exists = question.starts_with("EF");
        let found = match (expected, answer.value()) {
            (Value::Number(_), Some(value)) => Some(Value::Number(value.try_into().map_err(|_| "a large number")?)),
            _ if answer.is_safe() || answer.is_unsafe() => Some(Value::Truth(answer.is_safe() != is_exists)),
            _ => None,
        };
        if found != Some(*expected) {
            return Err(format!("{question} is {expected:?}, ours {found:?}: {:?}", answer.finding));
        }
        tally.answers[usize::from(![Value::Truth(false), Value::Number(0)].contains(expected))] += 1;
    }
    Ok(())
}

/// Compares the number of reachable markings.
fn counts(problem: &Problem, markings: usize) -> Result<(), String> {
    let net = problem.system().as_net().ok_or("no net")?;
    let ours = impasse::counts(net, &<_>::default()).map_err(|reason| format!("no counts: {reason:?}"))?;
    if ours.markings == markings.into() { Ok(()) } else { Err(format!("{markings} markings, ours {}", ours.markings)) }
}

/// Writes the net in each format, reads it again, and asks the same questions.
fn there_and_back(problem: &Problem, asked: &[Asked], tally: &mut Tally) -> Result<(), String> {
    let bare = problem.clone().asking(Vec::new()).map_err(|e| e.to_string())?;
    for name in WRITTEN {
        let format = by_name(name).ok_or("no such format")?;
        let mut text = Vec::new();
        if format.write.ok_or("no writer")?(&bare, &mut text).is_err() {
            continue;
        }
        tally.written += 1;
        let said = |e: String| {
            let mut shown = format!("as {name}: {e}");
            let _ = write!(shown, "\n{}", String::from_utf8_lossy(&text));
            shown
        };
        let source = Source { name: format!("t.{name}"), bytes: text.clone() };
        let back = read(source, Some(name), &Limits::default()).map_err(|e| said(e.to_string()))?.problem;
        let of = |problem: &Problem| problem.system().as_net().map(|net| (net.places().len(), net.transitions().len()));
        if of(&back) != of(problem) {
            return Err(said(format!("{:?} places and transitions, read back {:?}", of(problem), of(&back))));
        }
        compare(&back, asked, tally).map_err(said)?;
    }
    Ok(())
}

/// The reachable markings of a literal system.
struct Graph {
    markings: Vec<Marking>,
    /// For each marking: the steps that are enabled, each with the number of the next marking.
    next: Vec<Vec<(usize, usize)>>,
}

impl Graph {
    /// Explores a system. `None` if it has several initial markings, or is too large.
    fn of(system: &dyn Literal) -> Option<Self> {
        let start: Option<Marking> =
            system.starts().iter().map(|(n, most)| (Some(*n) == *most).then_some(*n)).collect();
        let mut graph = Self { markings: vec![start?], next: Vec::new() };
        let mut numbers = HashMap::from([(graph.markings[0].clone(), 0)]);
        while graph.next.len() < graph.markings.len() {
            let marking = graph.markings[graph.next.len()].clone();
            let mut next = Vec::new();
            for step in 0..system.steps() {
                for to in system.successors(step, &marking) {
                    if to.iter().any(|tokens| *tokens > MOST as i128) || graph.markings.len() > MOST {
                        return None;
                    }
                    let number = *numbers.entry(to).or_insert_with_key(|to| {
                        graph.markings.push(to.clone());
                        graph.markings.len() - 1
                    });
                    next.push((step, number));
                }
            }
            graph.next.push(next);
        }
        Some(graph)
    }

    fn whole(&self, steps: usize) -> Vec<Asked> {
        let all = 0..self.markings.len();
        let enabled = |t: usize, m: usize| self.next[m].iter().any(|(step, _)| *step == t);
        let places = 0..self.markings[0].len();
        let truth = [
            self.markings.iter().flatten().all(|tokens| *tokens < 2),
            (0..steps).all(|t| all.clone().any(|m| enabled(t, m))),
            (0..steps).all(|t| self.always_possible(|m| enabled(t, m))),
            places.into_iter().any(|p| self.markings.iter().all(|m| m[p] == self.markings[0][p])),
            self.always_possible(|m| m == 0),
        ];
        let mut asked: Vec<Asked> =
            WHOLE.iter().zip(truth).map(|(question, truth)| ((*question).to_owned(), Value::Truth(truth))).collect();
        let is_stuck = self.next.iter().any(Vec::is_empty);
        asked.push(("EF DEADLOCK".to_owned(), Value::Truth(is_stuck)));
        asked
    }

    /// Questions about some nodes with these names.
    fn nodes(&self, places: &[String], steps: &[String], random: &mut Random) -> Vec<Asked> {
        let mut asked = Vec::new();
        for (p, name) in places.iter().enumerate() {
            let most = self.markings.iter().map(|m| m[p]).max().unwrap_or(0);
            asked.push((format!("MAX \"{name}\""), Value::Number(most)));
            asked.push((format!("EF \"{name}\" >= 2"), Value::Truth(most >= 2)));
            asked.push((format!("AG \"{name}\" <= 1"), Value::Truth(most <= 1)));
        }
        for (t, name) in steps.iter().enumerate() {
            let fires = self.next.iter().flatten().any(|(step, _)| *step == t);
            asked.push((format!("EF FIREABLE(\"{name}\")"), Value::Truth(fires)));
        }
        random.shuffle(&mut asked);
        asked.truncate(NODES);
        asked
    }

    /// Soundness and weak soundness of a workflow net. The final marking has one token, on place 1.
    fn sound(&self, net: &dyn Literal) -> [Asked; 2] {
        let is_final = |m: usize| self.markings[m][1] == 1 && self.markings[m].iter().sum::<i128>() == 1;
        let weak = self.always_possible(is_final);
        let proper = (0..self.markings.len()).all(|m| self.markings[m][1] == 0 || is_final(m));
        let fires = |t: usize| self.next.iter().flatten().any(|(step, _)| *step == t);
        let sound = weak && proper && (0..net.steps()).all(fires);
        [("SOUND".to_owned(), Value::Truth(sound)), ("WEAKSOUND".to_owned(), Value::Truth(weak))]
    }

    /// True if each marking leads to a marking with this property.
    fn always_possible(&self, goal: impl Fn(usize) -> bool) -> bool {
        let mut leads: Vec<bool> = (0..self.markings.len()).map(goal).collect();
        loop {
            let one = |m: usize| leads[m] || self.next[m].iter().any(|(_, to)| leads[*to]);
            let more: Vec<bool> = (0..leads.len()).map(one).collect();
            if more == leads {
                return leads.into_iter().all(|leads| leads);
            }
            leads = more;
        }
    }
}
