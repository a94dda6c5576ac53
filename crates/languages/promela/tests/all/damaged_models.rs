//! Real models, damaged at random: whatever the text is, it is read or refused at a place in it, and what is read can be run.

use entail_program::StateGraph;
use entail_promela::read;
use entail_source::Source;
use std::path::{Path, PathBuf};

/// A generator that gives the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// The models of the repository, and the collection beside it, where there is one.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut pending = vec![
        root.join("examples/promela"),
        root.join("../shared/bench/promela"),
    ];
    let mut found = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => pending.push(path),
                Some("pml" | "prom" | "promela" | "pm" | "ltl") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

const WORDS: [&str; 40] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "::",
    "->",
    "!",
    "?",
    "??",
    "!!",
    "atomic {",
    "d_step {",
    "do",
    "od",
    "if",
    "fi",
    "else",
    "unless",
    "goto",
    "run",
    "chan",
    "byte",
    "typedef",
    "inline",
    "select",
    "for",
    "trace {",
    "never {",
    "ltl {",
    "return",
    "#define",
    "##",
    "eval(",
    "timeout",
    "-1",
    "4294967295",
    "_pid",
];

/// A text with one to three things wrong.
fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut words: Vec<String> = text
        .split_inclusive(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .map(str::to_owned)
        .collect();
    for _ in 0..1 + dice.roll(3) {
        if words.is_empty() {
            break;
        }
        let (at, other) = (dice.roll(words.len()), dice.roll(words.len()));
        match dice.roll(7) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other].clone()),
            2 => words.swap(at, other),
            3 => words.insert(at, format!(" {} ", WORDS[dice.roll(WORDS.len())])),
            4 => words[at] = WORDS[dice.roll(WORDS.len())].to_owned(),
            5 => words.truncate(at),
            _ => {
                let mut letters: Vec<char> = words[at].chars().collect();
                let position = dice.roll(letters.len());
                if let Some(letter) = letters.get_mut(position) {
                    *letter = ['#', '"', '\'', '\\', 'é', '\u{0}', '0', '\n', '@'][dice.roll(9)];
                }
                words[at] = letters.into_iter().collect();
            }
        }
    }
    words.concat()
}

/// How much longer than usual the test runs: `ENTAIL_EFFORT`, 1 if it is not set.
fn effort() -> usize {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn damaged_models_are_read_or_refused_at_a_place_in_the_text() {
    let texts: Vec<String> = models()
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .filter(|text| text.len() < 20_000)
        .collect();
    assert!(texts.len() >= 4, "the examples are missing");
    let (mut dice, mut refused) = (Dice(7), 0);
    let tried = 3_000 * effort();
    for text in texts.iter().cycle().take(tried) {
        let text = damaged(text, &mut dice);
        match read(&Source::new("damaged.pml", &text), &|_, _| None) {
            Ok(model) => {
                // A few steps of what is left.
                let _ = StateGraph::explore(&model.program, 20);
            }
            Err(trouble) => {
                refused += 1;
                for diagnostic in &trouble.diagnostics.0 {
                    let span = diagnostic.span();
                    let place = trouble.source.text().get(span.start..span.end);
                    assert!(place.is_some(), "{diagnostic} at {span:?} in\n{text}");
                }
            }
        }
    }
    assert!(
        refused > 200 && refused < tried,
        "{refused} of {tried} texts are refused"
    );
}
