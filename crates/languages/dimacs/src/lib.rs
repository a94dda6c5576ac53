//! DIMACS CNF, the format of SAT solvers: reader and printer.
//!
//! **Here:** [`read`] and [`Cnf`]. **Not here:** solving.
//!
//! The format: comment lines start with `c`; one header `p cnf VARIABLES CLAUSES`; then literals as numbers, a minus for negation, each clause ended
//! by `0`, over as many lines as one likes. What follows a line `%` is ignored (old benchmark sets end so). A number of clauses that differs
//! from the header's is a warning, since many generators get it wrong; a variable beyond the header's is an error.

use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// More variables than this are refused: a header alone must not make anybody allocate gigabytes.
pub const MAX_VARIABLES: u32 = 1 << 28;

/// A formula in conjunctive normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cnf {
    /// Variables are numbered from 1 to this.
    pub variables: u32,
    /// The clauses; literals are variables or, negative, their complements.
    pub clauses: Vec<Vec<i32>>,
}

impl Cnf {
    /// The formula as text.
    pub fn print(&self) -> String {
        let mut text = format!("p cnf {} {}\n", self.variables, self.clauses.len());
        for clause in &self.clauses {
            for literal in clause {
                text += &format!("{literal} ");
            }
            text += "0\n";
        }
        text
    }
}

/// A word of a text, with its place.
struct Words<'a> {
    text: &'a str,
    at: usize,
    line_start: bool,
}

impl<'a> Words<'a> {
    /// The next word, and whether it is the first of its line.
    fn next(&mut self) -> Option<(&'a str, Span, bool)> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.line_start |= *byte == b'\n';
            self.at += 1;
        }
        let start = self.at;
        while bytes.get(self.at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        let first = std::mem::replace(&mut self.line_start, false);
        (self.at > start).then(|| (&self.text[start..self.at], Span::new(start, self.at), first))
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }
}

fn wrong(code: &'static str, message: String, span: Span, label: &str, help: &str) -> Diagnostics {
    Diagnostic::error(code, message, span, label)
        .with_help(help)
        .into()
}

/// Reads a formula, with warnings.
pub fn read(source: &Source) -> Result<(Cnf, Vec<Diagnostic>), Diagnostics> {
    read_clauses(source).map_err(|problems| problems.within(source.text()))
}

fn read_clauses(source: &Source) -> Result<(Cnf, Vec<Diagnostic>), Diagnostics> {
    let text = source.text();
    let mut words = Words {
        text,
        at: 0,
        line_start: true,
    };
    let mut header: Option<(u32, u64, Span)> = None;
    let mut cnf = Cnf::default();
    let mut clause: Vec<i32> = Vec::new();
    let mut open = Span::new(0, 0);
    while let Some((word, span, first)) = words.next() {
        if first && word.starts_with('c') {
            words.skip_line();
            continue;
        }
        if first && word == "%" {
            break;
        }
        let Some((variables, _, _)) = header else {
            header = Some(read_header(&mut words, word, span)?);
            cnf.variables = header.map_or(0, |(variables, _, _)| variables);
            continue;
        };
        let literal: i32 = word.parse().map_err(|_| {
            wrong(
                "dimacs::literal",
                format!("`{word}` is not a literal"),
                span,
                "expected a number",
                "a literal is a variable's number, with a minus for its negation; 0 ends a clause",
            )
        })?;
        if literal == 0 {
            cnf.clauses.push(std::mem::take(&mut clause));
        } else if literal.unsigned_abs() > variables {
            return Err(wrong(
                "dimacs::variable",
                format!("variable {} is not declared", literal.unsigned_abs()),
                span,
                &format!("the header declares variables 1 to {variables}"),
                "raise the number of variables in the line `p cnf`",
            ));
        } else {
            if clause.is_empty() {
                open = span;
            }
            clause.push(literal);
        }
    }
    let Some((_, promised, header)) = header else {
        return Err(wrong(
            "dimacs::header",
            "there is no header".into(),
            Span::new(text.len(), text.len()),
            "expected `p cnf VARIABLES CLAUSES`",
            "the first line that is no comment is, for example, `p cnf 3 2`",
        ));
    };
    if !clause.is_empty() {
        return Err(wrong(
            "dimacs::open-clause",
            "the last clause has no end".into(),
            open,
            "this clause is not ended by 0",
            "the file may be cut short; every clause ends with 0",
        ));
    }
    let mut warnings = Vec::new();
    if promised != cnf.clauses.len() as u64 {
        let message = format!(
            "the header promises {promised} clauses, there are {}",
            cnf.clauses.len()
        );
        warnings.push(Diagnostic::warning(
            "dimacs::count",
            message,
            header,
            "promised here",
        ));
    }
    Ok((cnf, warnings))
}

