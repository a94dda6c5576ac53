//! Boolean functions as handles: the interface of chapter 7.
//!
//! A [`Bdd`] is a function over the variables of its manager. Two handles are equal iff their functions are. A
//! handle keeps its diagram alive, survives reordering, and may be cloned, dropped and sent between threads at
//! will; operations on one manager run one after the other.
//!
//! Operations between functions of different managers panic: that is a mistake in the program.

use crate::edge::{Edge, Var};
use crate::error::Result;
use crate::manager::{Manager, Shared};
use crate::substitute::ByLevel;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The identity of a function, as a key for maps. It is the function's as long as some handle to it exists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(u32);

/// A Boolean function.
pub struct Bdd {
    shared: Arc<Shared>,
    edge: Edge,
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        self.shared.external[self.edge.node() as usize].fetch_add(1, Relaxed);
        Bdd {
            shared: self.shared.clone(),
            edge: self.edge,
        }
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.shared.external[self.edge.node() as usize].fetch_sub(1, Relaxed);
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge && Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Bdd {}

impl std::hash::Hash for Bdd {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.edge.hash(state);
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.edge {
            Edge::TRUE => f.write_str("Bdd(true)"),
            Edge::FALSE => f.write_str("Bdd(false)"),
            edge => write!(
                f,
                "Bdd({}{})",
                if edge.is_complemented() { "!" } else { "" },
                edge.node()
            ),
        }
    }
}

impl Bdd {
    /// A handle to an edge whose node cannot be collected at the moment.
    pub(crate) fn hold(manager: &Manager, edge: Edge) -> Bdd {
        manager.0.external[edge.node() as usize].fetch_add(1, Relaxed);
        Bdd {
            shared: manager.0.clone(),
            edge,
        }
    }

    pub(crate) fn edge(&self) -> Edge {
        self.edge
    }

    /// The edge of an operand of the same manager.
    #[inline]
    pub(crate) fn operand(&self, other: &Bdd) -> Edge {
        assert!(
            Arc::ptr_eq(&self.shared, &other.shared),
            "functions of two managers do not mix"
        );
        other.edge
    }

    /// What tells this function from the others of its manager.
    pub fn id(&self) -> FunctionId {
        FunctionId(self.edge.0)
    }

    /// The manager of this function.
    pub fn manager(&self) -> Manager {
        Manager(self.shared.clone())
    }

    /// Whether this is the constant true.
    pub fn is_true(&self) -> bool {
        self.edge == Edge::TRUE
    }

    /// Whether this is the constant false.
    pub fn is_false(&self) -> bool {
        self.edge == Edge::FALSE
    }

    /// Whether this is a constant.
    pub fn is_constant(&self) -> bool {
        self.edge.is_constant()
    }

    /// ¬f, in constant time.
    #[allow(clippy::should_implement_trait)] // The trait is implemented too, by reference.
    pub fn not(&self) -> Bdd {
        let mut complement = self.clone();
        complement.edge = !self.edge;
        complement
    }

