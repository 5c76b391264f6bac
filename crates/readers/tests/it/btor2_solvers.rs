//! Operators of BTOR2, compared with Bitwuzla and Boolector for all values of their operands.
//!
//! Both solvers read BTOR2 files without states. A file has an operator on inputs, the gates that our reader makes of
//! it, and the constraint that a bit of the result differs from its gate. So `unsat` means that reader and solver agree
//! on all values. The solvers are the Python packages `bitwuzla` and `pyboolector`; without them, the test is skipped.

use crate::aiger::circuit;
use crate::read_as;
use model::{Gate, Signal};
use std::process::Command;
use testkit::words::{Kind, Node, Operand, Sort, System};

/// Reads all files of a directory, and writes an answer of each solver for each file. (Boolector itself prints its
/// answers, too, so they do not go to standard output.)
const SCRIPT: &str = r#"
import pathlib, sys
def bitwuzla():
    import bitwuzla
    def solve(path):
        parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options(), "btor2")
        parser.parse(path)
        return str(parser.bitwuzla().check_sat())
    return solve
def boolector():
    import pyboolector
    def solve(path):
        solver = pyboolector.Boolector()
        solver.Parse(path)
        return {10: "sat", 20: "unsat"}.get(solver.Sat(), "unknown")
    return solve
out = open(sys.argv[2], "w")
for load in bitwuzla, boolector:
    try:
        solve = load()
    except ImportError:
        continue
    for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        print(load.__name__, path.stem, solve(str(path)), file=out, flush=True)
"#;

const BIT: Sort = Sort::Bits(1);

fn push(system: &mut System, kind: Kind, sort: Sort) -> usize {
    system.nodes.push(Node { kind, sort });
    system.nodes.len() - 1
}

fn operation(system: &mut System, name: &'static str, operands: &[Operand], numbers: &[u32], sort: Sort) -> usize {
    push(system, Kind::Operation(name, operands.to_vec(), numbers.to_vec()), sort)
}

/// Adds nodes for the bits of a node, lowest first, element by element.
fn bits(system: &mut System, node: usize) -> Vec<usize> {
    let width = testkit::words::width(system.nodes[node].sort);
    let words: Vec<usize> = match system.nodes[node].sort {
        Sort::Bits(_) => vec![node],
        Sort::Array(index, _) => {
            let mut words = Vec::new();
            for element in 0..1 << index {
                let at = push(system, Kind::Constant(element), Sort::Bits(index));
                words.push(operation(system, "read", &[(node, false), (at, false)], &[], Sort::Bits(width)));
            }
            words
        }
    };
    let all = words.into_iter().flat_map(|word| (0..width).map(move |bit| (word, bit)));
    all.map(|(word, bit)| operation(system, "slice", &[(word, false)], &[bit, bit], BIT)).collect()
}

/// Returns the system with the constraint that the operator on inputs of these sorts differs from our gates.
fn difference(name: &'static str, sorts: &[Sort], numbers: &[u32], result: Sort) -> System {
    let mut system = System::default();
    for (number, sort) in sorts.iter().enumerate() {
        let node = push(&mut system, Kind::Input(number), *sort);
        system.inputs.push(node);
    }
    let operands: Vec<Operand> = (0..sorts.len()).map(|node| (node, false)).collect();
    let node = operation(&mut system, name, &operands, numbers, result);
    let probes = bits(&mut system, node);
    system.bad = probes.iter().map(|probe| (*probe, false)).collect();
    // The circuit has inputs for the bits of all operands that matter, with their names.
    let problem = read_as("t.btor2", &system.text()).unwrap().problem;
    let circuit = circuit(&problem);
    system.bad.clear();
    let mut known = std::collections::HashMap::new();
    for (number, sort) in sorts.iter().enumerate() {
        let width = testkit::words::width(*sort) as usize;
        for (at, bit) in bits(&mut system, number).into_iter().enumerate() {
            let element = if matches!(sort, Sort::Array(..)) { format!("[{}]", at / width) } else { String::new() };
            let place = if width > 1 { format!("[{}]", at % width) } else { String::new() };
            known.insert(format!("in{number}{element}{place}"), bit);
        }
    }
    let zero = push(&mut system, Kind::Constant(0), BIT);
    let mut nodes: Vec<usize> = Vec::new();
    for gate in circuit.gates() {
        let of = |s: Signal| (nodes[s.node()], s.is_negated());
        nodes.push(match *gate {
            Gate::False => zero,
            Gate::Input(input) => known[circuit.inputs()[input as usize].name.as_deref().unwrap()],
            Gate::And(a, b) => operation(&mut system, "and", &[of(a), of(b)], &[], BIT),
            Gate::Latch(_) => panic!("no states"),
        });
    }
    let mut differ = (zero, false);
    for (probe, output) in probes.iter().zip(circuit.outputs()) {
        let gate = (nodes[output.signal.node()], output.signal.is_negated());
        let differs = operation(&mut system, "xor", &[(*probe, false), gate], &[], BIT);
        differ = (operation(&mut system, "or", &[differ, (differs, false)], &[], BIT), false);
    }
    system.constraints.push(differ);
    system
}

