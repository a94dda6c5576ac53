//! The languages Entail reads, and how a file's language is told.

use std::path::Path;

/// A modelling language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// NuSMV's language.
    Smv,
    /// AIGER 1.9, ASCII or binary.
    Aiger,
    /// BTOR2.
    Btor2,
    /// Verilog and SystemVerilog, through yosys.
    Verilog,
    /// SPIN's language.
    Promela,
}

/// Name, file extensions. A language that is added gets a row here.
const LANGUAGES: [(Language, &str, &[&str]); 5] = [
    (Language::Smv, "smv", &["smv", "nusmv"]),
    (Language::Aiger, "aiger", &["aag", "aig"]),
    (Language::Btor2, "btor2", &["btor2", "btor"]),
    (Language::Verilog, "verilog", &["sv", "v"]),
    (Language::Promela, "promela", &["pml", "promela", "prom"]),
];

impl Language {
    /// The language a file's name tells.
    pub fn of_file(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let row = LANGUAGES
            .iter()
            .find(|(_, _, extensions)| extensions.contains(&extension.as_str()))?;
        Some(row.0)
    }

    /// The language of this name.
    pub fn named(name: &str) -> Option<Language> {
        LANGUAGES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The names of all languages.
    pub fn names() -> Vec<&'static str> {
        LANGUAGES.iter().map(|row| row.1).collect()
    }

    /// Whether its models are circuits: next values are functions, and properties speak of bad states and just loops.
    pub fn is_circuit(self) -> bool {
        !matches!(self, Language::Smv | Language::Promela)
    }
}
