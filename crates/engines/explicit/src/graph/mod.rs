//! The reachable graph and what fairness means on it.
//!
//! `state_graph` is the explicit graph, `components` its strongly connected components under fairness, `labelling` decides
//! CTL on it, `distance` answers quantitative questions.

pub(crate) mod components;
pub(crate) mod distance;
pub(crate) mod labelling;
pub(crate) mod marks;
pub(crate) mod state_graph;
