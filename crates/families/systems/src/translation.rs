//! What a translation of a Verilog design to BTOR2 says about the design: names, places, which properties are covers.
//!
//! yosys writes a line for each signal with the name it has in the source and, as a comment, where it stands (`; design.sv:15.5-15.27`); an
//! assertion without a label has its place as its name. Covers come out as assertions, with the others, because they are made
//! such before the design is written: what is written, `enabled and not condition`, is put right here to `enabled and condition`, behind all assertions. The covers are
//! named in comments at the head of the text, so that another process that is handed the text knows them too.

use crate::project::Wanted;
use entail_source::{Source, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The first line of a translation that has been prepared.
pub(crate) const MARK: &str = "; translated from Verilog";
/// What stands before the name of a cover.
const COVER: &str = "; cover ";
/// What stands before the number of an assertion in the name of the condition under which it is checked.
const ENABLED: &str = "entail$enabled$";
/// The name that a design's file has for yosys.
pub(crate) const FILE: &str = "design.sv";

/// A part of a line, or of several, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    start: (usize, usize),
    end: (usize, usize),
}

/// The names of a design.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Every name that is in the source, with its place where that is known.
    known: FxHashMap<String, Option<Region>>,
    /// Bad states, in order: the name, the place, and whether it is a cover.
    bad: Vec<(String, Option<Region>, bool)>,
    /// Names that say when an assertion is enabled, or what is assumed.
    upkeep: FxHashSet<String>,
}

/// A property of the design.
pub(crate) struct Stated {
    /// As the source has it.
    pub text: String,
    /// Its label, or file and line.
    pub name: String,
    /// Where it stands.
    pub place: Option<Span>,
    /// Whether reaching it is what is wanted.
    pub is_cover: bool,
}

