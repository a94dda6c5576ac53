//! The report as one HTML page.
//!
//! The page is a single file that needs no network: style and script are inside, and so is the data, as JSON in a script
//! element that is not run. Charts are drawn here, as SVG in template elements. The script only shows what it is given, and builds
//! elements from text nodes alone. A content security policy forbids everything else, so that even a mistake in escaping
//! could not load or send anything.
//!
//! - `data`: the answers with what is shown about them;
//! - `sources`: the texts that places refer to;
//! - `graph`: graphs, laid out by `layers`;
//! - `page.css`: how it looks;
//! - `properties.js`, `path.js`, `graph.js`, `page.js`: what it does, in this order one script.

mod data;
pub(crate) mod graph;
mod layers;
mod sources;

use crate::report::Report;
use data::Page;
use entail_show::Shown;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("properties.js"),
    include_str!("path.js"),
    include_str!("graph.js"),
    include_str!("page.js"),
    "})();\n"
);

/// What says that a file is SVG.
pub(crate) const SVG_SPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// What the page contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtmlOptions {
    /// Graphs are drawn if they have at most so many nodes; 0 draws none.
    pub graph_states: usize,
    /// Texts of more bytes than this are left out.
    pub source_bytes: usize,
}

impl Default for HtmlOptions {
    fn default() -> HtmlOptions {
        HtmlOptions {
            graph_states: 300,
            source_bytes: 1 << 20,
        }
    }
}

/// The page.
pub fn report(report: &Report<'_>, options: &HtmlOptions) -> String {
    let page = data::report(report, options);
    written(&format!("{} · Entail", report.name), &page)
}

/// A page with what is shown of a walk, or of anything else that is no answer.
pub fn shown(title: &str, shown: &Shown) -> String {
    let page = data::shown(title, shown, &HtmlOptions::default());
    written(&format!("{title} · Entail"), &page)
}

fn written(title: &str, page: &Page) -> String {
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
    for (number, picture) in page.pictures.iter().enumerate() {
        out.push_str(&format!(
            "<template id=\"picture-{number}\">\n{picture}</template>\n"
        ));
    }
    out.push_str("<script type=\"application/json\" id=\"data\">");
    out.push_str(&script_data(&page.data.to_string()));
    out.push_str("</script>\n<script>\n");
    out.push_str(SCRIPT);
    out.push_str("</script>\n</body>\n</html>\n");
    out
}

/// Text between tags.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// JSON that can stand inside a script element: no `<`, which could end it or open a comment, is left.
fn script_data(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
