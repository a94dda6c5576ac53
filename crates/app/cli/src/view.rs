//! `entail view`: a saved trace or saved evidence, without the model.

use crate::arguments::View;
use crate::failure::{CommandError, HOLDS};
use crate::load::read_text;
use crate::save::save_timeline;
use crate::terminal::{print, text_options};
use entail_report::{saved, text};

pub fn run(options: &View) -> Result<u8, CommandError> {
    let name = options.trace.display();
    let saved = saved::read(&read_text(&options.trace)?)
        .map_err(|error| CommandError::input(format!("{name}: {error}")))?;
    let mut look = text_options(&options.look);
    look.all_values = options.look.full;
    match &options.output {
        None => print(&text::saved(&saved, &look)),
        Some(path) => match saved.timeline() {
            Some(mut timeline) => {
                let wanted = |name: &str| {
                    look.show.is_empty() || look.show.iter().any(|one| entail_report::matches(name, one))
                };
                let hidden = |name: &str| look.hide.iter().any(|one| entail_report::matches(name, one));
                timeline.project(|column| wanted(&column.name) && !hidden(&column.name));
                save_timeline(path, &timeline, &saved.model)?;
            }
            None => return Err(CommandError::input(format!("{name} has no trace"))),
        },
    }
    Ok(HOLDS)
}