fn read_header(words: &mut Words<'_>, word: &str, span: Span) -> Result<(u32, u64, Span), Diagnostics> {
    let help = "the header is, for example, `p cnf 3 2`: three variables, two clauses";
    let expected = |found: &str, span: Span, what: &str| {
        let message = format!("expected {what}, found `{found}`");
        wrong("dimacs::header", message, span, "here", help)
    };
    if word != "p" {
        return Err(expected(word, span, "the header `p cnf VARIABLES CLAUSES`"));
    }
    let mut whole = span;
    let mut next = |what: &str| match words.next() {
        Some((word, span, false)) => {
            whole = whole.to(span);
            Ok((word, span))
        }
        Some((word, span, true)) => Err(expected(word, span, what)),
        None => Err(expected("the end of the file", span, what)),
    };
    let (format, span) = next("`cnf`")?;
    if format != "cnf" {
        return Err(expected(format, span, "`cnf`"));
    }
    let (text, span) = next("the number of variables")?;
    let variables: u32 = text
        .parse()
        .ok()
        .filter(|&variables| variables <= MAX_VARIABLES)
        .ok_or_else(|| {
            expected(
                text,
                span,
                &format!("a number of variables up to {MAX_VARIABLES}"),
            )
        })?;
    let (text, span) = next("the number of clauses")?;
    let clauses: u64 = text
        .parse()
        .map_err(|_| expected(text, span, "a number of clauses"))?;
    Ok((variables, clauses, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cnf(text: &str) -> Result<(Cnf, Vec<Diagnostic>), Diagnostics> {
        read(&Source::new("test.cnf", text))
    }

    #[test]
    fn clauses_may_be_spread_over_lines_and_comments_stand_anywhere() {
        let (formula, warnings) =
            cnf("c hi\np cnf 3 2\n1 -2\nc in between\n3 0 -1 0\n%\n0\n").expect("correct");
        assert_eq!(formula.clauses, [vec![1, -2, 3], vec![-1]]);
        assert!(warnings.is_empty());
        let (again, _) = cnf(&formula.print()).expect("what was printed");
        assert_eq!(again, formula);
    }

    #[test]
    fn an_empty_clause_and_an_empty_formula_are_formulas() {
        assert_eq!(cnf("p cnf 0 0").expect("correct").0.clauses.len(), 0);
        assert_eq!(cnf("p cnf 1 1\n0\n").expect("correct").0.clauses, [vec![]]);
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let cases = [
            ("", "dimacs::header", 0),
            ("1 2 0", "dimacs::header", 0),
            ("p sat 3 2", "dimacs::header", 2),
            ("p cnf x 2", "dimacs::header", 6),
            ("p cnf 4000000000 2", "dimacs::header", 6),
            ("p cnf 3\n1 0", "dimacs::header", 8),
            ("p cnf 3 2\n1 x 0", "dimacs::literal", 12),
            ("p cnf 3 2\n1 99999999999 0", "dimacs::literal", 12),
            ("p cnf 3 2\n1 -4 0", "dimacs::variable", 12),
            ("p cnf 3 2\n1 0 2 3", "dimacs::open-clause", 14),
        ];
        for (text, code, place) in cases {
            let Err(Diagnostics(found)) = cnf(text) else {
                panic!("{text:?} was accepted");
            };
            assert_eq!((found[0].code, found[0].span().start), (code, place), "{text:?}");
        }
        let (_, warnings) = cnf("p cnf 3 5\n1 0").expect("a warning only");
        assert_eq!(warnings[0].code, "dimacs::count");
    }

    #[test]
    fn no_prefix_of_a_file_and_no_flipped_byte_makes_the_reader_panic() {
        let text = "c x\np cnf 12 3\n1 -12 0\n-3 4 5 0 7 0\n%\n";
        for end in 0..=text.len() {
            let _ = cnf(&text[..end]);
        }
        for at in 0..text.len() {
            for byte in [b'0', b'-', b' ', b'\n', b'p', b'9', b'%'] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                let _ = cnf(&String::from_utf8(bytes).expect("ASCII"));
            }
        }
    }
}
