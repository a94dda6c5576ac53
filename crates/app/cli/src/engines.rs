//! `entail engines`: which engines exist.

use crate::failure::{HOLDS, Stop};
use crate::terminal::print;

pub fn run() -> Result<u8, Stop> {
    let mut text = String::new();
    for engine in entail::engines() {
        text += &format!("{:<10} {}\n", engine.name(), engine.description());
    }
    print(&text);
    Ok(HOLDS)
}
