//! Cycles that meet marks again and again.
//!
//! [`linear`] asks whether a watcher accepts an infinite path of a model, on any number of threads. Below it: [`couvreur`], the search on the fly on one thread; `concurrent`, the one on several;
//! [`product`], what they search. In graphs that are known, [`components`] finds what is fair (Tarjan's algorithm), and [`ranks`] shows that nothing is.

pub mod components;
mod concurrent;
pub mod couvreur;
pub mod linear;
pub mod marks;
pub mod product;
pub mod ranks;
