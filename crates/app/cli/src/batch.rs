//! Several models in one run: `entail check *.smv`, or a project file with what is expected of each.
//!
//! Each model is checked in a process of its own, one after the other, with the options of the command line and those of its entry: limits are
//! for each model, and what goes wrong with one stays there. What comes back is each model's JSON report, from which the formats of CI systems are made; as text, what the
//! processes print is passed on. The exit status is that of the worst.
//!
//! A project file:
//!
//! ```toml
//! timeout = "60s"                          # for each model; also: property-timeout, memory
//!
//! [[model]]
//! files = ["mutex.smv", "queue.pml"]       # relative to this file
//! options = ["--strict"]
//! property = ["safe"]                      # only these; all without
//! spec = ["AG p"]                          # and these
//! expect = { no_overtaking = "fails" }     # by name or number; the others hold
//! ```
//!
//! Without a model `entail check` takes the project file of the folder it is started in, or of the nearest folder above that has one.

use crate::Context;
use crate::arguments::{Arguments, Check, Format};
use crate::ci_formats::{junit, sarif};
use crate::failure::{CommandError, FAILS, HOLDS, INPUT, INTERNAL, INTERRUPTED, OUTPUT, UNKNOWN, USAGE};
use crate::family_options;
use crate::load::read_text;
use crate::terminal::{print, print_json};
use clap::{Arg, CommandFactory};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toml_edit::{DocumentMut, Item, Table};

/// Options that limit a run; they are keys of project files, too.
const LIMITS: [&str; 3] = ["timeout", "property-timeout", "memory"];

/// A model to be checked.
#[derive(Debug, Default)]
pub struct Job {
    pub(crate) file: PathBuf,
    arguments: Vec<String>,
    /// Verdicts other than *holds*, by name or number of the property; nothing if nobody said what to expect.
    expected: Option<BTreeMap<String, String>>,
}

/// What checking a model gave.
#[derive(Debug)]
pub struct Checked {
    pub(crate) job: Job,
    status: u8,
    pub(crate) document: Option<Json>,
}

/// Whether a command is about more than one model, or wants a format that is made from reports.
pub fn is_meant(check: &Check, context: &Context) -> bool {
    is_project(&check.model)
        || check.format.is_some()
        || check.more.iter().any(|file| is_model(file, context.table))
}

/// Whether a file is a model by its name.
pub fn is_model(file: &Path, table: entail::Table) -> bool {
    file.extension().is_some()
        && table
            .languages()
            .any(|(_, language)| language.has_extension_of(file))
}

fn is_project(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "toml")
}

/// Checks all of them.
pub fn run(check: &Check, table: entail::Table) -> Result<u8, CommandError> {
    let alone = [
        ("--trace", check.trace.is_some()),
        ("--dot", check.dot.is_some()),
        ("--evidence", check.evidence.is_some()),
        ("--report", check.report.is_some()),
    ];
    let jobs = jobs(check)?;
    if let (Some((option, _)), true) = (alone.iter().find(|(_, given)| *given), jobs.len() > 1) {
        return Err(CommandError::usage(format!("{option} is for one model")));
    }
    let program = std::env::current_exe()
        .map_err(|error| CommandError::Internal(format!("the program cannot be started: {error}")))?;
    let as_text = check.format.is_none() && !check.json;
    let common = common_arguments(table);
    let mut all = Vec::new();
    for job in jobs {
        let is_quiet = !as_text || job.expected.is_some();
        if as_text {
            print(&format!("{}\n", job.file.display()));
        }
        let checked = check_one(&program, &common, job, is_quiet)?;
        if let (true, Some(document)) = (as_text && is_quiet, &checked.document) {
            print(&judged_text(&checked.job, document));
        }
        all.push(checked);
    }
    match check.format {
        Some(Format::Junit) => print(&junit(&all)),
        Some(Format::Sarif) => print_json(&format!("{:#}\n", sarif(&all))),
        None if check.json => {
            let models: Vec<&Json> = all.iter().filter_map(|one| one.document.as_ref()).collect();
            let document = json!({"entail": env!("CARGO_PKG_VERSION"), "models": models});
            print_json(&format!("{document:#}\n"));
        }
        None => {}
    }
    Ok(all
        .iter()
        .map(Checked::status)
        .max_by_key(|status| gravity(*status))
        .unwrap_or(HOLDS))
}

