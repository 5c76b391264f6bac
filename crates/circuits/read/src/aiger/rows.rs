//! The contents of an AIGER file as rows of literals, before any literal is resolved.

use super::cursor::{Cursor, Res, line_at};
use super::deltas::delta;
use super::header::{Header, header};
use super::symbols::{Symbols, symbols};
use formats::codes;
use formats::error::Error;
use formats::source::{Limits, Source};

/// The literals of one line, and the position of the line in bytes.
#[derive(Clone, Copy)]
pub(super) struct Row<const N: usize> {
    at: u32,
    pub(super) literals: [u32; N],
}

/// A whole file as rows.
pub(super) struct Rows<'a> {
    pub(super) source: &'a Source,
    pub(super) header: Header,
    pub(super) inputs: Vec<Row<1>>,
    /// For each latch: its literal, the literal of its next value, and its reset value.
    pub(super) latches: Vec<Row<3>>,
    pub(super) outputs: Vec<Row<1>>,
    pub(super) bad: Vec<Row<1>>,
    pub(super) constraints: Vec<Row<1>>,
    /// For each justice property: the literals of its signals.
    pub(super) justice: Vec<Vec<Row<1>>>,
    pub(super) fairness: Vec<Row<1>>,
    /// For each gate: its literal and the literals of its two operands.
    pub(super) ands: Vec<Row<3>>,
    pub(super) symbols: Symbols,
}

impl Rows<'_> {
    /// Makes an error about the line of a row.
    pub(super) fn error<const N: usize>(&self, code: &'static codes::Code, row: Row<N>, message: String) -> Box<Error> {
        let line = line_at(&self.source.bytes, row.at as usize);
        Error::at(code, &self.source.name, &self.source.bytes, line, message)
    }
}

pub(super) fn read<'a>(source: &'a Source, limits: &Limits) -> Res<Rows<'a>> {
    let mut cursor = Cursor::new(source);
    let header = header(&mut cursor, limits)?;
    let inputs = if header.binary {
        (1..=header.inputs).map(|n| Row { at: 0, literals: [2 * n] }).collect()
    } else {
        column(&mut cursor, header.inputs, "an input")?
    };
    let latches = (0..header.latches).map(|n| latch(&mut cursor, &header, n)).collect::<Res<_>>()?;
    let outputs = column(&mut cursor, header.outputs, "an output")?;
    let bad = column(&mut cursor, header.bad, "a bad-state property")?;
    let constraints = column(&mut cursor, header.constraints, "a constraint")?;
    let justice = justice(&mut cursor, &header, limits)?;
    let fairness = column(&mut cursor, header.fairness, "a fairness constraint")?;
    let ands = ands(&mut cursor, &header)?;
    let symbols = symbols(&mut cursor, &header, limits)?;
    Ok(Rows { source, header, inputs, latches, outputs, bad, constraints, justice, fairness, ands, symbols })
}

/// Makes a row. The limit on bytes keeps every position below 2^32.
fn row<const N: usize>(at: usize, literals: [u32; N]) -> Row<N> {
    Row { at: u32::try_from(at).unwrap_or(u32::MAX), literals }
}

/// Reads `count` lines of one literal each.
fn column(cursor: &mut Cursor<'_>, count: u32, what: &str) -> Res<Vec<Row<1>>> {
    let literal = |_| cursor.numbers(1, 1, what).map(|line| row(line.at, [line.get()[0]]));
    (0..count).map(literal).collect()
}

fn latch(cursor: &mut Cursor<'_>, header: &Header, number: u32) -> Res<Row<3>> {
    if header.binary {
        let own = 2 * (header.inputs + 1 + number);
        let line = cursor.numbers(1, 2, "the next value of a latch, and optionally its reset value")?;
        return Ok(row(line.at, [own, line.get()[0], line.get().get(1).copied().unwrap_or(0)]));
    }
    let line = cursor.numbers(2, 3, "a latch, its next value, and optionally its reset value")?;
    Ok(row(line.at, [line.get()[0], line.get()[1], line.get().get(2).copied().unwrap_or(0)]))
}

/// Reads justice properties: first the number of signals of each, then their literals.
fn justice(cursor: &mut Cursor<'_>, header: &Header, limits: &Limits) -> Res<Vec<Vec<Row<1>>>> {
    let sizes = column(cursor, header.justice, "the size of a justice property")?;
    let total: u64 = sizes.iter().map(|size| u64::from(size.literals[0])).sum();
    if total > limits.ports as u64 {
        let message = format!("the justice properties have more than {} literals", limits.ports);
        return Err(cursor.error(&codes::LIMIT_PORTS, line_at(&cursor.source.bytes, sizes[0].at as usize), message));
    }
    sizes.iter().map(|size| column(cursor, size.literals[0], "a literal of a justice property")).collect()
}

fn ands(cursor: &mut Cursor<'_>, header: &Header) -> Res<Vec<Row<3>>> {
    let mut ands = Vec::new();
    for number in 0..header.ands {
        let at = cursor.at;
        if header.binary {
            let own = 2 * (header.inputs + header.latches + 1 + number);
            let larger = delta(cursor, own, true)?;
            let smaller = delta(cursor, larger, false)?;
            ands.push(row(at, [own, larger, smaller]));
        } else {
            let line = cursor.numbers(3, 3, "a gate and its two operands")?;
            ands.push(row(at, [line.get()[0], line.get()[1], line.get()[2]]));
        }
    }
    Ok(ands)
}
