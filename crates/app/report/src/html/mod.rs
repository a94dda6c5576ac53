//! The report as one HTML page.
//!
//! The page is a single file that needs no network: style and script are inside, and so is the data, as JSON in a script
//! element that is not run. Rust computes what needs the model (signals, the truth of subformulas, the layout of the state
//! graph); the script only shows it. A content security policy forbids everything else, so that even a mistake in escaping
//! could not load or send anything.
//!
//! - `data`: the properties with their paths;
//! - `state_graph`: the reachable graph of small models, laid out;
//! - `layers`: the layout;
//! - `program`, `trace`: the pages about a program and about a trace alone, which need no script;
//! - `page.css`, `page.js`: how it looks, what it does.

mod data;
mod layers;
mod program;
mod state_graph;
mod trace;

use crate::report::Report;
use crate::visible::visible;
use serde_json::Value as Json;

pub use program::report as program_report;
pub use trace::trace;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtmlOptions {
    /// The state graph is drawn for models with at most so many reachable states; 0 draws none.
    pub graph_states: usize,
    /// Milliseconds that enumerating the states may take.
    pub graph_milliseconds: u64,
}

impl Default for HtmlOptions {
    fn default() -> HtmlOptions {
        HtmlOptions {
            graph_states: 300,
            graph_milliseconds: 3_000,
        }
    }
}

/// The page.
pub fn report(report: &Report<'_>, options: &HtmlOptions) -> String {
    let graph = state_graph::state_graph(report.model.system, options);
    let data = data::data(report, &graph);
    page(&format!("{} · Entail", report.model.name), &data)
}

fn page(title: &str, data: &Json) -> String {
    let mut out = String::with_capacity(SCRIPT.len() + STYLE.len() + (1 << 16));
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    out.push_str("style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    out.push_str(&escaped(title));
    out.push_str("</title>\n<style>\n");
    out.push_str(STYLE);
    out.push_str("</style>\n</head>\n<body>\n");
    out.push_str(
        "<noscript><p>This report needs JavaScript; it loads nothing from the network.</p></noscript>\n",
    );
    out.push_str(
        "<div id=\"app\"></div>\n<svg id=\"svg\" width=\"0\" height=\"0\" aria-hidden=\"true\"></svg>\n",
    );
    out.push_str("<script type=\"application/json\" id=\"data\">");
    out.push_str(&script_data(data));
    out.push_str("</script>\n<script>\n");
    out.push_str(SCRIPT);
    out.push_str("</script>\n</body>\n</html>\n");
    out
}

/// Text between tags.
pub(crate) fn escaped(text: &str) -> String {
    visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// JSON that can stand inside a script element: no `<`, which could end it or open a comment, is left.
fn script_data(data: &Json) -> String {
    data.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
