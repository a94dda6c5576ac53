//! Integers: what is done when the simplex gives an integer a value that is not whole.
//!
//! First the test of greatest common divisors on each row: the integers that are not fixed add up to a multiple of their factors' divisor;
//! if what the fixed ones and the bounded reals add up to cannot be one, the bounds contradict each other. (Branching alone would go on for
//! ever where a real between two whole numbers is the difference of unbounded integers.) Then, from time to time, a mixed-integer Gomory cut;
//! otherwise the variable becomes at most its floor, or more (a branch). Atoms of branches need no clauses, so the search goes on where it is.
//!
//! A cut is proved by a split: with `y` the distances of the row's variables from their bounds, the row says `x = v + sum of a y`; the
//! whole number `p = x - sum of d y`, each `d` the floor or the ceiling of `a`, is at most the floor of `v` or more, and in both cases
//! the cut follows linearly. The record gets the two lemmas about the atom `p <= floor v`, and the cut as their resolvent.

use crate::linear::{LinearForm, normalize};
use crate::simplex::{BoundOf, Delta, SimplexVar};
use crate::solver::{FinalCheck, Solver};
use entail_first_order::{Atom, Combination, Op, Rational, Rule, SortId, TermId, Terms};
use entail_sat::Lit;

/// How many branches and cuts are tried in one call before the answer is unknown.
const MOST_BRANCHES: usize = 1_000_000;
/// The same where there are no cuts to help.
const MOST_LOCAL_BRANCHES: usize = 2_000;
/// One in so many attempts is a cut, as long as there are fewer than the most.
const CUT_EVERY: usize = 4;
const MOST_CUTS: usize = 200;
/// Cuts with larger numbers make the tableau slow.
const LARGEST_FACTOR: i64 = 1 << 30;
/// Rows that are longer are not made into cuts.
const LONGEST_ROW: usize = 60;

/// A variable of a row at one of its bounds: the bound's literal, and how the distance from it enters.
struct Distance {
    var: SimplexVar,
    is_lower: bool,
    bound: Rational,
    reason: Lit,
    /// Factor of the distance in the row, less what the split takes away.
    rest: Rational,
    /// What the split takes away, a whole number.
    whole: Rational,
}

impl Solver {
    /// Makes the values of integers whole: a contradiction, a cut or a branch. Nothing if they are whole.
    pub(crate) fn branch(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        let mut found: Option<(Rational, SimplexVar)> = None;
        let mut broken = Vec::new();
        for var in 0..self.simplex.count() {
            if !self.simplex.is_integer[var] || !self.is_leaf[var] {
                continue;
            }
            let value = self.simplex.value(var);
            if value.real.is_integer() && value.infinitesimal.is_zero() {
                continue;
            }
            // Small numbers first: solutions are looked for near zero.
            let size = value.real.abs();
            broken.push(var);
            if found.as_ref().is_none_or(|(least, _)| size < *least) {
                found = Some((size, var));
            }
        }
        let (_, var) = found?;
        self.branches += 1;
        let most = if self.is_local {
            MOST_LOCAL_BRANCHES
        } else {
            MOST_BRANCHES
        };
        if self.branches > most {
            return Some(FinalCheck::Unknown("too many branches on integers".into()));
        }
        if !self.is_local && self.contradict_divisors() {
            return Some(FinalCheck::Again);
        }
        if !self.is_local && self.branches.is_multiple_of(CUT_EVERY) && self.cuts < MOST_CUTS {
            let start = self.branches / CUT_EVERY % broken.len();
            let turned = broken[start..].iter().chain(&broken[..start]);
            for &candidate in turned.take(8) {
                if self.cut(terms, candidate) {
                    self.cuts += 1;
                    return Some(FinalCheck::Again);
                }
            }
        }
        let value = self.simplex.value(var);
        let floor = match value.real.is_integer() && value.infinitesimal.is_negative() {
            true => &value.real - &Rational::one(),
            false => value.real.floor(),
        };
        let form = LinearForm {
            parts: vec![(self.simplex_terms[var], Rational::one())],
            constant: Rational::zero(),
        };
        // The nearer side first: always the upper one climbs away where nothing bounds the variable.
        let is_near_floor = &Rational::integer(2) * &(&value.real - &floor) < Rational::one();
        let below = self.upper_bound_atom(terms, &form, &floor, SortId::INT);
        self.core.set_phase(if is_near_floor { below } else { !below });
        Some(FinalCheck::Again)
    }

