//! `impasse cluster`: the same answers as `check`, keys, and processes that end.

use crate::tool::{code, command, root, run, scratch, stdout};
use std::fs;
use std::net::TcpListener;
use std::process::{Output, Stdio};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Verdicts, counts and lengths of a JSON report.
fn told(report: &str) -> Vec<serde_json::Value> {
    let files = report.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let report = files.into_iter().find(|file| file["properties"].is_array()).expect("a report");
    let told = |p: &serde_json::Value| {
        let length = if p["verdict"] == "unsafe" { p["evidence"]["length"].clone() } else { serde_json::Value::Null };
        serde_json::json!([p["id"], p["verdict"], p["stats"]["states"], p["stats"]["transitions"], length])
    };
    report["properties"].as_array().expect("a list").iter().map(told).collect()
}

#[test]
fn a_cluster_says_what_one_process_says() {
    for model in ["examples/philosophers.rwb", "examples/task.rwb", "examples/clocks_clash.rwb"] {
        let common = ["--explore-all", "--format", "json", model];
        let single = run(&[&["check", "--engine", "explicit", "--shortest"], &common[..]].concat());
        for processes in ["1", "3"] {
            let many = run(&[&["cluster", "run", "--processes", processes], &common[..]].concat());
            assert_eq!(code(&many), code(&single), "{model}: {}", stderr(&many));
            assert_eq!(told(&stdout(&many)), told(&stdout(&single)), "{model}, {processes} processes");
        }
    }
}

#[test]
fn a_search_goes_on_from_its_checkpoint() {
    let dir = scratch("cluster_checkpoint");
    let dir = dir.to_str().expect("a plain name");
    let search =
        |model: &str| run(&["cluster", "run", "--processes", "2", "--checkpoint", dir, "--explore-all", model]);
    let first = search("examples/philosophers.rwb");
    let again = search("examples/philosophers.rwb");
    assert_eq!((code(&first), code(&again)), (11, 11), "{}", stderr(&again));
    let other = search("examples/numbers.rwb");
    assert_eq!(code(&other), 65, "{}", stderr(&other));
    assert!(stderr(&other).contains("another model"), "{}", stderr(&other));
}

#[test]
fn other_machines_need_a_key() {
    let dir = scratch("cluster_key");
    let (hosts, key) = (dir.join("hosts"), dir.join("key"));
    fs::write(&hosts, "10.0.0.1:2101\n10.0.0.2:2101\n").expect("a file of this test");
    let (hosts, key) = (hosts.to_str().expect("plain"), key.to_str().expect("plain"));
    let start = ["cluster", "run", "--hosts", hosts, "--process", "0", "examples/philosophers.rwb"];
    let refused = run(&start);
    assert_eq!(code(&refused), 64);
    assert!(stderr(&refused).contains("cluster::no-key") && stderr(&refused).contains("impasse cluster key"));
    assert_eq!(code(&run(&["cluster", "key", key])), 0);
    assert_eq!(code(&run(&["cluster", "key", key])), 65, "a key is never replaced");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(key).expect("a key").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(key, fs::Permissions::from_mode(0o644)).expect("the own file");
        let open = run(&[&start[..], &["--key", key]].concat());
        assert_eq!(code(&open), 65);
        assert!(stderr(&open).contains("chmod 600"), "{}", stderr(&open));
    }
}

