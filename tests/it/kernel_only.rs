//! `--kernel-only`: claims that the checker's kernel cannot confirm are no answers. Reports state which part of
//! the checker confirmed each answer.

use crate::tool::{code, run, scratch, stdout, transcript};

#[test]
fn the_kernel_alone_accepts_what_it_has_a_rule_for() {
    let dir = scratch("kernel_only");
    let place = dir.display().to_string();
    // About half a million states, so that the kernel does not enumerate them.
    let short = std::fs::read_to_string("examples/clocks_clash.rwb").expect("the example is there");
    let long =
        short.replace("0..4", "0..1004").replace("%4", "%1004").replace("0..6", "0..1006").replace("%6", "%1006");
    std::fs::write(dir.join("clocks_long.rwb"), long).expect("the directory can be written");
    for (from, model, property, engine, by_kernel) in [
        ("examples", "water_tank", "bad", "explicit", true),
        ("examples", "water_tank_free", "bad", "explicit", true),
        ("examples", "clocks_clash", "bad", "dpllt", true),
        (&place, "clocks_long", "bad", "dpllt", false),
    ] {
        let file = format!("{from}/{model}.rwb");
        let check = |more: &[&str]| {
            let usual = ["check", &file, "--property", property, "--engine", engine, "--format", "json"];
            run(&[&usual[..], more].concat())
        };
        let by = |part: &str| format!(r#""checked":true,"checked_by":"{part}""#);
        let output = check(&["--evidence", &place]);
        let expected = if by_kernel { by("kernel") } else { by("rules") };
        assert!(stdout(&output).contains(&expected), "{model}: {}", transcript(&output));
        let output = check(&["--kernel-only"]);
        if by_kernel {
            assert!(stdout(&output).contains(&by("kernel")), "{model}: {}", transcript(&output));
        } else {
            assert_eq!(code(&output), 30, "{model}: {}", transcript(&output));
            let text = stdout(&output);
            assert!(text.contains(r#""reason":"uncertified""#) && text.contains("the kernel alone"), "{text}");
        }
        let evidence = dir.join(format!("{model}.{property}.evidence.json")).display().to_string();
        let replay = run(&["replay", &file, &evidence, "-q", "--kernel-only"]);
        assert_eq!(code(&replay), i32::from(!by_kernel), "{model}: {}", transcript(&replay));
        let says = if by_kernel { "by the kernel alone" } else { "NOT ACCEPTED: the evidence cannot be checked" };
        assert!(stdout(&replay).contains(says), "{model}: {}", transcript(&replay));
    }
}

/// Answers to parts of a formula are no evidence for the kernel. Each formula has to be decided from evidence that the
/// kernel accepts.
#[test]
fn formulas_are_answered_for_the_kernel_alone_as_for_the_whole_checker() {
    let dir = scratch("kernel_only_formulas");
    let file = dir.join("tasks.lola");
    let text = "PLACE idle, ready, running, cpu, failed;\nMARKING idle: 3, cpu: 1;\n\
                TRANSITION submit CONSUME idle: 1; PRODUCE ready: 1;\n\
                TRANSITION start CONSUME ready: 1, cpu: 1; PRODUCE running: 1;\n\
                TRANSITION finish CONSUME running: 1; PRODUCE idle: 1, cpu: 1;\n\
                TRANSITION fail CONSUME running: 1; PRODUCE failed: 1, cpu: 1;\n";
    std::fs::write(&file, text).expect("the directory can be written");
    let file = file.display().to_string();
    let asks = [
        "AG EF ready >= 1",
        "AG EF (running <= 1 AND cpu <= 1)",
        "AG (running >= 1 -> EX cpu >= 1)",
        "AF running <= 1",
        "A (G F idle >= 1)",
        "A (G F cpu <= 1)",
        "EG idle >= 1",
        "EF failed >= 3",
        "AG ready + running <= 3",
        "LIVENESS",
        "QUASILIVENESS",
        "ONESAFE",
        "STABLEMARKING",
        "REVERSIBLE",
    ];
    let answers = |more: &[&str]| {
        let asks = asks.iter().flat_map(|formula| ["--ask", formula]);
        let output =
            run(&["check", &file, "-q"].into_iter().chain(asks).chain(more.iter().copied()).collect::<Vec<_>>());
        stdout(&output)
    };
    let usual = answers(&[]);
    assert!(!usual.contains("UNKNOWN"), "{usual}");
    assert_eq!(answers(&["--kernel-only"]), usual);
    let output = run(&["check", &file, "--ask", "MAX running", "--kernel-only"]);
    assert_eq!(code(&output), 30, "{}", transcript(&output));
    assert!(
        stdout(&output).contains("`--kernel-only`: the kernel has no rule for largest values."),
        "{}",
        transcript(&output)
    );
}
