//! Variables with a finite domain, encoded in binary (chapter 7, section 9).
//!
//! A domain variable of K values has ⌈log₂ K⌉ bits, most significant first. If K is no power of two, some codes
//! stand for no value: [`FiniteVar::valid`] says which are meant, and whoever quantifies or negates must conjoin
//! it. Comparisons look at codes only.

use crate::bdd::Bdd;
use crate::edge::Var;
use crate::error::Result;
use crate::manager::Manager;

/// A variable that takes the values 0 … size − 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteVar {
    size: usize,
    bits: Vec<Var>,
}

impl FiniteVar {
    /// How many bits a domain of `size` values needs; none if there is only one value.
    pub fn bits_for(size: usize) -> usize {
        (usize::BITS - size.saturating_sub(1).leading_zeros()) as usize
    }

    /// A variable with fresh bits, last in the order.
    pub fn new(manager: &Manager, size: usize) -> Result<FiniteVar> {
        Ok(FiniteVar {
            size,
            bits: manager.new_vars(FiniteVar::bits_for(size))?,
        })
    }

    /// A variable on given bits, most significant first. Panics if they are too few.
    pub fn with_bits(size: usize, bits: Vec<Var>) -> FiniteVar {
        assert!(
            bits.len() >= FiniteVar::bits_for(size),
            "{size} values need more than {} bits",
            bits.len()
        );
        FiniteVar { size, bits }
    }

    /// How many values there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bits, most significant first.
    pub fn bits(&self) -> &[Var] {
        &self.bits
    }

    /// The codes that stand for values.
    pub fn valid(&self, manager: &Manager) -> Result<Bdd> {
        self.below(manager, self.size)
    }

    /// The literals of a value's code.
    pub fn code(&self, value: usize) -> impl Iterator<Item = (Var, bool)> + '_ {
        let width = self.bits.len();
        self.bits
            .iter()
            .enumerate()
            .map(move |(i, &bit)| (bit, value >> (width - 1 - i) & 1 == 1))
    }

    /// x = value.
    pub fn equals(&self, manager: &Manager, value: usize) -> Result<Bdd> {
        if value >= self.size {
            Ok(manager.zero())
        } else {
            manager.cube(self.code(value))
        }
    }

    /// x ∈ values.
    pub fn one_of(&self, manager: &Manager, values: impl IntoIterator<Item = usize>) -> Result<Bdd> {
        let mut set = manager.zero();
        for value in values {
            set = set.or(&self.equals(manager, value)?)?;
        }
        Ok(set)
    }

    /// x < bound, on codes. One node a bit.
    pub fn below(&self, manager: &Manager, bound: usize) -> Result<Bdd> {
        if self.bits.len() < usize::BITS as usize && bound >> self.bits.len() != 0 {
            return Ok(manager.one());
        }
        let mut less = manager.zero();
        for (i, &bit) in self.bits.iter().rev().enumerate() {
            let bit = manager.var(bit)?;
            less = if bound >> i & 1 == 1 {
                bit.not().or(&less)?
            } else {
                bit.not().and(&less)?
            };
        }
        Ok(less)
    }

    /// x = y, also between domains of different sizes.
    pub fn equals_var(&self, manager: &Manager, other: &FiniteVar) -> Result<Bdd> {
        let mut equal = manager.one();
        for (a, b) in self.aligned(manager, other)? {
            equal = a.iff(&b)?.and(&equal)?;
        }
        Ok(equal)
    }

    /// x < y, also between domains of different sizes.
    pub fn less_than(&self, manager: &Manager, other: &FiniteVar) -> Result<Bdd> {
        let mut less = manager.zero();
        for (a, b) in self.aligned(manager, other)? {
            less = a.xor(&b)?.ite(&b, &less)?;
        }
        Ok(less)
    }

    /// The bits of both from the least significant, the shorter filled up with zeros.
    fn aligned(&self, manager: &Manager, other: &FiniteVar) -> Result<Vec<(Bdd, Bdd)>> {
        let width = self.bits.len().max(other.bits.len());
        let bit = |var: &FiniteVar, i: usize| match var.bits.len().checked_sub(i + 1) {
            Some(at) => manager.var(var.bits[at]),
            None => Ok(manager.zero()),
        };
        (0..width).map(|i| Ok((bit(self, i)?, bit(other, i)?))).collect()
    }

    /// The value that the bits encode; `None` for an invalid code.
    pub fn decode(&self, bit: impl Fn(Var) -> bool) -> Option<usize> {
        let code = self
            .bits
            .iter()
            .fold(0, |code, &var| code << 1 | usize::from(bit(var)));
        (code < self.size).then_some(code)
    }

    /// The values that the variable takes in models of a function, in increasing order.
    pub fn values_in(&self, manager: &Manager, f: &Bdd) -> Result<Vec<usize>> {
        let others = f.support().into_iter().filter(|var| !self.bits.contains(var));
        let mut rest = f.exists(&manager.var_set(others)?)?.and(&self.valid(manager)?)?;
        let mut values = Vec::new();
        while let Some(model) = rest.smallest_model(&self.bits)? {
            let value = model.iter().fold(0, |code, &bit| code << 1 | usize::from(bit));
            values.push(value);
            rest = rest.minus(&self.equals(manager, value)?)?;
        }
        Ok(values)
    }
}
