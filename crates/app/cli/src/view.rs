//! `entail view`: a saved trace or saved evidence, without the model.

use crate::arguments;
use crate::failure::{CommandError, HOLDS};
use crate::load::{read_text, write_text};
use crate::save::{extension, page, save_shown};
use crate::terminal::{print, text_options};
use entail_report::{saved, text};
use entail_show::View;

fn is_chart(view: &View) -> bool {
    matches!(view, View::Chart(_))
}

fn is_schedule(view: &View) -> bool {
    matches!(view, View::Schedule(_))
}

pub fn run(options: &arguments::View) -> Result<u8, CommandError> {
    let name = options.trace.display();
    let mut saved = saved::read(&read_text(&options.trace)?)
        .map_err(|error| CommandError::input(format!("{name}: {error}")))?;
    let mut look = text_options(&options.look);
    look.all_values = options.look.full;
    look.detail = true;
    let pictures = [
        ("--clocks", &options.clocks, is_chart as fn(&View) -> bool),
        ("--gantt", &options.gantt, is_schedule),
    ];
    for (option, path, wanted) in pictures {
        let Some(path) = path else { continue };
        let mut views = saved.shown.exhibits.iter().map(|exhibit| &exhibit.view);
        let drawn = views.find(|view| wanted(view)).and_then(entail_report::svg);
        let Some(drawn) = drawn else {
            let message = format!("{name}: {option}: there is no run in which time passes");
            return Err(CommandError::input(message));
        };
        write_text(path, &drawn)?;
    }
    if options.output.is_none() && (options.clocks.is_some() || options.gantt.is_some()) {
        return Ok(HOLDS);
    }
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
