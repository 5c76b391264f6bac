//! Programs that nearly match a pattern, and mutants of patterns.
//!
//! Random programs of no particular kind rarely match a pattern of a special shape. Then a check says nothing about the
//! pattern's side conditions. A near miss is a program that matches, with a few details changed: it violates side
//! conditions one by one, and a pattern without one of its conditions still matches it.

use super::generate::{Random, anything, change};
use super::{Failure, Sample, Tally, check};
use model::{Pattern, Program};

/// Returns `program` and then `count` near misses of it. In a near miss, one to three details are changed: a move, a
/// request, a block, a bad or initial state of some thread, or there is one more thread. The threads should be small,
/// because the kit builds their product.
///
/// # Panics
/// Never: the changed threads form a valid program.
pub fn near_misses(program: &Program, seed: u64, count: usize) -> impl Iterator<Item = Program> + '_ {
    let mut random = Random::new(seed);
    let changed = std::iter::repeat_with(move || near_miss(program, &mut random));
    std::iter::once(program.clone()).chain(changed.take(count))
}

fn near_miss(program: &Program, random: &mut Random) -> Program {
    let events = program.events().len();
    let mut threads = program.threads().to_vec();
    for _ in 0..1 + random.below(3) {
        if random.chance(10) {
            let mut more = anything(random, events);
            let free = |name: &String| threads.iter().all(|thread| thread.name != *name);
            more.name = (0..).map(|n| format!("more{n}")).find(free).expect("there are finitely many threads");
            threads.push(more);
        } else {
            let victim = random.below(threads.len());
            change(random, &mut threads[victim], events);
        }
    }
    Program::new(program.events().to_vec(), threads, program.check().to_vec()).expect("changes keep the rules")
}

/// Returns the number of `programs` in which a fault of a pattern matters: the kit finds a false lemma or an excluded
/// state that a run visits. `mutant` is a pattern that lacks one of its side conditions. If the kit notices nothing,
/// then the condition is not needed, or the programs do not test it.
///
/// # Errors
/// If the fault matters in none of the programs.
pub fn mutant(
    mutant: &dyn Pattern,
    programs: impl IntoIterator<Item = Program>,
    seed: u64,
) -> Result<usize, Box<Failure>> {
    let mut random = Random::new(seed);
    let (mut tally, mut noticed) = (Tally::default(), 0);
    for program in programs {
        noticed += usize::from(check(&[mutant], &program, Sample::default(), &mut random, &mut tally).is_err());
    }
    if noticed > 0 {
        return Ok(noticed);
    }
    let Tally { programs, matches, restricted, .. } = tally;
    let what = format!(
        "the fault of `{}` matters in none of {programs} programs ({matches} matches, {restricted} restricted)",
        mutant.name()
    );
    Err(Box::new(Failure { what, run: None, program: String::new() }))
}
