//! `entail convert`: a model in another format.

use crate::arguments::Convert;
use crate::failure::{HOLDS, Stop};
use crate::load::{Warnings, load, write_text};
use entail::Language;

pub fn run(options: &Convert) -> Result<u8, Stop> {
    let model = load(&options.input, options.language.as_deref(), Warnings::Shown)?;
    let text = match Language::of_file(&options.output) {
        Some(Language::Smv) => model.to_smv().map_err(Stop::input)?,
        Some(Language::Aiger | Language::Btor2) => {
            return Err(Stop::usage(
                "Entail does not write this format yet; it writes: smv",
            ));
        }
        None => {
            let known = Language::names().join(", ");
            return Err(Stop::usage(format!(
                "cannot tell the format of {} from its name; Entail writes: {known}",
                options.output.display()
            )));
        }
    };
    write_text(&options.output, &text)?;
    Ok(HOLDS)
}
