//! The arithmetic of reactive programs: 32-bit numbers that wrap, directly from the definitions in
//! [`model::reactive`].

use model::reactive::{Binary, Unary};

/// Returns the value of an operator with one operand.
#[must_use]
pub fn unary(op: Unary, a: i32) -> i32 {
    match op {
        Unary::Neg => a.wrapping_neg(),
        Unary::Not => (a == 0).into(),
    }
}

/// Returns the value of an operator with two operands, or `None` if it crashes. For `And` and `Or` both
/// operands have been evaluated.
#[must_use]
pub fn binary(op: Binary, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => return a.checked_div(b),
        Binary::Rem => return a.checked_rem(b),
        Binary::Eq => (a == b).into(),
        Binary::Ne => (a != b).into(),
        Binary::Lt => (a < b).into(),
        Binary::Le => (a <= b).into(),
        Binary::Gt => (a > b).into(),
        Binary::Ge => (a >= b).into(),
        Binary::And => (a != 0 && b != 0).into(),
        Binary::Or => (a != 0 || b != 0).into(),
    })
}
