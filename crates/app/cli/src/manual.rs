//! Shell completions and manual pages, made from the command line itself.

use crate::arguments::{Arguments, Completions, Manual};
use crate::failure::{CommandError, HOLDS};
use crate::family_options::extended;
use crate::load::{make_folder, write_bytes};
use crate::terminal::print_file;
use clap::CommandFactory;
use entail::Table;

/// `entail completions`
pub fn completions(options: &Completions, table: Table) -> Result<u8, CommandError> {
    let mut text = Vec::new();
    let mut program = extended(Arguments::command(), table);
    clap_complete::generate(options.shell, &mut program, "entail", &mut text);
    print_file(&String::from_utf8_lossy(&text));
    Ok(HOLDS)
}

/// `entail manual`: a page for the program and one for each command.
pub fn pages(options: &Manual, table: Table) -> Result<u8, CommandError> {
    make_folder(&options.folder)?;
    let mut program = extended(Arguments::command(), table);
    program.build();
    let commands = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help");
    for (name, command) in [("entail".to_owned(), program.clone())]
        .into_iter()
        .chain(commands.map(|command| (format!("entail-{}", command.get_name()), command.clone())))
    {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(command).title(&name).render(&mut page);
        written.map_err(|error| CommandError::Internal(error.to_string()))?;
        write_bytes(&options.folder.join(format!("{name}.1")), &page)?;
    }
    Ok(HOLDS)
}
