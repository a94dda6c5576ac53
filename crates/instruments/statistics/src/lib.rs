//! What random runs tell about a probability or a mean.
//!
//! **Here:** [`proportion`] (exact intervals, and how many runs they need), [`mean`] (means with their intervals), [`sequential`] (tests that stop as soon as they know), [`beta`] (the function under all
//! of them).
//!
//! **Not here:** models, random numbers.
//!
//! **Invariant:** an interval of a proportion contains the true probability with at least the stated confidence, whatever that probability is, if the number of runs was fixed beforehand.

pub mod beta;
pub mod mean;
pub mod proportion;
pub mod sequential;
