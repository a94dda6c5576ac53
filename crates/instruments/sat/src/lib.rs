//! And-inverter graphs, circuits, bit-blasting, CNF and SAT solvers.
//!
//! **Here:** [`Aig`] with structural hashing and local rewriting; sequential [`Circuit`]s; the translation of terms
//! ([`Blaster`]) and of transition systems ([`SystemCircuit`]) to them, with the way back from bits to variables; CNF of
//! circuits ([`GateCnf`]); one interface to SAT solvers ([`SatSolver`]) with CaDiCaL ([`Cadical`]) and a small solver shaped to IC3's
//! calls ([`Cdcl`]) behind it; proofs ([`TracedCadical`]) and interpolants ([`Interpolator`]); circuit reductions that keep the map back.
//!
//! **Not here:** anything that decides a temporal property (the `inductive` engine), any file format.
//!
//! **Invariants a caller may rely on**
//! - A node's fanins have smaller numbers than the node.
//! - Bits of a state of the system are a value of the variable's sort; whoever builds circuits of systems keeps the
//!   constraints that say so.
//! - Solvers return after the budget is spent; they never loop without looking at it.

mod aig;
mod arithmetic;
mod blast;
mod cadical;
mod cdcl;
mod circuit;
mod cnf;
mod correspondence;
mod elimination;
mod encoding;
mod gates;
mod interpolant;
mod literal;
mod solver;
mod system_circuit;
mod ternary;
mod traced;

pub use aig::{Aig, Imported, Node, Signal, value_of};
pub use arithmetic::{Bits, Sign};
pub use blast::{Blaster, Leaf};
pub use cadical::Cadical;
pub use cdcl::{Cdcl, CdclStatistics};
pub use circuit::{Circuit, Init, Latch, Run};
pub use cnf::{ConeEncoder, Fanins, GateCnf};
pub use correspondence::{Correspondence, Effort, corresponding_signals, equivalent_signals};
pub use encoding::{MAX_ARRAY_BITS, NotEncoded, belongs, bit_term, decode, encode, shape};
pub use gates::{Gate, gates};
pub use interpolant::{Interpolator, System};
pub use literal::{Lit, Var};
pub use solver::{Answer, Query, SatSolver};
pub use system_circuit::{Reads, SystemCircuit, reads};
pub use ternary::constant_latches;
pub use traced::{Proof, ProofStep, TracedCadical};

#[cfg(test)]
mod blast_tests;
#[cfg(test)]
mod solver_tests;
