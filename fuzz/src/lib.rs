//! What the fuzz targets call: a reader by its name.

mod readers;

pub use readers::{READERS, Reader};

/// Gives bytes to the reader of this name. It may refuse them; whatever panics is a bug.
pub fn read(name: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|reader| reader.name == name);
    (reader.expect("a target is named after its reader").read)(bytes);
}