#[test]
fn listed_processes_find_each_other() {
    let dir = scratch("cluster_hosts");
    let free: Vec<TcpListener> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let list: String = free.iter().map(|l| format!("{}\n", l.local_addr().expect("bound"))).collect();
    drop(free);
    let (hosts, key) = (dir.join("hosts"), dir.join("key"));
    fs::write(&hosts, list).expect("a file of this test");
    let (hosts, key) = (hosts.to_str().expect("plain"), key.to_str().expect("plain"));
    assert_eq!(code(&run(&["cluster", "key", key])), 0);
    let start = |process| {
        let arguments = [
            "cluster",
            "run",
            "--hosts",
            hosts,
            "--key",
            key,
            "--quiet",
            "examples/philosophers.rwb",
            "--process",
            process,
        ];
        let mut command = command(&arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let both = [start("0"), start("1")].map(|child| child.wait_with_output().expect("it ends"));
    assert_eq!((code(&both[0]), code(&both[1])), (11, 0), "{}{}", stderr(&both[0]), stderr(&both[1]));
    assert_eq!(stdout(&both[1]), "", "process 0 reports");
    assert_eq!(stdout(&both[0]).lines().count(), 1, "{}", stdout(&both[0]));
}

/// A question that no engine can decide has an answer, too: it was left out, and the exit code said that all is proven.
#[test]
fn questions_that_cannot_be_read_are_unknown() {
    let model = "examples/nim.rwb";
    let ask = ["--ask", "AG EF Pile.left[0]", "--ask", "EF Pile.left[0]", "--format", "json", model];
    let single = run(&[&["check"], &ask[..]].concat());
    let many = run(&[&["cluster", "run", "--processes", "2"], &ask[..]].concat());
    let verdicts = |output| told(&stdout(output)).into_iter().map(|told| (told[0].clone(), told[1].clone()));
    assert_eq!(code(&many), code(&single), "{}", stderr(&many));
    assert!(verdicts(&many).eq(verdicts(&single)), "{}", stdout(&many));
    assert!(verdicts(&many).any(|(_, verdict)| verdict == "unknown"));
}

#[test]
fn what_cannot_be_searched_is_unknown_or_refused() {
    let endless = run(&["cluster", "run", "--processes", "2", "examples/semaphore_any.rwb"]);
    assert_eq!(code(&endless), 30, "{}", stderr(&endless));
    let missing = run(&["cluster", "run", "--processes", "2", "examples/no_such_file.rwb"]);
    assert_eq!(code(&missing), 65, "{}", stderr(&missing));
    let no_step = run(&["cluster", "run", "--slurm", "examples/philosophers.rwb"]);
    assert_eq!(code(&no_step), 64, "{}", stderr(&no_step));
    assert!(stderr(&no_step).contains("cluster::hosts"), "{}", stderr(&no_step));
    assert!(root().join("apps/deploy/slurm.sh").exists() && root().join("apps/deploy/kubernetes.yaml").exists());
}

/// A step of Slurm that has one of the four nodes of its job.
#[test]
fn a_step_has_the_nodes_of_the_step() {
    let variables = [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_STEP_ID", "1"),
        ("SLURM_JOB_NODELIST", "node[1-4]"),
        ("SLURM_STEP_NODELIST", "localhost"),
        ("SLURM_TASKS_PER_NODE", "1(x4)"),
        ("SLURM_STEP_TASKS_PER_NODE", "1"),
        ("SLURM_NTASKS", "1"),
        ("SLURM_PROCID", "0"),
    ];
    let dir = scratch("cluster_step");
    let key = dir.join("key").display().to_string();
    assert_eq!(code(&run(&["cluster", "key", &key])), 0);
    let line = ["cluster", "run", "--slurm", "--port", "21743", "--quiet", "--key", &key, "examples/philosophers.rwb"];
    let search = command(&line).envs(variables).output().expect("it starts");
    assert!(stdout(&search).contains("deadlock: UNSAFE"), "{search:?}");
}

/// Runs in a job of Slurm where its controller answers.
#[test]
fn tasks_of_slurm_find_each_other() {
    let is_there = std::process::Command::new("sinfo").arg("--noheader").output().is_ok_and(|out| out.status.success());
    if !is_there {
        return;
    }
    let dir = scratch("cluster_slurm");
    let key = dir.join("key");
    assert_eq!(code(&run(&["cluster", "key", key.to_str().expect("plain")])), 0);
    let search = std::process::Command::new("srun")
        .args(["--ntasks=2", env!("CARGO_BIN_EXE_impasse"), "cluster", "run", "--slurm", "--quiet", "--key"])
        .arg(&key)
        .arg("examples/philosophers.rwb")
        .current_dir(root())
        .output()
        .expect("srun starts");
    assert!(String::from_utf8_lossy(&search.stdout).contains("deadlock: UNSAFE"), "{search:?}");
}