    /// Looks for a row that has no whole solution whatever its variables that are not fixed are. Whether one was found and refuted.
    fn contradict_divisors(&mut self) -> bool {
        for row in 0..self.simplex.row_count() {
            if let Some((clause, rule)) = self.divisor_conflict(row) {
                let lemma = self.core.add_lemma(clause, || rule);
                self.handle_conflict(lemma);
                return true;
            }
        }
        false
    }

    /// The test of a row, and once more with the bounded integers of the least factor among what has bounds only: the divisor of the others
    /// may be larger then (the extended test of Dutertre and de Moura).
    fn divisor_conflict(&self, row: usize) -> Option<(Vec<Lit>, Rule)> {
        let (_, entries) = self.simplex.row(row);
        let least = entries
            .iter()
            .map(|(_, factor)| factor.abs())
            .chain([Rational::one()])
            .min()?;
        (self.divisor_conflict_beside(row, None)).or_else(|| self.divisor_conflict_beside(row, Some(&least)))
    }

    fn divisor_conflict_beside(
        &self,
        row: usize,
        least_factor: Option<&Rational>,
    ) -> Option<(Vec<Lit>, Rule)> {
        let (basic, entries) = self.simplex.row(row);
        let all = || std::iter::once((basic, Rational::integer(-1))).chain(entries.iter().cloned());
        if entries.len() > LONGEST_ROW {
            return None;
        }
        let mut multiple = Rational::one();
        for (_, factor) in entries {
            let denominator = factor.denominator_number();
            multiple = &multiple * &(&denominator / &multiple.gcd(&denominator));
        }
        let mut divisor = Rational::zero();
        // What is fixed, and what is not whole but bounded: the least and the most it adds up to.
        let (mut least, mut most) = (Delta::default(), Delta::default());
        let mut fixed: Vec<(Rational, BoundOf<'_>, BoundOf<'_>)> = Vec::new();
        for (var, factor) in all() {
            let is_least = least_factor == Some(&factor.abs());
            let factor = &factor * &multiple;
            match (self.simplex.lower(var), self.simplex.upper(var)) {
                (Some(low), Some(high))
                    if low.value == high.value || is_least || !self.simplex.is_integer[var] =>
                {
                    let (first, last) = match factor.is_positive() {
                        true => (low.value, high.value),
                        false => (high.value, low.value),
                    };
                    least = least.plus(first, &factor);
                    most = most.plus(last, &factor);
                    fixed.push((factor, low, high));
                }
                _ if self.simplex.is_integer[var] => divisor = divisor.gcd(&factor),
                _ => return None,
            }
        }
        if divisor.is_zero() {
            return None;
        }
        // The rest is a multiple of the divisor; the first one that is not too small must not be too large.
        let mut first = &(&least.real / &divisor).ceil() * &divisor;
        if first == least.real && least.infinitesimal.is_positive() {
            first += &divisor;
        }
        if Delta::new(first, 0) <= most {
            return None;
        }
        // This part is at most so much, and at least; both are rounded, and contradict each other.
        let mut clause: Vec<Lit> = Vec::new();
        let mut combinations = Vec::new();
        for is_upper in [true, false] {
            let mut literals: Vec<(i32, Rational)> = Vec::new();
            for (factor, low, high) in &fixed {
                let reason = match factor.is_positive() == is_upper {
                    true => high.reason,
                    false => low.reason,
                };
                clause.push(!reason);
                literals.push(((!reason).to_dimacs(), factor.abs()));
            }
            combinations.push(Combination {
                literals,
                earlier: Vec::new(),
            });
        }
        combinations.push(Combination {
            literals: Vec::new(),
            earlier: vec![(0, Rational::one()), (1, Rational::one())],
        });
        clause.sort_unstable();
        clause.dedup();
        Some((clause, Rule::Linear(combinations)))
    }