fn gravity(status: u8) -> usize {
    let order = [HOLDS, UNKNOWN, FAILS, INPUT, USAGE, OUTPUT, INTERNAL, INTERRUPTED];
    order
        .iter()
        .position(|known| *known == status)
        .unwrap_or(order.len())
}

/// The options of the command line with their values, without formats: all that is not a model.
fn common_arguments(table: entail::Table) -> Vec<OsString> {
    let program = family_options::extended(Arguments::command(), table);
    let options = program
        .find_subcommand("check")
        .map_or(Vec::new(), |check| check.get_arguments().collect());
    options_alone(std::env::args_os().skip(2), &options)
}

/// The options among arguments, each with the value that follows it if it takes one.
fn options_alone(arguments: impl Iterator<Item = OsString>, known: &[&Arg]) -> Vec<OsString> {
    let takes_value = |text: &str| {
        let named = |arg: &&&Arg| match text.strip_prefix("--") {
            Some(long) => {
                arg.get_long() == Some(long)
                    || arg
                        .get_all_aliases()
                        .is_some_and(|aliases| aliases.contains(&long))
            }
            // In `-vc VALUE` the last letter is the option that takes it.
            None => arg.get_short() == text.chars().next_back(),
        };
        known.iter().find(named).is_some_and(|arg| {
            let at_least = arg.get_num_args().map_or(1, |number| number.min_values());
            arg.get_action().takes_values() && at_least > 0
        })
    };
    let mut rest = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        match text.as_str() {
            "--" => break,
            "--format" => drop(arguments.next()),
            "--json" | "--json-lines" => {}
            text if text.starts_with("--format=") => {}
            text if text.starts_with('-') && text.len() > 1 => {
                rest.push(argument);
                if !text.contains('=') && takes_value(text) {
                    rest.extend(arguments.next());
                }
            }
            _ => {}
        }
    }
    rest
}

fn jobs(check: &Check) -> Result<Vec<Job>, CommandError> {
    let mut jobs = Vec::new();
    for file in [&check.model].into_iter().chain(&check.more) {
        match is_project(file) {
            true => jobs.extend(project(file)?),
            false => jobs.push(Job {
                file: file.clone(),
                ..Job::default()
            }),
        }
    }
    Ok(jobs)
}

/// The models of a project file.
fn project(file: &Path) -> Result<Vec<Job>, CommandError> {
    let wrong = |what: String| CommandError::input(format!("{}: {what}", file.display()));
    let file = &nearest(file);
    if !file.exists() {
        return Err(CommandError::usage(format!(
            "no model is given, and there is no {} here or in a folder above",
            file.display()
        )));
    }
    let document: DocumentMut = read_text(file)?
        .parse()
        .map_err(|error| wrong(format!("{error}")))?;
    let known = |table: &Table, keys: &[&str]| match table.iter().find(|(key, _)| !keys.contains(key)) {
        Some((key, _)) => Err(wrong(format!(
            "there is no key `{key}`; there are: {}",
            keys.join(", ")
        ))),
        None => Ok(()),
    };
    known(
        document.as_table(),
        &["options", "timeout", "property-timeout", "memory", "model"],
    )?;
    let mut common = texts(document.get("options"), "options").map_err(wrong)?;
    common.extend(limits(document.as_table()).map_err(wrong)?);
    let folder = file.parent().unwrap_or(Path::new(""));
    let models = match document.get("model") {
        Some(Item::ArrayOfTables(models)) => models,
        _ => return Err(wrong("there is no [[model]]".into())),
    };
    let mut jobs = Vec::new();
    for model in models {
        known(
            model,
            &[
                "file",
                "files",
                "options",
                "timeout",
                "property-timeout",
                "memory",
                "property",
                "spec",
                "expect",
            ],
        )?;
        let mut files = texts(model.get("files"), "files").map_err(wrong)?;
        files.extend(texts(model.get("file"), "file").map_err(wrong)?);
        let mut arguments = common.clone();
        arguments.extend(texts(model.get("options"), "options").map_err(wrong)?);
        let own = limits(model).map_err(wrong)?;
        // Its own limit counts, not that of all.
        own.chunks(2).for_each(|limit| without(&mut arguments, &limit[0]));
        arguments.extend(own);
        for property in texts(model.get("property"), "property").map_err(wrong)? {
            arguments.extend(["--property".to_owned(), property]);
        }
        for spec in texts(model.get("spec"), "spec").map_err(wrong)? {
            arguments.extend(["--spec".to_owned(), spec]);
        }
        let expected = expected(model.get("expect")).map_err(wrong)?;
        if files.is_empty() {
            return Err(wrong("a [[model]] has no `file` and no `files`".into()));
        }
        jobs.extend(files.into_iter().map(|name| Job {
            file: folder.join(name),
            arguments: arguments.clone(),
            expected: Some(expected.clone()),
        }));
    }
    Ok(jobs)
}

