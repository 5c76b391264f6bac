//! Questions about a net or thread-transition system as a whole, with a word of their own in `--ask`. Each is
//! translated to a goal. The places of a thread-transition system are its shared and local states.
//!
//! Places and transitions are those of the file ([`Net::places_of_file`]). So a place of a coloured net has the tokens
//! of all its colours, and a transition is enabled if one of its bindings is, as in the contest. A transition without
//! bindings is never enabled.
//!
//! * `ONESAFE`: no reachable marking has two tokens on a place. A set of markings that must not be reachable.
//! * `QUASILIVENESS`: each transition is enabled in some reachable marking. `EF enabled(t)` for all t.
//! * `LIVENESS`: each transition can always become enabled again. `AG EF enabled(t)` for all t.
//! * `STABLEMARKING`: some place always has the same number of tokens. `AG p = initial(p)` for some p.
//! * `REVERSIBLE`: the initial marking can always be reached again. `AG EF initial`.
//! * `SOUND`, `WEAKSOUND`: the net is a workflow net, from its only place without producers to its only place without
//!   consumers. Weakly sound: the final marking, one token on the latter and none elsewhere, can always be reached.
//!   Sound: in addition a marking with a token there is the final marking, and each transition is enabled in some
//!   reachable marking (van der Aalst et al., "Soundness of workflow nets", 2011).
//!
//! The last two are about nets without colours only. The first four are examinations of the Model Checking Contest.

use crate::reach::{Op, Phi, Questions};
use crate::subject::Subject;
use formats::codes;
use formats::error::{Error, Text};
use model::{
    CtlBuilder, CtlId, Families, Formula, FormulaBuilder, LocalId, Marked, Net, PlaceId, QuestionForm, Transition,
    TransitionId,
};
use num_bigint::{BigInt, BigUint};
use std::borrow::Cow;
use std::ops::Range;

type Res<T> = Result<T, Box<Error>>;

/// A question about a system as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Global {
    /// No place ever holds more than one token.
    OneSafe,
    /// Each transition fires in some run.
    QuasiLiveness,
    /// From each reachable marking, each transition fires in some run.
    Liveness,
    /// Some place holds the same number of tokens in all reachable markings.
    StableMarking,
    /// The initial marking is reachable from each reachable marking.
    Reversible,
    /// The net is a sound workflow net.
    Sound,
    /// The net is a workflow net that can always end properly.
    WeakSound,
}

impl Global {
    /// The words of all questions.
    pub(crate) const WORDS: [(&'static str, Global); 7] = [
        ("ONESAFE", Global::OneSafe),
        ("QUASILIVENESS", Global::QuasiLiveness),
        ("LIVENESS", Global::Liveness),
        ("STABLEMARKING", Global::StableMarking),
        ("REVERSIBLE", Global::Reversible),
        ("SOUND", Global::Sound),
        ("WEAKSOUND", Global::WeakSound),
    ];

    /// Returns the question that this text asks by its word.
    pub fn of(text: &str) -> Option<Self> {
        let word = text.trim().trim_end_matches(';').trim_end();
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, global)| *global)
    }
}

/// Adds a question about a system as a whole.
///
/// # Errors
/// If the system has not exactly one initial marking and the question is about it, or is no workflow net and the
/// question is about such nets; and if the formulas become too large.
pub(crate) fn ask(
    global: Global,
    (text, span): (Text<'_>, Range<usize>),
    (system, subject): (Marked<'_>, Subject<'_>),
    id: String,
    questions: &mut Questions<'_>,
) -> Res<()> {
    let mut made = Made { system, subject, questions, span, builder: CtlBuilder::default(), text };
    let root = match global {
        Global::OneSafe => {
            let mut builder = FormulaBuilder::default();
            let two = |group: Cow<'_, [PlaceId]>| builder.at_least(sum(&group, 1), 2.into());
            let parts = subject_places(system).into_iter().map(two).collect();
            let root = builder.any(parts);
            made.questions.add_formula(id, builder.finish(root), QuestionForm::Never);
            return Ok(());
        }
        Global::QuasiLiveness => made.quasi_live()?,
        Global::Liveness => made.all_transitions(|builder, enabled| {
            let possible = builder.exists_finally(enabled);
            builder.all_globally(possible)
        })?,
        Global::StableMarking => {
            let initial = made.initial()?;
            let stable = |group: Cow<'_, [PlaceId]>| {
                let tokens = group.iter().map(|place| &initial[place.index()]).sum();
                let is_same = made.letter(count(&group, tokens));
                made.builder.all_globally(is_same)
            };
            let parts: Vec<CtlId> = subject_places(system).into_iter().map(stable).collect();
            made.builder.join(false, parts)
        }
        Global::Reversible => {
            let initial = made.initial()?;
            let same = made.marking(&initial);
            let possible = made.builder.exists_finally(same);
            made.builder.all_globally(possible)
        }
        Global::Sound => made.sound(true)?,
        Global::WeakSound => made.sound(false)?,
    };
    let formula = made.builder.finish(root);
    made.questions.add_branching(id, formula, QuestionForm::Never);
    Ok(())
}