    /// The row of a basic integer as distances from bounds, split as a cut needs it; the part of the value behind the point.
    fn distances(&self, var: SimplexVar) -> Option<(Vec<Distance>, Rational)> {
        let entries = self.simplex.row_of(var)?;
        let value = self.simplex.value(var);
        if entries.len() > LONGEST_ROW || value.real.is_integer() {
            return None;
        }
        let fraction = &value.real - &value.real.floor();
        let above = &Rational::one() - &fraction;
        let mut distances = Vec::with_capacity(entries.len());
        for (other, factor) in entries {
            let own = self.simplex.value(*other);
            let (low, high) = (self.simplex.lower(*other), self.simplex.upper(*other));
            let (is_lower, bound) = match (low, high) {
                (Some(low), _) if low.value == own => (true, low),
                (_, Some(high)) if high.value == own => (false, high),
                _ => return None,
            };
            // A distance from a strict bound is positive; that it is not negative is all the cut needs.
            let factor = if is_lower { factor.clone() } else { -factor };
            let whole = match self.simplex.is_integer[*other] {
                false => Rational::zero(),
                true if &factor - &factor.floor() <= above => factor.floor(),
                true => factor.ceil(),
            };
            distances.push(Distance {
                var: *other,
                is_lower,
                bound: bound.value.real.clone(),
                reason: bound.reason,
                rest: &factor - &whole,
                whole,
            });
        }
        Some((distances, fraction))
    }

    /// Adds factor times a variable of the tableau to a form over leaves.
    fn add_variable(&mut self, terms: &Terms, form: &mut LinearForm, var: SimplexVar, factor: &Rational) {
        let own = self.forms.of(terms, self.simplex_terms[var]);
        form.add(&own, factor);
    }

