//! Models from one format to another.
//!
//! Between the two formats of AIGER, and from AIGER to BTOR2, circuits are rewritten gate by gate. Everything else goes through the
//! transition system: to SMV by its printer, to AIGER and BTOR2 by way of bits (see [`crate::bit_level`]). Verdicts are kept. What the target
//! cannot say is left out and named in the notes, or refused where the model itself cannot be said.

use crate::bit_level::{bit_circuit, word_circuit};
use crate::model::{Model, language_of, read_bytes};
use crate::{Language, LoadError};
use entail_aiger::{Aiger, write_ascii, write_binary};
use entail_source::{Source, decode, without_byte_order_mark};
use std::path::Path;

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Flat SMV.
    Smv,
    /// AIGER, ASCII.
    AigerAscii,
    /// AIGER, binary.
    AigerBinary,
    /// BTOR2.
    Btor2,
}

/// Extension and format.
const FORMATS: [(&str, Format); 5] = [
    ("smv", Format::Smv),
    ("aag", Format::AigerAscii),
    ("aig", Format::AigerBinary),
    ("btor2", Format::Btor2),
    ("btor", Format::Btor2),
];

impl Format {
    /// The format a file's name tells.
    pub fn of_file(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|row| row.0 == extension).map(|row| row.1)
    }

    /// The extensions that tell a format.
    pub fn extensions() -> Vec<&'static str> {
        FORMATS.iter().map(|row| row.0).collect()
    }
}

/// A model in another format.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The file.
    pub bytes: Vec<u8>,
    /// What the format cannot say and was left out, and what was added to say the rest.
    pub notes: Vec<String>,
}

/// Why a model cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// It cannot be read.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// The format cannot express it.
    #[error("{0}")]
    NotExpressible(String),
}

/// Reads a model and writes it in another format.
pub fn convert(path: &Path, language: Option<Language>, format: Format) -> Result<Converted, ConvertError> {
    let language = language_of(path, language)?;
    if language == Language::Verilog {
        let model = Model::load(path, Some(language))?;
        return match (model.translation(), format) {
            (Some(file), Format::Btor2) => convert(&file, None, format),
            _ => convert_model(&model, format),
        };
    }
    let bytes = read_bytes(path)?;
    let name = path.to_string_lossy();
    match (language, format) {
        (Language::Aiger, Format::AigerAscii | Format::AigerBinary | Format::Btor2) => {
            let circuit =
                entail_aiger::read(&name, without_byte_order_mark(&bytes)).map_err(|unreadable| {
                    LoadError::Invalid {
                        source_text: unreadable.source,
                        diagnostics: unreadable.diagnostics,
                    }
                })?;
            Ok(Converted {
                bytes: written(&circuit, format),
                notes: Vec::new(),
            })
        }
        (Language::Btor2, Format::Btor2) => {
            let text = decode(bytes).map_err(|error| LoadError::Unreadable {
                path: path.to_owned(),
                reason: error.to_string(),
            })?;
            let source = Source::new(&*name, text);
            let circuit = entail_btor2::read(&source).map_err(|diagnostics| LoadError::Invalid {
                source_text: source.clone(),
                diagnostics,
            })?;
            Ok(Converted {
                bytes: entail_btor2::write(&circuit).into_bytes(),
                notes: Vec::new(),
            })
        }
        _ => convert_model(&Model::of_bytes(&name, bytes, language)?, format),
    }
}

/// Writes a model that has been read.
pub fn convert_model(model: &Model, format: Format) -> Result<Converted, ConvertError> {
    if format == Format::Smv {
        let text = model.to_smv().map_err(ConvertError::NotExpressible)?;
        return Ok(Converted {
            bytes: text.into_bytes(),
            notes: Vec::new(),
        });
    }
    let (circuit, notes) = bit_circuit(model).map_err(|reason| {
        ConvertError::NotExpressible(format!("the model cannot be taken apart into bits: {reason}"))
    })?;
    Ok(Converted {
        bytes: written(&circuit, format),
        notes,
    })
}

fn written(circuit: &Aiger, format: Format) -> Vec<u8> {
    match format {
        Format::AigerBinary => write_binary(circuit),
        Format::Btor2 => entail_btor2::write(&word_circuit(circuit)).into_bytes(),
        Format::AigerAscii | Format::Smv => write_ascii(circuit).into_bytes(),
    }
}
