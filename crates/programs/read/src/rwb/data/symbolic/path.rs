//! One path of a symbolic execution. The interpreter ([`super::run`]) runs straight on, as with numbers; where the way
//! depends on an unknown value it asks the path. Answers that are known are given from a list. At the first question
//! beyond the list the execution stops, and is repeated with each possible answer (replay, as in concolic execution; P.
//! Godefroid et al., DART, PLDI 2005). So the interpreter needs no states of its own for pauses.

use super::super::eval::Fault;
use formats::error::Error;
use model::ThreadId;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;

/// The largest number of questions of one path.
const MOST_QUESTIONS: usize = 1 << 10;

/// Why an execution stopped.
pub(super) enum Stop {
    /// The path has no answer to a question.
    Ask(Question),
    /// The thread gets into a bad state.
    Fault(Fault),
    /// The thread does something that this execution does not support.
    Refuse(Box<Error>),
}

/// A question about unknown values.
#[derive(Clone, Debug)]
pub(super) enum Question {
    Test(Constraint),
    /// Quotient and remainder of a term.
    Divide(Linear, BigInt),
    /// Any value.
    Any,
    /// One of so many ways.
    Choose(usize),
}

/// An answer, in the order of the questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Yes,
    No,
    /// The division was made, or the value was drawn: the number of the first input for it.
    Input(u32),
    Way(usize),
}

pub(super) struct Path<'p> {
    thread: ThreadId,
    answers: &'p [Answer],
    /// The number of answers that were used.
    used: usize,
    /// The constraints that hold on this path.
    facts: Vec<Constraint>,
}

impl<'p> Path<'p> {
    pub(super) fn new(thread: ThreadId, answers: &'p [Answer]) -> Self {
        Self { thread, answers, used: 0, facts: Vec::new() }
    }

    /// Returns the number of questions that have an answer.
    pub(super) fn is_long(answers: &[Answer]) -> bool {
        answers.len() > MOST_QUESTIONS
    }

    fn next(&mut self, question: impl FnOnce() -> Question) -> Result<Answer, Stop> {
        let answer = self.answers.get(self.used).copied().ok_or_else(|| Stop::Ask(question()))?;
        self.used += 1;
        Ok(answer)
    }

    /// True if the term is at most 0.
    pub(super) fn is_at_most_zero(&mut self, term: &Linear) -> Result<bool, Stop> {
        let constraint = Constraint::at_most_zero(term);
        let negation = constraint.negation();
        if let Some(truth) = constraint.as_truth() {
            return Ok(truth);
        }
        // A fact with the same symbols and no smaller constant decides.
        let implies = |goal: &Constraint| {
            let (goal, facts) = (goal.term(), &self.facts);
            facts.iter().map(Constraint::term).any(|f| f.terms() == goal.terms() && f.constant() >= goal.constant())
        };
        if implies(&constraint) {
            return Ok(true);
        }
        if implies(&negation) {
            return Ok(false);
        }
        let is_yes = self.next(|| Question::Test(constraint.clone()))? == Answer::Yes;
        self.facts.push(if is_yes { constraint } else { negation });
        Ok(is_yes)
    }

    pub(super) fn is_at_most(&mut self, left: &Linear, right: &Linear) -> Result<bool, Stop> {
        self.is_at_most_zero(&left.minus(right))
    }

    pub(super) fn is_equal(&mut self, left: &Linear, right: &Linear) -> Result<bool, Stop> {
        Ok(self.is_at_most(left, right)? && self.is_at_most(right, left)?)
    }

    /// Returns quotient and remainder, rounded down.
    pub(super) fn divide(&mut self, term: &Linear, by: &BigInt) -> Result<(Linear, Linear), Stop> {
        if let Some(value) = term.as_number() {
            let (quotient, remainder) = value.div_mod_floor(by);
            return Ok((Linear::number(quotient), Linear::number(remainder)));
        }
        let Answer::Input(first) = self.next(|| Question::Divide(term.clone(), by.clone()))? else {
            unreachable!("a division is answered by inputs")
        };
        let remainder = self.input(first + 1);
        self.facts.push(Constraint::at_most(&Linear::number(0), &remainder));
        self.facts.push(Constraint::at_most(&remainder, &Linear::number(by - 1)));
        Ok((self.input(first), remainder))
    }

    /// Returns any value.
    pub(super) fn any(&mut self) -> Result<Linear, Stop> {
        let Answer::Input(number) = self.next(|| Question::Any)? else {
            unreachable!("a value is answered by an input")
        };
        Ok(self.input(number))
    }

    /// Returns one of the ways.
    pub(super) fn choose(&mut self, ways: usize) -> Result<usize, Stop> {
        if ways == 1 {
            return Ok(0);
        }
        let Answer::Way(way) = self.next(|| Question::Choose(ways))? else {
            unreachable!("a choice is answered by a way")
        };
        Ok(way)
    }

    /// Returns the value of a term that has finitely many. The term must be known to be between the bounds.
    pub(super) fn concrete(&mut self, term: &Linear, least: i64, most: i64) -> Result<i64, Stop> {
        let (mut least, mut most) = (least, most);
        if let Some(value) = term.as_number() {
            return Ok(i64::try_from(value).unwrap_or(least).clamp(least, most));
        }
        while least < most {
            let middle = least + most.abs_diff(least).div_euclid(2).cast_signed();
            match self.is_at_most(term, &Linear::number(middle))? {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        Ok(least)
    }

    fn input(&self, number: u32) -> Linear {
        Linear::of(Symbol::Input(self.thread, number))
    }
}

/// Returns the answers to a question, with the next free input.
pub(super) fn answers(question: &Question, inputs: u32) -> (Vec<Answer>, u32) {
    match question {
        Question::Test(_) => (vec![Answer::Yes, Answer::No], inputs),
        Question::Divide(..) => (vec![Answer::Input(inputs)], inputs + 2),
        Question::Any => (vec![Answer::Input(inputs)], inputs + 1),
        Question::Choose(ways) => ((0..*ways).map(Answer::Way).collect(), inputs),
    }
}
