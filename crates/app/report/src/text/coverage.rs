//! What no run reaches and no proof needed, for people. Values of a variable, and whatever else stands at one place, share a line.

use super::TextOptions;
use crate::clean::{one_line, screen};
use entail_family::{Coverage, Part, PartKind};
use std::fmt::Write;

/// More names on a line are counted.
const MOST_ON_A_LINE: usize = 12;
/// More lines are counted.
const MOST_LINES: usize = 60;

/// What no run reaches and no proof needed.
pub fn coverage(coverage: &Coverage, options: &TextOptions) -> String {
    let mut out = String::new();
    match &coverage.states {
        Err(reason) => {
            let _ = writeln!(out, "coverage: not known: {}", one_line(reason));
        }
        Ok(states) => {
            let reached = coverage.parts - coverage.unreached.len().min(coverage.parts);
            let plural = if *states == 1 { "" } else { "s" };
            let _ = writeln!(
                out,
                "coverage: {reached} of {} parts are reached in {states} state{plural}",
                coverage.parts
            );
            lines(&mut out, "never reached", &coverage.unreached, options);
        }
    }
    if let Some(proofs) = &coverage.proofs {
        let needed = proofs.parts - proofs.unneeded.len().min(proofs.parts);
        let plural = if proofs.count == 1 { "" } else { "s" };
        let _ = writeln!(
            out,
            "proofs: {needed} of {} registers and inputs are needed by {} proof{plural}",
            proofs.parts, proofs.count
        );
        lines(&mut out, "needed by no proof", &proofs.unneeded, options);
    }
    screen(&out, options.colour)
}

/// A line for each group of parts: of one kind, of one thing; those at different places each for itself.
fn lines(out: &mut String, said: &str, parts: &[Part], options: &TextOptions) {
    let mut groups: Vec<(&Part, Vec<&str>)> = Vec::new();
    for part in parts {
        // Values of a variable are listed behind its name.
        let value = part.text.strip_prefix(&format!("{} = ", part.of));
        let text = value
            .filter(|_| part.kind == PartKind::Value)
            .unwrap_or(&part.text);
        let joins = |(first, _): &&mut (&Part, Vec<&str>)| {
            let same = (first.kind, &first.of, &first.place) == (part.kind, &part.of, &part.place);
            let by_name =
                matches!(part.kind, PartKind::Register | PartKind::Input) && first.kind == part.kind;
            same && part.kind == PartKind::Value || by_name
        };
        match groups.last_mut().filter(joins) {
            Some((_, texts)) => texts.push(text),
            None => groups.push((part, vec![text])),
        }
    }
    let most = if options.full { usize::MAX } else { MOST_LINES };
    for (first, texts) in groups.iter().take(most) {
        let listed = if options.full { texts.len() } else { MOST_ON_A_LINE };
        let mut names = texts.iter().take(listed).copied().collect::<Vec<_>>().join(", ");
        if texts.len() > listed {
            names += &format!(", and {} more", texts.len() - listed);
        }
        let is_list = matches!(first.kind, PartKind::Register | PartKind::Input);
        let place = first.source_place().filter(|_| !is_list);
        let place = place.map_or(String::new(), |place| format!("{place}  "));
        let kind = match (first.kind, texts.len()) {
            (PartKind::Statement, _) => "",
            (kind, 1) => &format!("{} ", kind.name()),
            (kind, _) => &format!("{}s ", kind.name()),
        };
        let of = match (first.kind, first.of.as_str()) {
            (_, "") => String::new(),
            (PartKind::Value, of) => format!("{of} = "),
            (_, of) => format!("{of}: "),
        };
        let line = format!("{place}{kind}{of}{names}");
        let _ = writeln!(out, "        {said}: {}", one_line(&line));
    }
    if groups.len() > most {
        let _ = writeln!(
            out,
            "        … and {} more lines (--full shows them)",
            groups.len() - most
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_family::Proofs;

    fn part(kind: PartKind, of: &str, line: usize, text: &str) -> Part {
        Part {
            kind,
            of: of.into(),
            place: Some((None, line)),
            text: text.into(),
        }
    }

    #[test]
    fn values_of_a_variable_share_a_line_and_branches_do_not() {
        let found = Coverage {
            states: Ok(3),
            parts: 10,
            unreached: vec![
                part(PartKind::Branch, "", 7, "x = 3 : 0"),
                part(PartKind::Branch, "", 8, "TRUE : 1"),
                part(PartKind::Value, "x", 2, "x = 3"),
                part(PartKind::Value, "x", 2, "x = 4"),
            ],
            proofs: Some(Proofs {
                count: 2,
                parts: 4,
                unneeded: vec![
                    part(PartKind::Register, "", 2, "a"),
                    part(PartKind::Register, "", 3, "b"),
                    part(PartKind::Input, "", 4, "i"),
                ],
            }),
        };
        let text = coverage(&found, &TextOptions::default());
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "coverage: 6 of 10 parts are reached in 3 states",
                "never reached: line 7  branch x = 3 : 0",
                "never reached: line 8  branch TRUE : 1",
                "never reached: line 2  values x = 3, 4",
                "proofs: 1 of 4 registers and inputs are needed by 2 proofs",
                "needed by no proof: registers a, b",
                "needed by no proof: input i",
            ]
        );
    }
}
