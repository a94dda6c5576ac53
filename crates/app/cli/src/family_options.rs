//! Options of families on the command line.
//!
//! Families declare their options as data ([`OptionSpec`]). Here they become arguments of the commands that take them, under a heading of
//! their own, and what the user gave becomes [`Options`]. `-h` leaves them out; `--help` shows them.

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches};
use entail::Table;
use entail_family::{Command, OptionSpec, Options};

/// The commands that take options of families, by their names.
const COMMANDS: [(&str, Command); 14] = [
    ("check", Command::Check),
    ("equiv", Command::Check),
    ("ste", Command::Check),
    ("evaluate", Command::Check),
    ("solve", Command::Check),
    ("play", Command::Check),
    ("synth", Command::Synth),
    ("simulate", Command::Simulate),
    ("certify", Command::Certify),
    ("convert", Command::Structure),
    ("minimize", Command::Structure),
    ("compare", Command::Structure),
    ("compose", Command::Structure),
    ("explore", Command::Structure),
];

/// The command line with the options of all families.
pub fn extended(program: clap::Command, table: Table) -> clap::Command {
    extended_for(program, table, |_| true)
}

/// The command line with the options of all families, at those commands that may be meant.
pub fn extended_for(
    mut program: clap::Command,
    table: Table,
    may_be_meant: impl Fn(&str) -> bool,
) -> clap::Command {
    for (name, command) in COMMANDS {
        if may_be_meant(name) && program.find_subcommand(name).is_some() {
            program = program.mut_subcommand(name, |subcommand| with_options(subcommand, table, command));
        }
    }
    program
}

fn with_options(mut subcommand: clap::Command, table: Table, command: Command) -> clap::Command {
    let options = table.options(command);
    for option in &options {
        let own = subcommand.get_arguments().any(|arg| arg.get_id() == option.name);
        if !own {
            subcommand = subcommand.arg(argument(option, &options, table, command));
        }
    }
    subcommand
}

/// An option as clap sees it.
fn argument(option: &'static OptionSpec, all: &[&'static OptionSpec], table: Table, command: Command) -> Arg {
    let mut argument = Arg::new(option.name)
        .long(option.name)
        .help(option.help)
        .help_heading(heading(option, table, command))
        .hide_short_help(true)
        .conflicts_with_all(
            option
                .conflicts
                .iter()
                .filter(|other| all.iter().any(|known| known.name == **other)),
        );
    if let Some(short) = option.short {
        argument = argument.short(short);
    }
    match option.value {
        None => argument.action(ArgAction::SetTrue),
        Some(value) => {
            let action = if option.repeats {
                ArgAction::Append
            } else {
                ArgAction::Set
            };
            argument
                .value_name(value)
                .action(action)
                .value_parser(parser(option))
        }
    }
}

fn parser(option: &'static OptionSpec) -> ValueParser {
    if !option.choices.is_empty() {
        let values = option
            .choices
            .iter()
            .map(|(name, help)| PossibleValue::new(*name).help(*help));
        return PossibleValuesParser::new(values).into();
    }
    let check = option.check;
    ValueParser::from(move |text: &str| -> Result<String, String> {
        check.map_or(Ok(()), |check| check(text))?;
        Ok(text.to_owned())
    })
}

/// Whose option it is.
fn heading(option: &OptionSpec, table: Table, command: Command) -> String {
    let families: Vec<String> = (table.families_with(option.name, command).iter())
        .map(|family| {
            let titles: Vec<&str> = family.languages.iter().map(|language| language.title).collect();
            format!("{} ({})", family.name, titles.join(", "))
        })
        .collect();
    match families.as_slice() {
        [only] => format!("Options for {only}"),
        _ => "Options for several kinds of systems".to_owned(),
    }
}

/// The options of families that were given to a command.
pub fn given(matches: &ArgMatches, table: Table) -> Options {
    let mut options = Options::default();
    let Some((name, matches)) = matches.subcommand() else {
        return options;
    };
    let Some((_, command)) = COMMANDS.iter().find(|(known, _)| *known == name) else {
        return options;
    };
    for option in table.options(*command) {
        let given = matches.try_contains_id(option.name).unwrap_or(false)
            && matches.value_source(option.name) == Some(clap::parser::ValueSource::CommandLine);
        if !given {
            continue;
        }
        match option.value {
            None => options.give(option.name, ""),
            Some(_) => {
                for value in matches.get_many::<String>(option.name).into_iter().flatten() {
                    options.give(option.name, value.clone());
                }
            }
        }
    }
    options
}
