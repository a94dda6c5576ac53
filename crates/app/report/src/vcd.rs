//! Timelines as VCD (value change dump), for waveform viewers.
//!
//! One time unit a step. Truth values are wires, words are vectors, integers are vectors of 64 bits in two's complement shown
//! as `integer`, and everything else (constants, arrays) is a `string` variable, as viewers that know the extension read it
//! (`s` records). VCD has no loops: where the timeline has one, a comment says so, and the first round of the loop is followed by its
//! first state again, so that the closing step is seen. Dots in names are scopes. Clocks toggle: the edge that makes a step is where
//! the values of the next step begin; the edge after the last step is written, too, if its inputs are known.

use crate::steps::loop_start;
use entail_show::{Column, ColumnKind, ColumnRole, Nature, Timeline};
use std::fmt::Write;

/// The timeline as a VCD file. `model` is what the outermost scope is called.
pub fn vcd(model: &str, timeline: &Timeline) -> String {
    let mut out = String::new();
    let start = loop_start(timeline);
    let steps = timeline.positions;
    let columns: Vec<&Column> = (timeline.columns.iter())
        .filter(|column| column.nature != Nature::Generated)
        .collect();
    // With a clock, a step takes two units: its other edge is in the middle.
    let is_clocked = columns.iter().any(|column| !column.nature.is_own());
    let unit = if is_clocked { 2 } else { 1 };
    let times = steps + usize::from(start.is_some());
    let _ = writeln!(out, "$comment Entail {} $end", env!("CARGO_PKG_VERSION"));
    if let Some(start) = start {
        let _ = writeln!(
            out,
            "$comment after step {} the trace goes back to step {start}, for ever; time {} shows step {start} again $end",
            steps.saturating_sub(1),
            steps * unit,
        );
    }
    let violated = timeline.violation.filter(|at| *at < steps);
    if let Some(violated) = violated {
        let _ = writeln!(out, "$comment violated at time {} $end", violated * unit);
    }
    let _ = writeln!(out, "$timescale 1 ns $end");
    declarations(model, &columns, &mut out);
    out.push_str("$enddefinitions $end\n");
    let step_at = |time: usize| if time < steps { time } else { start.unwrap_or(0) };
    for time in 0..times {
        let step = step_at(time);
        let mut changes = String::new();
        let mut back = String::new();
        for (number, column) in columns.iter().enumerate() {
            let edges = match column.nature {
                Nature::Rising => Some(['1', '0']),
                Nature::Falling => Some(['0', '1']),
                _ => None,
            };
            if let Some([first, second]) = edges {
                let _ = writeln!(changes, "{first}{}", code(number));
                let _ = writeln!(back, "{second}{}", code(number));
            } else if time == 0 || column.cell(step) != column.cell(step_at(time - 1)) {
                change(&mut changes, column, step, &code(number));
            }
        }
        let _ = writeln!(out, "#{}", time * unit);
        match time {
            0 => drop(writeln!(out, "$dumpvars\n{changes}$end")),
            _ => out.push_str(&changes),
        }
        if !back.is_empty() {
            let _ = write!(out, "#{}\n{back}", time * unit + 1);
        }
    }
    let _ = writeln!(out, "#{}", times * unit);
    // The edge that ends the last step, if that is known whole: inputs belong to the step that begins.
    let last = step_at(times.saturating_sub(1));
    let is_known = |column: &&Column| {
        let is_input = column.role == ColumnRole::Input && column.nature.is_own();
        !is_input || column.cell(last).is_some()
    };
    let is_whole = columns.iter().all(is_known);
    for (number, column) in columns.iter().enumerate().filter(|_| is_whole) {
        let _ = match column.nature {
            Nature::Rising => writeln!(out, "1{}", code(number)),
            Nature::Falling => writeln!(out, "0{}", code(number)),
            _ => Ok(()),
        };
    }
    out
}

