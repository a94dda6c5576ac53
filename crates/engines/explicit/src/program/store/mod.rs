//! Sets of visited states.

pub mod vector_table;
