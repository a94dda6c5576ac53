//! `entail convert`: a model in another format.

use crate::arguments::Convert;
use crate::failure::{HOLDS, Stop};
use crate::graph;
use crate::load::{language, write_bytes};
use crate::terminal::note;
use entail::{ConvertError, Format, GraphFormat};
use entail_budget::Budget;

pub fn run(options: &Convert) -> Result<u8, Stop> {
    if GraphFormat::of_file(&options.output).is_some() {
        let lts = graph::load(&options.input, &options.graph, &Budget::unlimited())?;
        graph::save(&options.output, &lts, options.graph.tau)?;
        return Ok(HOLDS);
    }
    let Some(format) = Format::of_file(&options.output) else {
        let mut known = Format::extensions();
        known.extend(GraphFormat::extensions());
        let known = known.join(", .");
        return Err(Stop::usage(format!(
            "cannot tell the format of {} from its name; Entail writes: .{known}",
            options.output.display()
        )));
    };
    let converted = entail::convert(
        &options.input,
        language(options.graph.language.as_deref())?,
        format,
    )
    .map_err(|error| match error {
        ConvertError::Load(error) => Stop::from(error),
        ConvertError::NotExpressible(reason) => Stop::input(format!("{}: {reason}", options.input.display())),
    })?;
    for note in &converted.notes {
        note!("entail: {note}");
    }
    write_bytes(&options.output, &converted.bytes)?;
    Ok(HOLDS)
}
