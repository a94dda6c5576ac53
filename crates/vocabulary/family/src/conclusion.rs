//! What the answers of a run say together, beside what each says alone.

use entail_show::Chart;
use std::path::PathBuf;

/// Files that the options of a family ask for, made when everything has been decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// Texts, with where they go.
    pub files: Vec<(PathBuf, String)>,
    /// Charts to be drawn, with where they go.
    pub charts: Vec<(PathBuf, Chart)>,
}
