//! Names, variables and arrays of a written model.
//!
//! The reader took arrays apart; names `a[0]`, `a[1]`, … in a row are put together again.

use super::KEYWORDS;
use entail_clocks::Network;
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

/// Names that are given once.
pub(super) struct Names {
    given: HashSet<String>,
    pub processes: Vec<String>,
    pub locations: Vec<String>,
}

fn cleaned(wanted: &str) -> String {
    let mut name = String::new();
    for letter in wanted.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '_' => name.push(letter),
            ')' | ']' => {}
            _ => name.push('_'),
        }
    }
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !is_name || KEYWORDS.contains(&name.as_str()) {
        name.insert(0, '_');
    }
    name
}

fn numbered(wanted: &str, given: &mut HashSet<String>) -> String {
    let name = cleaned(wanted);
    let mut chosen = name.clone();
    let mut number = 2;
    while !given.insert(chosen.clone()) {
        chosen = format!("{name}_{number}");
        number += 1;
    }
    chosen
}

impl Names {
    pub fn new(network: &Network) -> Names {
        let mut given = HashSet::new();
        let processes = (network.processes.iter())
            .map(|one| numbered(&one.name, &mut given))
            .collect();
        let mut locations = vec![String::new(); network.locations.len()];
        for process in &network.processes {
            let mut own = HashSet::new();
            for &location in &process.locations {
                locations[location] = numbered(&network.locations[location].name, &mut own);
            }
        }
        // What is declared for all must not be hidden by a location.
        given.extend(locations.iter().cloned());
        Names {
            given,
            processes,
            locations,
        }
    }

    pub fn fresh(&mut self, wanted: &str) -> String {
        numbered(wanted, &mut self.given)
    }
}

/// Where integers and clocks are: variables, and arrays for those that are reached by an index.
pub(super) struct Memory {
    pub integers: Vec<String>,
    pub clocks: Vec<String>,
    /// Declared names with their first slot and number.
    pub integer_blocks: Vec<(Range<usize>, String)>,
    pub clock_blocks: Vec<(Range<usize>, String)>,
}

/// Runs of names `a[0]`, `a[1]`, …: the arrays that the reader took apart.
fn blocks(names: &[String]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let parts = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let begun = found.last_mut().filter(|last| {
            let first = &names[last.start];
            let same = first
                .strip_suffix("[0]")
                .zip(parts)
                .is_some_and(|(own, (other, _))| own == other);
            same && parts.is_some_and(|(_, number)| number.parse() == Ok(at - last.start))
        });
        match begun {
            Some(last) => last.end = at + 1,
            None => found.push(at..at + 1),
        }
    }
    found
}

impl Memory {
    pub fn new(network: &Network, names: &mut Names) -> Memory {
        let mut place = |all: Vec<String>, first: usize| {
            let (mut texts, mut declared) = (Vec::new(), Vec::new());
            for block in blocks(&all) {
                let whole = match block.len() {
                    1 => all[block.start].as_str(),
                    _ => all[block.start].trim_end_matches("[0]"),
                };
                let name = names.fresh(whole);
                for at in 0..block.len() {
                    texts.push(match block.len() {
                        1 => name.clone(),
                        _ => format!("{name}[{at}]"),
                    });
                }
                declared.push((block.start + first..block.end + first, name));
            }
            (texts, declared)
        };
        let (integers, integer_blocks) =
            place(network.integers.iter().map(|one| one.name.clone()).collect(), 0);
        let (mut clocks, clock_blocks) =
            place(network.clocks.iter().map(|one| one.name.clone()).collect(), 1);
        clocks.insert(0, String::new());
        Memory {
            integers,
            clocks,
            integer_blocks,
            clock_blocks,
        }
    }

    pub fn declarations(&self, network: &Network) -> String {
        let mut text = String::new();
        for (block, name) in &self.clock_blocks {
            let _ = match block.len() {
                1 => writeln!(text, "clock {name};"),
                count => writeln!(text, "clock {name}[{count}];"),
            };
        }
        for (block, name) in &self.integer_blocks {
            let first = &network.integers[block.start];
            let firsts: Vec<String> = network.integers[block.clone()]
                .iter()
                .map(|one| one.initial.to_string())
                .collect();
            let _ = match block.len() {
                1 => writeln!(
                    text,
                    "int[{},{}] {name} = {};",
                    first.low, first.high, first.initial
                ),
                count => writeln!(
                    text,
                    "int[{},{}] {name}[{count}] = {{ {} }};",
                    first.low,
                    first.high,
                    firsts.join(", ")
                ),
            };
        }
        text
    }

    /// The array in which slots lie, and where in it.
    pub fn array(
        blocks: &[(Range<usize>, String)],
        base: usize,
        size: usize,
    ) -> Result<(&str, usize), String> {
        let inside = |(block, _): &&(Range<usize>, String)| block.start <= base && base + size <= block.end;
        match blocks.iter().find(inside) {
            Some((block, name)) if block.len() > 1 => Ok((name, base - block.start)),
            _ => Err("an index reaches beyond an array".to_owned()),
        }
    }
}
