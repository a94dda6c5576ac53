//! The languages of transition systems.

use entail_family::Language;

/// The languages, as they are listed.
pub(crate) const LANGUAGES: &[Language] = &[
    Language {
        name: "smv",
        title: "SMV",
        extensions: &["smv", "nusmv"],
        recognises: Some(is_finite),
    },
    Language::new("aiger", "AIGER", &["aag", "aig"]),
    Language {
        name: "btor2",
        title: "BTOR2",
        extensions: &["btor2", "btor"],
        recognises: Some(has_small_memories),
    },
    Language::new("verilog", "Verilog", &["sv", "v"]),
    Language::new("psl", "Properties in PSL", &["psl"]),
    Language::new("filelist", "File list of a Verilog design", &["f"]),
    Language::new("sby", "SymbiYosys project", &["sby"]),
    Language::new("eqy", "eqy project", &["eqy"]),
    Language::new("blif", "BLIF", &["blif"]),
];

/// Models with unbounded variables are another family's.
fn is_finite(beginning: &[u8]) -> bool {
    !entail_smv::looks_unbounded(beginning)
}

/// So are circuits whose memories are too large for bits.
fn has_small_memories(beginning: &[u8]) -> bool {
    !entail_btor2::has_large_memory(beginning)
}

/// The language of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// NuSMV's language.
    Smv,
    /// AIGER 1.9, ASCII or binary.
    Aiger,
    /// BTOR2.
    Btor2,
    /// Verilog and SystemVerilog, through yosys.
    Verilog,
    /// Properties in PSL, about a Verilog design.
    Psl,
    /// The files of a Verilog design.
    FileList,
    /// A SymbiYosys project.
    Sby,
    /// An eqy project: two designs.
    Eqy,
    /// BLIF.
    Blif,
}

impl Syntax {
    /// The language of a name.
    pub(crate) fn named(name: &str) -> Option<Syntax> {
        [
            Syntax::Smv,
            Syntax::Aiger,
            Syntax::Btor2,
            Syntax::Verilog,
            Syntax::Psl,
            Syntax::FileList,
            Syntax::Sby,
            Syntax::Eqy,
            Syntax::Blif,
        ]
        .into_iter()
        .find(|syntax| syntax.name() == name)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Syntax::Smv => "smv",
            Syntax::Aiger => "aiger",
            Syntax::Btor2 => "btor2",
            Syntax::Verilog => "verilog",
            Syntax::Psl => "psl",
            Syntax::FileList => "filelist",
            Syntax::Sby => "sby",
            Syntax::Eqy => "eqy",
            Syntax::Blif => "blif",
        }
    }

    /// Whether its models are circuits: next values are functions, and properties speak of bad states and just loops.
    pub(crate) fn is_circuit(self) -> bool {
        self != Syntax::Smv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_row_is_known() {
        for language in LANGUAGES {
            assert_eq!(
                Syntax::named(language.name).map(Syntax::name),
                Some(language.name)
            );
        }
    }
}