    /// f ∧ g.
    pub fn and(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| r.and(f, g))
    }

    /// f ∨ g.
    pub fn or(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| r.or(f, g))
    }

    /// f ∧ ¬g: the difference of sets.
    pub fn minus(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| r.and(f, !g))
    }

    /// f ⊕ g.
    pub fn xor(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| r.xor(f, g))
    }

    /// f ↔ g.
    pub fn iff(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| Ok(!r.xor(f, g)?))
    }

    /// f → g.
    pub fn implies(&self, g: &Bdd) -> Result<Bdd> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().run(|r| r.or(!f, g))
    }

    /// if f then g else h.
    pub fn ite(&self, g: &Bdd, h: &Bdd) -> Result<Bdd> {
        let (f, g, h) = (self.edge, self.operand(g), self.operand(h));
        self.manager().run(|r| r.ite(f, g, h))
    }

    /// Whether f → g is valid, without building it.
    pub fn is_subset_of(&self, g: &Bdd) -> Result<bool> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().ask(|r| r.disjoint(f, !g))
    }

    /// Whether f ∧ g is unsatisfiable, without building it.
    pub fn is_disjoint_from(&self, g: &Bdd) -> Result<bool> {
        let (f, g) = (self.edge, self.operand(g));
        self.manager().ask(|r| r.disjoint(f, g))
    }

    /// ∃ vars. f, the variables given as a positive cube ([`Manager::var_set`]).
    pub fn exists(&self, vars: &Bdd) -> Result<Bdd> {
        let (f, cube) = (self.edge, self.operand(vars));
        self.manager().run(|r| r.exists(f, cube))
    }

    /// ∀ vars. f, the variables given as a positive cube.
    pub fn forall(&self, vars: &Bdd) -> Result<Bdd> {
        let (f, cube) = (self.edge, self.operand(vars));
        self.manager().run(|r| r.forall(f, cube))
    }

    /// ∃ vars. f ∧ g in one pass: the relational product.
    pub fn and_exists(&self, g: &Bdd, vars: &Bdd) -> Result<Bdd> {
        let (f, g, cube) = (self.edge, self.operand(g), self.operand(vars));
        self.manager().run(|r| r.and_exists(f, g, cube))
    }

    /// f with one variable replaced by a constant.
    pub fn cofactor(&self, var: Var, value: bool) -> Result<Bdd> {
        self.constrain(&self.manager().literal(var, value)?)
    }

    /// f with the variables of a cube of literals replaced by their values (`RESTRICT` of chapter 7).
    pub fn cofactor_by(&self, cube: &Bdd) -> Result<Bdd> {
        self.constrain(cube)
    }

    /// The generalized cofactor of Coudert and Madre: agrees with f on `care`, and elsewhere takes the value of
    /// the nearest point of `care`. False if `care` is empty.
    pub fn constrain(&self, care: &Bdd) -> Result<Bdd> {
        let (f, care) = (self.edge, self.operand(care));
        self.manager().run(|r| r.constrain(f, care))
    }

    /// The *restrict* operator of Coudert and Madre: agrees with f on `care`, depends only on variables of f, and
    /// is often smaller. False if `care` is empty.
    pub fn restrict(&self, care: &Bdd) -> Result<Bdd> {
        let (f, care) = (self.edge, self.operand(care));
        self.manager().run(|r| r.restrict(f, care))
    }

    /// The smaller one of f and its *restrict* by the care set.
    pub fn simplify(&self, care: &Bdd) -> Result<Bdd> {
        let simpler = self.restrict(care)?;
        Ok(if simpler.node_count() <= self.node_count() {
            simpler
        } else {
            self.clone()
        })
    }

    /// f with g in place of a variable.
    pub fn compose(&self, var: Var, g: &Bdd) -> Result<Bdd> {
        self.substitute(&Substitution::new(&self.manager(), [(var, g.clone())]))
    }

    /// f with functions in place of variables, all at once.
    pub fn substitute(&self, substitution: &Substitution) -> Result<Bdd> {
        let f = self.edge;
        let map: Vec<(Var, Edge)> = substitution
            .map
            .iter()
            .map(|(var, function)| (*var, self.operand(function)))
            .collect();
        self.manager().run(|r| {
            let levels = map.iter().map(|(var, _)| r.kernel.level_of[var.index()] as usize);
            let depth = levels.max().map_or(0, |last| last + 1);
            let mut replacement = vec![None; depth];
            for &(var, edge) in &map {
                replacement[r.kernel.level_of[var.index()] as usize] = Some(edge);
            }
            r.substitute(
                f,
                &ByLevel {
                    identity: substitution.identity,
                    replacement,
                },
            )
        })
    }
}

impl std::ops::Not for &Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        Bdd::not(self)
    }
}

/// Functions to put in place of variables. Make one and use it often: results are remembered by substitution.
#[derive(Clone, Debug)]
pub struct Substitution {
    identity: u32,
    map: Vec<(Var, Bdd)>,
}

impl Substitution {
    /// The substitution of each listed function for its variable; for a variable listed twice, the last counts.
    pub fn new(manager: &Manager, map: impl IntoIterator<Item = (Var, Bdd)>) -> Substitution {
        Substitution {
            identity: manager.next_identity(),
            map: map.into_iter().collect(),
        }
    }

    /// The renaming of each first variable to its second. Where the order of the pairs is the order of the
    /// variables (pairs side by side), applying it costs one visit a node.
    pub fn renaming(manager: &Manager, pairs: impl IntoIterator<Item = (Var, Var)>) -> Result<Substitution> {
        let map: Result<Vec<(Var, Bdd)>> = pairs
            .into_iter()
            .map(|(from, to)| Ok((from, manager.var(to)?)))
            .collect();
        Ok(Substitution::new(manager, map?))
    }

    /// The renaming that exchanges the variables of each pair.
    pub fn exchange(manager: &Manager, pairs: impl IntoIterator<Item = (Var, Var)>) -> Result<Substitution> {
        Substitution::renaming(manager, pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]))
    }
}
