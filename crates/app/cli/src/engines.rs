//! `entail engines`: which engines exist, for which kinds of systems and logics.

use crate::failure::{CommandError, HOLDS};
use crate::terminal::print;
use entail::Table;
use entail_logic::Logic;

pub fn run(table: Table) -> Result<u8, CommandError> {
    let engines = || table.0.iter().flat_map(|family| family.engines);
    let width = engines().map(|engine| engine.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for family in table.0 {
        text += &format!("{}: {}\n", family.name, family.about);
        for engine in family.engines {
            let logics: Vec<&str> = engine.logics.iter().copied().map(Logic::name).collect();
            text += &format!(
                "  {:<width$}  {} [{}]\n",
                engine.name,
                engine.about,
                logics.join(", ")
            );
        }
    }
    print(&text);
    Ok(HOLDS)
}
