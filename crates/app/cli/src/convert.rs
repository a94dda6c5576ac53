//! `entail convert`: a model in another format.

use crate::Context;
use crate::arguments::Convert;
use crate::failure::{CommandError, HOLDS};
use crate::graph;
use crate::load::write_bytes;
use crate::save::extension;
use crate::terminal::note;
use entail::{GraphFormat, Origin};
use entail_budget::Budget;
use entail_family::Command;

pub fn run(options: &Convert, context: &Context) -> Result<u8, CommandError> {
    let budget = Budget::unlimited();
    if GraphFormat::of_file(&options.output).is_some() {
        let lts = graph::load(&options.input, &options.graph, context, &budget)?;
        graph::save(&options.output, &lts, context)?;
        return Ok(HOLDS);
    }
    let origin = Origin {
        language: options.graph.language.clone(),
        ..Origin::file(&options.input)
    };
    let loaded = context
        .table
        .load(&origin, Command::Structure, &context.options, &budget)?;
    let target = extension(&options.output).to_ascii_lowercase();
    let Some(converted) = loaded.model.write(&target, &context.options) else {
        let mut known: Vec<&str> = loaded.model.formats().to_vec();
        known.extend(GraphFormat::extensions());
        return Err(CommandError::usage(format!(
            "{} cannot be written to {}; the formats there are for them: .{}",
            loaded.family.name,
            options.output.display(),
            known.join(", .")
        )));
    };
    let converted =
        converted.map_err(|reason| CommandError::input(format!("{}: {reason}", options.input.display())))?;
    for text in &converted.notes {
        note!("entail: {text}");
    }
    write_bytes(&options.output, &converted.bytes)?;
    Ok(HOLDS)
}
