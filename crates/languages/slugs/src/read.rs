//! Sections and lines, and what a specification means.

use crate::formula::{Primes, Signals, Word, is_prefix, parse};
use crate::infix::{self, Numbers, Ranged};
use crate::number::{Comparison, Number};
use entail_logic::{Binary, Formula};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// A GR(1) specification.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// What the environment decides.
    pub inputs: Vec<String>,
    /// What the system decides.
    pub outputs: Vec<String>,
    /// What the environment, and the system, does in the first step.
    pub init: [Vec<Formula<String>>; 2],
    /// What they do from step to step.
    pub trans: [Vec<Formula<String>>; 2],
    /// What they do again and again.
    pub liveness: [Vec<Formula<String>>; 2],
}

const ENVIRONMENT: usize = 0;
const SYSTEM: usize = 1;

impl Specification {
    /// The specification as one formula. The system keeps its transitions as long as the environment has kept its own (strict realizability, as Slugs solves it); only
    /// its liveness may depend on what the environment does later.
    pub fn formula(&self) -> Formula<String> {
        let all = |list: &[Formula<String>]| Formula::and(list.iter().cloned());
        let recur = |list: &[Formula<String>]| Formula::and(list.iter().map(|one| one.finally().globally()));
        let (env, sys) = (&self.trans[ENVIRONMENT], &self.trans[SYSTEM]);
        let mut wanted: Vec<Formula<String>> = self.init[SYSTEM].clone();
        match (env.is_empty(), sys.is_empty()) {
            (_, true) => {}
            (true, false) => wanted.push(all(sys).globally()),
            (false, false) => wanted.push(Formula::binary(Binary::WeakUntil, &all(sys), &all(env).not())),
        }
        if !self.liveness[SYSTEM].is_empty() {
            let mut assumed = Vec::new();
            if !env.is_empty() {
                assumed.push(all(env).globally());
            }
            if !self.liveness[ENVIRONMENT].is_empty() {
                assumed.push(recur(&self.liveness[ENVIRONMENT]));
            }
            let goals = recur(&self.liveness[SYSTEM]);
            wanted.push(match assumed.is_empty() {
                true => goals,
                false => Formula::and(assumed).implies(&goals),
            });
        }
        let wanted = Formula::and(wanted);
        match self.init[ENVIRONMENT].is_empty() {
            true => wanted,
            false => all(&self.init[ENVIRONMENT]).implies(&wanted),
        }
    }
}

/// What a section holds.
#[derive(Clone, Copy)]
enum Section {
    Signals(usize),
    Init(usize),
    Trans(usize),
    Liveness(usize),
}

const SECTIONS: [(&str, Section); 8] = [
    ("[INPUT]", Section::Signals(ENVIRONMENT)),
    ("[OUTPUT]", Section::Signals(SYSTEM)),
    ("[ENV_INIT]", Section::Init(ENVIRONMENT)),
    ("[SYS_INIT]", Section::Init(SYSTEM)),
    ("[ENV_TRANS]", Section::Trans(ENVIRONMENT)),
    ("[SYS_TRANS]", Section::Trans(SYSTEM)),
    ("[ENV_LIVENESS]", Section::Liveness(ENVIRONMENT)),
    ("[SYS_LIVENESS]", Section::Liveness(SYSTEM)),
];

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Signals are Boolean, formulas in prefix notation.
    Plain,
    /// Numbers with ranges, formulas in either notation.
    Structured,
}

/// Reads a specification.
pub fn read(source: &Source) -> Result<Specification, Diagnostics> {
    Reader::new(Dialect::Plain).read(source)
}

/// Reads a structured specification: with numbers, which become signals for their bits, and formulas in infix notation.
pub fn read_structured(source: &Source) -> Result<Specification, Diagnostics> {
    Reader::new(Dialect::Structured).read(source)
}

/// A line with a formula.
struct Line<'t> {
    section: Section,
    text: &'t str,
    /// Where it begins.
    begin: usize,
}

struct Reader {
    dialect: Dialect,
    specification: Specification,
    signals: Signals,
    numbers: Numbers,
}

impl Reader {
    fn new(dialect: Dialect) -> Reader {
        Reader {
            dialect,
            specification: Specification::default(),
            signals: Signals::new(),
            numbers: Numbers::new(),
        }
    }

