//! Linear time: path formulas by products with tableaux.
//!
//! `path_formula` is the normal form, `tableau` the automaton built from it on the fly, `product` its product with the state
//! graph, `path` a path or lasso of the state graph, `witness` finds one that satisfies a path formula, `word` says why a
//! path satisfies it.

pub(crate) mod path;
pub(crate) mod path_formula;
pub(crate) mod product;
pub(crate) mod tableau;
pub(crate) mod witness;
pub(crate) mod word;
