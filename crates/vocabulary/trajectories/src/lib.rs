//! Netlists of gates, trajectory assertions about them (chapter 25), and evidence.
//!
//! **Here:** [`Netlist`], gates as they were read, neither shared nor simplified: three-valued simulation follows them one by one; [`Conditions`], propositional formulas over the
//! symbolic variables of a specification; [`Assertion`], with the [`Derivation`] that proves it, [`AssertionGraph`] and [`Specification`]; [`TrajectoryEvidence`].
//!
//! **Not here:** simulation of any kind (the engine and the checker have one each), syntax, circuits of words.
//!
//! **What a caller may rely on**
//! - Gates read nodes that come before them; only the next value of a register may be any node.
//! - The bit of a signal is a node of its own or shares it with signals that are the same net; it is never negated and never the constant: what drives it drives nothing else.
//! - In [`Conditions`], operands come before what is made of them.

mod assertion;
mod condition;
mod derivation;
mod evidence;
mod graph;
mod netlist;

pub use assertion::{Assertion, Drive, Relation, Sample, Specification, Weakening, Word};
pub use condition::{Condition, ConditionId, Conditions};
pub use derivation::{Derivation, Method, Statement};
pub use evidence::{BooleanRun, Fixpoint, IndexedForm, StateSet, TrajectoryEvidence, Walk};
pub use graph::{AssertionGraph, GraphEdge, Satisfaction, Vertex};
pub use netlist::{Gate, Netlist, NodeId, Role, Signal, Wire};