/// Returns the places of the file, or of the view of a thread-transition system as a net.
fn subject_places(system: Marked<'_>) -> Vec<Cow<'_, [PlaceId]>> {
    match system {
        Marked::Net(net) => net.places_of_file(),
        Marked::Threads(threads) => (0..threads.places()).map(|p| Cow::Owned(vec![PlaceId::new(p)])).collect(),
    }
}

/// The tokens of these places together, times a factor.
fn sum(places: &[PlaceId], factor: i8) -> impl Iterator<Item = (PlaceId, BigInt)> {
    places.iter().map(move |place| (*place, factor.into()))
}

/// The formula that these places have this number of tokens together.
fn count(places: &[PlaceId], tokens: BigInt) -> Formula {
    let mut builder = FormulaBuilder::default();
    let least = builder.at_least(sum(places, 1), tokens.clone());
    let most = builder.at_least(sum(places, -1), -tokens);
    let root = builder.all(vec![least, most]);
    builder.finish(root)
}

/// A formula that is being made.
struct Made<'m, 'q> {
    system: Marked<'m>,
    subject: Subject<'m>,
    questions: &'m mut Questions<'q>,
    span: Range<usize>,
    builder: CtlBuilder,
    text: Text<'m>,
}

impl<'m> Made<'m, '_> {
    fn letter(&mut self, formula: Formula) -> CtlId {
        match self.questions.letter_of(formula) {
            Ok(letter) => self.builder.letter(letter),
            Err(value) => self.builder.constant(value),
        }
    }

    /// Returns the initial marking.
    fn initial(&self) -> Res<Vec<BigInt>> {
        if !self.system.has_single_start() {
            let [noun, ..] = self.subject.nouns();
            let message = format!("the question is about the initial marking, and the {noun} has several");
            let error = self.text.error(&codes::ASK_NET, self.span.clone(), message);
            return Err(error.label(format!("not for this {noun}")).hint("`--init` chooses one"));
        }
        Ok(match self.system {
            Marked::Net(net) => net.places().iter().map(|place| place.initial.at_least.clone().into()).collect(),
            Marked::Threads(threads) => {
                let (mut tokens, initial) = (vec![BigInt::ZERO; threads.places()], threads.initial());
                tokens[threads.shared_place(initial.shared).index()] = 1.into();
                let local = |(l, number): (&LocalId, &BigUint)| (threads.local_place(*l).index(), number.clone());
                initial.threads.iter().map(local).for_each(|(place, number)| tokens[place] = number.into());
                tokens
            }
        })
    }

    /// The letter of this marking.
    fn marking(&mut self, tokens: &[BigInt]) -> CtlId {
        let mut builder = FormulaBuilder::default();
        let mut parts = Vec::new();
        for (p, tokens) in tokens.iter().enumerate() {
            parts.push(builder.at_least([(PlaceId::new(p), BigInt::from(1))], tokens.clone()));
            parts.push(builder.at_least([(PlaceId::new(p), BigInt::from(-1))], -tokens));
        }
        let root = builder.all(parts);
        self.letter(builder.finish(root))
    }

    fn all_transitions(&mut self, says: impl Fn(&mut CtlBuilder, CtlId) -> CtlId) -> Res<CtlId> {
        let groups: Vec<Vec<TransitionId>> = match self.system {
            Marked::Net(net) => net.transitions_of_file().into_iter().map(Cow::into_owned).collect(),
            Marked::Threads(_) => (0..self.subject.transition_count()).map(|t| vec![TransitionId::new(t)]).collect(),
        };
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            let mut phi = Phi::default();
            phi.push(Op::Fireable(group));
            let enabled = self.questions.formula(&phi, true, self.span.clone())?;
            let enabled = self.letter(enabled);
            parts.push(says(&mut self.builder, enabled));
        }
        Ok(self.builder.join(true, parts))
    }

    fn quasi_live(&mut self) -> Res<CtlId> {
        self.all_transitions(CtlBuilder::exists_finally)
    }

    /// Soundness of a workflow net, or its weak form.
    fn sound(&mut self, is_strong: bool) -> Res<CtlId> {
        let end = self.workflow()?;
        let mut last = vec![BigInt::ZERO; self.system.places()];
        last[end.index()] = BigInt::from(1);
        let last = self.marking(&last);
        let possible = self.builder.exists_finally(last);
        let option = self.builder.all_globally(possible);
        if !is_strong {
            return Ok(option);
        }
        let improper = self.improper(end);
        let possible = self.builder.exists_finally(improper);
        let proper = self.builder.not(possible);
        let live = self.quasi_live()?;
        Ok(self.builder.join(true, vec![option, proper, live]))
    }

    /// The letter "there is a token on this place, and another token somewhere".
    fn improper(&mut self, end: PlaceId) -> CtlId {
        let mut builder = FormulaBuilder::default();
        let tokens = |p: PlaceId| 1 + u8::from(p == end);
        let others = (0..self.system.places()).map(PlaceId::new);
        let others = others.map(|p| builder.place_at_least(p, &tokens(p).into())).collect();
        let parts = vec![builder.place_at_least(end, &1u8.into()), builder.any(others)];
        let root = builder.all(parts);
        self.letter(builder.finish(root))
    }

    /// Checks that the net is a workflow net, and returns its last place.
    fn workflow(&self) -> Res<PlaceId> {
        let no = |message: String| {
            let error = self.text.error(&codes::ASK_NET, self.span.clone(), message);
            error.label("about workflow nets only").hint(
                "a workflow net has one place without producers, with the only token, one place without consumers, and \
                 each node is on a path between them",
            )
        };
        let Marked::Net(net) = self.system else {
            let [noun, ..] = self.subject.nouns();
            return Err(no(format!("the question is about nets, and the model is a {noun}")));
        };
        if *net.families() != Families::default() {
            return Err(no("the net has colours".to_owned()));
        }
        let flow = Flow::of(net);
        let ends = |is_end: &dyn Fn(usize) -> bool| {
            let list: Vec<usize> = (0..net.places().len()).filter(|p| is_end(*p)).collect();
            if let [one] = list[..] { Ok(one) } else { Err(list.len()) }
        };
        let first = ends(&|p| flow.producers[p] == 0)
            .map_err(|count| no(format!("the net has {count} places without producers")))?;
        let last = ends(&|p| flow.consumers[p] == 0)
            .map_err(|count| no(format!("the net has {count} places without consumers")))?;
        let initial = self.initial()?;
        let is_first = |(p, tokens): (usize, &BigInt)| *tokens == BigInt::from(u8::from(p == first));
        if !initial.iter().enumerate().all(is_first) {
            let name = &net.places()[first].name;
            return Err(no(format!("the initial marking is not one token on `{name}`")));
        }
        match flow.outside(first, last) {
            Some(node) => Err(no(format!("`{node}` is not on a path from the first to the last place"))),
            None => Ok(PlaceId::new(last)),
        }
    }
}

