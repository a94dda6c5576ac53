//! Traces as VCD (value change dump), for waveform viewers.
//!
//! One time unit a step. Booleans are wires, words are vectors, integers are vectors of 64 bits in two's complement shown
//! as `integer`, and everything else (constants, arrays) is a `string` variable, as viewers that know the extension read it
//! (`s` records). VCD has no loops: where the trace has one, a comment says so, and the first round of the loop is followed by its
//! first state again, so that the closing step is seen.

use crate::signals::{Signal, SignalKind, SignalTable};
use entail_model::{Sort, Value};
use std::fmt::Write;

/// The trace as a VCD file. `model` is what the scope is called.
pub fn vcd(model: &str, table: &SignalTable) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "$comment Entail {} $end", env!("CARGO_PKG_VERSION"));
    if let Some(start) = table.loop_start {
        let _ = writeln!(
            out,
            "$comment after step {} the trace goes back to step {start}, for ever; time {} shows step {start} again $end",
            table.steps.saturating_sub(1),
            table.steps
        );
    }
    let _ = writeln!(out, "$timescale 1 ns $end");
    let _ = writeln!(out, "$scope module {} $end", identifier(model));
    for (number, signal) in table.signals.iter().enumerate() {
        let (kind, width) = shape(signal);
        let comment = match signal.kind {
            SignalKind::Input => "input_",
            _ => "",
        };
        let _ = writeln!(
            out,
            "$var {kind} {width} {} {comment}{} $end",
            code(number),
            identifier(&signal.name)
        );
    }
    out.push_str("$upscope $end\n$enddefinitions $end\n");
    let times = table.steps + usize::from(table.loop_start.is_some());
    let step_at = |time: usize| {
        if time < table.steps {
            time
        } else {
            table.loop_start.unwrap_or(0)
        }
    };
    for time in 0..times {
        let step = step_at(time);
        let mut changes = String::new();
        for (number, signal) in table.signals.iter().enumerate() {
            let unchanged = time > 0 && signal.values.get(step) == signal.values.get(step_at(time - 1));
            if !unchanged {
                change(&mut changes, signal, step, number);
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

fn shape(signal: &Signal) -> (&'static str, u32) {
    match &signal.sort {
        _ if signal.is_boolean => ("wire", 1),
        Some(Sort::Word { width, .. }) => ("wire", *width),
        Some(sort) if sort.is_integer() => ("integer", 64),
        _ => ("string", 1),
    }
}

fn change(out: &mut String, signal: &Signal, step: usize, number: usize) {
    let code = code(number);
    let text = signal.values.get(step).cloned().flatten();
    let exact = signal.exact.get(step).cloned().flatten();
    let _ = match (shape(signal), &exact, &text) {
        (("string", _), _, Some(text)) => writeln!(out, "s{} {code}", string(text)),
        (("string", _), _, None) => writeln!(out, "s- {code}"),
        ((_, 1), Some(Value::Bool(truth)), _) => writeln!(out, "{}{code}", u8::from(*truth)),
        ((_, 1), None, Some(text)) => writeln!(out, "{}{code}", u8::from(text == "TRUE")),
        (_, Some(Value::Word(word)), _) => {
            let bits: String = (0..word.width())
                .rev()
                .map(|bit| if word.bit(bit) { '1' } else { '0' })
                .collect();
            writeln!(out, "b{bits} {code}")
        }
        (_, Some(Value::Int(integer)), _) => writeln!(out, "b{integer:b} {code}"),
        ((_, 1), _, _) => writeln!(out, "x{code}"),
        _ => writeln!(out, "bx {code}"),
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
    let clean: String = name
        .chars()
        .map(|letter| if letter.is_ascii_graphic() { letter } else { '_' })
        .collect();
    // `$end` inside a name would close the declaration.
    let clean = clean.replace("$end", "_end");
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
        assert!(
            codes
                .iter()
                .all(|code| code.bytes().all(|byte| byte.is_ascii_graphic()))
        );
    }

    #[test]
    fn hostile_names_cannot_end_a_declaration() {
        assert_eq!(identifier("a b\n$end $scope"), "a_b__end_$scope");
        assert_eq!(identifier(""), "_");
    }
}
