//! The end of the file: names and a comment.

use crate::circuit::{Aiger, SymbolKind};
use crate::scanner::{Problem, Scanner};
use entail_source::Span;

/// Reads `i0 name` lines, then `c` and the comment.
pub(crate) fn read(scanner: &mut Scanner<'_>, circuit: &mut Aiger) -> Result<(), Problem> {
    while let Some(letter) = scanner.peek() {
        let start = scanner.at;
        if letter == b'c' && matches!(scanner.bytes.get(start + 1), None | Some(b'\n' | b'\r')) {
            scanner.rest_of_line();
            circuit.comment = String::from_utf8_lossy(&scanner.bytes[scanner.at..]).into_owned();
            scanner.at = scanner.bytes.len();
            return Ok(());
        }
        if matches!(letter, b'\n' | b'\r') {
            scanner.end_line()?;
            continue;
        }
        let Some(kind) = SymbolKind::of_letter(letter) else {
            let mut problem = scanner.unexpected("a symbol or the end of the file");
            problem.help =
                Some("after the gates come names such as `i0 reset`, then a line `c` and comments".into());
            return Err(problem);
        };
        scanner.at += 1;
        let position = scanner.number("the position of what is named")?;
        let span = Span::new(start, scanner.at);
        if position as usize >= circuit.count(kind) {
            let count = circuit.count(kind);
            return Err(scanner.problem(
                "aiger::symbol",
                format!("a name for something that is not there: there are {count} of this kind"),
                span,
                "no such thing",
            ));
        }
        if scanner.peek() != Some(b' ') {
            return Err(scanner.unexpected("a blank and a name"));
        }
        scanner.at += 1;
        let name = String::from_utf8_lossy(scanner.rest_of_line()).into_owned();
        if circuit.symbols.insert((kind, position), name).is_some() {
            return Err(scanner.problem(
                "aiger::symbol",
                "a second name for the same thing",
                span,
                "named again here",
            ));
        }
    }
    Ok(())
}
