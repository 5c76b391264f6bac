//! Every error and warning code, with its meaning, a wrong and a right example. Codes are a promise: they are
//! never renamed and never change their meaning.

mod aiger;
mod bpmn;
mod btor2;
mod c;
mod evidence;
mod general;
mod import;
mod js;
mod json;
mod lola;
mod lrat;
mod ltl;
mod net;
mod pnml;
mod rwb;
mod spec;
mod tina;
mod tts;

pub use aiger::*;
pub use bpmn::*;
pub use btor2::*;
pub use c::*;
pub use evidence::*;
pub use general::*;
pub use import::*;
pub use js::*;
pub use json::*;
pub use lola::*;
pub use lrat::*;
pub use ltl::*;
pub use net::*;
pub use pnml::*;
pub use rwb::*;
pub use spec::*;
pub use tina::*;
pub use tts::*;

/// An error or warning code, as `impasse explain` describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code: `area::what`.
    pub code: &'static str,
    /// The meaning in one line.
    pub title: &'static str,
    /// The meaning, and what to do.
    pub text: &'static str,
    /// An input that gives this code.
    pub wrong: &'static str,
    /// A corrected input.
    pub right: &'static str,
}

/// Limits that do not grow with the memory.
const FIXED: &[Code] = &[LIMIT_NESTING, LIMIT_NUMBER, LIMIT_NAME, LIMIT_DIGITS, LIMIT_VALUES];

impl Code {
    /// True if the code is about a limit that grows with the memory ([`crate::Limits::within`]).
    #[must_use]
    pub fn grows(&self) -> bool {
        self.code.starts_with("limit::") && !FIXED.contains(self)
    }
}

macro_rules! codes {
    ($($name:ident $code:literal $title:literal $text:literal $wrong:expr, $right:expr;)*) => {
        $(
            #[doc = $title]
            pub const $name: crate::codes::Code =
                crate::codes::Code { code: $code, title: $title, text: $text, wrong: $wrong, right: $right };
        )*
        /// The codes of this area.
        pub(super) const AREA: &[crate::codes::Code] = &[$($name),*];
    };
}
pub(crate) use codes;

const AREAS: &[&[Code]] = &[
    general::AREA,
    rwb::AREA,
    json::AREA,
    import::AREA,
    net::AREA,
    spec::AREA,
    tts::AREA,
    pnml::AREA,
    bpmn::AREA,
    lola::AREA,
    tina::AREA,
    aiger::AREA,
    btor2::AREA,
    evidence::AREA,
    lrat::AREA,
    c::AREA,
    js::AREA,
    ltl::AREA,
];

const COUNT: usize = {
    let (mut count, mut area) = (0, 0);
    while area < AREAS.len() {
        count += AREAS[area].len();
        area += 1;
    }
    count
};

const fn all() -> [Code; COUNT] {
    let mut all = [general::AREA[0]; COUNT];
    let (mut area, mut at) = (0, 0);
    while area < AREAS.len() {
        let mut i = 0;
        while i < AREAS[area].len() {
            all[at] = AREAS[area][i];
            at += 1;
            i += 1;
        }
        area += 1;
    }
    all
}

/// All codes.
pub const ALL: &[Code] = &all();

/// Finds a code by its name.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|c| c.code == code)
}
