//! Timelines as VCD (value change dump), for waveform viewers.
//!
//! One time unit a step. Truth values are wires, words are vectors, integers are vectors of 64 bits in two's complement shown
//! as `integer`, and everything else (constants, arrays) is a `string` variable, as viewers that know the extension read it
//! (`s` records). VCD has no loops: where the timeline has one, a comment says so, and the first round of the loop is followed by its
//! first state again, so that the closing step is seen.

use crate::steps::loop_start;
use entail_show::{Column, ColumnKind, ColumnRole, Timeline};
use std::fmt::Write;

/// The timeline as a VCD file. `model` is what the scope is called.
pub fn vcd(model: &str, timeline: &Timeline) -> String {
    let mut out = String::new();
    let start = loop_start(timeline);
    let steps = timeline.positions;
    let _ = writeln!(out, "$comment Entail {} $end", env!("CARGO_PKG_VERSION"));
    if let Some(start) = start {
        let _ = writeln!(
            out,
            "$comment after step {} the trace goes back to step {start}, for ever; time {steps} shows step {start} again $end",
            steps.saturating_sub(1),
        );
    }
    let _ = writeln!(out, "$timescale 1 ns $end");
    let _ = writeln!(out, "$scope module {} $end", identifier(model));
    for (number, column) in timeline.columns.iter().enumerate() {
        let (kind, width) = shape(column);
        let prefix = if column.role == ColumnRole::Input {
            "input_"
        } else {
            ""
        };
        let name = identifier(&column.name);
        let _ = writeln!(out, "$var {kind} {width} {} {prefix}{name} $end", code(number));
    }
    out.push_str("$upscope $end\n$enddefinitions $end\n");
    let times = steps + usize::from(start.is_some());
    let step_at = |time: usize| if time < steps { time } else { start.unwrap_or(0) };
    for time in 0..times {
        let step = step_at(time);
        let mut changes = String::new();
        for (number, column) in timeline.columns.iter().enumerate() {
            if time == 0 || column.cell(step) != column.cell(step_at(time - 1)) {
                change(&mut changes, column, step, &code(number));
            }
        }
        let _ = writeln!(out, "#{time}");
        if time == 0 {
            let _ = writeln!(out, "$dumpvars\n{changes}$end");
        } else {
            out.push_str(&changes);
        }
    }
    let _ = writeln!(out, "#{times}");
    out
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
    fn hostile_names_cannot_end_a_declaration() {
        assert_eq!(identifier("a b\n$end $scope"), "a_b__end_$scope");
        assert_eq!(identifier(""), "_");
    }
}
