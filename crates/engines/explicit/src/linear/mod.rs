//! Linear time.
//!
//! LTL on infinite paths goes `on_the_fly` through a `property_automaton`, and `judge` gives the verdict. Path formulas inside CTL*, finite maximal paths and
//! bounded searches go through products with the complete state graph: `path_formula` is the normal form, `path_automaton` its automaton,
//! `product` the product, `witness` finds a path that satisfies a path formula, `word`
//! says why it does. `path` has what both share: paths and lassos, and how to find fair ones.

pub(crate) mod bad_prefix;
pub(crate) mod judge;
pub(crate) mod on_the_fly;
pub(crate) mod path;
pub(crate) mod path_automaton;
pub(crate) mod path_formula;
pub(crate) mod product;
pub(crate) mod property_automaton;
pub(crate) mod together;
pub(crate) mod witness;
pub(crate) mod word;
