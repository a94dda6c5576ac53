//! `entail convert`: a model in another format.

use crate::arguments::Convert;
use crate::failure::{HOLDS, Stop};
use crate::load::{language, write_bytes};
use entail::{ConvertError, Format};

pub fn run(options: &Convert) -> Result<u8, Stop> {
    let Some(format) = Format::of_file(&options.output) else {
        let known = Format::extensions().join(", .");
        return Err(Stop::usage(format!(
            "cannot tell the format of {} from its name; Entail writes: .{known}",
            options.output.display()
        )));
    };
    let converted =
        entail::convert(&options.input, language(options.language.as_deref())?, format).map_err(|error| {
            match error {
                ConvertError::Load(error) => Stop::from(error),
                ConvertError::NotExpressible(reason) => {
                    Stop::input(format!("{}: {reason}", options.input.display()))
                }
            }
        })?;
    for note in &converted.notes {
        eprintln!("entail: {note}");
    }
    write_bytes(&options.output, &converted.bytes)?;
    Ok(HOLDS)
}
