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
