//! A trace alone as one HTML page: a table of its signals. Nothing in it is run, and nothing is loaded.

use super::escaped;
use crate::signals::{Signal, SignalKind, SignalTable};
use std::fmt::Write;

const STYLE: &str = include_str!("program.css");

/// The page about a trace of a model.
pub fn trace(model: &str, table: &SignalTable) -> String {
    let title = escaped(model);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{title} · Entail</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<div class=\"scroll\">\n<table class=\"mono\">\n<tr><th></th>"
    );
    for step in 0..table.steps {
        let mark = match table.loop_start {
            Some(start) if start == step => "↻ ",
            _ => "",
        };
        let _ = write!(out, "<th>{mark}{step}</th>");
    }
    out.push_str("</tr>\n");
    for signal in &table.signals {
        row(signal, table.steps, &mut out);
    }
    out.push_str("</table>\n</div>\n");
    if let Some(start) = table.loop_start {
        let _ = writeln!(
            out,
            "<p>After the last step it goes on with step {start}, for ever.</p>"
        );
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn row(signal: &Signal, steps: usize, out: &mut String) {
    let kind = match signal.kind {
        SignalKind::State => "",
        SignalKind::Input => " (input)",
        SignalKind::Frozen => " (frozen)",
        SignalKind::Define => " (define)",
    };
    let _ = write!(out, "<tr><th>{}{kind}</th>", escaped(&signal.name));
    for step in 0..steps {
        let value = signal.values.get(step).and_then(Option::as_deref).unwrap_or("");
        let class = match signal.changes_at(step) {
            true => "",
            false => " class=\"soft\"",
        };
        let _ = write!(out, "<td{class}>{}</td>", escaped(value));
    }
    out.push_str("</tr>\n");
}
