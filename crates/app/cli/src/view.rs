//! `entail view`: a saved trace or saved evidence, without the model.

use crate::arguments::View;
use crate::failure::{CommandError, HOLDS};
use crate::load::{read_text, write_text};
use crate::save::{extension, page, save_shown};
use crate::terminal::{print, text_options};
use entail_report::{saved, text};

pub fn run(options: &View) -> Result<u8, CommandError> {
    let name = options.trace.display();
    let mut saved = saved::read(&read_text(&options.trace)?)
        .map_err(|error| CommandError::input(format!("{name}: {error}")))?;
    let mut look = text_options(&options.look);
    look.all_values = options.look.full;
    look.detail = true;
    let Some(path) = &options.output else {
        print(&text::saved(&saved, &look));
        return Ok(HOLDS);
    };
    let wanted =
        |name: &str| look.show.is_empty() || look.show.iter().any(|one| entail_report::matches(name, one));
    let hidden = |name: &str| look.hide.iter().any(|one| entail_report::matches(name, one));
    saved.shown.each_timeline(&mut |timeline| {
        timeline.project(|column| wanted(&column.name) && !hidden(&column.name));
    });
    match (extension(path), saved.report()) {
        ("html" | "htm" | "svg", Some(report)) => write_text(path, &page(path, &report))?,
        _ => save_shown(path, &saved.shown, saved.source.name())?,
    }
    Ok(HOLDS)
}
