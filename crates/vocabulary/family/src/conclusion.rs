//! What the answers of a run say together, beside what each says alone.

use entail_show::View;
use std::path::PathBuf;

/// Files that the options of a family ask for, made when everything has been decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusion {
    /// Texts, with where they go.
    pub files: Vec<(PathBuf, String)>,
    /// What is to be drawn, with where it goes.
    pub pictures: Vec<(PathBuf, View)>,
}
