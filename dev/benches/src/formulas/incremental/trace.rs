//! A recorded stream of queries: added clauses and queries in order, with the answers. The file is binary and
//! compact, so that reading it costs little compared with answering the queries. Numbers are in LEB128 encoding,
//! literals also in zigzag encoding.

use std::io;

/// The first bytes of the file.
const MAGIC: &[u8; 8] = b"impasseQ";
/// The version of the format.
const VERSION: u8 = 1;

/// One operation. Its literals are in the buffers of the reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// A new solver without variables.
    Session,
    /// Number of additional variables.
    Vars(u32),
    /// A permanent clause: [`Reader::literals`].
    Clause,
    /// The next domain: the variables [`Reader::literals`], all positive. Domains are numbered from 0 in each
    /// session. After each model of a query, the values of the variables of its domain are read.
    Domain,
    /// A query with the assumptions [`Reader::literals`] and the temporary clause [`Reader::temporary`] (no
    /// clause if empty), and its recorded answer.
    Query { domain: usize, sat: bool },
}

const SESSION: u8 = 1;
const VARS: u8 = 2;
const CLAUSE: u8 = 3;
const DOMAIN: u8 = 4;
const SAT: u8 = 5;
const UNSAT: u8 = 6;

#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        Self { bytes }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn session(&mut self) {
        self.bytes.push(SESSION);
    }

    pub(crate) fn vars(&mut self, count: u32) {
        self.bytes.push(VARS);
        self.number(u64::from(count));
    }

    pub(crate) fn clause(&mut self, clause: &[i32]) {
        self.bytes.push(CLAUSE);
        self.literals(clause);
    }

    pub(crate) fn domain(&mut self, vars: &[i32]) {
        self.bytes.push(DOMAIN);
        self.literals(vars);
    }

    pub(crate) fn query(&mut self, domain: usize, temporary: &[i32], assumptions: &[i32], sat: bool) {
        self.bytes.push(if sat { SAT } else { UNSAT });
        self.number(domain as u64);
        self.literals(temporary);
        self.literals(assumptions);
    }

    fn literals(&mut self, literals: &[i32]) {
        self.number(literals.len() as u64);
        literals.iter().for_each(|&l| self.number(u64::from((l << 1 ^ l >> 31) as u32)));
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) literals: Vec<i32>,
    pub(crate) temporary: Vec<i32>,
}

impl<'a> Reader<'a> {
    /// Creates a reader.
    ///
    /// # Errors
    ///
    /// If the bytes are not a recorded stream, or a stream of another version.
    pub(crate) fn new(bytes: &'a [u8]) -> io::Result<Self> {
        match bytes.strip_prefix(MAGIC) {
            Some([VERSION, bytes @ ..]) => Ok(Self { bytes, literals: Vec::new(), temporary: Vec::new() }),
            Some(_) => Err(io::Error::other("recorded by another version of the bench")),
            None => Err(io::Error::other("not a recorded stream of queries")),
        }
    }

    /// Returns the next operation, or `None` at the end.
    ///
    /// # Errors
    ///
    /// If the file is truncated or damaged.
    pub(crate) fn next(&mut self) -> io::Result<Option<Op>> {
        let Some((&code, rest)) = self.bytes.split_first() else { return Ok(None) };
        self.bytes = rest;
        let op = match code {
            SESSION => Op::Session,
            VARS => Op::Vars(u32::try_from(self.number()?).map_err(|_| damaged())?),
            CLAUSE | DOMAIN => {
                self.read_literals()?;
                if code == CLAUSE { Op::Clause } else { Op::Domain }
            }
            SAT | UNSAT => {
                let domain = usize::try_from(self.number()?).map_err(|_| damaged())?;
                self.read_literals()?;
                std::mem::swap(&mut self.literals, &mut self.temporary);
                self.read_literals()?;
                Op::Query { domain, sat: code == SAT }
            }
            _ => return Err(damaged()),
        };
        Ok(Some(op))
    }

    fn read_literals(&mut self) -> io::Result<()> {
        self.literals.clear();
        for _ in 0..self.number()? {
            let zigzag = u32::try_from(self.number()?).map_err(|_| damaged())?;
            self.literals.push((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32));
        }
        Ok(())
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or_else(damaged)?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged())
    }
}

fn damaged() -> io::Error {
    io::Error::other("the recorded stream of queries is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> Writer {
        let mut writer = Writer::new();
        writer.session();
        writer.vars(300);
        writer.clause(&[1, -300, 64, -65]);
        writer.domain(&[1, 2]);
        writer.domain(&[300]);
        writer.query(0, &[-7], &[i32::MAX, -i32::MAX], false);
        writer.query(0, &[], &[], true);
        writer
    }

    #[test]
    fn what_was_written_is_read() {
        let writer = recorded();
        let mut reader = Reader::new(writer.bytes()).expect("of this version");
        let mut seen = Vec::new();
        while let Some(op) = reader.next().expect("whole") {
            seen.push((op, reader.literals.clone(), reader.temporary.clone()));
        }
        assert_eq!(seen[2], (Op::Clause, vec![1, -300, 64, -65], vec![]));
        assert_eq!(seen[5], (Op::Query { domain: 0, sat: false }, vec![i32::MAX, -i32::MAX], vec![-7]));
        assert_eq!(seen[6], (Op::Query { domain: 0, sat: true }, vec![], vec![]));
        assert_eq!(seen.len(), 7);
    }

    #[test]
    fn damage_is_an_error() {
        let writer = recorded();
        let bytes = writer.bytes();
        assert!(Reader::new(b"impasseR").is_err());
        assert!(Reader::new(&[MAGIC, &[VERSION + 1][..]].concat()).is_err());
        let cut = &bytes[..bytes.len() - 5];
        let mut reader = Reader::new(cut).expect("the head is whole");
        let end = std::iter::from_fn(|| reader.next().transpose()).last();
        assert!(end.is_some_and(|end| end.is_err()));
    }
}
