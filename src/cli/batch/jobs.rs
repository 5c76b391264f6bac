//! Reads the file of jobs. Each line is a JSON object: `model` is the path of a model, `name` names the job, and the
//! other members are options of `impasse check`, as in `{"model": "a.rwb", "timeout_each": "10s"}`.
//!
//! The id of a job is a hash of its name, its options, the version of Impasse, and the contents of the files that it
//! reads. So a job is another one after its model has changed.

use crate::cli::args::{CheckArgs, Cli, Command, Common, ProgressArg, ReportFormat, Shard};
use crate::cli::check::Piece;
use crate::cli::input_name::files;
use crate::cli::{flags, memory};
use clap::{CommandFactory, Parser};
use impasse::formats::Limits;
use impasse::model::{Reason, Stop};
use impasse::questions;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};
use twox_hash::XxHash3_128;

/// A job of the batch.
pub(super) struct Line {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) piece: Piece,
}

/// The members of a job. Each may occur once: JSON leaves open which of several counts.
struct Members(BTreeMap<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Once;
        impl<'de> Visitor<'de> for Once {
            type Value = BTreeMap<String, Value>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&key) {
                        return Err(A::Error::custom(format_args!("`{key}` occurs twice")));
                    }
                    members.insert(key, value);
                }
                Ok(members)
            }
        }
        from.deserialize_map(Once).map(Self)
    }
}

/// Why the jobs are not run.
pub(super) enum Refused {
    Wrong(String),
    Stopped(Reason),
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

/// The options of a job as `check` reads them.
type Options = Result<(Arc<CheckArgs>, Arc<Common>), String>;

/// Reads the jobs of a shard. `usual` are options for all jobs, as on the command line.
pub(super) fn read(
    path: &Path,
    shard: Shard,
    usual: &[String],
    common: &Common,
    stop: &Stop,
) -> Result<Vec<Line>, Refused> {
    let most = Limits::within(memory::limit()).bytes;
    let text = text(path, most).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut parsed: BTreeMap<Vec<String>, Options> = BTreeMap::new();
    let mut lines = Vec::new();
    let jobs = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (number, (at, line)) in jobs.enumerate() {
        let place = |column| format!("{}:{}:{column}", path.display(), at + 1);
        let Members(object) = serde_json::from_str(line)
            .map_err(|error| format!("{}: {error}\n  = help: {HELP}", place(error.column())))?;
        let (model, name, options) = split(object).map_err(|why| format!("{}: {why}\n  = help: {HELP}", place(1)))?;
        let options: Vec<String> = usual.iter().cloned().chain(options).collect();
        let made = || options_of(&options, common);
        let options_read = parsed.entry(options.clone()).or_insert_with(made).clone();
        let (args, common) = options_read.map_err(|why| format!("{}: {why}", place(1)))?;
        if number % shard.of != shard.number - 1 {
            continue;
        }
        let file = PathBuf::from(&model);
        let mut hash = Hash { hash: XxHash3_128::new(), most: most as u64, stop };
        let id = hash.id(&name, &options, (&file, common.input_format.as_deref()), &args).map_err(Refused::Stopped)?;
        let refusal = flags::refused(&args, std::slice::from_ref(&file), false, common.input_format.as_deref())
            .or_else(|| questions::may_be_of_programs(&args.property).err().filter(|_| is_program(&file, &common)));
        lines.push(Line { id, name, piece: Piece { file, args, common, refusal } });
    }
    Ok(lines)
}

const HELP: &str =
    "a job is an object such as {\"model\": \"a.rwb\", \"property\": [\"bad\"], \"timeout_each\": \"10s\"}";

fn is_program(file: &Path, common: &Common) -> bool {
    flags::family(file, common.input_format.as_deref()) == Some(impasse::Family::Programs)
}

/// Returns the model, the name, and the options in the form of a command line. The members are sorted.
fn split(mut object: BTreeMap<String, Value>) -> Result<(String, String, Vec<String>), String> {
    let model = match object.remove("model") {
        Some(Value::String(model)) => model,
        Some(_) => return Err("`model` is the path of a model".to_owned()),
        None => return Err("the job names no `model`".to_owned()),
    };
    let name = match object.remove("name") {
        Some(Value::String(name)) => name,
        Some(_) => return Err("`name` is a text".to_owned()),
        None => model.clone(),
    };
    let mut options = Vec::new();
    let check = Cli::command().find_subcommand("check").cloned().unwrap_or_default();
    for (key, value) in object {
        let long = key.replace('_', "-");
        if !check.get_arguments().any(|argument| argument.get_long() == Some(&long)) {
            return Err(format!("`{key}` is not an option of `impasse check`"));
        }
        let option = format!("--{long}");
        match value {
            Value::Bool(false) | Value::Null => {}
            Value::Bool(true) => options.push(option),
            Value::Array(values) => {
                for value in values {
                    options.push(format!("{option}={}", plain(&key, value)?));
                }
            }
            value => options.push(format!("{option}={}", plain(&key, value)?)),
        }
    }
    Ok((model, name, options))
}

fn plain(key: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("the value of `{key}` is not a text or a number")),
    }
}

/// Reads options as `check` does. The options of `batch` itself that concern all models apply, too.
fn options_of(options: &[String], common: &Common) -> Options {
    let line = ["impasse", "check"].map(str::to_owned).into_iter().chain(options.iter().cloned());
    let cli = Cli::try_parse_from(line.chain(["--".to_owned(), "model".to_owned()])).map_err(|error| {
        let text = error.render().to_string();
        text.trim_start_matches("error: ").lines().next().unwrap_or("an option is wrong").to_owned()
    })?;
    let Command::Check(args) = cli.command else { return Err("a job is checked".to_owned()) };
    if let Some(why) = refused(&args) {
        return Err(why.to_owned());
    }
    crate::cli::check::chosen_patterns(&args)?;
    let input_format = cli.common.input_format.or_else(|| common.input_format.clone());
    Ok((Arc::new(args), Arc::new(Common { input_format, ..common.clone() })))
}

