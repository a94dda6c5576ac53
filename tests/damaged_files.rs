//! Examples, golden models and formulas, damaged at random, for every reader: each reads what it is given or says what is wrong at a place of the
//! text, and none panics. The table of readers is that of the fuzz targets (`fuzz/`), which look longer and more cleverly.
//!
//! `tests/hostile_input.rs` does the same to the whole program, a few times; this asks the readers themselves, some thousand times, and
//! `ENTAIL_EFFORT` times as often.

mod expectation;
mod program;
#[path = "../fuzz/src/readers.rs"]
mod readers;

use expectation::files;
use program::{effort, root};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use readers::{READERS, Reader};
use std::panic::catch_unwind;

/// The texts that are damaged for a reader.
fn seeds(reader: &Reader) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = reader.texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let folders = ["examples", "tests/golden"];
    for path in folders.iter().flat_map(|folder| files(&root().join(folder))) {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if reader.seeds.contains(&&*extension) {
            found.push(std::fs::read(&path).expect("a readable file"));
        }
    }
    found
}

/// A piece of a text: words and signs rather than bytes, so that what comes out often looks like the language.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    for &byte in bytes {
        match pieces.last_mut() {
            Some(last) if is_word(byte) && last.last().is_some_and(|&before| is_word(before)) => {
                last.push(byte)
            }
            _ => pieces.push(vec![byte]),
        }
    }
    pieces
}

/// Words that mean something somewhere, or are too large everywhere.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "1e400",
    "\"",
    "'",
    "\\",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "/*",
    "*/",
    "--",
    "//",
    "#",
    "\u{0}",
    "é",
    "\u{feff}",
    "..",
    "::",
    "TRUE",
    "word[65536]",
    "array 0..1000000000 of",
    "next(",
    "MODULE",
    "goto",
    "--BODY--",
];

/// The text with a few changes.
fn damaged(text: &[u8], other: &[u8], random: &mut StdRng) -> Vec<u8> {
    let (mut pieces, others) = (pieces(text), pieces(other));
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..=pieces.len());
        let end = (at + random.random_range(0..8)).min(pieces.len());
        match random.random_range(0..9) {
            0 => drop(pieces.drain(at..end)),
            1 => {
                let again = pieces[at..end].to_vec();
                pieces.splice(at..at, again);
            }
            2 => pieces.truncate(at),
            3 if at < pieces.len() => {
                let with = random.random_range(0..pieces.len());
                pieces.swap(at, with);
            }
            4 if !others.is_empty() => {
                let from = random.random_range(0..others.len());
                let to = (from + random.random_range(0..20)).min(others.len());
                pieces.splice(at..at, others[from..to].iter().cloned());
            }
            5 => {
                let number = random.random::<u64>() >> random.random_range(0..64);
                pieces.splice(at..end, [number.to_string().into_bytes()]);
            }
            6 if at < pieces.len() => {
                let byte = random.random_range(0..pieces[at].len());
                pieces[at][byte] = random.random();
            }
            7 if at < pieces.len() && !others.is_empty() => {
                pieces[at] = others.choose(random).expect("there are some").clone();
            }
            _ => {
                let word = WORDS.choose(random).expect("there are words");
                pieces.splice(at..end, [word.as_bytes().to_vec()]);
            }
        }
    }
    pieces.concat()
}

#[test]
fn damaged_files_are_read_or_refused_by_every_reader() {
    let mut failures = Vec::new();
    for reader in READERS {
        let seeds = seeds(reader);
        assert!(!seeds.is_empty(), "{}: there is nothing to damage", reader.name);
        let (mut refused, tried) = (0, 400 * effort());
        for round in 0..tried {
            let mut random = StdRng::seed_from_u64(round);
            let text = seeds.choose(&mut random).expect("there are seeds");
            let other = seeds.choose(&mut random).expect("there are seeds");
            let text = damaged(text, other, &mut random);
            match catch_unwind(|| (reader.read)(&text)) {
                Ok(was_read) => refused += u64::from(!was_read),
                Err(_) => {
                    let text = String::from_utf8_lossy(&text);
                    failures.push(format!("{} panics in round {round} on\n{text}", reader.name));
                    break;
                }
            }
        }
        println!("{}: {refused} of {tried} refused", reader.name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Otherwise nothing would be learned from what it does with damaged ones.
#[test]
fn every_reader_reads_some_of_what_is_damaged_for_it() {
    for reader in READERS {
        let reads = seeds(reader).iter().filter(|text| (reader.read)(text)).count();
        assert!(reads > 0, "{} reads nothing", reader.name);
    }
}