/// True if the transition takes tokens from the place, and if it puts tokens there. A token that it only needs is taken
/// and put. An inhibitor arc does neither.
fn ends(transition: &Transition, place: PlaceId) -> (bool, bool) {
    let needed = transition.guard(place).map_or(BigInt::ZERO, |range| range.at_least.clone().into());
    let Some(effect) = transition.effect(place) else { return (needed > BigInt::ZERO, needed > BigInt::ZERO) };
    let takes = needed > BigInt::ZERO || !effect.sources.contains(&place);
    match effect.delta() {
        Some(delta) => (takes, needed + delta > BigInt::ZERO),
        None => (takes, effect.add > BigInt::ZERO || effect.sources.iter().any(|source| *source != place)),
    }
}

/// The arcs of a net.
struct Flow<'n> {
    net: &'n Net,
    /// For each place: the number of transitions that put tokens there, and that take tokens from there.
    producers: Vec<usize>,
    consumers: Vec<usize>,
    /// Arcs between nodes: places, then transitions.
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl<'n> Flow<'n> {
    fn of(net: &'n Net) -> Self {
        let places = net.places().len();
        let nodes = places + net.transitions().len();
        let (producers, consumers) = (vec![0; places], vec![0; places]);
        let (after, before) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        let mut flow = Self { net, producers, consumers, after, before };
        for (t, transition) in net.transitions().iter().enumerate() {
            let mut touched: Vec<PlaceId> = transition.guards.iter().map(|guard| guard.place).collect();
            touched.extend(transition.effects.iter().map(|effect| effect.place));
            touched.sort_unstable();
            touched.dedup();
            for place in touched {
                let p = place.index();
                let (takes, puts) = ends(transition, place);
                if takes {
                    flow.consumers[p] += 1;
                    flow.arc(p, places + t);
                }
                if puts {
                    flow.producers[p] += 1;
                    flow.arc(places + t, p);
                }
            }
        }
        flow
    }

    fn arc(&mut self, from: usize, to: usize) {
        self.after[from].push(to);
        self.before[to].push(from);
    }

    /// Returns the name of a node that is on no path between these places.
    fn outside(&self, first: usize, last: usize) -> Option<&'n str> {
        let reached = |from: usize, next: &[Vec<usize>]| {
            let mut seen = vec![false; next.len()];
            seen[from] = true;
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                for &to in &next[node] {
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push(to);
                    }
                }
            }
            seen
        };
        let (after, before) = (reached(first, &self.after), reached(last, &self.before));
        let node = (0..after.len()).find(|node| !after[*node] || !before[*node])?;
        let places = self.net.places();
        Some(match node.checked_sub(places.len()) {
            None => &places[node].name,
            Some(t) => &self.net.transitions()[t].name,
        })
    }
}
