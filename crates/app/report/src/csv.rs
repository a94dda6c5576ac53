//! Timelines as CSV (RFC 4180): a row a position.

use crate::steps::next;
use entail_show::Timeline;

/// The timeline: the number of the step, the number of the step that follows it (which shows the loop), who moves from here and how where
/// somebody moves, then the columns. A value that is not there is an empty field.
pub fn timeline(timeline: &Timeline) -> String {
    let mut out = String::new();
    let has_moves = !timeline.moves.is_empty();
    let mut heads = vec!["step".to_owned(), "next".to_owned()];
    if has_moves {
        heads.extend(["lane", "place", "statement"].map(String::from));
    }
    heads.extend(timeline.columns.iter().map(|column| column.name.clone()));
    row(&heads, &mut out);
    for position in 0..timeline.positions {
        let next = next(timeline, position).map(|next| next.to_string());
        let mut cells = vec![position.to_string(), next.unwrap_or_default()];
        if has_moves {
            let step = timeline.moves.get(position);
            let place = step.and_then(|step| step.place.as_ref()).map(ToString::to_string);
            cells.push(step.map(|step| step.lane.clone()).unwrap_or_default());
            cells.push(place.unwrap_or_default());
            cells.push(step.map(|step| step.text.clone()).unwrap_or_default());
        }
        let values = timeline.columns.iter().map(|column| column.value(position));
        cells.extend(values.map(|value| value.unwrap_or_default().to_owned()));
        row(&cells, &mut out);
    }
    out
}

fn row(cells: &[String], out: &mut String) {
    let fields: Vec<String> = cells.iter().map(|cell| field(cell)).collect();
    out.push_str(&fields.join(","));
    out.push_str("\r\n");
}

fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
