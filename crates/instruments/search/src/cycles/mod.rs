//! Cycles that meet marks again and again.
//!
//! [`linear`] asks whether a watcher accepts an infinite path of a model, on any number of threads. Below it: [`couvreur`], the search on the fly on one thread; `components_together`, the one on several, with the sets that threads unite (`united`);
//! [`product`], what they search, and `lassos`, the paths in it. In graphs that are known, [`components`] finds what is fair (Tarjan's algorithm), and [`ranks`] shows that nothing is.

pub mod components;
mod components_together;
pub mod couvreur;
mod lassos;
pub mod linear;
pub mod marks;
pub mod product;
pub mod ranks;
mod united;
