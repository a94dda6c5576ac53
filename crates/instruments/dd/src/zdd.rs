//! Families of sets as zero-suppressed decision diagrams (chapter 7, section 8), on OxiDD.
//!
//! A node without whose variable no set of the family continues is left out, so that sparse families over many
//! variables stay small: a family of k sets with m elements each needs at most k·m nodes, whatever the number of
//! variables. Handles compare in constant time. There is no reordering; choose the order when adding variables.
//!
//! Operations return [`Error::OutOfMemory`] when the node capacity is reached; they cannot be interrupted.

#![allow(clippy::mutable_key_type)] // Handles hash and compare by identity; what is mutable in them is counts.

use crate::bdd::Bdd;
use crate::edge::Var;
use crate::error::{Error, Result};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use oxidd::error::OutOfMemory;
use oxidd::zbdd::{ZBDDFunction, ZBDDManagerRef};
use oxidd::{BooleanFunction, BooleanVecSet, Function, HasLevel, Manager as _, ManagerRef};
use rustc_hash::FxHashMap;

/// Bytes OxiDD spends on a node with its share of the tables.
const BYTES_PER_NODE: u64 = 40;

/// Owner of families over one set of elements.
#[derive(Clone)]
pub struct ZddManager {
    inner: ZBDDManagerRef,
    capacity: usize,
}

/// A family of sets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SetFamily {
    inner: ZBDDFunction,
    capacity: usize,
}

impl ZddManager {
    /// A manager for as many nodes as fit into the memory.
    pub fn new(memory: u64, threads: usize) -> ZddManager {
        let capacity = (memory / BYTES_PER_NODE).clamp(1 << 10, 1 << 31) as usize;
        let inner = oxidd::zbdd::new_manager(capacity, capacity / 4, threads.max(1) as u32);
        ZddManager { inner, capacity }
    }

    /// New elements, last in the order.
    pub fn new_vars(&self, count: usize) -> Vec<Var> {
        let range = self
            .inner
            .with_manager_exclusive(|manager| manager.add_vars(count as u32));
        range.map(Var).collect()
    }

    fn hold(&self, inner: ZBDDFunction) -> SetFamily {
        SetFamily {
            inner,
            capacity: self.capacity,
        }
    }

    /// The family without sets.
    pub fn empty(&self) -> SetFamily {
        self.hold(
            self.inner
                .with_manager_shared(|manager| ZBDDFunction::empty(manager)),
        )
    }

    /// The family with the empty set only.
    pub fn unit(&self) -> SetFamily {
        self.hold(
            self.inner
                .with_manager_shared(|manager| ZBDDFunction::base(manager)),
        )
    }

    /// The family with one set only. Elements listed twice count once.
    pub fn set(&self, elements: impl IntoIterator<Item = Var>) -> Result<SetFamily> {
        let mut elements: Vec<Var> = elements.into_iter().collect();
        elements.sort_unstable();
        elements.dedup();
        elements
            .into_iter()
            .try_fold(self.unit(), |family, element| family.change(element))
    }

    /// The family of these sets.
    pub fn family<S: IntoIterator<Item = Var>>(
        &self,
        sets: impl IntoIterator<Item = S>,
    ) -> Result<SetFamily> {
        sets.into_iter()
            .try_fold(self.empty(), |family, set| family.union(&self.set(set)?))
    }

    /// The models of a Boolean function as a family: each the set of its true variables, over all elements of this
    /// manager. Variable i of the function becomes element i.
    pub fn models_of(&self, f: &Bdd) -> Result<SetFamily> {
        let vars = self.inner.with_manager_shared(|manager| manager.num_vars());
        let mut known = FxHashMap::default();
        self.models_below(f, 0, &(0..vars).map(Var).collect::<Vec<_>>(), &mut known)
    }

