//! Tests of the readers and writers through their public interface.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod aiger;
mod assume;
mod bpmn;
mod bpmn_pools;
mod bpmn_refused;
mod btor2;
mod btor2_errors;
mod btor2_memories;
mod btor2_solvers;
mod c;
mod c_forms;
mod circuit_evidence;
mod classes;
mod codes;
mod colour;
mod colour_random;
mod corpus;
mod corpus_col;
mod corpus_mcc;
mod corpus_petri;
mod data_programs;
mod data_random;
mod dialects;
mod dialects_random;
mod encodings;
mod evidence;
mod explore;
mod externs;
mod formats;
mod generate;
mod generate_nets;
mod grown;
mod import;
mod import_random;
mod index;
mod js;
mod js_collections;
mod js_files;
mod js_host;
mod js_joint;
mod js_joint_random;
mod js_node;
mod js_random;
mod js_regex;
mod lola;
mod lrat;
mod ltl;
mod mcc;
mod mistakes;
mod mutate;
mod mutate_nets;
mod net_evidence;
mod pnml;
mod pnml_parts;
mod reactive_evidence;
mod roundtrip;
mod rules;
mod smt;
mod spec;
mod tapn;
mod tina;
mod tts;
mod usual_goals;
mod variables;

use impasse_readers::{Error, Limits, Read, Source, read};
use model::Program;
use std::path::{Path, PathBuf};

/// Reads `text` as a file called `name`.
fn read_as(name: &str, text: &str) -> Result<Read, Box<Error>> {
    let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    read(source, None, &Limits::default())
}

/// Returns the program of an `.rwb` text without its first line.
fn program(text: &str) -> Program {
    let result = read_as("test.rwb", &format!("rwb 1\n{text}"));
    let problem = result.unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column())).problem;
    Program::clone(problem.system().as_program().expect("a program"))
}

/// Returns the code and the line of the error in an `.rwb` text without its first line.
fn refusal(text: &str) -> (&'static str, usize) {
    let error = read_as("test.rwb", &format!("rwb 1\n{text}")).expect_err(text);
    (error.code(), error.line_column().expect(text).0)
}

fn data(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(directory);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}