    /// Adds the cut of an integer's row. Whether there is one.
    fn cut(&mut self, terms: &mut Terms, var: SimplexVar) -> bool {
        let Some((distances, fraction)) = self.distances(var) else {
            return false;
        };
        let above = &Rational::one() - &fraction;
        // The cut: the sum of slopes times distances is at least 1. As a form: it is at most a limit.
        let mut form = LinearForm::default();
        let mut limit = Rational::integer(-1);
        // The split: a whole number that is at most the floor of the value, or more.
        let mut split = LinearForm::default();
        self.add_variable(terms, &mut split, var, &Rational::one());
        let mut split_limit = self.simplex.value(var).real.floor();
        for distance in &distances {
            let slope = match distance.rest.is_negative() {
                true => &-(&distance.rest) / &fraction,
                false => &distance.rest / &above,
            };
            let sign = Rational::integer(if distance.is_lower { 1 } else { -1 });
            let signed = &slope * &sign;
            self.add_variable(terms, &mut form, distance.var, &-(&signed));
            limit -= &(&signed * &distance.bound);
            let taken = &distance.whole * &sign;
            self.add_variable(terms, &mut split, distance.var, &-(&taken));
            split_limit -= &(&taken * &distance.bound);
        }
        limit -= &form.constant;
        split_limit -= &split.constant;
        form.constant = Rational::zero();
        split.constant = Rational::zero();
        let is_integer = (form.parts.iter()).all(|(leaf, _)| terms.sort_of(*leaf) == SortId::INT);
        if form.parts.is_empty() || split.parts.is_empty() || !is_integer {
            return false;
        }
        let scale = normalize(&mut form);
        if scale.is_negative() {
            form.scale(&Rational::integer(-1));
        }
        let bound = (&limit / &scale.abs()).floor();
        let largest = Rational::integer(LARGEST_FACTOR);
        if (form.parts.iter()).any(|(_, factor)| factor.abs() > largest) || bound.abs() > largest {
            return false;
        }
        let mut reasons: Vec<Lit> = distances.iter().map(|distance| distance.reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let level = (reasons.iter())
            .map(|&lit| self.core.level_of(lit) as usize)
            .max()
            .unwrap_or(0);
        self.backtrack(level);
        let cut = self.upper_bound_atom(terms, &form, &bound, SortId::INT);
        if self.core.value(cut) > 0 {
            return false;
        }
        let mut clause = vec![cut];
        clause.extend(reasons.iter().map(|&lit| !lit));
        let hints = self.record_split(
            terms,
            &clause,
            (&split, &split_limit),
            &distances,
            (&fraction, &scale),
        );
        let lemma = self.core.add_derived(clause, hints);
        if self.core.is_conflict(lemma) {
            self.handle_conflict(lemma);
        }
        true
    }

    /// Writes the two halves of a cut's proof into the record; their numbers.
    fn record_split(
        &mut self,
        terms: &mut Terms,
        clause: &[Lit],
        (split, split_limit): (&LinearForm, &Rational),
        distances: &[Distance],
        (fraction, scale): (&Rational, &Rational),
    ) -> Vec<u32> {
        if self.core.record.is_none() {
            return Vec::new();
        }
        let mut normal = split.clone();
        let split_scale = normalize(&mut normal);
        let left = crate::linear::term_of(terms, split, SortId::INT);
        let right = terms.numeral(split_limit.clone(), SortId::INT);
        let atom = terms.make(Op::Le, &[left, right], SortId::BOOL);
        let is_below = match self.lits.get(&atom) {
            Some(&known) => known,
            None => {
                let fresh = self.new_var(Atom::Formula(atom));
                self.core.undecided[fresh.index()] = true;
                fresh.lit(true)
            }
        };
        let above = &Rational::one() - fraction;
        let mut hints = Vec::new();
        // With the split below, distances of negative rests matter; above, the others. What remains of the cut has factors that are
        // not negative, and the distances are not either.
        for (side, part) in [(!is_below, fraction), (is_below, &above)] {
            let is_lower_half = side == !is_below;
            let mut literals = vec![
                (clause[0].to_dimacs(), scale.abs()),
                (side.to_dimacs(), &split_scale.abs() / part),
            ];
            for distance in distances {
                let counts = distance.rest.is_negative() == is_lower_half;
                let own = match counts {
                    true => Rational::zero(),
                    // The other half's slope, and what the split says too much.
                    false => {
                        let other = if is_lower_half { &above } else { fraction };
                        &(&distance.rest.abs() / other) + &(&distance.rest.abs() / part)
                    }
                };
                if own.is_zero() {
                    continue;
                }
                let literal = (!distance.reason).to_dimacs();
                match literals.iter_mut().find(|(known, _)| *known == literal) {
                    Some((_, factor)) => *factor += &own,
                    None => literals.push((literal, own)),
                }
            }
            let mut half = clause.to_vec();
            half.push(side);
            let rule = Rule::Linear(vec![Combination {
                literals,
                earlier: Vec::new(),
            }]);
            if let Some(record) = &mut self.core.record {
                hints.push(record.input(&half, rule));
            }
        }
        hints
    }

    /// The literal that a form over integers, in lowest whole numbers, is at most a limit. Needs no clauses, at any level.
    pub(crate) fn upper_bound_atom(
        &mut self,
        terms: &mut Terms,
        form: &LinearForm,
        limit: &Rational,
        sort: SortId,
    ) -> Lit {
        // Atoms are about forms whose first factor is positive.
        let is_flipped = form.parts.first().is_some_and(|(_, factor)| factor.is_negative());
        let (form, most) = match is_flipped {
            true => {
                let mut flipped = form.clone();
                flipped.scale(&Rational::integer(-1));
                (flipped, &-limit - &Rational::one())
            }
            false => (form.clone(), limit.clone()),
        };
        let (var, term) = self.sum(terms, &form, sort);
        let lit = self.integer_bound(terms, var, term, most, sort);
        if is_flipped { !lit } else { lit }
    }

    /// The literal that a variable of the tableau is at most a whole number.
    pub(crate) fn integer_bound(
        &mut self,
        terms: &mut Terms,
        var: SimplexVar,
        term: TermId,
        most: Rational,
        sort: SortId,
    ) -> Lit {
        let number = terms.numeral(most.clone(), sort);
        let canonical = terms.make(Op::Le, &[term, number], SortId::BOOL);
        self.internalized.insert(canonical);
        let lit = self.atom(canonical);
        self.set_bound(lit, crate::solver::BoundAtom::at_most_whole(var, most));
        lit
    }
}
