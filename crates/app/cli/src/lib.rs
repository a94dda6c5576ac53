//! The program `entail`, over a table of families.
//!
//! **Here:** arguments, files, the terminal, exit statuses. **Not here:** anything a library user would want too; that is in
//! `entail` (the facade) and `entail-report`. No kind of system is named here: a program with another table has other kinds.

mod arguments;
mod automaton;
mod batch;
mod case;
mod certify;
mod check;
mod choice;
mod ci_formats;
mod compare;
mod compose;
mod contest;
mod convert;
mod dd;
mod distributed;
mod engines;
mod failure;
mod family_options;
mod file_names;
mod found;
mod graph;
mod limits;
mod load;
mod ltl;
mod manual;
mod minimize;
mod mu;
mod other_solvers;
mod play;
mod progress_line;
mod psl;
mod sat;
mod save;
mod simulate;
mod smt;
mod solve;
mod survey;
mod synth;
mod terminal;
mod units;
mod view;

use arguments::{Arguments, Check, Command, NO_MODEL};
use clap::{CommandFactory, FromArgMatches};
use entail::Table;
use entail_family::Options;
use failure::{CommandError, INTERNAL, OUTPUT, USAGE};
use limits::{Limits, PATIENCE};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What a command is about, beside its own arguments.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The kinds of systems there are.
    pub table: Table,
    /// The options of families that were given.
    pub options: Options,
}

/// The program with these kinds of systems.
pub fn main_with(table: Table) -> ExitCode {
    // Families have hundreds of options: only a command that is named among the arguments gets them.
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_named = |command: &str| given.iter().any(|argument| argument == command);
    let program = family_options::extended_for(Arguments::command(), table, is_named);
    let matches = program.try_get_matches();
    let parsed = matches.and_then(|matches| {
        let mut options = family_options::given(&matches, table);
        Arguments::from_arg_matches(&matches).map(|arguments| {
            // Files of one design: lists of files, or a top module, say that they are.
            let mut arguments = arguments;
            if let Command::Check(check) = &mut arguments.command
                && (options.has("file-list") || options.has("top"))
                && [&check.model]
                    .into_iter()
                    .chain(&check.more)
                    .all(|file| is_verilog(file))
            {
                for file in check.more.drain(..) {
                    options.give("source", file.display().to_string());
                }
            }
            // So does a design in front: files in PSL are about it.
            if let Command::Check(check) = &mut arguments.command
                && is_design(&check.model)
            {
                let (psl, more) = check.more.drain(..).partition(|file| is_psl(file));
                check.more = more;
                let psl: Vec<PathBuf> = psl;
                for file in psl {
                    options.give("properties", file.display().to_string());
                }
            }
            // Files behind the model that are none themselves are what the option names that is about files with properties.
            let beside = match &arguments.command {
                Command::Check(check) => Some(&**check),
                Command::Evaluate(evaluate) => Some(&evaluate.check),
                _ => None,
            };
            if let Some(check) = beside
                && !check.more.iter().any(|file| batch::is_model(file, table))
            {
                for file in &check.more {
                    options.give("properties", file.display().to_string());
                }
            }
            (arguments, options)
        })
    });
    let (arguments, options) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // `--help` and `--version` are errors to clap, but not to the user.
            let status = if error.use_stderr() { USAGE } else { 0 };
            terminal::note_output(error.print());
            return ExitCode::from(complete(status));
        }
    };
    case::note_panics();
    // Ending the process ends what was left behind when a limit was passed.
    std::process::exit(complete(run(arguments, Context { table, options })).into())
}

/// Whether a file is a Verilog design by its name: a part of one, or what names its parts.
fn is_design(file: &Path) -> bool {
    is_verilog(file)
        || file
            .extension()
            .is_some_and(|ending| ending == "f" || ending == "sby")
}

/// Whether a file contains properties in PSL by its name.
fn is_psl(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "psl")
}

/// Whether a file is a part of a Verilog design by its name.
fn is_verilog(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension == "sv" || extension == "v")
}

/// The status, if all that was printed could be written.
fn complete(status: u8) -> u8 {
    match terminal::output_error() {
        Some(error) if status != INTERNAL => {
            terminal::say(&format!("entail: cannot write to standard output: {error}\n"));
            OUTPUT
        }
        _ => status,
    }
}

