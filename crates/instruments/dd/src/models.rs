//! Models of a function: one, the smallest, the cheapest, all of them one by one (`SATISFY`, `SATISFY-ALL`).
//!
//! On a diagram every path to true is a set of models, so one is found without backtracking. Enumeration is lazy:
//! it holds only the branches not yet taken, as handles, so it stays right if the order changes between two
//! items. Paths are disjoint; each model is seen once.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::error::Result;
use crate::structure::bottom_up;
use rustc_hash::FxHashMap;

/// A conjunction of literals.
pub type Cube = Vec<(Var, bool)>;

impl Bdd {
    /// The literals of one path to true, by level; `None` if unsatisfiable.
    pub fn pick_cube(&self) -> Option<Cube> {
        self.pick_cube_by(|_| false)
    }

    /// Like [`Bdd::pick_cube`], taking the preferred value of each variable on the path where there is a choice.
    pub fn pick_cube_by(&self, mut prefer: impl FnMut(Var) -> bool) -> Option<Cube> {
        if self.is_false() {
            return None;
        }
        let manager = self.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut cube = Vec::new();
        let mut edge = self.edge();
        while !edge.is_constant() {
            let var = Var(kernel.var_at[kernel.level(edge) as usize]);
            let (lo, hi) = kernel.cofactors(edge);
            let value = if lo == Edge::FALSE {
                true
            } else if hi == Edge::FALSE {
                false
            } else {
                prefer(var)
            };
            cube.push((var, value));
            edge = if value { hi } else { lo };
        }
        Some(cube)
    }

    /// The values of `vars` in one model, false where the model leaves it open.
    pub fn pick_model(&self, vars: &[Var]) -> Option<Vec<bool>> {
        let values: FxHashMap<Var, bool> = self.pick_cube()?.into_iter().collect();
        Some(
            vars.iter()
                .map(|var| values.get(var).copied().unwrap_or(false))
                .collect(),
        )
    }

    /// The lexicographically smallest model over `vars` (the first variable counts most, false before true),
    /// whatever the order of levels. `vars` must contain the support. One walk if `vars` is sorted by level;
    /// otherwise a cofactor for each variable.
    pub fn smallest_model(&self, vars: &[Var]) -> Result<Option<Vec<bool>>> {
        if self.is_false() {
            return Ok(None);
        }
        let manager = self.manager();
        let sorted = {
            let state = manager.state();
            vars.windows(2)
                .all(|w| state.kernel.level_of[w[0].index()] < state.kernel.level_of[w[1].index()])
        };
        if sorted {
            // Down the levels, the smallest model takes lo wherever lo is satisfiable.
            return Ok(self.pick_model(vars));
        }
        let mut rest = self.clone();
        let mut model = Vec::with_capacity(vars.len());
        for &var in vars {
            let lo = rest.cofactor(var, false)?;
            model.push(lo.is_false());
            rest = if lo.is_false() {
                rest.cofactor(var, true)?
            } else {
                lo
            };
        }
        Ok(Some(model))
    }

