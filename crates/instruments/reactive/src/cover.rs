//! Gates for a function that lies between two others.
//!
//! Three ways are tried, and the one that adds fewest gates is kept: the decision diagram of a function in between, chosen small by restriction (Coudert, Madre), as multiplexers; an irredundant
//! sum of products (Minato, *Fast generation of irredundant sum-of-products forms from binary decision diagrams*, 1992), factored by its most frequent literals; and the same for the
//! complement.

use entail_dd::{Bdd, Error, FunctionId, Manager, Var};
use entail_sat::{Aig, Signal};
use rustc_hash::FxHashMap;

/// Sums of more products are given up.
const MOST_CUBES: usize = 400;
/// Diagrams with more nodes are not written as sums of products.
const MOST_NODES: usize = 4_000;

/// A product of literals.
pub(crate) type Cube = Vec<(Var, bool)>;

/// Gates for functions of a manager's variables.
pub struct Covering<'m> {
    /// The functions' manager.
    pub manager: &'m Manager,
    /// The signal of each variable.
    pub signals: FxHashMap<Var, Signal>,
}

/// A function that was chosen, and its signal.
pub type Realized = (Signal, Bdd);

/// The functions between two others that do not depend on variables they need not depend on; these are tried in order.
pub fn narrowed(
    manager: &Manager,
    mut lower: Bdd,
    mut upper: Bdd,
    variables: impl IntoIterator<Item = Var>,
) -> Result<(Bdd, Bdd), Error> {
    for variable in variables {
        let one = manager.var_set([variable])?;
        let (more, less) = (lower.exists(&one)?, upper.forall(&one)?);
        if more.is_subset_of(&less)? {
            (lower, upper) = (more, less);
        }
    }
    Ok((lower, upper))
}

impl Covering<'_> {
    /// A signal for a function between two others.
    pub fn between(&self, aig: &mut Aig, lower: &Bdd, upper: &Bdd) -> Result<Realized, Error> {
        if lower.is_false() {
            return Ok((Signal::FALSE, self.manager.zero()));
        }
        if upper.is_true() {
            return Ok((Signal::TRUE, self.manager.one()));
        }
        let care = lower.or(&upper.not())?;
        let diagram = lower.restrict(&care)?;
        let mut best = aig.clone();
        let signal = self.multiplexers(&mut best, &diagram, &mut FxHashMap::default());
        let mut found = (signal, diagram);
        if lower.node_count() + upper.node_count() > MOST_NODES {
            *aig = best;
            return Ok(found);
        }
        for complemented in [false, true] {
            let (low, up) = match complemented {
                false => (lower.clone(), upper.clone()),
                true => (upper.not(), lower.not()),
            };
            let mut room = MOST_CUBES;
            let Some((cubes, function)) = self.sum(&low, &up, &mut room)? else {
                continue;
            };
            let mut attempt = aig.clone();
            let signal = self.factored(&mut attempt, cubes);
            if attempt.len() < best.len() {
                best = attempt;
                found = match complemented {
                    false => (signal, function),
                    true => (!signal, function.not()),
                };
            }
        }
        *aig = best;
        Ok(found)
    }

    /// A diagram as multiplexers. A function and its complement are one.
    fn multiplexers(
        &self,
        aig: &mut Aig,
        function: &Bdd,
        known: &mut FxHashMap<FunctionId, Signal>,
    ) -> Signal {
        if let Some(&signal) = known.get(&function.id()) {
            return signal;
        }
        if let Some(&signal) = known.get(&function.not().id()) {
            return !signal;
        }
        let signal = match function.top() {
            None => Signal::constant(function.is_true()),
            Some((variable, low, high)) => {
                let low = self.multiplexers(aig, &low, known);
                let high = self.multiplexers(aig, &high, known);
                aig.mux(self.signals[&variable], high, low)
            }
        };
        known.insert(function.id(), signal);
        signal
    }

    /// An irredundant sum of products between two functions, and its function; nothing if it has too many.
    pub fn sum(&self, lower: &Bdd, upper: &Bdd, room: &mut usize) -> Result<Option<(Vec<Cube>, Bdd)>, Error> {
        if lower.is_false() {
            return Ok(Some((Vec::new(), self.manager.zero())));
        }
        if upper.is_true() {
            *room = room.saturating_sub(1);
            return Ok((*room > 0).then(|| (vec![Vec::new()], self.manager.one())));
        }
        let tops = [lower, upper].into_iter().filter_map(Bdd::top);
        let Some(variable) = tops
            .map(|(variable, ..)| variable)
            .min_by_key(|&variable| self.manager.level(variable))
        else {
            return Ok(None);
        };
        let [l0, l1] = [lower.cofactor(variable, false)?, lower.cofactor(variable, true)?];
        let [u0, u1] = [upper.cofactor(variable, false)?, upper.cofactor(variable, true)?];
        let Some((without, f0)) = self.sum(&l0.minus(&u1)?, &u0, room)? else {
            return Ok(None);
        };
        let Some((with, f1)) = self.sum(&l1.minus(&u0)?, &u1, room)? else {
            return Ok(None);
        };
        let rest = l0.minus(&f0)?.or(&l1.minus(&f1)?)?;
        let Some((either, both)) = self.sum(&rest, &u0.and(&u1)?, room)? else {
            return Ok(None);
        };
        let mut cubes = either;
        let extended = |cube: Cube, value: bool| {
            let mut cube = cube;
            cube.push((variable, value));
            cube
        };
        cubes.extend(without.into_iter().map(|cube| extended(cube, false)));
        cubes.extend(with.into_iter().map(|cube| extended(cube, true)));
        let function = self.manager.var(variable)?.ite(&f1, &f0)?.or(&both)?;
        Ok(Some((cubes, function)))
    }

    /// A sum of products, factored by its most frequent literal.
    fn factored(&self, aig: &mut Aig, cubes: Vec<Cube>) -> Signal {
        let literal = |&(variable, value): &(Var, bool)| self.signals[&variable].flipped_if(!value);
        if cubes.iter().any(Vec::is_empty) {
            return Signal::TRUE;
        }
        let mut count: FxHashMap<(Var, bool), usize> = FxHashMap::default();
        for cube in &cubes {
            for &one in cube {
                *count.entry(one).or_default() += 1;
            }
        }
        // Ties are broken by position, so that the result does not depend on the hash table.
        let most = count
            .iter()
            .max_by_key(|(one, count)| (**count, self.manager.level(one.0), one.1));
        let Some((&most, &times)) = most else {
            return Signal::FALSE;
        };
        if times == 1 {
            let products: Vec<Signal> = cubes
                .iter()
                .map(|cube| aig.and_all(cube.iter().map(literal)))
                .collect();
            return aig.or_all(products);
        }
        let (with, without): (Vec<Cube>, Vec<Cube>) =
            cubes.into_iter().partition(|cube| cube.contains(&most));
        let quotient = with
            .into_iter()
            .map(|cube| cube.into_iter().filter(|one| *one != most).collect());
        let inner = self.factored(aig, quotient.collect());
        let product = aig.and(literal(&most), inner);
        let rest = self.factored(aig, without);
        aig.or(product, rest)
    }
}
