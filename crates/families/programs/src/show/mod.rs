//! What people look at: a run as a timeline, as a message sequence chart, and in the source.

mod chart;
mod marked_source;
pub mod steps;
mod timeline;
pub mod values;

use entail_program::{Fault, Program, Replayed, Run};
use entail_show::{Exhibit, Prominence, Shown, View};

pub use timeline::state_key;

/// Runs with more steps have no chart.
const MOST_ROWS: usize = 2_000;

/// A run with everything there is to see of it. With `with_chart`, its message sequence chart is shown in a terminal, too.
pub fn run(program: &Program, run: &Run, replayed: &Replayed, with_chart: bool) -> Shown {
    let timeline = timeline::timeline(program, run, replayed);
    let mut shown = Shown::default().main(View::Timeline(timeline));
    if replayed.fault == Some(Fault::Assertion)
        && let (Some(step), Some(before)) = (run.steps.last(), replayed.situations.last())
    {
        shown.violated = vec![steps::violated_assertion(program, &before.state, step)];
    }
    if with_chart || run.steps.len() <= MOST_ROWS {
        let prominence = if with_chart {
            Prominence::Main
        } else {
            Prominence::Report
        };
        let chart = View::Sequence(chart::chart(program, run, replayed));
        shown.exhibits.push(exhibit("messages", prominence, chart));
    }
    for source in marked_source::sources(program, run, replayed) {
        let title = source.name.clone();
        shown
            .exhibits
            .push(exhibit(&title, Prominence::Report, View::Source(source)));
    }
    shown
}

fn exhibit(title: &str, prominence: Prominence, view: View) -> Exhibit {
    Exhibit {
        title: Some(title.to_owned()),
        prominence,
        view,
    }
}
