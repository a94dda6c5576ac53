//! `entail engines`: which engines exist.

use crate::failure::{HOLDS, Stop};
use crate::terminal::print;

pub fn run() -> Result<u8, Stop> {
    let engines = entail::engines();
    let width = engines
        .iter()
        .map(|engine| engine.name().len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for engine in engines {
        text += &format!("{:<width$}  {}\n", engine.name(), engine.description());
    }
    print(&text);
    Ok(HOLDS)
}