/// Prepares a translation: `covers` is what yosys writes of the design when it is asked for its covers alone.
pub(crate) fn prepared(text: &str, covers: &str, wanted: Wanted) -> Result<String, String> {
    let covers: Vec<&str> = covers.lines().filter_map(bad_symbol).collect();
    let mut out = format!("{MARK}\n");
    for cover in covers.iter().filter(|_| wanted.covers) {
        out.push_str(&format!("{COVER}{cover}\n"));
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut at: FxHashMap<&str, usize> = FxHashMap::default();
    for (number, line) in lines.iter().enumerate() {
        if let Some(id) = line.split(' ').next() {
            at.insert(id, number);
        }
    }
    let words = |id: &str| -> Vec<&str> {
        at.get(id)
            .map_or(Vec::new(), |&line| lines[line].split(' ').collect())
    };
    let ids = lines
        .iter()
        .filter_map(|line| line.split(' ').next()?.parse().ok());
    let mut last: u64 = ids.max().unwrap_or(0);
    let mut fresh = || {
        last += 1;
        last
    };
    // Lines about assertions; lines of covers, which come last: other lines may use the same gates, so covers get gates of their own.
    let (mut enabling, mut covering) = (String::new(), String::new());
    let mut assertions = 0;
    for line in &lines {
        let Some(symbol) = bad_symbol(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        if !(if covers.contains(&symbol) {
            wanted.covers
        } else {
            wanted.assertions
        }) {
            continue;
        }
        let both = words(line.split(' ').nth(2).unwrap_or(""));
        if !covers.contains(&symbol) {
            // When the assertion is checked is a question of its own.
            if let [_, "and", _, enabled, _] = both.as_slice() {
                enabling.push_str(&format!("{} output {enabled} {ENABLED}{assertions}\n", fresh()));
            }
            assertions += 1;
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let negated = both.get(4).map(|id| words(id)).unwrap_or_default();
        match (both.as_slice(), negated.as_slice()) {
            ([_, "and", sort, enabled, _], [_, "not", _, covered]) => {
                let (gate, bad) = (fresh(), fresh());
                covering.push_str(&format!(
                    "{gate} and {sort} {enabled} {covered}\n{bad} bad {gate} {symbol}\n"
                ));
            }
            _ => {
                return Err(format!(
                    "the translation of the cover `{symbol}` was not understood"
                ));
            }
        }
    }
    // (Ids grow from line to line.)
    let mut added: Vec<&str> = enabling.lines().chain(covering.lines()).collect();
    added.sort_by_key(|line| line.split(' ').next().and_then(|id| id.parse::<u64>().ok()));
    for line in added {
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// The number of the assertion whose condition has a name.
pub(crate) fn enabled_of(name: &str) -> Option<usize> {
    name.strip_prefix(ENABLED)?.parse().ok()
}

/// What stands behind a bad state, if a line is one.
fn bad_symbol(line: &str) -> Option<&str> {
    let mut words = line.splitn(4, ' ');
    let (_, kind, _) = (words.next()?, words.next()?, words.next()?);
    (kind == "bad").then(|| words.next().unwrap_or("").trim())
}

impl Names {
    /// The names of a prepared translation.
    pub(crate) fn of(text: &str) -> Names {
        let mut names = Names::default();
        let mut covers: Vec<&str> = Vec::new();
        for line in text.lines() {
            if let Some(cover) = line.strip_prefix(COVER) {
                covers.push(cover);
                continue;
            }
            let (code, comment) = line.split_once(';').unwrap_or((line, ""));
            let words: Vec<&str> = code.split_whitespace().collect();
            let place = region(comment.trim());
            let name_at = match words.get(1) {
                Some(&("bad" | "constraint" | "output")) => 3,
                Some(&("input" | "state")) => 3,
                Some(&"next") => 5,
                Some(&"uext") => 5,
                _ => continue,
            };
            let name = words.get(name_at).copied().unwrap_or("");
            match words[1] {
                "bad" => {
                    let is_cover = bad_symbol(line).is_some_and(|symbol| covers.contains(&symbol));
                    let place = place.or_else(|| region(name));
                    names.upkeep.insert(format!("{name}_EN"));
                    names.upkeep.insert(name.to_owned());
                    names.bad.push((name.to_owned(), place, is_cover));
                }
                "constraint" => {
                    names.upkeep.insert(format!("{name}_EN"));
                    names.upkeep.insert(name.to_owned());
                }
                _ if name.is_empty() || name.contains('$') => {}
                _ => {
                    let known = names.known.entry(name.to_owned()).or_default();
                    *known = known.or(place);
                }
            }
        }
        names
    }

    /// Whether the author of the design knows a name.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        self.known.contains_key(name) && !self.upkeep.contains(name)
    }

    /// The line on which a name is declared.
    pub(crate) fn line(&self, name: &str) -> Option<usize> {
        let place = self.known.get(name).copied().flatten();
        place.map(|region| region.start.0)
    }

    /// The properties, in the order of bad states.
    pub(crate) fn stated(&self, source: &Source) -> Vec<Stated> {
        let starts: Vec<usize> = source.lines().map(|(span, _)| span.start).collect();
        let offset = |(line, column): (usize, usize)| {
            let start = starts.get(line.checked_sub(1)?)?;
            Some(start + column.saturating_sub(1))
        };
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let stated = |(name, region, is_cover): &(String, Option<Region>, bool)| {
            let place = region.and_then(|region| Some(Span::new(offset(region.start)?, offset(region.end)?)));
            let label = self::region(name).is_none().then(|| name.clone());
            let kind = if *is_cover { "cover" } else { "assert" };
            let written = place.map(|place| one_line(source.slice(place)));
            let written = written.filter(|text| text.contains(kind));
            let text = match (&label, written) {
                (None, Some(text)) => text,
                (Some(label), _) => format!("{kind} {label}"),
                (None, None) => format!("{kind} {}", place_text(region, source.name())),
            };
            let line = region.map_or(0, |region| region.start.0);
            let file = source.name().rsplit('/').next().unwrap_or(source.name());
            let mut name = label.unwrap_or_else(|| format!("{file}:{line}"));
            if !taken.insert(name.clone()) {
                let column = region.map_or(0, |region| region.start.1);
                name = format!("{name}:{column}");
            }
            Stated {
                text,
                name,
                place,
                is_cover: *is_cover,
            }
        };
        self.bad.iter().map(stated).collect()
    }
}

/// The line of a place in the file as the user calls it.
fn place_text(region: &Option<Region>, file: &str) -> String {
    region.map_or_else(String::new, |region| format!("at {file}:{}", region.start.0))
}

/// A statement on one line, without what ends it.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(';').trim_end().to_owned()
}

/// A region as yosys writes it: `design.sv:15.5-15.27`.
fn region(text: &str) -> Option<Region> {
    let rest = text.strip_prefix(FILE)?.strip_prefix(':')?;
    let (start, end) = rest.split_once('-')?;
    let point = |text: &str| {
        let (line, column) = text.split_once('.')?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    Some(Region {
        start: point(start)?,
        end: point(end)?,
    })
}

/// Clocks of a design: names that stand behind `posedge` or `negedge` in its text, each with whether it rises.
pub(crate) fn edges(source: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for (word, rises) in [("posedge", true), ("negedge", false)] {
        for (at, _) in source.match_indices(word) {
            let rest = source[at + word.len()..].trim_start();
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.'));
            let name = &rest[..end.unwrap_or(rest.len())];
            if !name.is_empty() && !found.contains(&(name, rises)) {
                found.push((name, rises));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESIGN: &str = "module top(input clk);\n  reg a;\n  always @(posedge clk) begin\n    assert (a);\n    seen: cover (!a);\n  end\nendmodule\n";
    const TEXT: &str = "1 sort bitvec 1\n2 input 1 clk ; design.sv:1.18-1.21\n3 state 1 a\n4 const 1 1\n5 not 1 3\n6 and 1 4 5\n7 bad 6 design.sv:4.5-4.16\n8 not 1 3\n9 and 1 4 8\n10 bad 9 seen ; design.sv:5.5-5.22\n11 uext 1 4 0 seen_EN ; design.sv:5.5-5.22\n12 state 1\n13 next 1 3 4 a ; design.sv:2.7-2.8\n";
    const COVERS: &str = "9 bad 8 seen ; design.sv:5.5-5.22\n";

    #[test]
    fn covers_are_put_right_and_known_to_whoever_reads_the_text() {
        let text = prepared(TEXT, COVERS, Wanted::ALL).expect("as yosys writes it");
        assert!(
            text.contains("\n15 and 1 4 3\n16 bad 15 seen ; design.sv:5.5-5.22\n"),
            "{text}"
        );
        assert!(
            text.contains("\n6 and 1 4 5\n7 bad 6 ") && !text.contains("bad 9"),
            "{text}"
        );
        let names = Names::of(&text);
        let stated = names.stated(&Source::new("my.sv", DESIGN));
        assert!(text.contains("\n14 output 4 entail$enabled$0\n"), "{text}");
        assert_eq!((enabled_of("entail$enabled$0"), enabled_of("a")), (Some(0), None));
        assert_eq!(stated[0].text, "assert (a)");
        assert_eq!((stated[0].is_cover, stated[1].is_cover), (false, true));
        assert_eq!(stated[1].text, "cover seen");
        assert_eq!(
            (stated[0].name.as_str(), stated[1].name.as_str()),
            ("my.sv:4", "seen")
        );
        let odd = TEXT.replace("9 and 1 4 8", "9 or 1 4 8");
        assert!(prepared(&odd, COVERS, Wanted::ALL).is_err());
    }

    #[test]
    fn only_names_of_the_source_are_the_authors() {
        let names = Names::of(&prepared(TEXT, COVERS, Wanted::ALL).expect("as yosys writes it"));
        assert!(names.is_own("clk") && names.is_own("a"));
        assert!(!names.is_own("state12") && !names.is_own("seen_EN") && !names.is_own("seen"));
        assert_eq!((names.line("a"), names.line("clk")), (Some(2), Some(1)));
        assert_eq!(edges(DESIGN), [("clk", true)]);
    }
}
