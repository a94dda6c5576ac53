//! Models from one format to another.
//!
//! Between the two formats of AIGER, and from AIGER to BTOR2, circuits are rewritten gate by gate. Everything else goes through the
//! transition system: to SMV by its printer, to AIGER and BTOR2 by way of bits (see [`crate::bit_level`]). Verdicts are kept. What the target
//! cannot say is left out and named in the notes, or refused where the model itself cannot be said. Properties in PSL become checkers (see [`crate::checker_text`]).

use crate::bit_level::{bit_circuit, word_circuit};
use crate::checker_text;
use crate::languages::Syntax;
use crate::model::{Origin, SystemModel};
use entail_aiger::{Aiger, write_ascii, write_binary};
use entail_family::{Converted, Model};
use entail_source::Source;

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Flat SMV.
    Smv,
    /// AIGER, ASCII.
    AigerAscii,
    /// AIGER, binary.
    AigerBinary,
    /// BTOR2.
    Btor2,
    /// SystemVerilog: a checker of properties in PSL.
    SystemVerilog,
}

/// The extensions of the formats.
pub(crate) const EXTENSIONS: &[&str] = &["smv", "aag", "aig", "btor2", "btor", "sv", "v"];

impl Format {
    fn of_extension(extension: &str) -> Option<Format> {
        Some(match extension {
            "smv" => Format::Smv,
            "aag" => Format::AigerAscii,
            "aig" => Format::AigerBinary,
            "btor2" | "btor" => Format::Btor2,
            "sv" | "v" => Format::SystemVerilog,
            _ => return None,
        })
    }
}

/// The model in the format of an extension.
pub(crate) fn write(model: &SystemModel, extension: &str) -> Option<Result<Converted, String>> {
    Some(converted(model, Format::of_extension(extension)?))
}

fn converted(model: &SystemModel, format: Format) -> Result<Converted, String> {
    let as_it_is = |bytes: Vec<u8>| Converted {
        bytes,
        notes: Vec::new(),
    };
    let has_own_properties_only = model
        .content
        .circuit
        .as_ref()
        .is_some_and(|circuit| circuit.bad + circuit.justice == model.content.properties.len());
    match (&model.origin, format) {
        (_, Format::SystemVerilog) => {
            let reason = "only properties in PSL, without a design, become a checker in SystemVerilog";
            let design = model.content.made_up.as_ref().ok_or(reason)?;
            let (text, notes) = checker_text::checker(design);
            let bytes = text.into_bytes();
            return Ok(Converted { bytes, notes });
        }
        (_, Format::Smv) => {
            let text = entail_smv::print(model.system(), &model.content.properties);
            return Ok(as_it_is(text.map_err(|error| error.to_string())?.into_bytes()));
        }
        (Origin::Aiger(bytes), _) if has_own_properties_only => {
            let circuit = entail_aiger::read(model.source().name(), bytes)
                .map_err(|unreadable| unreadable.diagnostics.to_string())?;
            return Ok(as_it_is(written(&circuit, format)));
        }
        (Origin::Translated(text), Format::Btor2) if has_own_properties_only => {
            return Ok(as_it_is(rewritten(&Source::new(model.source().name(), text))?));
        }
        (Origin::Source, Format::Btor2) if model.syntax == Syntax::Btor2 && has_own_properties_only => {
            return Ok(as_it_is(rewritten(model.source())?));
        }
        _ => {}
    }
    let (circuit, notes) = bit_circuit(model)
        .map_err(|reason| format!("the model cannot be taken apart into bits: {reason}"))?;
    Ok(Converted {
        bytes: written(&circuit, format),
        notes,
    })
}

/// A BTOR2 text in our own hand.
fn rewritten(source: &Source) -> Result<Vec<u8>, String> {
    let circuit = entail_btor2::read(source).map_err(|problems| problems.to_string())?;
    Ok(entail_btor2::write(&circuit).into_bytes())
}

fn written(circuit: &Aiger, format: Format) -> Vec<u8> {
    match format {
        Format::AigerBinary => write_binary(circuit),
        Format::Btor2 => entail_btor2::write(&word_circuit(circuit)).into_bytes(),
        Format::AigerAscii | Format::Smv | Format::SystemVerilog => write_ascii(circuit).into_bytes(),
    }
}
