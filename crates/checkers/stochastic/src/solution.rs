//! Linear equations with polynomials as coefficients: the steps that solve them at a point, and bounds of the solution as a fraction of polynomials.
//!
//! Unknowns with few neighbours are eliminated first; the steps are found once and made again at every point. Bounds come from Cramer's rule, level by level of the strongly
//! connected parts of the equations.

use crate::modulo::Modulus;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use entail_budget::{Budget, Spent};
use entail_markov::Rational;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A polynomial with rational coefficients.
pub type Terms = Vec<(Vec<u32>, Rational)>;

/// An equation: `whole · x = earned + Σ weight · x(target)`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equation {
    pub whole: Terms,
    pub earned: Terms,
    pub targets: BTreeMap<usize, Terms>,
}

/// Bounds of a polynomial: the degree in each parameter, and the binary logarithm of the sum of the sizes of its coefficients.
#[derive(Clone, Debug)]
pub(crate) struct Size {
    pub degrees: Vec<f64>,
    pub bits: f64,
}

impl Size {
    pub fn new(parameters: usize) -> Size {
        Size {
            degrees: vec![0.0; parameters],
            bits: 0.0,
        }
    }

    pub fn times(&self, other: &Size) -> Size {
        Size {
            degrees: (self.degrees.iter().zip(&other.degrees)).map(|(a, b)| a + b).collect(),
            bits: self.bits + other.bits,
        }
    }

    pub fn larger(&self, other: &Size) -> Size {
        Size {
            degrees: (self.degrees.iter().zip(&other.degrees)).map(|(a, b)| a.max(*b)).collect(),
            bits: self.bits.max(other.bits),
        }
    }

    pub fn power(&self, exponent: f64) -> Size {
        Size {
            degrees: self.degrees.iter().map(|degree| degree * exponent).collect(),
            bits: self.bits * exponent,
        }
    }
}

/// A polynomial with whole coefficients over one number.
pub(crate) struct Whole {
    pub terms: Vec<(Vec<u32>, IBig)>,
    pub below: UBig,
}

pub(crate) fn whole(terms: &Terms, below: &UBig) -> Whole {
    let scale = Rational::from(below.clone());
    Whole {
        terms: (terms.iter())
            .map(|(exponents, value)| (exponents.clone(), (value * &scale).numerator().clone()))
            .collect(),
        below: below.clone(),
    }
}

/// The least number that makes all coefficients whole.
pub(crate) fn denominator<'t>(all: impl Iterator<Item = &'t Terms>) -> UBig {
    let mut below = Rational::ONE;
    for (_, value) in all.flatten() {
        let scaled = value * &below;
        below *= Rational::from(scaled.denominator().clone());
    }
    below.numerator().clone().into_parts().1
}

pub(crate) fn bits(number: &UBig) -> f64 {
    // Rounded up: a bound.
    number.bit_len() as f64
}

impl Whole {
    /// The size of the number that it is, if it is one and not zero.
    fn number(&self) -> Option<UBig> {
        match &self.terms[..] {
            [(exponents, value)] if exponents.iter().all(|&power| power == 0) => {
                Some(value.clone().into_parts().1)
            }
            _ => None,
        }
    }

    pub fn size(&self, parameters: usize) -> Size {
        let mut sum = UBig::ZERO;
        let mut size = Size::new(parameters);
        for (exponents, value) in &self.terms {
            sum += value.clone().into_parts().1;
            for (most, &own) in size.degrees.iter_mut().zip(exponents) {
                *most = most.max(f64::from(own));
            }
        }
        size.bits = bits(&sum);
        size
    }
}

/// Steps of an elimination; each result has the next number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// One over a difference; the second number may be missing.
    Inverse(usize, Option<usize>),
    Product(usize, usize),
    /// The first, and the product of the others.
    Fused(usize, usize, usize),
}

/// Equations as steps of arithmetic on the values of their polynomials.
pub(crate) struct Plan {
    /// The polynomials, each once: the first numbers are their values.
    pub polynomials: Vec<Whole>,
    pub acts: Vec<Act>,
    /// The number of the unknown.
    value: usize,
    /// Bounds of numerator and denominator of the unknown.
    pub size: Size,
}

/// Collects the steps.
struct Planner {
    polynomials: Vec<Whole>,
    known: HashMap<Vec<(Vec<u32>, IBig)>, usize>,
    rows: Vec<(usize, usize, BTreeMap<usize, usize>)>,
}

