//! What goes to the terminal, and whether in colour.

use crate::failure::Stop;
use entail_report::diagnostics;
use entail_source::{Diagnostics, Source};
use std::io::{IsTerminal, Write};

/// Whether standard output shows colours.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether standard error shows colours.
pub fn error_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints to standard output. A reader that has gone away (`entail … | head`) is no error.
pub fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// The width to which reports on standard error are broken.
const WIDTH: usize = 110;

/// Errors and warnings about a text, on standard error.
pub fn print_diagnostics(source: &Source, found: &Diagnostics) {
    eprint!("{}", diagnostics::fancy(found, source, error_colour(), WIDTH));
}

/// The same as text.
pub fn rendered(source: &Source, found: &Diagnostics) -> String {
    diagnostics::fancy(found, source, error_colour(), WIDTH)
}

/// Says something on standard error that ends nothing. Nobody need be there to read it.
pub fn warn(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "entail: warning: {message}");
}

/// Says why the program ends early.
pub fn print_stop(stop: &Stop) {
    match stop {
        Stop::Message(message, _) | Stop::Internal(message) => eprintln!("entail: {message}"),
        Stop::Invalid(source, found) => {
            print_diagnostics(source, found);
        }
        Stop::Meaningless { report } => eprint!("{report}"),
    }
}