/// Returns why the options of a job do not fit `batch`.
fn refused(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (args.format != ReportFormat::Text || args.trace_in_json, "the report of a job is its line of results"),
        (args.evidence.is_some(), "a batch writes no evidence: use `impasse check --evidence`"),
        (args.jobs.is_some(), "`jobs` is an option of the whole batch"),
        (args.limits.timeout.is_some(), "the time limit of a job is `timeout_each`"),
        (
            args.checkpoint.is_some() || args.disk.disk.is_some(),
            "`checkpoint` and `disk` are not options of a job: a job has no files of its own",
        ),
        (args.disk.lossy, "a search that may leave states out is not for a batch: use `impasse check --lossy`"),
        (args.limits.memory.is_some(), "the memory limit is an option of the whole batch"),
        (args.limits.progress != ProgressArg::Auto, "`progress` is not an option of a job: a batch shows no progress"),
        (args.files != [Path::new("model")], "the model of a job is its member `model`, and there is no other file"),
    ];
    all.into_iter().find_map(|(is_given, why)| is_given.then_some(why))
}

/// Reads the file of jobs, which has at most this many bytes.
fn text(path: &Path, most: usize) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(most as u64 + 1).read_to_string(&mut text)?;
    if text.len() > most { Err(io::Error::other(format!("it has more than {most} bytes"))) } else { Ok(text) }
}

/// The hash of a job.
struct Hash<'s> {
    hash: XxHash3_128,
    /// The most bytes of a file that the readers accept, and so the most that are hashed.
    most: u64,
    stop: &'s Stop,
}

impl Hash<'_> {
    fn add(&mut self, part: &[u8]) {
        self.hash.write(&(part.len() as u64).to_le_bytes());
        self.hash.write(part);
    }

    /// Adds the contents of a file. A pipe or a device cannot be read twice, so its contents are not part of the id.
    fn add_file(&mut self, path: &Path) -> Result<(), Reason> {
        let opened = fs::metadata(path).and_then(|about| match about.is_file() {
            true => fs::File::open(path).map(|file| Some((about.len(), file))),
            false => Ok(None),
        });
        let (length, file) = match opened {
            Ok(Some(opened)) => opened,
            Ok(None) => {
                self.add(b"no regular file");
                return Ok(());
            }
            Err(error) => {
                self.add(error.kind().to_string().as_bytes());
                return Ok(());
            }
        };
        self.hash.write(&length.to_le_bytes());
        let mut rest = file.take(self.most.saturating_add(1));
        let mut chunk = vec![0; 1 << 16];
        loop {
            if let Some(reason) = self.stop.raised() {
                return Err(reason);
            }
            match rest.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => self.hash.write(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.add(error.kind().to_string().as_bytes());
                    return Ok(());
                }
            }
        }
    }

    /// Returns the id of a job.
    fn id(
        &mut self,
        name: &str,
        options: &[String],
        (file, format): (&Path, Option<&str>),
        args: &CheckArgs,
    ) -> Result<String, Reason> {
        self.add(env!("CARGO_PKG_VERSION").as_bytes());
        self.add(name.as_bytes());
        self.add(format.unwrap_or("").as_bytes());
        options.iter().for_each(|option| self.add(option.as_bytes()));
        let question = &args.question;
        let named = [&question.target, &question.properties, &question.bodies].into_iter().flatten().map(PathBuf::from);
        let beside = readers::companions(file).into_iter().find(|companion| companion.is_file());
        for path in files(file).into_iter().chain(named).chain(beside) {
            self.add_file(&path)?;
        }
        Ok(format!("{:032x}", self.hash.finish_128()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<Vec<String>, String> {
        let Members(members) = serde_json::from_str(line).map_err(|error| error.to_string())?;
        split(members).map(|(_, _, options)| options)
    }

    #[test]
    fn members_are_options_of_check() {
        let line = r#"{"model": "a", "timeout_each": "1s", "property": ["bad", "x"], "shortest": true, "seed": 3,
            "explore_all": false}"#;
        let expected = ["--property=bad", "--property=x", "--seed=3", "--shortest", "--timeout-each=1s"];
        assert_eq!(options(line).expect("they are options"), expected);
        assert!(options(r#"{"property": "bad"}"#).is_err_and(|why| why.contains("model")));
        assert!(options(r#"{"model": "a", "ask": {"x": 1}}"#).is_err_and(|why| why.contains("ask")));
        for name in ["foo", "", "verbose", "files", "help"] {
            let line = format!(r#"{{"model": "a", "{name}": false}}"#);
            assert!(options(&line).is_err_and(|why| why.contains("is not an option")), "{name}");
        }
        assert!(options(r#"{"model": "a", "seed": 1, "seed": 2}"#).is_err_and(|why| why.contains("twice")));
    }

    #[test]
    fn options_of_the_whole_batch_are_refused() {
        let common = Cli::parse_from(["impasse", "explain"]).common;
        let of = |option: &str| options_of(&[option.to_owned()], &common);
        assert!(of("--engine=ic3").is_ok());
        for option in [
            "--jobs=2",
            "--timeout=1s",
            "--memory=1G",
            "--format=json",
            "--evidence=x",
            "--colour=red",
            "--lossy",
            "--progress=ndjson",
            "other.rwb",
        ] {
            assert!(of(option).is_err(), "{option}");
        }
    }
}