    /// A model of least cost, where each true variable of `vars` costs its weight (which may be negative);
    /// variables outside `vars` are free. One visit a node. `None` if unsatisfiable.
    pub fn cheapest_model(&self, vars: &[Var], weight: impl Fn(Var) -> i64) -> Option<(i64, Cube)> {
        if self.is_false() {
            return None;
        }
        let manager = self.manager();
        let state = manager.state();
        let kernel = &state.kernel;
        let mut weights = vec![0; kernel.var_at.len()];
        for &var in vars {
            weights[kernel.level_of[var.index()] as usize] = weight(var);
        }
        // Costs are counted relative to the model that takes exactly the variables of negative weight; a variable
        // off the path then costs nothing.
        let base: i64 = weights.iter().map(|&w| w.min(0)).sum();
        let mut least: FxHashMap<Edge, Option<i64>> = FxHashMap::default();
        least.insert(Edge::TRUE, Some(0));
        least.insert(Edge::FALSE, None);
        for node in bottom_up(kernel, [self.edge()]) {
            let w = weights[kernel.label(node) as usize];
            for edge in [Edge::to_node(node), !Edge::to_node(node)] {
                let (lo, hi) = kernel.cofactors(edge);
                let by_lo = least[&lo].map(|cost| cost + (-w).max(0));
                let by_hi = least[&hi].map(|cost| cost + w.max(0));
                least.insert(edge, by_lo.into_iter().chain(by_hi).min());
            }
        }
        let total = base + least[&self.edge()]?;
        let mut values: Vec<bool> = weights.iter().map(|&w| w < 0).collect();
        let mut mentioned: Vec<bool> = vec![false; weights.len()];
        vars.iter()
            .for_each(|var| mentioned[kernel.level_of[var.index()] as usize] = true);
        let mut edge = self.edge();
        while !edge.is_constant() {
            let level = kernel.level(edge) as usize;
            let (lo, hi) = kernel.cofactors(edge);
            let by_lo = least[&lo].map(|cost| cost + (-weights[level]).max(0));
            values[level] = by_lo.is_none() || by_lo != least[&edge];
            mentioned[level] = true;
            edge = if values[level] { hi } else { lo };
        }
        let cube = (0..values.len())
            .filter(|&level| mentioned[level])
            .map(|level| (Var(kernel.var_at[level]), values[level]))
            .collect();
        Some((total, cube))
    }

    /// Disjoint cubes that together are the function, one at a time.
    pub fn cubes(&self) -> Cubes {
        Cubes {
            pending: vec![(Vec::new(), self.clone())],
        }
    }

    /// All models over `vars`, one at a time, in no particular order. `vars` must contain the support; project
    /// the other variables away first ([`Bdd::exists`]).
    pub fn models(&self, vars: &[Var]) -> Models {
        Models {
            cubes: self.cubes(),
            vars: vars.to_vec(),
            free: Vec::new(),
            model: None,
        }
    }
}

/// The cubes of a function, see [`Bdd::cubes`].
pub struct Cubes {
    /// What is still to be enumerated: literals chosen, and the function that remains.
    pending: Vec<(Cube, Bdd)>,
}

impl Iterator for Cubes {
    type Item = Cube;

    fn next(&mut self) -> Option<Cube> {
        while let Some((mut cube, rest)) = self.pending.pop() {
            let Some((var, lo, hi)) = rest.top() else {
                if rest.is_true() {
                    return Some(cube);
                }
                continue;
            };
            if !hi.is_false() {
                let mut with = cube.clone();
                with.push((var, true));
                self.pending.push((with, hi));
            }
            if !lo.is_false() {
                cube.push((var, false));
                self.pending.push((cube, lo));
            }
        }
        None
    }
}

/// The models of a function, see [`Bdd::models`].
pub struct Models {
    cubes: Cubes,
    vars: Vec<Var>,
    /// Positions of `vars` that the present cube leaves open.
    free: Vec<usize>,
    /// The last model of the present cube.
    model: Option<Vec<bool>>,
}

impl Iterator for Models {
    type Item = Vec<bool>;

    fn next(&mut self) -> Option<Vec<bool>> {
        // Count upwards on the free positions; a carry out of the last ends the cube.
        if let Some(model) = &mut self.model {
            for &position in self.free.iter().rev() {
                model[position] = !model[position];
                if model[position] {
                    return Some(model.clone());
                }
            }
        }
        let values: FxHashMap<Var, bool> = self.cubes.next()?.into_iter().collect();
        self.free = (0..self.vars.len())
            .filter(|&i| !values.contains_key(&self.vars[i]))
            .collect();
        let model = self
            .vars
            .iter()
            .map(|var| values.get(var).copied().unwrap_or(false))
            .collect();
        self.model = Some(model);
        self.model.clone()
    }
}
