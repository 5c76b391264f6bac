//! A generated net as large as the largest net in the literature (`ring__single_message_in_mailbox__depth_2`:
//! 66,950 places, 213,635 transitions). The corpus does not contain that net.

use std::fmt::Write;

const PLACES: u64 = 66_950;
const TRANSITIONS: u64 = 213_635;

/// Returns the text of the net. It is a ring of places with shortcuts. Some transitions have two inputs. All
/// places can be marked, and all of them matter for the target.
pub(crate) fn spec() -> String {
    let mut text = String::from("vars\n");
    for p in 0..PLACES {
        let _ = write!(text, " p{p}");
    }
    text.push_str("\nrules\n");
    for t in 0..TRANSITIONS {
        let from = t % PLACES;
        // The ring comes first, then shortcuts, which the multiplication spreads.
        let to = if t < PLACES { (t + 1) % PLACES } else { t.wrapping_mul(0x9e37_79b9) % PLACES };
        if from == to {
            let _ = writeln!(text, "p{from} >= 1 -> p{from}' = p{from} + 1;");
        } else if t % 3 == 0 && t >= PLACES && (from + 1) % PLACES != to {
            let other = (from + 1) % PLACES;
            let _ = writeln!(
                text,
                "p{from} >= 1, p{other} >= 1 -> p{from}' = p{from} - 1, p{other}' = p{other} - 1, p{to}' = p{to} + 2;"
            );
        } else {
            let _ = writeln!(text, "p{from} >= 1 -> p{from}' = p{from} - 1, p{to}' = p{to} + 1;");
        }
    }
    text.push_str("init\np0 >= 1");
    for p in 1..PLACES {
        let _ = write!(text, ", p{p} = 0");
    }
    let _ = write!(text, "\ntarget\np{} >= 2, p7 >= 1\n", PLACES - 1);
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_has_the_sizes_it_promises() {
        let text = super::spec();
        assert_eq!(text.matches("->").count() as u64, super::TRANSITIONS);
        assert!(text.contains(" p66949") && !text.contains("p66950"));
    }
}