/// The file itself, or the one of that name in the nearest folder above.
fn nearest(file: &Path) -> PathBuf {
    if file.exists() || file.components().count() != 1 {
        return file.to_owned();
    }
    let here = std::env::current_dir().unwrap_or_default();
    let mut above = here.ancestors().map(|folder| folder.join(file));
    above
        .find(|other| other.exists())
        .unwrap_or_else(|| file.to_owned())
}

/// The limits of a table as options with their values.
fn limits(table: &Table) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for key in LIMITS {
        let values = texts(table.get(key), key)?;
        found.extend(values.into_iter().flat_map(|value| [format!("--{key}"), value]));
    }
    Ok(found)
}

/// Takes an option with its value away.
fn without(arguments: &mut Vec<String>, option: &str) {
    while let Some(at) = arguments.iter().position(|argument| argument == option) {
        arguments.drain(at..(at + 2).min(arguments.len()));
    }
}

/// A text or a list of them.
fn texts(item: Option<&Item>, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is a text or a list of texts");
    match item {
        None => Ok(Vec::new()),
        Some(item) => match (item.as_str(), item.as_array()) {
            (Some(text), _) => Ok(vec![text.to_owned()]),
            (_, Some(list)) => {
                let texts = list.iter().map(|one| one.as_str().map(String::from));
                texts.collect::<Option<_>>().ok_or_else(wrong)
            }
            _ => Err(wrong()),
        },
    }
}

fn expected(item: Option<&Item>) -> Result<BTreeMap<String, String>, String> {
    let mut found = BTreeMap::new();
    let Some(item) = item else {
        return Ok(found);
    };
    let table = item
        .as_table_like()
        .ok_or("`expect` has a verdict for each property")?;
    for (name, verdict) in table.iter() {
        let verdict = verdict
            .as_str()
            .filter(|text| ["holds", "fails", "unknown"].contains(text));
        let verdict = verdict.ok_or_else(|| format!("`{name}` is expected to be holds, fails or unknown"))?;
        found.insert(name.to_owned(), verdict.to_owned());
    }
    Ok(found)
}

fn check_one(program: &Path, common: &[OsString], job: Job, quietly: bool) -> Result<Checked, CommandError> {
    // What the command line limits is limited so, whatever the project says.
    let mut arguments = job.arguments.clone();
    for limit in LIMITS {
        let option = format!("--{limit}");
        let with_value = format!("{option}=");
        let mut given = common.iter().map(|argument| argument.to_string_lossy());
        if given.any(|argument| argument == option || argument.starts_with(&with_value)) {
            without(&mut arguments, &option);
        }
    }
    let mut command = Command::new(program);
    command.arg("check").arg(&job.file).args(common).args(&arguments);
    command.stdin(Stdio::null());
    if quietly {
        command.arg("--json").stdout(Stdio::piped());
    }
    let failed =
        |error: std::io::Error| CommandError::Internal(format!("a check cannot be started: {error}"));
    let output = command
        .spawn()
        .map_err(failed)?
        .wait_with_output()
        .map_err(failed)?;
    Ok(Checked {
        job,
        status: output
            .status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(INTERNAL),
        document: serde_json::from_slice(&output.stdout).ok(),
    })
}

