//! Describes a net or a thread-transition system: its sizes, the features that decide which procedures apply,
//! the initial marking, the goals, and what slicing leaves of it.

use crate::cli::info::NAMES;
use crate::cli::input::Model;
use impasse::model::families::Family;
use impasse::model::{
    Act, Claim, Families, Goal, Marked, MarkedTask, Net, PlaceId, Problem, QuestionForm, ThreadTransitionSystem,
    Transition,
};
use impasse::questions::targets;
use num_bigint::{BigInt, BigUint};
use view::reasons::{self, Stepper};
use view::text::{count, names, plural};

/// Maximum number of properties listed without `-v`.
const PROPERTIES: usize = 20;

pub(super) fn describe(model: &Model, all: bool) {
    let problem = &model.problem;
    let most = if all { usize::MAX } else { NAMES };
    match problem.system().as_marked() {
        None => {}
        Some(Marked::Net(net)) => {
            say!("{}: net", model.name);
            let (places, transitions) = (net.places().len() as u64, net.transitions().len() as u64);
            say!("  {}, {}", plural(places, "place"), plural(transitions, "transition"));
            colours(net, most);
            net_features(net, most);
        }
        Some(Marked::Threads(threads)) => {
            say!("{}: thread-transition system", model.name);
            let (shared, locals) =
                (plural(threads.shared().into(), "shared state"), plural(threads.locals().into(), "local state"));
            say!("  {shared}, {locals}, {}", plural(threads.transitions().len() as u64, "transition"));
            thread_features(threads);
        }
    }
    start(problem, most);
    goals(problem, if all { usize::MAX } else { PROPERTIES });
    sliced(problem);
}

/// Says what the file has with colours, and which of its nodes are not part of the net.
fn colours(net: &Net, most: usize) {
    let families = net.families();
    if *families == Families::default() {
        return;
    }
    let (places, transitions) = (net.places_of_file().len() as u64, net.transitions_of_file().len() as u64);
    say!("  unfolded from {} and {}", plural(places, "place"), plural(transitions, "transition"));
    empty("never marked", &families.places, most);
    empty("never enabled", &families.transitions, most);
}

fn empty<T>(what: &str, families: &[Family<T>], most: usize) {
    let empty: Vec<&str> =
        families.iter().filter(|family| family.members.is_empty()).map(|family| family.names[0].as_str()).collect();
    if !empty.is_empty() {
        say!("  {what}: {}", names(empty, most));
    }
}

/// Returns true if a transition has a feature.
type Has<'a> = &'a dyn Fn(&Transition) -> bool;