    /// The models of `f` over `vars[depth..]`. Works in the order of the elements, whatever the function's order.
    fn models_below(
        &self,
        f: &Bdd,
        depth: usize,
        vars: &[Var],
        known: &mut FxHashMap<(Bdd, usize), SetFamily>,
    ) -> Result<SetFamily> {
        if f.is_false() {
            return Ok(self.empty());
        }
        if depth == vars.len() {
            assert!(f.is_true(), "the function has a variable that is no element here");
            return Ok(self.unit());
        }
        if let Some(family) = known.get(&(f.clone(), depth)) {
            return Ok(family.clone());
        }
        let without = self.models_below(&f.cofactor(vars[depth], false)?, depth + 1, vars, known)?;
        let with = self.models_below(&f.cofactor(vars[depth], true)?, depth + 1, vars, known)?;
        let family = without.union(&with.change(vars[depth])?)?;
        known.insert((f.clone(), depth), family.clone());
        Ok(family)
    }
}

impl SetFamily {
    fn lift(&self, outcome: std::result::Result<ZBDDFunction, OutOfMemory>) -> Result<SetFamily> {
        let inner = outcome.map_err(|_| Error::OutOfMemory {
            capacity: self.capacity,
        })?;
        Ok(SetFamily {
            inner,
            capacity: self.capacity,
        })
    }

    /// The sets of either.
    pub fn union(&self, other: &SetFamily) -> Result<SetFamily> {
        self.lift(self.inner.union(&other.inner))
    }

    /// The sets of both.
    pub fn intersection(&self, other: &SetFamily) -> Result<SetFamily> {
        self.lift(self.inner.intsec(&other.inner))
    }

    /// The sets of this family that are not in the other.
    pub fn difference(&self, other: &SetFamily) -> Result<SetFamily> {
        self.lift(self.inner.diff(&other.inner))
    }

    /// The sets that contain the element, with it taken out.
    pub fn subsets_with(&self, element: Var) -> Result<SetFamily> {
        self.lift(self.inner.subset1(element.0))
    }

    /// The sets that do not contain the element.
    pub fn subsets_without(&self, element: Var) -> Result<SetFamily> {
        self.lift(self.inner.subset0(element.0))
    }

    /// Every set with the element put in if it was out, and taken out if it was in.
    pub fn change(&self, element: Var) -> Result<SetFamily> {
        self.lift(self.inner.change(element.0))
    }

    /// Whether there is no set in the family.
    pub fn is_empty(&self) -> bool {
        !self.inner.satisfiable()
    }

    /// Inner nodes of the diagram.
    pub fn node_count(&self) -> usize {
        let mut nodes = 0;
        self.visit(|_| nodes += 1);
        nodes
    }

    fn visit(&self, mut see: impl FnMut(&ZBDDFunction)) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![self.inner.clone()];
        while let Some(f) = stack.pop() {
            if let Some((with, without)) = f.cofactors()
                && seen.insert(f.clone())
            {
                see(&f);
                stack.push(with);
                stack.push(without);
            }
        }
    }

    /// How many sets the family has.
    pub fn count(&self) -> BigUint {
        fn count(f: &ZBDDFunction, known: &mut FxHashMap<ZBDDFunction, BigUint>) -> BigUint {
            let Some((with, without)) = f.cofactors() else {
                return if f.satisfiable() {
                    BigUint::one()
                } else {
                    BigUint::zero()
                };
            };
            if let Some(number) = known.get(f) {
                return number.clone();
            }
            let number = count(&with, known) + count(&without, known);
            known.insert(f.clone(), number.clone());
            number
        }
        count(&self.inner, &mut FxHashMap::default())
    }

    /// The sets, one at a time, each by the order of elements.
    pub fn sets(&self) -> Sets {
        Sets {
            pending: vec![(Vec::new(), self.inner.clone())],
        }
    }
}

/// The sets of a family, see [`SetFamily::sets`].
pub struct Sets {
    pending: Vec<(Vec<Var>, ZBDDFunction)>,
}

impl Iterator for Sets {
    type Item = Vec<Var>;

    fn next(&mut self) -> Option<Vec<Var>> {
        while let Some((set, f)) = self.pending.pop() {
            let Some((with, without)) = f.cofactors() else {
                if f.satisfiable() {
                    return Some(set);
                }
                continue;
            };
            let element = f.with_manager_shared(|manager, edge| {
                manager.level_to_var(manager.get_node(edge).unwrap_inner().level())
            });
            let mut larger = set.clone();
            larger.push(Var(element));
            self.pending.push((larger, with));
            self.pending.push((set, without));
        }
        None
    }
}