    fn read(mut self, source: &Source) -> Result<Specification, Diagnostics> {
        let mut problems = Vec::new();
        let mut section: Option<Section> = None;
        // Formulas are read when all signals are known.
        let mut formulas: Vec<Line<'_>> = Vec::new();
        let mut begin = 0;
        for line in source.text().split_inclusive('\n') {
            let place = begin;
            begin += line.len();
            let text = &line[..line.find('#').unwrap_or(line.len())];
            let words = words(text, place);
            let Some(&first) = words.first() else {
                continue;
            };
            if let Some(name) = section_name(text) {
                section = Some(named(name, first.span)?);
                continue;
            }
            match section {
                None => {
                    let problem =
                        Diagnostic::error("slugs::section", "this is in no section", first.span, "here");
                    problems.push(problem.with_help("the first line is a section, such as [INPUT]"));
                    return Err(Diagnostics(problems));
                }
                Some(Section::Signals(side)) => {
                    if let Err(problem) = self.declarations(text, place, &words, side) {
                        problems.push(problem);
                    }
                }
                Some(section) => formulas.push(Line {
                    section,
                    text,
                    begin: place,
                }),
            }
        }
        for line in &formulas {
            if let Err(problem) = self.formula(line) {
                problems.push(problem);
            }
        }
        match problems.is_empty() {
            true => Ok(self.specification),
            false => Err(Diagnostics(problems)),
        }
    }

    fn declarations(
        &mut self,
        text: &str,
        begin: usize,
        words: &[Word<'_>],
        side: usize,
    ) -> Result<(), Diagnostic> {
        if self.dialect == Dialect::Structured && text.contains(':') {
            return self.number(text, begin, side);
        }
        let mut each = words.iter();
        each.try_for_each(|word| declare(word, side, &mut self.signals, &mut self.specification))
    }

    fn formula(&mut self, line: &Line<'_>) -> Result<(), Diagnostic> {
        let specification = &mut self.specification;
        let (list, primes) = match line.section {
            Section::Init(side) => (&mut specification.init[side], Primes::None),
            Section::Trans(ENVIRONMENT) => (&mut specification.trans[ENVIRONMENT], Primes::Inputs),
            Section::Trans(side) => (&mut specification.trans[side], Primes::All),
            Section::Liveness(side) => (&mut specification.liveness[side], Primes::All),
            Section::Signals(_) => return Ok(()),
        };
        let words = words(line.text, line.begin);
        list.push(
            match self.dialect == Dialect::Plain || is_prefix(&words, &self.signals) {
                true => parse(&words, &self.signals, primes)?,
                false => infix::parse(line.text, line.begin, &self.signals, &self.numbers, primes)?,
            },
        );
        Ok(())
    }

    /// A number `x: 0...5`: signals for its bits, named as Slugs' compiler does, and the range as a condition on whoever decides it.
    fn number(&mut self, text: &str, begin: usize, side: usize) -> Result<(), Diagnostic> {
        let trimmed = text.trim();
        let start = begin + text.find(trimmed).unwrap_or(0);
        let span = Span::new(start, start + trimmed.len());
        let wrong = |message: &str| {
            Diagnostic::error("slugs::range", message, span, "declared here")
                .with_help("numbers are declared as `x: 0...5`, with natural numbers, the least first")
        };
        let bounds = |range: &str| -> Option<(u64, u64)> {
            let (least, most) = range.split_once("...")?;
            Some((least.trim().parse().ok()?, most.trim().parse().ok()?))
        };
        let (name, range) = trimmed
            .split_once(':')
            .ok_or_else(|| wrong("this is no declaration"))?;
        let name = name.trim();
        let (least, most) = bounds(range).ok_or_else(|| wrong("this is no range"))?;
        let width = most
            .checked_sub(least)
            .ok_or_else(|| wrong("the range is empty"))?;
        if width >= 1 << 32 {
            return Err(wrong("the range is too large"));
        }
        is_name(name, span)?;
        if self.numbers.contains_key(name) || self.signals.contains_key(name) {
            return Err(twice(name, span));
        }
        let count = 64 - width.leading_zeros();
        let bit = |bit: u32| match bit {
            0 => format!("{name}@0.{least}.{most}"),
            _ => format!("{name}@{bit}"),
        };
        let bits: Vec<String> = (0..count).map(bit).collect();
        for bit in &bits {
            let word = Word { text: bit, span };
            declare(&word, side, &mut self.signals, &mut self.specification)?;
        }
        if (width + 1).count_ones() != 1 {
            let now = Number(bits.iter().map(|bit| Formula::atom(bit.clone())).collect());
            let next = Number(now.0.iter().map(Formula::next).collect());
            let most = Number::constant(width);
            self.specification.init[side].push(now.compared(Comparison::LessEqual, &most));
            self.specification.trans[side].push(next.compared(Comparison::LessEqual, &most));
        }
        self.numbers.insert(name.to_owned(), Ranged { least, bits });
        Ok(())
    }
}

/// The name of the section that a line begins, if it does: as in Slugs, every line that begins with a bracket.
fn section_name(text: &str) -> Option<&str> {
    let name = text.trim();
    name.starts_with('[').then_some(name)
}

fn named(name: &str, span: Span) -> Result<Section, Diagnostic> {
    let known = SECTIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, section)| *section).ok_or_else(|| {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        let message = format!("there is no section `{name}`");
        let problem = Diagnostic::error("slugs::section", message, span, "begins here");
        problem.with_help(format!("sections are {}", names.join(", ")))
    })
}