fn net_features(net: &Net, most: usize) {
    let one = BigUint::from(1u32);
    let features: [(&str, Has<'_>); 7] = [
        ("weights above 1", &|t| {
            t.guards.iter().any(|g| g.range.at_least > one)
                || t.effects.iter().filter_map(|e| e.delta()).any(|d| d.magnitude() > &one)
        }),
        ("read arcs", &|t| t.guards.iter().any(|g| t.effect(g.place).is_none() && g.range.at_most.is_none())),
        ("transfers", &|t| t.effects.iter().any(|e| e.sources.iter().any(|p| *p != e.place) || e.sources.len() > 1)),
        ("resets", &|t| t.effects.iter().any(|e| e.sources.is_empty() && e.add == BigInt::from(0))),
        ("assignments", &|t| t.effects.iter().any(|e| e.sources.is_empty() && e.add != BigInt::from(0))),
        ("zero tests", &|t| t.guards.iter().any(|g| g.range.at_most == Some(BigUint::ZERO))),
        ("upper bounds in guards", &|t| {
            t.guards.iter().any(|g| g.range.at_most.as_ref().is_some_and(|most| *most != BigUint::ZERO))
        }),
    ];
    let found: Vec<String> = features
        .iter()
        .map(|(what, has)| (what, net.transitions().iter().filter(|t| has(t)).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{what} (in {})", plural(count as u64, "transition")))
        .collect();
    let kind = if found.is_empty() { "a plain net: weights 1, no other arcs".to_owned() } else { found.join(", ") };
    say!("  features: {kind}");
    say!("  {}", if net.is_monotone() { "monotone: more tokens never disable a transition" } else { "not monotone" });
    let open = net.open_places();
    let name = |p: &PlaceId| net.shown_place(*p);
    let (any, ranges): (Vec<PlaceId>, Vec<PlaceId>) =
        open.iter().partition(|p| net.place(**p).initial.at_most.is_none());
    for (what, places) in [("parametric (any number from the least up)", any), ("initial ranges", ranges)] {
        if !places.is_empty() {
            say!("  {what}: {}", names(places.iter().map(name), most));
        }
    }
}

fn thread_features(threads: &ThreadTransitionSystem) {
    let count = |has: &dyn Fn(&impasse::model::ThreadTransition) -> bool| {
        threads.transitions().iter().filter(|t| has(t)).count() as u64
    };
    let all = [
        ("spawn", count(&|t| t.act == Act::Spawn)),
        ("transfer", count(&|t| t.act == Act::Transfer)),
        ("broadcast", count(&|t| !t.passive.is_empty())),
        ("passive moves with several targets", count(&|t| t.passive.values().any(|to| to.len() > 1))),
    ];
    let found: Vec<String> = all
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{what} (in {})", plural(count, "transition")))
        .collect();
    say!("  features: {}", if found.is_empty() { "moves only".to_owned() } else { found.join(", ") });
    let any: Vec<String> = threads.initial().any.iter().map(|l| l.0.to_string()).collect();
    if !any.is_empty() {
        say!("  parametric: any number of threads starts in local state {}", any.join(", "));
    }
}

fn start(problem: &Problem, most: usize) {
    let Some(stepper) = Stepper::new(problem.system()) else { return };
    let least = if stepper.open_places().is_empty() { "" } else { " at least" };
    say!("  starts with{least}: {}", reasons::show(stepper, &stepper.start(&[]), most));
}

fn goals(problem: &Problem, most: usize) {
    if problem.properties().is_empty() {
        let finals = problem.system().as_net().is_some_and(|net| !net.finals().is_empty());
        let more = if finals { ", `--property final`" } else { "" };
        say!("  asks for nothing (`--target FILE`, `--properties FILE`, `--property deadlock`{more})");
        return;
    }
    say!("  asks for:");
    for property in problem.properties().iter().take(most) {
        let kind = problem.kind(property);
        let how = match property.asked {
            _ if matches!(property.goal, Goal::Bound(_)) => "what is its largest value?",
            QuestionForm::Exists | QuestionForm::Expected if property.goal.is_temporal() => "does some run satisfy it?",
            _ if !property.goal.is_of_states() => "does it hold?",
            QuestionForm::Never | QuestionForm::Formula => "must not be reachable",
            QuestionForm::Exists | QuestionForm::Expected => "is it reachable?",
            QuestionForm::Always => "is it unreachable?",
        };
        let parts = problem.formula(property.goal).map_or(1, |f| targets(f));
        let parts = if parts == 1 { String::new() } else { format!(", {}", plural(parts as u64, "target")) };
        say!("    {}: {kind}{parts} ({how})", property.id);
    }
    if problem.properties().len() > most {
        say!("    ({} more; -v shows all)", problem.properties().len() - most);
    }
}

/// Prints what slicing for all goals together leaves for a search.
fn sliced(problem: &Problem) {
    let Some(task) = MarkedTask::of(problem).filter(|_| !problem.properties().is_empty()) else { return };
    let goals = task.goals();
    let prepared = nets::reduce::prepare(&task, &nets::reduce::Options { slice: true, bound: None });
    let settled: usize =
        prepared.settled.iter().map(|c| if let Claim::Safe { goals, .. } = c { goals.len() } else { 0 }).sum();
    if settled > 0 {
        let which = if settled == goals.len() { "all of it".to_owned() } else { plural(settled as u64, "property") };
        say!("  slicing settles {}", which.replace("propertys", "properties"));
    }
    if settled < goals.len() {
        let (before, after) = (prepared.before, prepared.after);
        // The translation has more places and transitions than the system has states and transitions, so
        // their numbers are not compared.
        if let Some(threads) = problem.system().as_threads()
            && nets::reduce::thread_net(threads).is_err()
        {
            let (places, transitions) = (after.places as u64, after.transitions as u64);
            say!("  sliced, as a net: {}, {}", plural(places, "place"), plural(transitions, "transition"));
            return;
        }
        let places = format!("{} of {}", count(after.places as u64), plural(before.places as u64, "place"));
        let transitions =
            format!("{} of {}", count(after.transitions as u64), plural(before.transitions as u64, "transition"));
        say!("  slicing leaves {places}, {transitions}");
    }
}
