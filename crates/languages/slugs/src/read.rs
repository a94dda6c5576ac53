//! Sections and lines, and what a specification means.

use crate::formula::{Primes, Signals, Word, parse};
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

/// Reads a specification.
pub fn read(source: &Source) -> Result<Specification, Diagnostics> {
    let mut specification = Specification::default();
    let mut signals = Signals::new();
    let mut problems = Vec::new();
    let mut section: Option<Section> = None;
    // Formulas are read when all signals are known.
    let mut formulas: Vec<(Section, Vec<Word<'_>>)> = Vec::new();
    let mut begin = 0;
    for line in source.text().split_inclusive('\n') {
        let words = words(line, begin);
        begin += line.len();
        let Some(&first) = words.first() else {
            continue;
        };
        if first.text.starts_with('[') {
            let known = SECTIONS.iter().find(|(name, _)| *name == first.text);
            section = known.map(|(_, section)| *section);
            if known.is_none() {
                let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
                let message = format!("there is no section `{}`", first.text);
                let problem = Diagnostic::error("slugs::section", message, first.span, "begins here");
                problems.push(problem.with_help(format!("sections are {}", names.join(", "))));
                return Err(Diagnostics(problems));
            }
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
                for word in &words {
                    match declare(word, side, &mut signals, &mut specification) {
                        Ok(()) => {}
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            Some(other) => formulas.push((other, words)),
        }
    }
    for (section, words) in formulas {
        let (list, primes) = match section {
            Section::Init(side) => (&mut specification.init[side], Primes::None),
            Section::Trans(ENVIRONMENT) => (&mut specification.trans[ENVIRONMENT], Primes::Inputs),
            Section::Trans(side) => (&mut specification.trans[side], Primes::All),
            Section::Liveness(side) => (&mut specification.liveness[side], Primes::All),
            Section::Signals(_) => continue,
        };
        match parse(&words, &signals, primes) {
            Ok(formula) => list.push(formula),
            Err(problem) => problems.push(problem),
        }
    }
    match problems.is_empty() {
        true => Ok(specification),
        false => Err(Diagnostics(problems)),
    }
}

fn declare(
    word: &Word<'_>,
    side: usize,
    signals: &mut Signals,
    specification: &mut Specification,
) -> Result<(), Diagnostic> {
    let name = word.text;
    let is_plain = name
        .chars()
        .all(|letter| !matches!(letter, '\'' | '!' | '&' | '|' | '^' | '$' | '?'));
    if !is_plain || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err(Diagnostic::error(
            "slugs::name",
            format!("`{name}` is no name for a signal"),
            word.span,
            "here",
        )
        .with_help("names begin with a letter and have no operators in them"));
    }
    if signals.insert(name.to_owned(), side == ENVIRONMENT).is_some() {
        return Err(Diagnostic::error(
            "slugs::twice",
            format!("`{name}` is declared twice"),
            word.span,
            "here again",
        )
        .with_help("a signal is an input or an output, once"));
    }
    match side {
        ENVIRONMENT => specification.inputs.push(name.to_owned()),
        _ => specification.outputs.push(name.to_owned()),
    }
    Ok(())
}

/// The words of a line without its comment.
fn words(line: &str, begin: usize) -> Vec<Word<'_>> {
    let line = &line[..line.find('#').unwrap_or(line.len())];
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
    fn deep_nesting_costs_no_stack() {
        let text = format!("[INPUT]\nr\n[ENV_INIT]\n{}r\n", "! ".repeat(200_000));
        assert!(read_text(&text).is_ok());
    }
}
