//! The table of operators, with the sorts that they take.

use super::sorts::{BOOL, Sort};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Not,
    Inc,
    Dec,
    Neg,
    Redand,
    Redor,
    Redxor,
    Sext,
    Uext,
    Slice,
    Iff,
    Implies,
    Eq,
    Neq,
    Sgt,
    Ugt,
    Sgte,
    Ugte,
    Slt,
    Ult,
    Slte,
    Ulte,
    And,
    Nand,
    Nor,
    Or,
    Xor,
    Xnor,
    Rol,
    Ror,
    Sll,
    Sra,
    Srl,
    Add,
    Mul,
    Udiv,
    Sdiv,
    Smod,
    Srem,
    Urem,
    Sub,
    Saddo,
    Uaddo,
    Sdivo,
    Smulo,
    Umulo,
    Ssubo,
    Usubo,
    Concat,
    Read,
    Ite,
    Write,
}

/// The sorts of operands and result. All operands are bit-vectors where nothing else is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// One operand; a result of the same width.
    Map,
    /// One operand; one bit.
    Reduce,
    /// One operand and a number of additional bits.
    Extend,
    /// One operand, and the numbers of the highest and the lowest bit.
    Slice,
    /// Two operands of the same width, and a result of this width.
    Combine,
    /// Two operands of the same width; one bit.
    Compare,
    /// Two operands of the same sort, which may be an array; one bit.
    Equal,
    /// Two bits; one bit.
    Connective,
    /// Two operands; a result of both widths together.
    Concat,
    /// An array and an index; an element.
    Read,
    /// A bit and two operands of the same sort, which may be an array; a result of this sort.
    Choose,
    /// An array, an index and an element; an array.
    Write,
}

impl Shape {
    /// Returns the numbers of operands and of numbers after them.
    pub(super) fn counts(self) -> (usize, usize) {
        match self {
            Self::Map | Self::Reduce => (1, 0),
            Self::Extend => (1, 1),
            Self::Slice => (1, 2),
            Self::Combine | Self::Compare | Self::Equal | Self::Connective | Self::Concat | Self::Read => (2, 0),
            Self::Choose | Self::Write => (3, 0),
        }
    }

    /// Returns the sort of the result. `None` if the operands do not fit.
    pub(super) fn result(self, sorts: &[Sort], numbers: [u32; 2]) -> Option<Sort> {
        use Sort::{Array, Bits};
        match (self, sorts) {
            (Self::Map, &[Bits(width)]) => Some(Bits(width)),
            (Self::Reduce, &[Bits(_)]) => Some(BOOL),
            (Self::Extend, &[Bits(width)]) => Some(Bits(width.checked_add(numbers[0])?)),
            (Self::Slice, &[Bits(width)]) => {
                let [upper, lower] = numbers;
                (upper < width && lower <= upper).then(|| Bits(upper - lower + 1))
            }
            (Self::Combine, &[Bits(a), Bits(b)]) if a == b => Some(Bits(a)),
            (Self::Compare, &[Bits(a), Bits(b)]) if a == b => Some(BOOL),
            (Self::Equal, &[a, b]) if a == b => Some(BOOL),
            (Self::Connective, &[BOOL, BOOL]) => Some(BOOL),
            (Self::Concat, &[Bits(a), Bits(b)]) => Some(Bits(a.checked_add(b)?)),
            (Self::Read, &[Array { index, element }, Bits(at)]) if index == at => Some(Bits(element)),
            (Self::Choose, &[BOOL, a, b]) if a == b => Some(a),
            (Self::Write, &[Array { index, element }, Bits(at), Bits(value)]) if index == at && element == value => {
                Some(sorts[0])
            }
            _ => None,
        }
    }