impl Planner {
    fn polynomial(&mut self, own: Whole) -> usize {
        if let Some(&known) = self.known.get(&own.terms) {
            return known;
        }
        let number = self.polynomials.len();
        self.known.insert(own.terms.clone(), number);
        self.polynomials.push(own);
        number
    }
}

impl Plan {
    pub fn new(parameters: usize, equations: &[Equation], budget: &Budget) -> Result<Plan, Spent> {
        let mut planner = Planner {
            polynomials: Vec::new(),
            known: HashMap::new(),
            rows: Vec::new(),
        };
        let mut sizes = Vec::with_capacity(equations.len());
        for equation in equations {
            budget.check()?;
            let all = || [&equation.whole, &equation.earned].into_iter().chain(equation.targets.values());
            let below = denominator(all());
            let mut size = Size::new(parameters);
            let mut norm = 0.0f64;
            let mut terms = 0u64;
            for own in all() {
                let own = whole(own, &below).size(parameters);
                norm = norm.max(own.bits);
                terms += 1;
                size = size.larger(&own);
            }
            // The sum of so many numbers of so many bits.
            size.bits = norm + (terms as f64).log2().ceil() + 1.0;
            let own = whole(&equation.whole, &below);
            sizes.push((size, own.number()));
            let whole_slot = planner.polynomial(own);
            let earned = planner.polynomial(whole(&equation.earned, &below));
            let targets = (equation.targets.iter())
                .map(|(&target, weight)| (target, planner.polynomial(whole(weight, &below))))
                .collect();
            planner.rows.push((whole_slot, earned, targets));
        }
        let size = bounded(parameters, equations, &sizes);
        let (acts, value) = elimination(planner.polynomials.len(), planner.rows, budget)?;
        Ok(Plan {
            polynomials: planner.polynomials,
            acts,
            value,
            size,
        })
    }

    /// The unknown at a point; nothing if a pivot vanishes there.
    pub fn value(&self, modulus: &Modulus, values: &mut Vec<u64>) -> Option<u64> {
        for act in &self.acts {
            let next = match *act {
                Act::Inverse(a, None) => modulus.inverse(values[a])?,
                Act::Inverse(a, Some(b)) => modulus.inverse(modulus.minus(values[a], values[b]))?,
                Act::Product(a, b) => modulus.times(values[a], values[b]),
                Act::Fused(a, b, c) => modulus.plus(values[a], modulus.times(values[b], values[c])),
            };
            values.push(next);
        }
        Some(values[self.value])
    }
}

/// Solves rows `whole · x = earned + Σ weight · x`: all unknowns but the first are eliminated, those with few neighbours first.
fn elimination(
    first: usize,
    mut rows: Vec<(usize, usize, BTreeMap<usize, usize>)>,
    budget: &Budget,
) -> Result<(Vec<Act>, usize), Spent> {
    let mut acts: Vec<Act> = Vec::new();
    let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); rows.len()];
    for (row, (_, _, targets)) in rows.iter().enumerate() {
        for &target in targets.keys().filter(|&&target| target != row) {
            users[target].insert(row);
        }
    }
    let fill = |rows: &[(usize, usize, BTreeMap<usize, usize>)], users: &[BTreeSet<usize>], row: usize| {
        rows[row].2.len() * users[row].len()
    };
    let mut costs: Vec<usize> = (0..rows.len()).map(|row| fill(&rows, &users, row)).collect();
    let mut waiting: BTreeSet<(usize, usize)> = (1..rows.len()).map(|row| (costs[row], row)).collect();
    let mut number = |act: Act| {
        acts.push(act);
        first + acts.len() - 1
    };
    while let Some((_, row)) = waiting.pop_last_of_least() {
        budget.check()?;
        let (whole, earned, mut targets) = std::mem::take(&mut rows[row]);
        let back = targets.remove(&row);
        let pivot = number(Act::Inverse(whole, back));
        let mut touched: BTreeSet<usize> = targets.keys().copied().collect();
        for &target in targets.keys() {
            users[target].remove(&row);
        }
        for user in std::mem::take(&mut users[row]) {
            let Some(weight) = rows[user].2.remove(&row) else {
                continue;
            };
            let share = number(Act::Product(weight, pivot));
            rows[user].1 = number(Act::Fused(rows[user].1, share, earned));
            for (&target, &own) in &targets {
                let sum = match rows[user].2.get(&target) {
                    Some(&known) => number(Act::Fused(known, share, own)),
                    None => number(Act::Product(share, own)),
                };
                rows[user].2.insert(target, sum);
                if target != user {
                    users[target].insert(user);
                }
            }
            touched.insert(user);
        }
        for at in touched.into_iter().filter(|&at| at != 0) {
            let now = fill(&rows, &users, at);
            if now != costs[at] && waiting.remove(&(costs[at], at)) {
                waiting.insert((now, at));
            }
            costs[at] = now;
        }
    }
    let (whole, earned, mut targets) = std::mem::take(&mut rows[0]);
    let pivot = number(Act::Inverse(whole, targets.remove(&0)));
    let value = number(Act::Product(earned, pivot));
    Ok((acts, value))
}

