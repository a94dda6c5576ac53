//! Tables for a terminal.

use crate::clean::{one_line, screen, seen};
use entail_show::Table;
use std::fmt::Write;

/// The table: columns are as wide as their widest cell; numbers stand at the right.
pub fn text(table: &Table) -> String {
    let mut out = String::new();
    write(table, "", &mut out);
    screen(&out, false)
}

pub(crate) fn write(table: &Table, indent: &str, out: &mut String) {
    let clean = |row: &Vec<String>| -> Vec<String> { row.iter().map(|cell| one_line(cell)).collect() };
    let heads = clean(&table.heads);
    let rows: Vec<Vec<String>> = table.rows.iter().map(clean).collect();
    let columns = rows.iter().map(Vec::len).chain([heads.len()]).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            cells(column)
                .chain(heads.get(column))
                .map(|cell| seen(cell))
                .max()
        })
        .map(|widest| widest.unwrap_or(0))
        .collect();
    let is_number = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
    let right: Vec<bool> = (0..columns).map(|column| cells(column).all(is_number)).collect();
    let mut line = |row: &[String]| {
        let mut text = String::from(indent);
        for (column, cell) in row.iter().enumerate() {
            let gap = if column > 0 { "  " } else { "" };
            let width = widths[column];
            let _ = match right[column] {
                true => write!(text, "{gap}{cell:>width$}"),
                false => write!(text, "{gap}{cell:width$}"),
            };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    if heads.iter().any(|head| !head.is_empty()) {
        line(&heads);
        let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        line(&rule);
    }
    rows.iter().for_each(|row| line(row));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_the_right_and_ragged_rows_do_no_harm() {
        let table = Table {
            heads: vec!["name".into(), "states".into()],
            rows: vec![
                vec!["a".into(), "7".into()],
                vec!["long\x1b[2J name".into(), "1234567".into()],
                vec![],
                vec!["x".into(), "1".into(), "more".into()],
            ],
        };
        let text = text(&table);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "name            states");
        assert_eq!(lines[2], "a                    7");
        assert_eq!(lines[3], "long [2J name  1234567");
        assert_eq!(lines[5], "x                    1  more");
    }
}
