//! Numbers that engines can rely on.
//!
//! **Here:** rounding in a known direction ([`rounding`]), Poisson weights for uniformisation with a proved error ([`poisson`]), exact
//! elimination ([`elimination`]), exact linear programs ([`simplex`]), fast elimination without guarantees ([`direct`]), rational
//! functions through points ([`rational_function`]), polynomials in several variables ([`multivariate`], [`integer_polynomial`]), arithmetic modulo
//! primes ([`modular`]).
//!
//! **Not here:** models; which equations are solved and why their solution is unique.
//!
//! **Invariants:** what is called `down` is never above the exact value of its arguments, `up` never below.

pub mod direct;
pub mod elimination;
pub mod integer_polynomial;
pub mod modular;
pub mod multivariate;
pub mod poisson;
pub mod rational_function;
pub mod rounding;
pub mod simplex;