/// Returns all operators with all widths that are compared, each with a name.
fn cases() -> Vec<(String, System)> {
    let mut cases = Vec::new();
    let mut add = |name: &'static str, sorts: &[Sort], numbers: &[u32], result| {
        let label = format!("{name}_{}_{}", cases.len(), testkit::words::width(sorts[0]));
        cases.push((label, difference(name, sorts, numbers, result)));
    };
    for width in 1..=8 {
        let word = Sort::Bits(width);
        for name in ["not", "inc", "dec", "neg"] {
            add(name, &[word], &[], word);
        }
        for name in ["redand", "redor", "redxor"] {
            add(name, &[word], &[], BIT);
        }
        for name in ["and", "nand", "nor", "or", "xor", "xnor", "rol", "ror", "sll", "sra", "srl", "add", "sub"] {
            add(name, &[word, word], &[], word);
        }
        for name in [
            "eq", "neq", "sgt", "ugt", "sgte", "ugte", "slt", "ult", "slte", "ulte", "saddo", "uaddo", "sdivo",
            "ssubo", "usubo",
        ] {
            add(name, &[word, word], &[], BIT);
        }
        if width <= 6 {
            for name in ["mul", "udiv", "sdiv", "smod", "srem", "urem"] {
                add(name, &[word, word], &[], word);
            }
            for name in ["smulo", "umulo"] {
                add(name, &[word, word], &[], BIT);
            }
        }
        for more in [0, 1, 3] {
            add("sext", &[word], &[more], Sort::Bits(width + more));
            add("uext", &[word], &[more], Sort::Bits(width + more));
        }
        add("slice", &[word], &[width - 1, width / 2], Sort::Bits(width - width / 2));
        add("concat", &[word, Sort::Bits(3)], &[], Sort::Bits(width + 3));
        add("ite", &[BIT, word, word], &[], word);
    }
    add("iff", &[BIT, BIT], &[], BIT);
    add("implies", &[BIT, BIT], &[], BIT);
    for (index, element) in [(1, 1), (1, 3), (2, 2), (3, 1)] {
        let (array, at, value) = (Sort::Array(index, element), Sort::Bits(index), Sort::Bits(element));
        add("read", &[array, at], &[], value);
        add("write", &[array, at, value], &[], array);
        add("ite", &[BIT, array, array], &[], array);
    }
    cases
}

#[test]
fn operators_mean_what_solvers_say() {
    let probe = "import importlib.util as u, sys\n\
                 sys.exit(not any(u.find_spec(name) for name in ('bitwuzla', 'pyboolector')))";
    if !Command::new("python3").args(["-c", probe]).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: neither of the Python packages bitwuzla and pyboolector is installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [files, answers] = ["files", "answers"].map(|name| folder.path().join(name));
    std::fs::create_dir(&files).unwrap();
    let mut cases = cases();
    // The opposite of one case shows that solvers do not answer `unsat` for another reason.
    let mut control = cases[0].1.clone();
    control.constraints[0].1 = true;
    cases.push(("control".to_owned(), control));
    for (name, system) in &cases {
        std::fs::write(files.join(format!("{name}.btor2")), system.text()).unwrap();
    }
    let output = Command::new("python3").args(["-c", SCRIPT]).args([&files, &answers]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = std::fs::read_to_string(answers).unwrap();
    let is_right = |line: &&str| line.ends_with(if line.contains(" control ") { " sat" } else { " unsat" });
    let wrong: Vec<&str> = said.lines().filter(|line| !is_right(line)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(said.lines().count() >= cases.len() && said.lines().count() % cases.len() == 0, "{said}");
    eprintln!("{} answers about {} files", said.lines().count(), cases.len());
}