/// What comes next out of a set of costs: the least, and of these the last.
trait Cheapest {
    fn pop_last_of_least(&mut self) -> Option<(usize, usize)>;
}

impl Cheapest for BTreeSet<(usize, usize)> {
    fn pop_last_of_least(&mut self) -> Option<(usize, usize)> {
        let least = self.first()?.0;
        let found = *self.range(..(least + 1, 0)).next_back()?;
        self.remove(&found);
        Some(found)
    }
}

/// Bounds of numerator and denominator of all unknowns: level by level of the strongly connected parts, those that depend on nothing first. A part with a cycle has its determinant
/// as a denominator, which its rows bound; all parts of a level are put over one. A part without, and with a number as coefficient, has none but that of its numbers.
fn bounded(parameters: usize, equations: &[Equation], sizes: &[(Size, Option<UBig>)]) -> Size {
    let (part, parts) = parts(equations);
    let mut level = vec![0usize; parts];
    let mut cyclic = vec![false; parts];
    let mut members = vec![0usize; parts];
    // Parts are numbered so that what a part depends on comes before.
    let mut by_part: Vec<Vec<usize>> = vec![Vec::new(); parts];
    for (at, &own) in part.iter().enumerate() {
        by_part[own].push(at);
        members[own] += 1;
    }
    for own in 0..parts {
        cyclic[own] = members[own] > 1;
        for &at in &by_part[own] {
            cyclic[own] |= sizes[at].1.is_none() || equations[at].targets.contains_key(&at);
            for &target in equations[at].targets.keys() {
                if part[target] != own {
                    level[own] = level[own].max(level[part[target]] + 1);
                }
            }
        }
    }
    let levels = level.iter().max().map_or(0, |most| most + 1);
    let mut determinants = vec![Size::new(parameters); levels];
    let mut others = vec![Size::new(parameters); levels];
    let mut numbers: Vec<BTreeSet<&UBig>> = vec![BTreeSet::new(); levels];
    for (at, (size, number)) in sizes.iter().enumerate() {
        let own = level[part[at]];
        if cyclic[part[at]] {
            determinants[own] = determinants[own].times(size);
        } else {
            others[own] = others[own].larger(size);
            // All of the level are put over the product of the different ones.
            numbers[own].extend(number.as_ref().filter(|number| !number.is_one()));
        }
    }
    let mut total = Size::new(parameters);
    for own in 0..levels {
        let mut of_level = determinants[own].times(&others[own]);
        of_level.bits += numbers[own].iter().map(|number| bits(number)).sum::<f64>();
        total = total.times(&of_level);
    }
    total
}

/// The strongly connected part of each equation; what a part depends on has smaller numbers (Tarjan 1972).
fn parts(equations: &[Equation]) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let count = equations.len();
    let targets: Vec<Vec<usize>> =
        (equations.iter()).map(|equation| equation.targets.keys().copied().collect()).collect();
    let (mut index, mut low, mut part) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next, mut parts) = (0, 0);
    let mut path: Vec<usize> = Vec::new();
    for root in 0..count {
        let mut calls = vec![(root, 0)];
        while let Some((at, position)) = calls.pop() {
            if position == 0 {
                if index[at] != NONE {
                    continue;
                }
                (index[at], low[at]) = (next, next);
                next += 1;
                path.push(at);
            } else {
                let child = targets[at][position - 1];
                if part[child] == NONE {
                    low[at] = low[at].min(low[child]);
                }
            }
            match targets[at].get(position) {
                Some(&child) => {
                    calls.push((at, position + 1));
                    if index[child] == NONE {
                        calls.push((child, 0));
                    }
                }
                None if low[at] == index[at] => {
                    while let Some(member) = path.pop() {
                        part[member] = parts;
                        if member == at {
                            break;
                        }
                    }
                    parts += 1;
                }
                None => {}
            }
        }
    }
    (part, parts)
}

