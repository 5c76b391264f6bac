//! Random coloured nets: their text ([`text`]), and their meaning by definition, which tries all bindings and leaves
//! nothing out ([`meaning`]). Nothing is shared with the reader of the format.

pub mod meaning;
pub mod questions;
pub mod text;
mod write;

use crate::Random;

/// The classes: their ids and colours. Only the first is cyclic.
pub const CLASSES: [(&str, &[&str]); 2] = [("s", &["a", "b", "c"]), ("f", &["u", "v"])];
/// The variables with their classes.
const VARIABLES: [(&str, usize); 3] = [("x", 0), ("y", 0), ("z", 1)];
/// The sorts: their ids and classes.
pub const SORTS: [(&str, &[usize]); 4] = [("s", &[0]), ("f", &[1]), ("sf", &[0, 1]), ("dot", &[])];
const RELATIONS: [&str; 6] =
    ["equality", "inequality", "lessthan", "lessthanorequal", "greaterthan", "greaterthanorequal"];

/// The choices that make a net.
struct Choices(std::vec::IntoIter<u8>);

impl Choices {
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % count
    }
}

/// A term for colours of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Colour {
    Constant(usize),
    /// A variable and a shift.
    Variable(usize, usize),
    All,
}

/// Some tokens of a tuple of colours.
#[derive(Debug)]
pub(crate) struct Summand {
    pub(crate) count: i64,
    pub(crate) parts: Vec<(usize, Colour)>,
}

/// A condition.
#[derive(Debug)]
pub(crate) enum Test {
    Compare(usize, usize, Colour, Colour),
    Not(Box<Test>),
    Join(bool, Vec<Test>),
}

/// A place, and the tokens that an arc takes from it or puts there.
pub(crate) type Arc = (usize, Vec<Summand>);

/// A coloured transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) test: Option<Test>,
    pub(crate) takes: Vec<Arc>,
    pub(crate) puts: Vec<Arc>,
}

fn colour(of: &mut Choices, class: usize, has_variables: bool, has_all: bool) -> Colour {
    let size = CLASSES[class].1.len();
    match of.pick(8) {
        0 if has_all => Colour::All,
        1 | 2 => Colour::Constant(of.pick(size)),
        _ if !has_variables => Colour::Constant(of.pick(size)),
        _ if class == 1 => Colour::Variable(2, 0),
        n => Colour::Variable(of.pick(2), if n > 5 { of.pick(3) } else { 0 }),
    }
}

fn sum(of: &mut Choices, sort: usize, has_variables: bool) -> Vec<Summand> {
    let count = 1 + of.pick(2);
    let mut sum: Vec<Summand> = (0..count)
        .map(|_| {
            let parts = SORTS[sort].1.iter().map(|class| (*class, colour(of, *class, has_variables, true))).collect();
            Summand { count: 1 + of.pick(2) as i64, parts }
        })
        .collect();
    if count > 1 && of.pick(4) == 0 {
        sum[1].count = -1;
    }
    sum
}

fn test(of: &mut Choices, depth: usize) -> Test {
    match of.pick(if depth == 0 { 3 } else { 6 }) {
        3 => Test::Not(Box::new(test(of, depth - 1))),
        4 | 5 => {
            let parts = (0..1 + of.pick(3)).map(|_| test(of, depth - 1)).collect();
            Test::Join(of.pick(2) == 0, parts)
        }
        _ => {
            let class = of.pick(2);
            Test::Compare(of.pick(6), class, colour(of, class, true, false), colour(of, class, true, false))
        }
    }
}

/// A coloured net. Its places are `p0`, `p1`, .., and its transitions `t0`, `t1`, ..
#[derive(Debug)]
pub struct Coloured {
    /// The number of the sort of each place in [`SORTS`], and its initial tokens.
    pub(crate) places: Vec<(usize, Vec<Summand>)>,
    pub(crate) transitions: Vec<Transition>,
}

impl Coloured {
    /// Returns the net that these choices make. Any choices make a net.
    #[must_use]
    pub fn of(choices: Vec<u8>) -> Self {
        let mut of = Choices(choices.into_iter());
        let mut places = Vec::new();
        for _ in 0..2 + of.pick(3) {
            let sort = of.pick(4);
            let marking = if of.pick(3) == 0 { Vec::new() } else { sum(&mut of, sort, false) };
            places.push((sort, marking));
        }
        let mut transitions = Vec::new();
        for _ in 0..1 + of.pick(3) {
            let arcs = |of: &mut Choices| -> Vec<Arc> {
                (0..of.pick(3))
                    .map(|_| {
                        let place = of.pick(places.len());
                        (place, sum(of, places[place].0, true))
                    })
                    .collect()
            };
            let (takes, puts) = (arcs(&mut of), arcs(&mut of));
            let test = (of.pick(2) == 0).then(|| test(&mut of, 2));
            transitions.push(Transition { test, takes, puts });
        }
        Self { places, transitions }
    }

    /// Returns a random net.
    #[must_use]
    pub fn random(random: &mut Random) -> Self {
        Self::of((0..200).map(|_| random.bits().to_le_bytes()[0]).collect())
    }

    /// Returns the number of places.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of transitions.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.transitions.len()
    }
}
