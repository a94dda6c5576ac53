//! The reachable graph and what fairness means on it.
//!
//! `state_graph` is the explicit graph (its strongly connected components under fairness are found by `entail-search`), `labelling` decides
//! CTL on it, `distance` answers quantitative questions.

pub(crate) mod distance;
pub(crate) mod labelling;
pub(crate) mod state_graph;
