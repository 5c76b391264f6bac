//! Where the processes of a cluster are: from a file, from Slurm, or from the names of a Kubernetes service.
//!
//! Everything here is computed from texts, which the caller takes from files and from the environment.

use std::net::{IpAddr, ToSocketAddrs};

/// The processes of a cluster, and which of them this one is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// `host:port` of each process.
    pub addresses: Vec<String>,
    /// The number of this process.
    pub number: usize,
    /// The name of the run, the same in all processes.
    pub run: String,
}

/// Reads a list of hosts: one `host:port` per line. Empty lines and lines that begin with `#` are left out.
///
/// # Errors
/// A sentence that says which line is wrong.
pub fn listed(text: &str) -> Result<Vec<String>, String> {
    let mut addresses: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts = line.rsplit_once(':');
        let fits = parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|p| p > 0));
        if !fits || line.contains(char::is_whitespace) {
            return Err(format!("line {number}: `{line}` is not `host:port`"));
        }
        if addresses.iter().any(|other| other == line) {
            return Err(format!("line {number}: `{line}` is listed twice"));
        }
        addresses.push(line.to_owned());
    }
    if addresses.is_empty() { Err("there is no host".to_owned()) } else { Ok(addresses) }
}

/// What Slurm tells a task.
#[derive(Clone, Copy, Debug)]
pub struct Slurm<'a> {
    /// `SLURM_JOB_NODELIST`.
    pub nodes: &'a str,
    /// `SLURM_TASKS_PER_NODE` of the job step, such as `2(x3),1`.
    pub tasks: &'a str,
    /// `SLURM_NTASKS`.
    pub count: &'a str,
    /// `SLURM_PROCID`.
    pub number: &'a str,
    /// `SLURM_JOB_ID`, and `SLURM_STEP_ID` if there is one.
    pub run: &'a str,
}

/// Returns the processes of a Slurm job step: its tasks. The tasks of a node listen at `port`, `port + 1`, ..
///
/// # Errors
/// A sentence that says which variable is wrong.
pub fn slurm(task: Slurm<'_>, port: u16) -> Result<Hosts, String> {
    let nodes = nodes(task.nodes).ok_or_else(|| format!("SLURM_JOB_NODELIST is `{}`", task.nodes))?;
    let per_node = tasks(task.tasks).ok_or_else(|| format!("SLURM_TASKS_PER_NODE is `{}`", task.tasks))?;
    let count: usize = task.count.parse().map_err(|_| format!("SLURM_NTASKS is `{}`", task.count))?;
    let number: usize = task.number.parse().map_err(|_| format!("SLURM_PROCID is `{}`", task.number))?;
    if per_node.iter().sum::<usize>() != count || per_node.len() != nodes.len() || number >= count {
        return Err(format!(
            "SLURM_NTASKS ({count}), SLURM_TASKS_PER_NODE ({}), SLURM_JOB_NODELIST ({}) and SLURM_PROCID ({number}) \
             do not fit together",
            task.tasks, task.nodes
        ));
    }
    let mut addresses = Vec::new();
    for (node, tasks) in nodes.iter().zip(per_node) {
        for local in 0..tasks {
            let port = u16::try_from(local).ok().and_then(|local| port.checked_add(local));
            addresses.push(format!("{node}:{}", port.ok_or("there is no port for each task of a node")?));
        }
    }
    Ok(Hosts { addresses, number, run: format!("slurm-{}", task.run) })
}

/// Most nodes that a list of Slurm may have, and most tasks.
const MOST: usize = 1 << 16;

/// Expands a list of nodes: `a,node[01-04,7],rack[1-2]n[1-3]`.
fn nodes(list: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for part in split(list)? {
        let mut names = vec![String::new()];
        let mut rest = part;
        while let Some((before, after)) = rest.split_once('[') {
            let (ranges, after) = after.split_once(']')?;
            let numbers = numbers(ranges)?;
            if names.len().checked_mul(numbers.len())? > MOST {
                return None;
            }
            let with = |name: &String| numbers.iter().map(|n| format!("{name}{before}{n}")).collect::<Vec<_>>();
            names = names.iter().flat_map(with).collect();
            rest = after;
        }
        all.extend(names.into_iter().map(|name| name + rest));
    }
    let is_name = |name: &String| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
    };
    (!all.is_empty() && all.len() <= MOST && all.iter().all(is_name)).then_some(all)
}

/// Splits a list at the commas outside of brackets.
fn split(list: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut is_inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '[' if !is_inside => is_inside = true,
            ']' if is_inside => is_inside = false,
            '[' | ']' => return None,
            ',' if !is_inside => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    (!is_inside).then_some(parts)
}

/// Expands `01-04,7`. Numbers keep their leading zeros.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(first) || !is_number(last) {
            return None;
        }
        let (from, to): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if from > to || to - from >= MOST - all.len() {
            return None;
        }
        all.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Some(all)
}

