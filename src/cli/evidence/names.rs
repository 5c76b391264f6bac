//! The names of evidence files.

use std::collections::BTreeMap;
use std::path::Path;

/// Beginnings of file names, which are unique within one command.
///
/// For each beginning in small letters, the next number to try: a batch may check one model thousands of times. (Some
/// file systems do not tell apart names that differ in the case of letters.)
#[derive(Default)]
pub(crate) struct Stems(BTreeMap<String, u64>);

impl Stems {
    /// Returns the beginning of file names for the model called `name`. If an earlier model has this beginning,
    /// a number from 2 is added.
    pub(crate) fn next(&mut self, name: &str) -> String {
        let plain = stem(name);
        let mut n = self.0.get(&plain.to_lowercase()).copied().unwrap_or(1);
        let mut free = if n == 1 { plain.clone() } else { format!("{plain}-{n}") };
        while self.0.contains_key(&free.to_lowercase()) {
            n += 1;
            free = format!("{plain}-{n}");
        }
        self.0.insert(free.to_lowercase(), 2);
        self.0.insert(plain.to_lowercase(), n + 1);
        free
    }
}

/// Returns the file name of the model without its directories, and without the extension by which it was
/// read.
fn stem(model: &str) -> String {
    let name = Path::new(model).file_name().map_or_else(|| "model".into(), |n| n.to_string_lossy());
    let mut plain = name.strip_suffix(".xz").or_else(|| name.strip_suffix(".gz")).unwrap_or(&name);
    let extensions = readers::ALL.iter().flat_map(|f| f.extensions);
    if let Some(stem) = extensions.filter_map(|e| plain.strip_suffix(e)?.strip_suffix('.')).min_by_key(|s| s.len()) {
        plain = stem;
    }
    let plain: String = plain.replace(['<', '>'], "").chars().map(|c| if is_forbidden(c) { '_' } else { c }).collect();
    let device = plain.split('.').next().unwrap_or_default().to_ascii_lowercase();
    if DEVICES.contains(&device.trim_end_matches(|c: char| c.is_ascii_digit())) { format!("_{plain}") } else { plain }
}

/// Names of devices of Windows, without a number at the end. A file must not have one before its first point.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns true for characters that a file name cannot contain on Linux, Windows, or in stores of build services.
fn is_forbidden(c: char) -> bool {
    c.is_ascii_control() || r#"<>:"/\|?*"#.contains(c)
}

/// Maximum bytes of the beginning of a file name. File systems allow more, but the longest ending that we add
/// and the ending of a draft must fit, too.
const LONGEST: usize = 200;

/// Returns the beginning of the names of a property's files. A long beginning is cut, and ends in a hash of its
/// full text (FNV-1a, Fowler, Noll, Vo 1991).
pub(super) fn beginning(stem: &str, id: &str) -> String {
    let whole = format!("{stem}.{}", in_file_name(id));
    if whole.len() <= LONGEST {
        return whole;
    }
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = whole.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let end = (0..=LONGEST - 17).rev().find(|&at| whole.is_char_boundary(at)).unwrap_or(0);
    format!("{}-{hash:016x}", &whole[..end])
}

/// Returns the id of a property without characters that file names cannot contain: `error-1` for `error:1`. Ids from
/// contest files may be any text. Different ids give different results. No result ends like the name of a file about a
/// bound (the function `save`).
fn in_file_name(id: &str) -> String {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = id.split_at(id.len() - digits);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    if digits > 0 && word.strip_suffix(':').is_some_and(is_word) {
        return format!("{}-{number}", word.trim_end_matches(':'));
    }
    // These two forms of names are taken.
    let is_taken = word.strip_suffix('-').is_some_and(|word| is_word(word) || word.ends_with(".bound"));
    let hyphen = (digits > 0 && is_taken).then_some(word.len() - 1);
    let mut name = String::with_capacity(id.len());
    for (at, c) in id.char_indices() {
        match c {
            '%' => name.push_str("%25"),
            c if is_forbidden(c) => name.push_str(&format!("%{:02X}", u32::from(c))),
            '-' if hyphen == Some(at) => name.push_str("%2D"),
            c => name.push(c),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_model() {
        assert_eq!(stem("a/b/tank.rwb.xz"), "tank");
        assert_eq!(stem("tank.json"), "tank");
        assert_eq!(stem("<stdin>"), "stdin");
        assert_eq!(stem("a/kanban.rwb.json"), "kanban.rwb");
        assert_eq!(stem("a:b?.rwb"), "a_b_");
        assert_eq!(stem("COM1.b.rwb"), "_COM1.b");
        assert_eq!(stem("command.rwb"), "command");
    }

    #[test]
    fn ids_cannot_lead_elsewhere() {
        assert_eq!(in_file_name("Net-PT-02-Reachability-00"), "Net-PT-02-Reachability-00");
        assert_eq!(in_file_name("target:2"), "target-2");
        assert_eq!(in_file_name("target-2"), "target%2D2");
        assert_eq!(in_file_name("a: b|c?:3"), "a%3A b%7Cc%3F%3A3");
        assert_eq!(in_file_name("../a/b%2F\n"), "..%2Fa%2Fb%252F%0A");
    }

    #[test]
    fn ids_are_not_taken_for_bounds() {
        assert_eq!(in_file_name("P.bound-3"), "P.bound%2D3");
        assert_eq!(in_file_name("bound-3"), "bound%2D3", "another model may be called M.P");
        assert_eq!(in_file_name("P.bound-3.bound-12"), "P.bound-3.bound%2D12");
        assert_eq!(in_file_name("P.bound-"), "P.bound-");
        assert_eq!(in_file_name("P.bound-3x"), "P.bound-3x");
        assert_eq!(in_file_name("rebound-3"), "rebound%2D3", "`rebound:3` has the other name");
    }

    #[test]
    fn long_names_of_properties_are_cut_and_stay_apart() {
        let ids = [format!("{}a", "\u{e9}x".repeat(150)), format!("{}b", "\u{e9}x".repeat(150))];
        let [a, b] = [beginning("net", &ids[0]), beginning("net", &ids[1])];
        assert!(a != b && a.len() <= LONGEST && b.len() <= LONGEST, "{a} {b}");
        assert!(a.starts_with("net.\u{e9}x"), "{a}");
        assert_eq!(beginning("net", "target:2"), "net.target-2");
        assert!(beginning(&"m".repeat(250), "x").len() <= LONGEST);
    }

    #[test]
    fn no_two_models_share_a_stem() {
        let mut stems = Stems::default();
        let given: Vec<String> =
            ["a/t.rwb", "b/t.rwb", "t-2.rwb", "t.json", "u.rwb", "T.rwb"].iter().map(|name| stems.next(name)).collect();
        assert_eq!(given, ["t", "t-2", "t-2-2", "t-3", "u", "T-4"]);
    }
}
