//! The gates of each operator.

use super::arithmetic::Shift;
use super::gates::{Bits, Gates, extended, not, sign, zeros};
use crate::btor2::ops::Op;
use crate::btor2::sorts::Sort;
use model::{CircuitBuilder, Signal};

/// Returns the bits of the result. The operands fit the operator: see [`crate::btor2::ops::Shape`].
pub(super) fn operation(gates: &mut Gates, op: Op, operands: &[Bits], numbers: [u32; 2], sort: Sort) -> Bits {
    match operands {
        [a] => unary(gates, op, a, numbers),
        [a, b] => binary(gates, op, a, b, sort),
        [a, b, c] if op == Op::Write => gates.write(a, b, c),
        [a, b, c] => gates.choose(a[0], b, c),
        _ => Bits::new(),
    }
}

fn unary(gates: &mut Gates, op: Op, a: &[Signal], numbers: [u32; 2]) -> Bits {
    let width = a.len();
    match op {
        Op::Inc => gates.add(a, &zeros(width), Signal::TRUE).0,
        Op::Dec => gates.add(a, &not(&zeros(width)), Signal::FALSE).0,
        Op::Neg => gates.negate(a),
        Op::Redand => vec![gates.builder.all(a)],
        Op::Redor => vec![gates.builder.any(a)],
        Op::Redxor => vec![gates.parity(a)],
        Op::Sext => extended(a, numbers[0] as usize, sign(a)),
        Op::Uext => extended(a, numbers[0] as usize, Signal::FALSE),
        Op::Slice => a[numbers[1] as usize..=numbers[0] as usize].to_vec(),
        _ => not(a),
    }
}

fn binary(gates: &mut Gates, op: Op, a: &[Signal], b: &[Signal], sort: Sort) -> Bits {
    match op {
        Op::And | Op::Nand | Op::Or | Op::Nor | Op::Xor | Op::Xnor => bitwise(gates, op, a, b),
        Op::Rol | Op::Ror => gates.rotate(a, b, op == Op::Rol),
        Op::Sll => gates.shift(a, b, Shift::Left),
        Op::Srl => gates.shift(a, b, Shift::Right),
        Op::Sra => gates.shift(a, b, Shift::RightSigned),
        Op::Add => gates.add(a, b, Signal::FALSE).0,
        Op::Sub => gates.subtract(a, b).0,
        Op::Mul => gates.multiply(a, b),
        Op::Udiv => gates.divide(a, b).0,
        Op::Urem => gates.divide(a, b).1,
        Op::Sdiv => gates.divide_signed(a, b),
        Op::Srem => gates.remainder_signed(a, b),
        Op::Smod => gates.modulo_signed(a, b),
        // The second operand has the low bits.
        Op::Concat => [b, a].concat(),
        Op::Read => gates.read(a, b, sort.width() as usize),
        _ => vec![relation(gates, op, a, b)],
    }
}

fn bitwise(gates: &mut Gates, op: Op, a: &[Signal], b: &[Signal]) -> Bits {
    let gate = match op {
        Op::And | Op::Nand => CircuitBuilder::and,
        Op::Or | Op::Nor => CircuitBuilder::or,
        _ => CircuitBuilder::xor,
    };
    let bits = gates.map2(a, b, gate);
    if matches!(op, Op::Nand | Op::Nor | Op::Xnor) { not(&bits) } else { bits }
}

/// Operators with one bit as result.
fn relation(gates: &mut Gates, op: Op, a: &[Signal], b: &[Signal]) -> Signal {
    match op {
        Op::Eq | Op::Iff => gates.equal(a, b),
        Op::Neq => !gates.equal(a, b),
        Op::Implies => gates.builder.or(!a[0], b[0]),
        Op::Ult => gates.less(a, b),
        Op::Ugt => gates.less(b, a),
        Op::Ulte => !gates.less(b, a),
        Op::Ugte => !gates.less(a, b),
        Op::Slt => gates.less_signed(a, b),
        Op::Sgt => gates.less_signed(b, a),
        Op::Slte => !gates.less_signed(b, a),
        Op::Sgte => !gates.less_signed(a, b),
        Op::Uaddo => gates.add(a, b, Signal::FALSE).1,
        Op::Usubo => gates.less(a, b),
        Op::Saddo => {
            let sum = gates.add(a, b, Signal::FALSE).0;
            gates.sum_overflows(a, b, &sum)
        }
        Op::Ssubo => gates.difference_overflows(a, b),
        Op::Umulo => gates.product_overflows(a, b, false),
        Op::Smulo => gates.product_overflows(a, b, true),
        Op::Sdivo => gates.quotient_overflows(a, b),
        _ => unreachable!("all other operators have words as results"),
    }
}
