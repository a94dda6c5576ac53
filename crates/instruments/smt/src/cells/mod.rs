//! Polynomial conditions over the reals, decided cell by cell.

mod covering;
mod line;
mod polynomial;
mod system;
mod theory;
