//! The meaning of each operator, by arithmetic of integers.

use super::Value;

/// Returns the number that bits mean in two's complement.
fn signed(bits: u128, width: u32) -> i128 {
    let bits = bits.cast_signed();
    if bits >> (width - 1) & 1 == 1 { bits - (1 << width) } else { bits }
}

/// True if a signed number fits the width.
fn fits(number: i128, width: u32) -> bool {
    (-(1 << (width - 1))..1 << (width - 1)).contains(&number)
}

/// Returns the result of an operator for values of these widths (of elements, for arrays).
///
/// # Panics
///
/// If there is no such operator, or the operands do not fit it.
#[must_use]
pub fn apply(name: &str, operands: &[Value], widths: &[u32], numbers: &[u32]) -> Value {
    match (name, operands) {
        ("ite", [choice, yes, no]) => return if choice.bits() == 1 { yes.clone() } else { no.clone() },
        ("read", [Value::Array(elements), at]) => return Value::Bits(elements[at.bits() as usize]),
        ("write", [Value::Array(elements), at, value]) => {
            let mut elements = elements.clone();
            elements[at.bits() as usize] = value.bits();
            return Value::Array(elements);
        }
        ("eq", [a, b]) => return Value::Bits(u128::from(a == b)),
        ("neq", [a, b]) => return Value::Bits(u128::from(a != b)),
        _ => {}
    }
    let width = widths[0];
    let ones = (1 << width) - 1;
    Value::Bits(match operands {
        [a] => unary(name, a.bits(), width, numbers),
        [a, b] if name == "concat" => a.bits() << widths[1] | b.bits(),
        [a, b] => match holds(name, a.bits(), b.bits(), width) {
            Some(bit) => u128::from(bit),
            None => binary(name, a.bits(), b.bits(), width) & ones,
        },
        _ => panic!("`{name}` with {} operands", operands.len()),
    })
}

fn unary(name: &str, a: u128, width: u32, numbers: &[u32]) -> u128 {
    let ones = (1 << width) - 1;
    match name {
        "not" => ones - a,
        "inc" => (a + 1) & ones,
        "dec" => (a + ones) & ones,
        "neg" => (ones + 1 - a) & ones,
        "redand" => u128::from(a == ones),
        "redor" => u128::from(a != 0),
        "redxor" => u128::from(a.count_ones() % 2 == 1),
        "uext" => a,
        "sext" => signed(a, width).cast_unsigned() & ((1 << (width + numbers[0])) - 1),
        "slice" => a >> numbers[1] & ((1 << (numbers[0] - numbers[1] + 1)) - 1),
        _ => panic!("no operator `{name}`"),
    }
}

/// Returns the truth value of an operator with one bit as result. `None` for other operators.
#[must_use]
pub fn holds(name: &str, a: u128, b: u128, width: u32) -> Option<bool> {
    let (x, y) = (signed(a, width), signed(b, width));
    let ones = (1 << width) - 1;
    Some(match name {
        "iff" => a == b,
        "implies" => a <= b,
        "ugt" => a > b,
        "ugte" => a >= b,
        "ult" => a < b,
        "ulte" => a <= b,
        "sgt" => x > y,
        "sgte" => x >= y,
        "slt" => x < y,
        "slte" => x <= y,
        "uaddo" => a + b > ones,
        "umulo" => a * b > ones,
        "usubo" => a < b,
        "saddo" => !fits(x + y, width),
        "ssubo" => !fits(x - y, width),
        "smulo" => !fits(x * y, width),
        "sdivo" => y != 0 && !fits(x / y, width),
        _ => return None,
    })
}

/// Returns the result of an operator, of which the low bits count.
fn binary(name: &str, a: u128, b: u128, width: u32) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    let bits = |number: i128| number.cast_unsigned();
    let by = (b % u128::from(width)) as u32;
    match name {
        "and" => a & b,
        "nand" => !(a & b),
        "or" => a | b,
        "nor" => !(a | b),
        "xor" => a ^ b,
        "xnor" => !(a ^ b),
        "rol" => a << by | a >> (width - by),
        "ror" => a >> by | a << (width - by),
        "sll" if b >= u128::from(width) => 0,
        "srl" if b >= u128::from(width) => 0,
        "sra" if b >= u128::from(width) => bits(if x < 0 { -1 } else { 0 }),
        "sll" => a << b,
        "srl" => a >> b,
        "sra" => bits(x >> b),
        "add" => a + b,
        "sub" => bits(x - y),
        "mul" => a * b,
        "udiv" => a.checked_div(b).unwrap_or(u128::MAX),
        "urem" => a.checked_rem(b).unwrap_or(a),
        "sdiv" => bits(x.checked_div(y).unwrap_or(if x < 0 { 1 } else { -1 })),
        "srem" => bits(x.checked_rem(y).unwrap_or(x)),
        // The remainder of the division that rounds down.
        "smod" => {
            bits(x.checked_rem(y).map_or(x, |rest| if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }))
        }
        _ => panic!("no operator `{name}`"),
    }
}
