//! What goes to the terminal, and whether in colour.
//!
//! Everything that is printed goes through here, so that no control character of a file reaches the terminal, and so that a standard output
//! that cannot be written is noticed.

use crate::arguments::Look;
use crate::failure::CommandError;
use crate::units::parts;
use entail_report::text::TextOptions;
use entail_report::{diagnostics, visible, visible_in_colour, visible_json};
use entail_source::{Diagnostics, Source};
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::Mutex;

/// Whether standard output shows colours.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether standard error shows colours.
pub fn error_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// How traces look in the terminal, as the user wants it.
pub fn text_options(look: &Look) -> TextOptions {
    TextOptions {
        colour: colour(),
        full: look.full,
        show: parts(&look.show),
        hide: parts(&look.hide),
        quiet: look.quiet,
        ..TextOptions::default()
    }
}

/// Why standard output could not be written, if it could not. There is one standard output, so there is one of these.
static OUTPUT_ERROR: Mutex<Option<String>> = Mutex::new(None);

/// Why something that was printed is not there, if so.
pub fn output_error() -> Option<String> {
    OUTPUT_ERROR.lock().map_or(None, |error| error.clone())
}

/// Notes what became of writing to standard output. A reader that has gone away (`entail … | head`) is no error.
pub fn note_output(result: std::io::Result<()>) {
    if let Err(error) = result
        && error.kind() != ErrorKind::BrokenPipe
        && let Ok(mut first) = OUTPUT_ERROR.lock()
    {
        first.get_or_insert(error.to_string());
    }
}

fn write_out(text: &str) {
    let mut out = std::io::stdout().lock();
    note_output(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Prints to standard output.
pub fn print(text: &str) {
    write_out(&match colour() {
        true => visible_in_colour(text),
        false => visible(text),
    });
}

/// Prints a JSON document to standard output.
pub fn print_json(document: &str) {
    write_out(&visible_json(document));
}

/// Prints a file to standard output: as it is, unless a terminal shows it.
pub fn print_file(text: &str) {
    match std::io::stdout().is_terminal() {
        true => print(text),
        false => write_out(text),
    }
}

/// Says something on standard error. That nobody hears it is no error.
pub fn say(text: &str) {
    say_rendered(&visible(text));
}

/// The same for what has been made visible already, perhaps in colour.
fn say_rendered(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line on standard error.
macro_rules! note {
    ($($text:tt)*) => {
        $crate::terminal::say(&(format!($($text)*) + "\n"))
    };
}
pub(crate) use note;

/// The width to which reports on standard error are broken.
const WIDTH: usize = 110;

/// Errors and warnings about a text, on standard error.
pub fn print_diagnostics(source: &Source, found: &Diagnostics) {
    say_rendered(&rendered(source, found));
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
pub fn print_stop(stop: &CommandError) {
    match stop {
        CommandError::Message(message, _) | CommandError::Internal(message) => note!("entail: {message}"),
        CommandError::Invalid(source, found) => print_diagnostics(source, found),
        CommandError::Meaningless { report, .. } => say_rendered(report),
    }
}