/// Expands the numbers of tasks of the nodes: `2(x3),1` is 2, 2, 2, 1.
fn tasks(list: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (count, times) = match part.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')')?.parse().ok()?),
            None => (part, 1),
        };
        let count: usize = count.parse().ok()?;
        if times > MOST - all.len() || count > MOST {
            return None;
        }
        all.extend(std::iter::repeat_n(count, times));
    }
    Some(all)
}

/// Returns the processes of a Kubernetes StatefulSet with this many pods, by the names that its headless service gives
/// them. `pod` is the name of this pod, which ends in its number: `search-3`.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn kubernetes(pod: &str, service: &str, pods: usize, port: u16) -> Result<Hosts, String> {
    let number = pod.rsplit_once('-').and_then(|(set, number)| Some((set, number.parse::<usize>().ok()?)));
    let Some((set, number)) = number.filter(|(set, _)| !set.is_empty()) else {
        return Err(format!("the host name `{pod}` does not end in the number of a pod, such as `search-3`"));
    };
    if number >= pods {
        return Err(format!("this is pod {number}, and there are {pods}, numbered from 0"));
    }
    let addresses = (0..pods).map(|pod| format!("{set}-{pod}.{service}:{port}")).collect();
    Ok(Hosts { addresses, number, run: format!("{set}.{service}") })
}

/// Returns true if the address stands for this machine only. A name that has no address (yet) does not.
#[must_use]
pub fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback(),
        // Only this name stands for this machine by definition.
        Err(_) if host == "localhost" => {
            address.to_socket_addrs().is_ok_and(|mut all| all.all(|address| address.ip().is_loopback()))
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_hosts() {
        assert_eq!(listed("# mine\na:1\n\n 10.0.0.2:65535 \n[::1]:3").unwrap(), ["a:1", "10.0.0.2:65535", "[::1]:3"]);
        for (wrong, line) in [("a:1\nb", 2), ("a:0", 1), ("a:70000", 1), (":1", 1), ("a b:1", 1), ("a:1\n\na:1", 3)] {
            assert!(listed(wrong).unwrap_err().starts_with(&format!("line {line}:")), "{wrong}");
        }
        assert!(listed("# none").is_err());
    }

    fn task<'a>(nodes: &'a str, tasks: &'a str, count: &'a str, number: &'a str) -> Slurm<'a> {
        Slurm { nodes, tasks, count, number, run: "17.0" }
    }

    #[test]
    fn tasks_of_slurm() {
        let hosts = slurm(task("node[01-03],gpu7", "2(x2),1(x2)", "6", "4"), 2101).unwrap();
        let expected = ["node01:2101", "node01:2102", "node02:2101", "node02:2102", "node03:2101", "gpu7:2101"];
        assert_eq!(hosts.addresses, expected);
        assert_eq!((hosts.number, hosts.run.as_str()), (4, "slurm-17.0"));
        assert_eq!(nodes("r[1-2]n[9-10,12]x").unwrap(), ["r1n9x", "r1n10x", "r1n12x", "r2n9x", "r2n10x", "r2n12x"]);
        assert_eq!(nodes("node[01-04,7]").unwrap(), ["node01", "node02", "node03", "node04", "node7"]);
        assert_eq!(nodes("a").unwrap(), ["a"]);
    }

    #[test]
    fn wrong_variables_of_slurm_are_refused() {
        for list in ["", "a,", "a[", "a]", "a[1", "a[]", "a[2-1]", "a[x]", "a[1-]", "a[[1]]", "a b", "a[1-999999999]"] {
            assert_eq!(nodes(list), None, "{list}");
        }
        assert_eq!(nodes("a[1-1000]b[1-1000]"), None);
        for list in ["", "2(x", "2(x3", "x", "1,,1", "1(x99999999999)"] {
            assert_eq!(tasks(list), None, "{list}");
        }
        for wrong in [
            task("a", "2", "1", "0"),
            task("a,b", "2", "2", "0"),
            task("a", "2", "2", "2"),
            task("a", "2", "x", "0"),
            task("a", "2", "2", "-1"),
        ] {
            assert!(slurm(wrong, 1).is_err(), "{wrong:?}");
        }
        assert!(slurm(task("a", "2", "2", "0"), 65535).is_err());
    }

    #[test]
    fn pods_of_kubernetes() {
        let hosts = kubernetes("my-search-2", "peers.ns.svc", 3, 99).unwrap();
        assert_eq!(hosts.addresses[1], "my-search-1.peers.ns.svc:99");
        assert_eq!((hosts.addresses.len(), hosts.number, hosts.run.as_str()), (3, 2, "my-search.peers.ns.svc"));
        assert!(kubernetes("my-search-3", "s", 3, 99).is_err());
        assert!(kubernetes("search", "s", 3, 99).is_err() && kubernetes("-1", "s", 3, 99).is_err());
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for own in ["127.0.0.1:1", "127.3.2.1:1", "[::1]:5", "localhost:80"] {
            assert!(is_loopback(own), "{own}");
        }
        for other in ["10.0.0.1:1", "0.0.0.0:1", "[::]:1", "localhost.example.org:1", "node1:1", "127.0.0.1.org:1"] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