/// `check` keeps its limits itself, since it has something to say when they are passed; a worker is told its limits.
fn limits(command: &Command) -> Limits {
    let (timeout, memory) = match command {
        Command::Check(_)
        | Command::Equiv(_)
        | Command::Ste(_)
        | Command::Evaluate(_)
        | Command::Solve(_)
        | Command::Play(_)
        | Command::Synth(_)
        | Command::Worker => return Limits::default(),
        Command::Sat(options) => (options.timeout, None),
        Command::Smt(_) => (None, None),
        Command::Certify(options) => (options.timeout, None),
        Command::Minimize(options) => (options.timeout, None),
        Command::Compare(options) => (options.timeout, options.memory),
        Command::Ltl(options) => (options.timeout, None),
        Command::Mu(options) => (options.timeout, None),
        Command::Automaton(options) => (options.timeout, None),
        Command::Simulate(_)
        | Command::View(_)
        | Command::Convert(_)
        | Command::Engines
        | Command::Completions(_)
        | Command::Manual(_)
        | Command::Dd(_)
        | Command::Compose(_) => (None, None),
    };
    Limits::new(timeout, memory)
}

fn run(arguments: Arguments, context: Context) -> u8 {
    let limits = limits(&arguments.command);
    // The working thread has a large stack; a panic in it has been noted.
    let work = move || limits.keep(PATIENCE, move || command(arguments.command, &context));
    let result = match std::thread::spawn(work).join() {
        Ok(Ok(result)) => result,
        Ok(Err(spent)) => Err(CommandError::spent(spent, &spent.to_string())),
        Err(_) => return case::crashed(),
    };
    result.unwrap_or_else(|stop| {
        terminal::print_stop(&stop);
        stop.status()
    })
}

/// A command that takes exactly one file before the model.
fn two_files(options: Check, usage: &str, context: &Context) -> Result<u8, CommandError> {
    match options.more.is_empty() && options.model != Path::new(NO_MODEL) {
        true => check::run(&Arc::new(options), context),
        false => Err(CommandError::usage(usage)),
    }
}

fn command(command: Command, context: &Context) -> Result<u8, CommandError> {
    match command {
        Command::Check(options) if batch::is_meant(&options, context) => batch::run(&options, context.table),
        Command::Check(options) => check::run(&Arc::from(options), context),
        // A project names both circuits.
        Command::Equiv(options)
            if options.check.model == Path::new(NO_MODEL) && options.against.ends_with(".eqy") =>
        {
            let check = Check {
                model: options.against.into(),
                ..options.check
            };
            let context = Context {
                options: context.options.without("against"),
                ..*context
            };
            check::run(&Arc::new(check), &context)
        }
        Command::Equiv(options) => two_files(
            options.check,
            "two circuits are compared: entail equiv GOLD GATE",
            context,
        ),
        Command::Ste(options) => {
            let usage = "a circuit and a specification are needed: entail ste CIRCUIT SPEC.ste";
            two_files(options.check, usage, context)
        }
        Command::Evaluate(options) if options.check.model == Path::new(NO_MODEL) => {
            let usage = "a recorded run is needed: entail evaluate RUN.vcd --properties FILE.psl";
            Err(CommandError::usage(usage))
        }
        Command::Evaluate(options) => check::run(&Arc::new(options.check), context),
        Command::Solve(options) => solve::run(&options, context),
        Command::Play(options) => contest::run(&options, context),
        Command::Synth(options) => synth::run(&options, context),
        Command::Simulate(options) => simulate::run(&options, context),
        Command::View(options) => view::run(&options),
        Command::Certify(options) => certify::run(&options, context),
        Command::Convert(options) => convert::run(&options, context),
        Command::Engines => engines::run(context.table),
        Command::Completions(options) => manual::completions(&options, context.table),
        Command::Manual(options) => manual::pages(&options, context.table),
        Command::Worker => check::worker(context.table),
        Command::Sat(options) => sat::run(&options),
        Command::Smt(options) => smt::run(&options),
        Command::Dd(options) => dd::run(&options),
        Command::Ltl(options) => ltl::run(&options),
        Command::Mu(options) => mu::run(&options, context),
        Command::Automaton(options) => automaton::run(&options),
        Command::Minimize(options) => minimize::run(&options, context),
        Command::Compare(options) => compare::run(&options, context),
        Command::Compose(options) => compose::run(&options, context),
    }
}
