//! The unknown variables of every term, as interned sorted sets.
//!
//! Computed once, operands first. Sets are shared: most terms have none or few unknowns, and a disjunction of many
//! thousand disjuncts reaches its final set after a few of them, so unions are looked up rather than computed.

use super::{Unknown, Unknowns};
use entail_model::{TermId, Terms};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// An interned set of unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetId(u32);

/// The supports of the terms of one cone.
#[derive(Debug)]
pub(super) struct Supports {
    cone: Vec<TermId>,
    set_of: Vec<SetId>,
    sets: Vec<Box<[Unknown]>>,
}

struct Interner {
    sets: Vec<Box<[Unknown]>>,
    ids: HashMap<Box<[Unknown]>, SetId, FxBuildHasher>,
    unions: HashMap<(SetId, SetId), SetId, FxBuildHasher>,
}

impl Interner {
    fn intern(&mut self, set: Vec<Unknown>) -> SetId {
        if let Some(&id) = self.ids.get(&set[..]) {
            return id;
        }
        let id = SetId(self.sets.len() as u32);
        let set: Box<[Unknown]> = set.into();
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    fn union(&mut self, a: SetId, b: SetId) -> SetId {
        let key = if a.0 <= b.0 { (a, b) } else { (b, a) };
        if key.0 == key.1 {
            return a;
        }
        if let Some(&id) = self.unions.get(&key) {
            return id;
        }
        let mut merged: Vec<Unknown> = [&self.sets[a.0 as usize][..], &self.sets[b.0 as usize][..]].concat();
        merged.sort_unstable();
        merged.dedup();
        let id = self.intern(merged);
        self.unions.insert(key, id);
        id
    }
}

impl Supports {
    pub fn new(terms: &Terms, roots: &[TermId], unknowns: &Unknowns) -> Supports {
        let cone = terms.cone(roots);
        let mut interner = Interner {
            sets: Vec::new(),
            ids: HashMap::default(),
            unions: HashMap::default(),
        };
        let empty = interner.intern(Vec::new());
        let mut set_of: Vec<SetId> = Vec::with_capacity(cone.len());
        for &term in &cone {
            let mut set = match unknowns.of_term(terms, term) {
                Some(unknown) => interner.intern(vec![unknown]),
                None => empty,
            };
            for operand in terms.operands(term) {
                let at = cone.binary_search(operand).expect("a cone contains operands");
                set = interner.union(set, set_of[at]);
            }
            set_of.push(set);
        }
        Supports {
            cone,
            set_of,
            sets: interner.sets,
        }
    }

    /// The unknowns of a term, sorted.
    pub fn of(&self, term: TermId) -> &[Unknown] {
        let at = self
            .cone
            .binary_search(&term)
            .expect("the planner was told all roots");
        &self.sets[self.set_of[at].0 as usize]
    }
}
