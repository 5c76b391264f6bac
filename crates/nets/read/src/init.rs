//! The option `--init`: an initial state in place of the one in the file.

use crate::tts;
use formats::error::{Error, Text, printable};
use formats::number::natural;
use formats::source::Limits;
use formats::{codes, suggest};
use model::{Marked, Net, Problem, Range, SystemModel, ThreadTransitionSystem};
use std::collections::HashSet;
use std::sync::Arc;

/// The name of the text in errors.
const NAME: &str = "--init";

/// Chooses the initial state where the file of `problem` leaves it open. Returns warnings.
///
/// For thread-transition systems, `spec` is in BFC's notation. `0|0` stands for one thread in local state 0,
/// and `0/0` for arbitrarily many threads in local state 0. `1|0,1/2` stands for one thread in 0, one in 1, and
/// arbitrarily many in 2. For nets, `spec` is a list like `x=7,y=2`. Open places that the list does not name
/// stay open.
///
/// # Errors
/// Mistakes in `spec`, and systems with a fixed initial state. The problem is then unchanged.
pub fn apply_init(problem: &mut Problem, spec: &str) -> Result<Vec<Error>, Box<Error>> {
    let text = Text { name: NAME, text: spec };
    let system: SystemModel = match problem.system().as_marked() {
        Some(Marked::Threads(system)) => {
            let initial = tts::init(text, system)?;
            let changed =
                ThreadTransitionSystem::new(system.shared(), system.locals(), initial, system.transitions().to_vec())
                    .map_err(|invalid| Error::whole(&codes::NET_INVALID, NAME, invalid.to_string()))?;
            Arc::new(changed).into()
        }
        Some(Marked::Net(net)) => Arc::new(fixed(net, text)?).into(),
        None => {
            let message = "a behavioral program or circuit has no initial state to choose";
            return Err(Error::whole(&codes::INIT_SYSTEM, NAME, message));
        }
    };
    *problem = problem.clone().on(system).map_err(|mismatch| Error::unfit(NAME, &mismatch))?;
    Ok(Vec::new())
}

/// Returns `net` with the counts that `text` gives to open places.
fn fixed(net: &Net, text: Text<'_>) -> Result<Net, Box<Error>> {
    let index = net.place_index();
    let mut places = net.places().to_vec();
    let mut seen = HashSet::new();
    let mut at = 0;
    for part in text.text.split(',') {
        let span = at..at + part.len();
        at = span.end + 1;
        // The text is split at the last `=`, because names may contain `=`.
        let Some((name, count)) = part.rsplit_once('=').map(|(name, count)| (name.trim(), count.trim())) else {
            let error = text.error(&codes::INIT_SYNTAX, span, "a part that is not `place=count`");
            return Err(error.label("expected `place=count`").hint("write for example x=7,y=2"));
        };
        if count.is_empty() || !count.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("`{}` is not a number of tokens", printable(count));
            return Err(text.error(&codes::INIT_SYNTAX, span, message).label("expected a decimal number"));
        }
        let most = Limits::default().token_digits;
        if count.len() > most {
            let message = format!("a number of {} digits", count.len());
            return Err(text
                .error(&codes::LIMIT_DIGITS, span, message)
                .label(format!("expected at most {most} digits")));
        }
        let Some(p) = index.get(name).map(|p| p.index()) else {
            let message = format!("there is no place `{}`", printable(name));
            let error = text.error(&codes::INIT_UNKNOWN, span, message).label("not a place of the net");
            let open = places.iter().filter(|place| !place.initial.is_single()).map(|place| place.name.as_str());
            return Err(suggest::hinted(error, name, open, ""));
        };
        if !seen.insert(p) {
            let message = format!("the place `{}` is named twice", printable(name));
            return Err(text.error(&codes::INIT_SYNTAX, span, message).label("expected each place once"));
        }
        let range = &mut places[p].initial;
        let count = natural(count);
        if !range.contains(&count) {
            let message = format!("the place `{}` cannot start with this number of tokens", printable(name));
            return Err(text.error(&codes::INIT_RANGE, span, message).label(format!("expected {}", shown(range))));
        }
        *range = Range::exactly(count);
    }
    let changed = Net::new(places, net.transitions().to_vec()).map(|changed| changed.said_as(net));
    changed.map_err(|invalid| Error::whole(&codes::NET_INVALID, NAME, invalid.to_string()))
}

fn shown(range: &Range) -> String {
    let number =
        |n: &num_bigint::BigUint| if n.bits() > 200 { format!("a number of {} bits", n.bits()) } else { n.to_string() };
    match &range.at_most {
        None => format!("{} or more", number(&range.at_least)),
        Some(_) if range.is_single() => number(&range.at_least),
        Some(most) => format!("{} to {}", number(&range.at_least), number(most)),
    }
}
