//! Tests of damaged nets and thread-transition systems: they give errors, or problems that can be written and
//! read back.

use crate::mutate::{mutated, show};
use crate::spec::{net, written};
use crate::tts::threads;
use impasse_readers::{Limits, Source, apply_init, by_path, read, read_goals};
use testkit::Random;

const SPEC: &str = "vars\n idle want crit lock # places\nrules
idle >= 1 -> idle' = idle - 1, want' = want + 1;
want >= 1, lock = 1 -> want' = want - 1, lock' = 0, crit' = crit + 1;
crit in [1, 5] -> crit' = 3; true -> ;
want >= 1, lock >= 2 -> idle' = idle + want + want - 2, want' = 0;
init\n idle >= 1, want = 0, crit in [0, 2], lock = 18446744073709551616
target\n crit >= 2, want = 0\n lock >= 0\ninvariants crit = 1, lock = 1\n want = 3";

const TTS: &str =
    "1|1,1,0\n2 3\n0 0 -> 0 1 # go\n0 1 -> 1 1 0 ~> 2 0 ~> 1 2 ~> 2\n1 0 +> 1 0\n1 1 ~> 0 2\n0 0 -> 0 0\n";

const TINA: &str = "net {a \\} b} # go\npl p : x (3K) t -> u?2\ntr t : {} [0,w[ p*2 q?-3 {a b}?1 ->\n\
    p q*18446744073709551616\n\
    tr t p -> \nlb q y\nnt n 1 {text}\ntr u q ->\n";

const LOLA: &str = "PLACE SAFE 2: p, \"a b\"; q; MARKING p: 3, q; { c } TRANSITION t CONSUME p: 2, q; PRODUCE \"a b\": \
    18446744073709551616; TRANSITION u STRONG FAIR CONSUME ; PRODUCE p, p: 2;";

fn source(name: &str, bytes: Vec<u8>) -> Source {
    Source { name: name.to_owned(), bytes }
}

#[test]
fn mutated_nets_never_panic() {
    let mut random = Random::new(3);
    let (mut good, mut refused) = (0, 0);
    for (name, text) in [("t.spec", SPEC), ("t.tts", TTS), ("t.net", TINA), ("t.lola", LOLA)] {
        for _ in 0..10_000 {
            match read(source(name, mutated(text.as_bytes(), &mut random)), None, &Limits::default()) {
                Ok(result) => {
                    good += 1;
                    result.warnings.iter().for_each(show);
                    let Ok(text) = written(by_path(name).expect("a format").name, &result.problem) else { continue };
                    let back = read(source(name, text.clone().into_bytes()), None, &Limits::default());
                    let back = back.unwrap_or_else(|e| panic!("{e} in\n{text}")).problem;
                    if name != "t.tts" {
                        let parts = |problem| (net(problem).places().to_vec(), net(problem).transitions().to_vec());
                        let (mut back, mut first) = (parts(&back), parts(&result.problem));
                        if name == "t.net" {
                            // A transition with the name of a place gets another name.
                            [&mut back, &mut first].into_iter().flat_map(|p| &mut p.1).for_each(|t| t.name.clear());
                        }
                        assert_eq!(back, first, "{text}");
                    } else {
                        assert_eq!(threads(&back), threads(&result.problem), "{text}");
                    }
                }
                Err(error) => {
                    refused += 1;
                    show(&error);
                }
            }
        }
    }
    assert!(good > 500 && refused > 5000, "{good} good, {refused} refused");
}

#[test]
fn mutated_targets_and_initial_states_never_panic() {
    let mut random = Random::new(4);
    let system = read(source("t.tts", TTS.into()), None, &Limits::default()).unwrap().problem;
    let open = read(source("t.spec", SPEC.into()), None, &Limits::default()).unwrap().problem;
    let (mut good, mut refused) = (0, 0);
    let mut count = |result: Result<Vec<impasse_readers::Error>, Box<impasse_readers::Error>>| match result {
        Ok(_) => good += 1,
        Err(error) => {
            refused += 1;
            show(&error);
        }
    };
    for _ in 0..5000 {
        let prop = source("t.prop", mutated(b"# target\n1|1,2,1\n", &mut random));
        count(read_goals(prop, None, &mut system.clone(), &Limits::default()));
        for (problem, text) in [(&system, "1|0,1/2"), (&open, "idle=7,crit=2")] {
            let text = String::from_utf8_lossy(&mutated(text.as_bytes(), &mut random)).into_owned();
            count(apply_init(&mut problem.clone(), &text));
        }
    }
    assert!(good > 500 && refused > 3000, "{good} good, {refused} refused");
}