fn declare(
    word: &Word<'_>,
    side: usize,
    signals: &mut Signals,
    specification: &mut Specification,
) -> Result<(), Diagnostic> {
    let name = word.text;
    is_name(name, word.span)?;
    if signals.insert(name.to_owned(), side == ENVIRONMENT).is_some() {
        return Err(twice(name, word.span));
    }
    match side {
        ENVIRONMENT => specification.inputs.push(name.to_owned()),
        _ => specification.outputs.push(name.to_owned()),
    }
    Ok(())
}

fn is_name(name: &str, span: Span) -> Result<(), Diagnostic> {
    let is_plain = name
        .chars()
        .all(|letter| !letter.is_whitespace() && !matches!(letter, '\'' | '!' | '&' | '|' | '^' | '$' | '?'));
    match is_plain && !name.is_empty() && !name.starts_with(|letter: char| letter.is_ascii_digit()) {
        true => Ok(()),
        false => {
            let message = format!("`{name}` is no name for a signal");
            Err(Diagnostic::error("slugs::name", message, span, "here")
                .with_help("names begin with a letter and have no operators in them"))
        }
    }
}

fn twice(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is declared twice");
    Diagnostic::error("slugs::twice", message, span, "here again")
        .with_help("a signal is an input or an output, once")
}

