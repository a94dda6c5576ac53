//! Rows and columns of text.

use serde::{Deserialize, Serialize};

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// The rows; each has a cell for every head.
    pub rows: Vec<Vec<String>>,
}