/// The properties of a report, each with whether it is as expected.
pub(crate) fn judged<'d>(
    job: &'d Job,
    document: &'d Json,
) -> impl Iterator<Item = (&'d Json, String, &'d str, &'d str)> {
    let properties = document["properties"].as_array().into_iter().flatten();
    properties.map(move |property| {
        let number = property["position"].to_string();
        let name = property["name"]
            .as_str()
            .map_or_else(|| number.clone(), String::from);
        let verdict = property["verdict"].as_str().unwrap_or("unknown");
        let said = job
            .expected
            .as_ref()
            .and_then(|all| all.get(&name).or_else(|| all.get(&number)));
        (property, name, verdict, said.map_or("holds", String::as_str))
    })
}

/// Properties that are expected and not there.
pub(crate) fn missing<'d>(job: &'d Job, document: &'d Json) -> Vec<&'d str> {
    let is_there = |wanted: &str| {
        let number = wanted.parse::<u64>().ok();
        judged(job, document).any(|(property, name, ..)| {
            name == wanted || number.is_some() && property["position"].as_u64() == number
        })
    };
    let wanted = job.expected.iter().flatten().map(|(name, _)| name.as_str());
    wanted.filter(|name| !is_there(name)).collect()
}

fn judged_text(job: &Job, document: &Json) -> String {
    let mut text = String::new();
    for (property, name, verdict, wanted) in judged(job, document) {
        let formula = property["formula"].as_str().unwrap_or("");
        text += &match verdict == wanted {
            true => format!("  as expected: {verdict}  {formula}  [{name}]\n"),
            false => format!("  {verdict}, expected: {wanted}  {formula}  [{name}]\n"),
        };
        for warning in property["warnings"].as_array().into_iter().flatten() {
            text += &format!("      warning: {}\n", warning.as_str().unwrap_or(""));
        }
    }
    for name in missing(job, document) {
        text += &format!("  there is no property `{name}`\n");
    }
    text
}

impl Checked {
    /// The status, by what was expected if somebody said that.
    pub(crate) fn status(&self) -> u8 {
        let (Some(document), true) = (&self.document, self.job.expected.is_some()) else {
            return self.status;
        };
        if ![HOLDS, FAILS, UNKNOWN].contains(&self.status) {
            return self.status;
        }
        let wrong: Vec<&str> = judged(&self.job, document)
            .filter(|(_, _, verdict, wanted)| verdict != wanted)
            .map(|(_, _, verdict, _)| verdict)
            .collect();
        let fails_as_expected = judged(&self.job, document).any(|(_, _, verdict, _)| verdict == "fails");
        match () {
            () if !missing(&self.job, document).is_empty() => FAILS,
            () if wrong.iter().any(|verdict| *verdict != "unknown") => FAILS,
            () if !wrong.is_empty() => UNKNOWN,
            // A strict run fails for other reasons than verdicts.
            () if self.status == FAILS && !fails_as_expected => FAILS,
            () => HOLDS,
        }
    }

    /// Why nothing was checked.
    pub(crate) fn error(&self) -> Option<String> {
        let said = self
            .document
            .as_ref()
            .and_then(|document| document["reason"].as_str());
        match self.status {
            HOLDS | FAILS | UNKNOWN => None,
            status => Some(said.map_or_else(|| format!("exit status {status}"), String::from)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_an_option_is_kept_even_if_it_is_the_name_of_a_model() {
        let program = Arguments::command();
        let check = program.find_subcommand("check").expect("a command");
        let known: Vec<&Arg> = check.get_arguments().collect();
        let options = |line: &str| {
            let arguments = line.split(' ').map(OsString::from);
            options_alone(arguments, &known)
                .into_iter()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(options("a.smv b.smv --spec b.smv -v"), "--spec b.smv -v");
        assert_eq!(
            options("--timeout=5s a.smv --json --engine bdd -- -b.smv"),
            "--timeout=5s --engine bdd"
        );
        assert_eq!(options("a.smv --format junit b.smv --quiet c.smv"), "--quiet");
    }
}
