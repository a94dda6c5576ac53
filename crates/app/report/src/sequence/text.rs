//! Charts for a terminal.
//!
//! ```text
//!      sender(0)     receiver(1)
//!   1      │◀──ready 0────●         line 22  ready!0
//!   2      ○ line data,1  │         line 13  line!data,item
//!   3      │─line data,1─▶●         line 24  line?data,got
//! ```

use crate::clean::{one_line, screen};
use entail_show::{Arrow, SequenceChart};
use std::fmt::Write;

/// The narrowest and the widest distance between two processes.
const DISTANCE: (usize, usize) = (14, 28);

/// The chart: a line a step; an arrow is drawn where its message is received, a circle where one is sent that stays under way.
pub fn text(chart: &SequenceChart) -> String {
    let mut out = String::new();
    write(chart, &mut out);
    screen(&out, false)
}

pub(crate) fn write(chart: &SequenceChart, out: &mut String) {
    let label = |arrow: &Arrow| one_line(&format!("{} {}", arrow.channel, arrow.message));
    let longest = chart
        .arrows
        .iter()
        .map(|arrow| label(arrow).chars().count() + 4)
        .chain(chart.lanes.iter().map(|lane| lane.name.chars().count() + 2))
        .max()
        .unwrap_or(0);
    let distance = longest.clamp(DISTANCE.0, DISTANCE.1);
    let lanes = chart.lanes.len();
    let centre = |lane: usize| lane.min(lanes.saturating_sub(1)) * distance + distance / 2;
    let width = lanes.max(1) * distance + distance / 2;
    let mut line = vec![' '; width];
    for (position, lane) in chart.lanes.iter().enumerate() {
        let name: Vec<char> = one_line(&lane.name).chars().take(distance - 1).collect();
        write_at(&mut line, centre(position).saturating_sub(name.len() / 2), &name);
    }
    let _ = writeln!(out, "      {}", line.iter().collect::<String>().trim_end());
    let mut arrows: Vec<Vec<&Arrow>> = vec![Vec::new(); chart.rows.len()];
    for arrow in &chart.arrows {
        let rows = [Some(arrow.from.0), arrow.to.map(|(row, _)| row)];
        for (position, row) in rows.into_iter().flatten().enumerate() {
            if (position == 0 || row != arrow.from.0)
                && let Some(arrows) = arrows.get_mut(row)
            {
                arrows.push(arrow);
            }
        }
    }
    for (number, row) in chart.rows.iter().enumerate() {
        let mut line = vec![' '; width];
        for (position, lane) in chart.lanes.iter().enumerate() {
            if lane.first <= number && number < lane.end.max(lane.first + 1) {
                line[centre(position)] = '│';
            }
        }
        line[centre(row.lane)] = '●';
        for arrow in &arrows[number] {
            let letters: Vec<char> = label(arrow).chars().collect();
            match arrow.to {
                Some((at, to)) if at == number && centre(to) != centre(arrow.from.1) => {
                    let (from, to) = (centre(arrow.from.1), centre(to));
                    let (low, high) = (from.min(to) + 1, from.max(to) - 1);
                    line[low..=high].fill('─');
                    let room = high - low - 1;
                    let start = low + 1 + room.saturating_sub(letters.len()) / 2;
                    write_at(&mut line, start, &letters[..letters.len().min(room)]);
                    match from < to {
                        true => line[high] = '▶',
                        false => line[low] = '◀',
                    }
                }
                to if arrow.from.0 == number && to.is_none_or(|(at, _)| at != number) => {
                    let from = centre(arrow.from.1);
                    line[from] = '○';
                    write_at(&mut line, from + 2, &letters[..letters.len().min(distance - 3)]);
                }
                _ => {}
            }
        }
        let mark = if chart.loop_start == Some(number) {
            '↻'
        } else {
            ' '
        };
        let _ = writeln!(
            out,
            "{mark}{:>4} {}  {}  {}",
            number + 1,
            line.iter().collect::<String>(),
            one_line(&row.place),
            one_line(&row.text)
        );
    }
}

fn write_at(line: &mut [char], start: usize, text: &[char]) {
    for (place, &letter) in line.iter_mut().skip(start).zip(text) {
        *place = letter;
    }
}
