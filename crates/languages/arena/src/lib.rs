//! A text format of games whose objective is not parity (`.game`), for which the field has none.
//!
//! **Here:** [`read`], [`print()`] and [`print_concurrent`].
//!
//! ```text
//! // Requests must be answered; Odd owns the requests.
//! objective streett((granted, requested));
//! start idle;
//! odd idle: idle, busy;
//! even busy [requested]: grant, busy;
//! even grant [granted]: idle;
//! ```
//!
//! A vertex is its owner, its name, its colours in brackets and its successors; an edge may have a weight, `idle (-3)`, which is 0 otherwise. Objectives:
//!
//! | written | Even wants |
//! |---|---|
//! | `reach(c)` | to see a vertex of colour `c` |
//! | `stay(c)` | to see no other vertices |
//! | `inf(c)`, `fin(c)`, with `&`, `\|`, `!` and parentheses | `c` seen again and again, or not |
//! | `buchi(c, …)` | each of them again and again |
//! | `cobuchi(c)` | from some time on only vertices of colour `c` |
//! | `rabin((e, f), …)` | for some pair, `e` finitely often and `f` again and again |
//! | `streett((e, f), …)` | for every pair, if `f` again and again, then `e` (the complement of `rabin` with the same pairs) |
//! | `parity(c0, c1, …)`, `min-parity(c0, c1, …)` | the last (or first) of the list that is seen again and again stands at an even place, counted from 0 |
//! | `muller({c, …}, …)` | exactly the colours of one of the sets, among those of the game |
//! | `gr1(a, … -> g, …)` | if each `a` again and again, then each `g` |
//! | `energy` | that some credit is enough for the sum of weights never to fall below zero |
//! | `mean-payoff >= q` | that the mean of the weights is at least `q` |
//! | `discounted(l) >= q` | that the sum of the weights, step `i` times `l^i`, is at least `q` |
//!
//! At a vertex `both v: a/b -> w, a/* -> x;` the players choose an action each, at the same time; the pair says where the play goes. Where such vertices are, or where the objective begins with
//! `sure`, `almost` or `limit`, the question is how certain Even's victory can be: on every play (also if nothing is said), with probability one, or with every probability below one.
//!
//! `!c` may stand for the vertices without colour `c` wherever a colour stands in a condition. `//` begins a comment.
//!
//! **Not here:** deciding anything.
//!
//! **Invariants:** the reader never panics, and nesting costs a bounded stack. Every vertex that is mentioned is defined, once, and has a successor.

mod concurrent;
mod objective;
mod print;
mod read;
mod tokens;

pub use concurrent::{ConcurrentFile, WAITS};
pub use print::{colour_names, print, print_concurrent};
pub use read::{AnyGame, GameFile, read};