/// The words of a line.
fn words(line: &str, begin: usize) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in line.split_whitespace() {
        let from = at + line[at..].find(word).unwrap_or(0);
        at = from + word.len();
        found.push(Word {
            text: word,
            span: Span::new(begin + from, begin + at),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Specification, Diagnostics> {
        read(&Source::new("test.slugsin", text))
    }

    #[test]
    fn a_specification_is_read_with_buffers_and_next_values() {
        let text = "[INPUT]\nr # a request\n[OUTPUT]\ng\n[ENV_TRANS]\n| ! r r'\n[SYS_INIT]\n! g\n[SYS_TRANS]\n$ 2 & g r | ! ? 0 g'\n[SYS_LIVENESS]\ng\n";
        let specification = read_text(text).expect("well formed");
        assert_eq!(specification.inputs, ["r"]);
        assert_eq!(specification.trans[SYSTEM][0].to_string(), "!(g & r) | X g");
        assert_eq!(
            specification.formula().to_string(),
            "!g & (!(g & r) | X g) W !(!r | X r) & (G (!r | X r) -> G F g)"
        );
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (text, code) in [
            ("r\n", "slugs::section"),
            ("[INPUTS]\nr\n", "slugs::section"),
            ("[INPUT]\nr\n[OUTPUT]\nr\n", "slugs::twice"),
            ("[INPUT]\nr\n[ENV_TRANS]\n& r\n", "slugs::end"),
            ("[INPUT]\nr\n[ENV_TRANS]\n! r r\n", "slugs::rest"),
            ("[INPUT]\nr\n[ENV_TRANS]\ns\n", "slugs::signal"),
            ("[OUTPUT]\ng\n[ENV_TRANS]\ng'\n", "slugs::prime"),
            ("[OUTPUT]\ng\n[SYS_INIT]\ng'\n", "slugs::prime"),
            ("[OUTPUT]\ng\n[SYS_INIT]\n? 0\n", "slugs::buffer"),
            ("[OUTPUT]\ng\n[SYS_INIT]\n$ x g\n", "slugs::number"),
        ] {
            let problems = read_text(text).expect_err(text);
            assert_eq!(problems.0[0].code, code, "{text}");
        }
    }

    #[test]
    fn numbers_become_bits_with_their_range_as_a_condition() {
        let text =
            "[INPUT]\ni\n[OUTPUT]\nx: 3...5\n[SYS_INIT]\nx = 4\n[SYS_TRANS]\ni -> x' = x+1\n| ! i x@1'\n";
        let read = read_structured(&Source::new("test.structuredslugs", text)).expect("well formed");
        assert_eq!(read.outputs, ["x@0.3.5", "x@1"]);
        assert_eq!(read.init[SYSTEM].len(), 2);
        assert_eq!(read.trans[SYSTEM].len(), 3);
        assert_eq!(read.trans[SYSTEM][2].to_string(), "!i | X x@1");
    }

    /// Every formula of two numbers agrees with arithmetic, for all their values.
    #[test]
    fn comparisons_of_sums_are_those_of_arithmetic() {
        let values = |text: &str, x: u64, y: u64| {
            let line = format!("[OUTPUT]\nx: 1...6\ny: 0...3\n[SYS_INIT]\n{text}\n");
            let read = read_structured(&Source::new("test.structuredslugs", &line)).expect("well formed");
            let holds = |name: &String| {
                let (of, place) = name.split_once('@').expect("a bit");
                let place: u32 = place
                    .split('.')
                    .next()
                    .and_then(|place| place.parse().ok())
                    .expect("its place");
                let value = if of == "x" { x - 1 } else { y };
                value >> place & 1 == 1
            };
            truth(&read.init[SYSTEM][1], &holds)
        };
        for x in 1..=6 {
            for y in 0..=3 {
                for (text, expected) in [
                    ("x + y + 2 <= 7", x + y + 2 <= 7),
                    ("(x + y) = x", y == 0),
                    ("x != y + 1 & TRUE", x != y + 1),
                    ("!(x < 4) | y > 1 -> FALSE", x < 4 && y <= 1),
                    ("x >= 2 <-> y = 3 ^ x = y", (x >= 2) == ((y == 3) ^ (x == y))),
                    ("(2 + (x)) > y + y + y", 2 + x > 3 * y),
                    ("1 LEASTSIGNIFICANTBITOVERWRITES y = 3", y >= 2),
                ] {
                    assert_eq!(values(text, x, y), expected, "{text} with x = {x}, y = {y}");
                }
            }
        }
    }

    fn truth(formula: &Formula<String>, holds: &dyn Fn(&String) -> bool) -> bool {
        use entail_logic::Node;
        match formula.node() {
            Node::Constant(value) => *value,
            Node::Atom(name) => holds(name),
            Node::Not(inner) => !truth(inner, holds),
            Node::And(parts) => parts.iter().all(|part| truth(part, holds)),
            Node::Or(parts) => parts.iter().any(|part| truth(part, holds)),
            Node::Implies(one, other) => !truth(one, holds) || truth(other, holds),
            Node::Iff(one, other) => truth(one, holds) == truth(other, holds),
            Node::Xor(one, other) => truth(one, holds) != truth(other, holds),
            _ => panic!("an operator that is not Boolean"),
        }
    }

    #[test]
    fn mistakes_in_structured_specifications_are_named() {
        for (text, code) in [
            ("[OUTPUT]\nx: 5...3\n", "slugs::range"),
            ("[OUTPUT]\nx: a...3\n", "slugs::range"),
            ("[OUTPUT]\nx: 0...3\nx\n[INPUT]\nx: 0...1\n", "slugs::twice"),
            ("[OUTPUT]\nx: 0...3\n[SYS_TRANS]\nx' = x - 1\n", "slugs::operator"),
            ("[OUTPUT]\nx: 0...3\n[SYS_TRANS]\nnext(x' = 1)\n", "slugs::prime"),
            ("[OUTPUT]\nx: 0...3\n[SYS_TRANS]\nX X x = 1\n", "slugs::prime"),
            ("[OUTPUT]\nx: 0...3\n[ENV_TRANS]\nx' = 1\n", "slugs::prime"),
            ("[OUTPUT]\ng\n[SYS_LIVENESS]\nG g\n", "slugs::temporal"),
            ("[OUTPUT]\ng\n[SYS_LIVENESS]\ng & h = 1\n", "slugs::signal"),
            ("[OUTPUT]\ng\n[SYS_LIVENESS]\n(g & g\n", "slugs::syntax"),
            ("[OUTPUT]\ng\n[SYS_LIVENESS]\ng %\n", "slugs::letter"),
            ("[OUTPUT]\nx: 0...3\n[SYS_INIT]\nx + 1\n", "slugs::syntax"),
        ] {
            let problems = read_structured(&Source::new("test", text)).expect_err(text);
            assert_eq!(problems.0[0].code, code, "{text}");
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let text = format!("[INPUT]\nr\n[ENV_INIT]\n{}r\n", "! ".repeat(200_000));
        assert!(read_text(&text).is_ok());
    }
}