/// The signals, each in the scopes that the dots of its name separate.
fn declarations(model: &str, columns: &[&Column], out: &mut String) {
    let scopes_of = |column: &Column| -> Vec<String> {
        let mut parts: Vec<String> = column.name.split('.').map(identifier).collect();
        parts.pop();
        parts
    };
    let mut order: Vec<(Vec<String>, usize)> = (columns.iter().enumerate())
        .map(|(number, column)| (scopes_of(column), number))
        .collect();
    order.sort();
    // A file is called by its name, without folders and extension.
    let file = model.rsplit('/').next().unwrap_or(model);
    let file = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let _ = writeln!(out, "$scope module {} $end", identifier(file));
    let mut open: Vec<String> = Vec::new();
    for (scopes, number) in order {
        let common = open.iter().zip(&scopes).take_while(|(a, b)| a == b).count();
        for _ in common..open.len() {
            out.push_str("$upscope $end\n");
        }
        for scope in &scopes[common..] {
            let _ = writeln!(out, "$scope module {scope} $end");
        }
        open = scopes;
        let column = columns[number];
        let (kind, width) = shape(column);
        let name = column.name.rsplit('.').next().unwrap_or(&column.name);
        let _ = writeln!(
            out,
            "$var {kind} {width} {} {} $end",
            code(number),
            identifier(name)
        );
    }
    for _ in 0..=open.len() {
        out.push_str("$upscope $end\n");
    }
}

fn shape(column: &Column) -> (&'static str, u32) {
    match column.kind {
        ColumnKind::Boolean => ("wire", 1),
        ColumnKind::Word(width) => ("wire", width),
        ColumnKind::Integer => ("integer", 64),
        ColumnKind::Text => ("string", 1),
    }
}

fn change(out: &mut String, column: &Column, step: usize, code: &str) {
    let cell = column.cell(step);
    let text = cell.map(|cell| &*cell.text);
    let bits = cell.and_then(|cell| cell.bits.as_deref());
    let _ = match (column.kind, text) {
        (ColumnKind::Text, Some(text)) => writeln!(out, "s{} {code}", string(text)),
        (ColumnKind::Text, None) => writeln!(out, "s- {code}"),
        (ColumnKind::Boolean, Some("TRUE" | "true" | "1")) => writeln!(out, "1{code}"),
        (ColumnKind::Boolean, Some("FALSE" | "false" | "0")) => writeln!(out, "0{code}"),
        (ColumnKind::Boolean, _) => writeln!(out, "x{code}"),
        (ColumnKind::Word(_), _) => match bits {
            Some(bits) => writeln!(out, "b{} {code}", string(bits)),
            None => writeln!(out, "bx {code}"),
        },
        (ColumnKind::Integer, text) => match text.and_then(|text| text.parse::<i64>().ok()) {
            Some(number) => writeln!(out, "b{number:b} {code}"),
            None => writeln!(out, "bx {code}"),
        },
    };
}

/// The short name of a signal: printable characters from `!` on.
fn code(number: usize) -> String {
    let mut rest = number;
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (rest % 94) as u8));
        rest /= 94;
        if rest == 0 {
            return code;
        }
        rest -= 1;
    }
}

/// A name without the white space that would end it.
fn identifier(name: &str) -> String {
    // `$end` inside a name would close the declaration.
    let clean = string(name).replace("$end", "_end");
    if clean.is_empty() { "_".into() } else { clean }
}

/// A string value: no white space, which ends it.
fn string(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_ascii_graphic() { letter } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_printable() {
        let codes: Vec<String> = (0..20_000).map(code).collect();
        let distinct: std::collections::HashSet<&String> = codes.iter().collect();
        assert_eq!(distinct.len(), codes.len());
        let printable = |code: &String| code.bytes().all(|byte| byte.is_ascii_graphic());
        assert!(codes.iter().all(printable));
    }

    #[test]
    fn a_clock_toggles_and_dots_are_scopes() {
        let mut clock = Column::new("clk", entail_show::ColumnRole::Input, ColumnKind::Boolean);
        clock.nature = Nature::Rising;
        let mut noise = clock.clone();
        noise.name = "state14".into();
        noise.nature = Nature::Generated;
        let role = entail_show::ColumnRole::State;
        let inner = Column::of_texts("top.s.q", role, ColumnKind::Boolean, ["0", "1"]);
        let timeline = Timeline {
            columns: vec![inner, noise, clock],
            positions: 2,
            ..Timeline::default()
        };
        let text = vcd("design", &timeline);
        let declared = "$scope module design $end\n$var wire 1 \" clk $end\n$scope module top $end\n$scope module s $end\n\
            $var wire 1 ! q $end\n$upscope $end\n$upscope $end\n$upscope $end\n";
        assert!(text.contains(declared), "{text}");
        assert!(
            text.ends_with("#0\n$dumpvars\n0!\n1\"\n$end\n#1\n0\"\n#2\n1!\n1\"\n#3\n0\"\n#4\n1\"\n"),
            "{text}"
        );
    }

    #[test]
    fn hostile_names_cannot_end_a_declaration() {
        assert_eq!(identifier("a b\n$end $scope"), "a_b__end_$scope");
        assert_eq!(identifier(""), "_");
    }
}