    /// Describes the operands, for errors.
    pub(super) fn operands(self) -> &'static str {
        match self {
            Self::Map | Self::Reduce | Self::Extend => "a bit-vector",
            Self::Slice => "a bit-vector, its highest and its lowest bit to take (highest first)",
            Self::Combine | Self::Compare => "two bit-vectors of the same width",
            Self::Equal => "two operands of the same sort",
            Self::Connective => "two operands of 1 bit",
            Self::Concat => "two bit-vectors",
            Self::Read => "an array and a bit-vector of the width of its index",
            Self::Choose => "1 bit, and two operands of the same sort",
            Self::Write => "an array, and bit-vectors of the widths of its index and its elements",
        }
    }
}

/// Each operator with its name in files.
pub(super) const ALL: &[(&str, Op, Shape)] = &[
    ("not", Op::Not, Shape::Map),
    ("inc", Op::Inc, Shape::Map),
    ("dec", Op::Dec, Shape::Map),
    ("neg", Op::Neg, Shape::Map),
    ("redand", Op::Redand, Shape::Reduce),
    ("redor", Op::Redor, Shape::Reduce),
    ("redxor", Op::Redxor, Shape::Reduce),
    ("sext", Op::Sext, Shape::Extend),
    ("uext", Op::Uext, Shape::Extend),
    ("slice", Op::Slice, Shape::Slice),
    ("iff", Op::Iff, Shape::Connective),
    ("implies", Op::Implies, Shape::Connective),
    ("eq", Op::Eq, Shape::Equal),
    ("neq", Op::Neq, Shape::Equal),
    ("sgt", Op::Sgt, Shape::Compare),
    ("ugt", Op::Ugt, Shape::Compare),
    ("sgte", Op::Sgte, Shape::Compare),
    ("ugte", Op::Ugte, Shape::Compare),
    ("slt", Op::Slt, Shape::Compare),
    ("ult", Op::Ult, Shape::Compare),
    ("slte", Op::Slte, Shape::Compare),
    ("ulte", Op::Ulte, Shape::Compare),
    ("and", Op::And, Shape::Combine),
    ("nand", Op::Nand, Shape::Combine),
    ("nor", Op::Nor, Shape::Combine),
    ("or", Op::Or, Shape::Combine),
    ("xor", Op::Xor, Shape::Combine),
    ("xnor", Op::Xnor, Shape::Combine),
    ("rol", Op::Rol, Shape::Combine),
    ("ror", Op::Ror, Shape::Combine),
    ("sll", Op::Sll, Shape::Combine),
    ("sra", Op::Sra, Shape::Combine),
    ("srl", Op::Srl, Shape::Combine),
    ("add", Op::Add, Shape::Combine),
    ("mul", Op::Mul, Shape::Combine),
    ("udiv", Op::Udiv, Shape::Combine),
    ("sdiv", Op::Sdiv, Shape::Combine),
    ("smod", Op::Smod, Shape::Combine),
    ("srem", Op::Srem, Shape::Combine),
    ("urem", Op::Urem, Shape::Combine),
    ("sub", Op::Sub, Shape::Combine),
    ("saddo", Op::Saddo, Shape::Compare),
    ("uaddo", Op::Uaddo, Shape::Compare),
    ("sdivo", Op::Sdivo, Shape::Compare),
    ("smulo", Op::Smulo, Shape::Compare),
    ("umulo", Op::Umulo, Shape::Compare),
    ("ssubo", Op::Ssubo, Shape::Compare),
    ("usubo", Op::Usubo, Shape::Compare),
    ("concat", Op::Concat, Shape::Concat),
    ("read", Op::Read, Shape::Read),
    ("ite", Op::Ite, Shape::Choose),
    ("write", Op::Write, Shape::Write),
];

/// The words of lines that are no operators.
pub(super) const OTHERS: &[&str] = &[
    "sort",
    "input",
    "state",
    "init",
    "next",
    "bad",
    "constraint",
    "fair",
    "justice",
    "output",
    "const",
    "constd",
    "consth",
    "zero",
    "one",
    "ones",
];

/// Words of the first version of the format, which has other lines.
pub(super) const VERSION_1: &[&str] = &["var", "array", "root", "cond", "acond", "proxy", "anext", "constant"];
