//! The general simplex for linear real arithmetic (Dutertre, de Moura 2006).
//!
//! Every linear form in an atom has a variable of its own, defined by a row; atoms are bounds of variables. Strict bounds use an
//! infinitesimal. Bounds know the literal they come from; a row that cannot be satisfied gives the literals in conflict with the factors
//! of Farkas' lemma. Values are kept when bounds are taken back.

use entail_budget::{Budget, Spent};
use entail_first_order::Rational;
use entail_sat::Lit;

/// A number plus a multiple of a positive infinitesimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Delta {
    pub real: Rational,
    pub infinitesimal: Rational,
}

impl Delta {
    pub fn new(real: Rational, infinitesimal: i64) -> Delta {
        Delta {
            real,
            infinitesimal: Rational::integer(infinitesimal),
        }
    }

    pub fn plus(&self, other: &Delta, factor: &Rational) -> Delta {
        Delta {
            real: &self.real + &(&other.real * factor),
            infinitesimal: match other.infinitesimal.is_zero() {
                true => self.infinitesimal.clone(),
                false => &self.infinitesimal + &(&other.infinitesimal * factor),
            },
        }
    }

    pub fn minus(&self, other: &Delta) -> Delta {
        self.plus(other, &Rational::integer(-1))
    }

    pub fn over(&self, divisor: &Rational) -> Delta {
        Delta {
            real: &self.real / divisor,
            infinitesimal: &self.infinitesimal / divisor,
        }
    }
}

#[derive(Clone, Debug)]
struct Bound {
    value: Delta,
    reason: Lit,
}

/// A bound in force, and the literal it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundOf<'a> {
    pub value: &'a Delta,
    pub reason: Lit,
}

impl Bound {
    fn seen(&self) -> BoundOf<'_> {
        BoundOf {
            value: &self.value,
            reason: self.reason,
        }
    }
}

/// A variable of the tableau.
pub(crate) type SimplexVar = usize;

struct Row {
    basic: SimplexVar,
    /// Factors of the other variables, sorted by variable: `basic = sum`.
    entries: Vec<(SimplexVar, Rational)>,
}

/// Literals that contradict each other, with Farkas' factors.
pub(crate) type FarkasConflict = Vec<(Lit, Rational)>;

enum Undo {
    Lower(SimplexVar, Option<Bound>),
    Upper(SimplexVar, Option<Bound>),
}

#[derive(Default)]
pub(crate) struct Simplex {
    lower: Vec<Option<Bound>>,
    upper: Vec<Option<Bound>>,
    values: Vec<Delta>,
    /// The row a variable is basic in.
    row_of: Vec<Option<usize>>,
    rows: Vec<Row>,
    /// Rows in which a variable that is not basic occurs.
    columns: Vec<Vec<usize>>,
    trail: Vec<Undo>,
    marks: Vec<usize>,
    pub is_integer: Vec<bool>,
    /// Basic variables that may violate a bound.
    suspects: std::collections::BTreeSet<SimplexVar>,
    pub pivots: u64,
    /// Variables whose bounds changed.
    touched: Vec<SimplexVar>,
    /// A pivot was broken off when the budget was spent: the tableau means nothing any more.
    broken: Option<Spent>,
}

impl Simplex {
    pub fn new_var(&mut self, is_integer: bool) -> SimplexVar {
        self.lower.push(None);
        self.upper.push(None);
        self.values.push(Delta::default());
        self.row_of.push(None);
        self.columns.push(Vec::new());
        self.is_integer.push(is_integer);
        self.values.len() - 1
    }

    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// A variable equal to a sum of others.
    pub fn define(&mut self, parts: &[(SimplexVar, Rational)], is_integer: bool) -> SimplexVar {
        let basic = self.new_var(is_integer);
        let mut entries: Vec<(SimplexVar, Rational)> = Vec::new();
        for (var, factor) in parts {
            match self.row_of[*var] {
                None => entries = combine(&entries, &[(*var, Rational::one())], factor),
                Some(row) => {
                    let inner = self.rows[row].entries.clone();
                    entries = combine(&entries, &inner, factor);
                }
            }
        }
        let mut value = Delta::default();
        for (var, factor) in &entries {
            value = value.plus(&self.values[*var], factor);
        }
        self.values[basic] = value;
        let row = self.rows.len();
        for (var, _) in &entries {
            self.columns[*var].push(row);
        }
        self.rows.push(Row { basic, entries });
        self.row_of[basic] = Some(row);
        basic
    }

    /// Gives variables, none of which is basic, values that satisfy all bounds.
    pub fn take_values(&mut self, values: Vec<(SimplexVar, Delta)>) {
        for (var, value) in values {
            self.values[var] = value;
        }
        for row in 0..self.rows.len() {
            let mut sum = Delta::default();
            for (var, factor) in &self.rows[row].entries {
                sum = sum.plus(&self.values[*var], factor);
            }
            self.values[self.rows[row].basic] = sum;
        }
        self.touched.clear();
    }

    pub fn value(&self, var: SimplexVar) -> &Delta {
        &self.values[var]
    }

    pub fn lower(&self, var: SimplexVar) -> Option<BoundOf<'_>> {
        self.lower[var].as_ref().map(Bound::seen)
    }

    pub fn upper(&self, var: SimplexVar) -> Option<BoundOf<'_>> {
        self.upper[var].as_ref().map(Bound::seen)
    }

    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A row: `basic = sum of factors times variables`.
    pub fn row(&self, row: usize) -> (SimplexVar, &[(SimplexVar, Rational)]) {
        (self.rows[row].basic, &self.rows[row].entries)
    }

    /// The row of a variable, if it is basic.
    pub fn row_of(&self, var: SimplexVar) -> Option<&[(SimplexVar, Rational)]> {
        self.row_of[var].map(|row| self.rows[row].entries.as_slice())
    }

    /// Rows with a variable whose bounds changed since the last call.
    pub fn take_touched_rows(&mut self) -> Vec<usize> {
        let mut rows = Vec::new();
        for var in std::mem::take(&mut self.touched) {
            match self.row_of[var] {
                Some(row) => rows.push(row),
                None => rows.extend(&self.columns[var]),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    pub fn pop_to(&mut self, level: usize) {
        while self.marks.len() > level {
            let mark = self.marks.pop().unwrap_or(0);
            while self.trail.len() > mark {
                match self.trail.pop() {
                    Some(Undo::Lower(var, bound)) => self.lower[var] = bound,
                    Some(Undo::Upper(var, bound)) => self.upper[var] = bound,
                    None => {}
                }
            }
        }
    }

    /// Requires a bound; a conflict with the opposite one is answered at once.
    pub fn assert_bound(
        &mut self,
        var: SimplexVar,
        is_upper: bool,
        value: Delta,
        reason: Lit,
    ) -> Result<bool, FarkasConflict> {
        let (same, opposite) = match is_upper {
            true => (&self.upper[var], &self.lower[var]),
            false => (&self.lower[var], &self.upper[var]),
        };
        let is_weaker = |bound: &Bound| {
            if is_upper {
                bound.value <= value
            } else {
                bound.value >= value
            }
        };
        if same.as_ref().is_some_and(is_weaker) {
            return Ok(false);
        }
        if let Some(other) = opposite
            && (if is_upper {
                other.value > value
            } else {
                other.value < value
            })
        {
            return Err(vec![(reason, Rational::one()), (other.reason, Rational::one())]);
        }
        let bound = Some(Bound {
            value: value.clone(),
            reason,
        });
        let undo = match is_upper {
            true => Undo::Upper(var, std::mem::replace(&mut self.upper[var], bound)),
            false => Undo::Lower(var, std::mem::replace(&mut self.lower[var], bound)),
        };
        self.trail.push(undo);
        self.touched.push(var);
        let is_violated = if is_upper {
            self.values[var] > value
        } else {
            self.values[var] < value
        };
        if is_violated {
            match self.row_of[var] {
                Some(_) => drop(self.suspects.insert(var)),
                None => self.update(var, value),
            }
        }
        Ok(true)
    }

    fn factor(&self, row: usize, var: SimplexVar) -> Option<&Rational> {
        let entries = &self.rows[row].entries;
        let place = entries.binary_search_by_key(&var, |(var, _)| *var).ok()?;
        Some(&entries[place].1)
    }

    /// Gives a variable that is not basic another value.
    fn update(&mut self, var: SimplexVar, value: Delta) {
        let change = value.minus(&self.values[var]);
        self.values[var] = value;
        let column = std::mem::take(&mut self.columns[var]);
        for &row in &column {
            if let Some(factor) = self.factor(row, var).cloned() {
                let basic = self.rows[row].basic;
                self.values[basic] = self.values[basic].plus(&change, &factor);
                self.suspects.insert(basic);
            }
        }
        self.columns[var] = column;
    }

    /// The values, to be taken back to.
    pub fn values(&self) -> Vec<Delta> {
        self.values.clone()
    }

    /// Takes values back that satisfied all bounds.
    pub fn restore(&mut self, values: Vec<Delta>) {
        self.values = values;
    }

    /// Moves a variable that is not basic by a number, if all bounds stay satisfied and integers whole. Whether it was moved.
    pub fn try_move(&mut self, var: SimplexVar, by: &Rational) -> bool {
        if self.row_of[var].is_some() || !self.suspects.is_empty() {
            return false;
        }
        let fits = |var: SimplexVar, by: &Rational| {
            let value = self.values[var].plus(&Delta::new(Rational::one(), 0), by);
            let is_above = (self.lower[var].as_ref()).is_none_or(|bound| value >= bound.value);
            let is_below = (self.upper[var].as_ref()).is_none_or(|bound| value <= bound.value);
            is_above && is_below && (!self.is_integer[var] || by.is_integer())
        };
        let rows = self.columns[var].iter();
        let moves = rows.filter_map(|&row| Some((self.rows[row].basic, self.factor(row, var)? * by)));
        let is_possible = fits(var, by) && moves.into_iter().all(|(basic, by)| fits(basic, &by));
        if is_possible {
            let value = self.values[var].plus(&Delta::new(Rational::one(), 0), by);
            self.update(var, value);
            self.suspects.clear();
        }
        is_possible
    }

    /// What a variable's change does to a sum: the sum over variables that are not basic.
    pub fn over_columns(&self, sum: &[(SimplexVar, Rational)]) -> Vec<(SimplexVar, Rational)> {
        let mut entries = Vec::new();
        for (var, factor) in sum {
            entries = match self.row_of[*var] {
                None => combine(&entries, &[(*var, Rational::one())], factor),
                Some(row) => combine(&entries, &self.rows[row].entries, factor),
            };
        }
        entries
    }

    /// The least number by which a variable that is not basic can be moved so that integers stay whole.
    pub fn whole_step(&self, var: SimplexVar) -> Rational {
        let mut step = Rational::one();
        for &row in &self.columns[var] {
            if self.is_integer[self.rows[row].basic]
                && let Some(factor) = self.factor(row, var)
            {
                let denominator = factor.denominator_number();
                step = &step * &(&denominator / &step.gcd(&denominator));
            }
        }
        step
    }

    fn violation(&self, var: SimplexVar) -> Option<bool> {
        let value = &self.values[var];
        if self.lower[var].as_ref().is_some_and(|bound| *value < bound.value) {
            return Some(true);
        }
        if self.upper[var].as_ref().is_some_and(|bound| *value > bound.value) {
            return Some(false);
        }
        None
    }

    /// Finds values within all bounds, or a conflict.
    pub fn check(&mut self, budget: &Budget) -> Result<Result<(), FarkasConflict>, Spent> {
        let mut rounds = 0u64;
        if let Some(spent) = self.broken {
            return Err(spent);
        }
        while let Some(&basic) = self.suspects.iter().next() {
            let Some(is_below) = self.violation(basic) else {
                self.suspects.remove(&basic);
                continue;
            };
            let Some(row) = self.row_of[basic] else {
                self.suspects.remove(&basic);
                continue;
            };
            // A pivot is long enough for a look at the clock.
            budget.check_now()?;
            rounds += 1;
            let Some(entering) = self.entering(row, is_below, rounds > 200) else {
                return Ok(Err(self.explain(row, is_below)));
            };
            let goal = match is_below {
                true => self.lower[basic].as_ref().map(|bound| bound.value.clone()),
                false => self.upper[basic].as_ref().map(|bound| bound.value.clone()),
            };
            let Some(goal) = goal else { continue };
            self.pivot_and_update(row, entering, goal, budget)?;
        }
        Ok(Ok(()))
    }

    fn entering(&self, row: usize, is_below: bool, least_index: bool) -> Option<SimplexVar> {
        let mut best: Option<(usize, SimplexVar)> = None;
        for (var, factor) in &self.rows[row].entries {
            let grows = factor.is_positive() == is_below;
            let is_free = match grows {
                true => self.upper[*var]
                    .as_ref()
                    .is_none_or(|bound| self.values[*var] < bound.value),
                false => self.lower[*var]
                    .as_ref()
                    .is_none_or(|bound| self.values[*var] > bound.value),
            };
            if is_free {
                if least_index {
                    return Some(*var);
                }
                let cost = self.columns[*var].len();
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, *var));
                }
            }
        }
        best.map(|(_, var)| var)
    }

    fn explain(&self, row: usize, is_below: bool) -> FarkasConflict {
        let Row { basic, entries } = &self.rows[row];
        let own = if is_below {
            &self.lower[*basic]
        } else {
            &self.upper[*basic]
        };
        let mut conflict: FarkasConflict = own.iter().map(|bound| (bound.reason, Rational::one())).collect();
        for (var, factor) in entries {
            let bound = match factor.is_positive() == is_below {
                true => &self.upper[*var],
                false => &self.lower[*var],
            };
            conflict.extend(bound.iter().map(|bound| (bound.reason, factor.abs())));
        }
        conflict
    }

    fn pivot_and_update(
        &mut self,
        row: usize,
        entering: SimplexVar,
        goal: Delta,
        budget: &Budget,
    ) -> Result<(), Spent> {
        let basic = self.rows[row].basic;
        let Some(factor) = self.factor(row, entering).cloned() else {
            return Ok(());
        };
        let step = goal.minus(&self.values[basic]).over(&factor);
        self.values[basic] = goal;
        self.values[entering] = self.values[entering].plus(&step, &Rational::one());
        let mut column = std::mem::take(&mut self.columns[entering]);
        column.retain(|&other| other != row);
        for &other in &column {
            if let Some(factor) = self.factor(other, entering).cloned() {
                let touched = self.rows[other].basic;
                self.values[touched] = self.values[touched].plus(&step, &factor);
                self.suspects.insert(touched);
            }
        }
        let pivoted = self.pivot(row, entering, &factor, &column, budget);
        self.broken = pivoted.err();
        self.suspects.insert(entering);
        self.suspects.remove(&basic);
        pivoted
    }

    fn pivot(
        &mut self,
        row: usize,
        entering: SimplexVar,
        factor: &Rational,
        column: &[usize],
        budget: &Budget,
    ) -> Result<(), Spent> {
        self.pivots += 1;
        let basic = self.rows[row].basic;
        // basic = factor * entering + rest, so entering = basic / factor - rest / factor.
        let inverse = factor.recip();
        let mut entries: Vec<(SimplexVar, Rational)> = (self.rows[row].entries.iter())
            .filter(|(var, _)| *var != entering)
            .map(|(var, value)| (*var, -(&(value * &inverse))))
            .collect();
        let place = entries.partition_point(|(var, _)| *var < basic);
        entries.insert(place, (basic, inverse));
        self.rows[row].basic = entering;
        self.row_of[entering] = Some(row);
        self.row_of[basic] = None;
        self.columns[basic].push(row);
        for (count, &other) in column.iter().enumerate() {
            if count % 16 == 15 {
                budget.check_now()?;
            }
            self.replace_entering(other, entering, &entries);
        }
        self.rows[row].entries = entries;
        self.columns[entering].clear();
        Ok(())
    }

    /// Puts the sum that the entering variable equals in its place in a row. Columns follow.
    fn replace_entering(&mut self, row: usize, entering: SimplexVar, entries: &[(SimplexVar, Rational)]) {
        let mut old = std::mem::take(&mut self.rows[row].entries);
        let Ok(place) = old.binary_search_by_key(&entering, |(var, _)| *var) else {
            self.rows[row].entries = old;
            return;
        };
        let (_, factor) = old.remove(place);
        let mut sum = Vec::with_capacity(old.len() + entries.len());
        let mut old = old.into_iter().peekable();
        for (var, value) in entries {
            while let Some(kept) = old.next_if(|(other, _)| other < var) {
                sum.push(kept);
            }
            let product = value * &factor;
            match old.next_if(|(other, _)| other == var) {
                None => {
                    self.columns[*var].push(row);
                    sum.push((*var, product));
                }
                Some((_, known)) => {
                    let both = &known + &product;
                    match both.is_zero() {
                        true => self.columns[*var].retain(|&other| other != row),
                        false => sum.push((*var, both)),
                    }
                }
            }
        }
        sum.extend(old);
        self.rows[row].entries = sum;
    }

    /// A positive number that the infinitesimal can stand for.
    pub fn concrete_infinitesimal(&self) -> Rational {
        let mut least = Rational::one();
        for var in 0..self.count() {
            let value = &self.values[var];
            let mut limit = |below: &Delta, above: &Delta| {
                // below <= above must stay true: below.real + below.d e <= above.real + above.d e.
                let steepness = &below.infinitesimal - &above.infinitesimal;
                let room = &above.real - &below.real;
                if steepness.is_positive() && room.is_positive() {
                    let most = &room / &steepness;
                    if most < least {
                        least = most;
                    }
                }
            };
            if let Some(bound) = &self.lower[var] {
                limit(&bound.value, value);
            }
            if let Some(bound) = &self.upper[var] {
                limit(value, &bound.value);
            }
        }
        &least / &Rational::integer(2)
    }
}

/// A sum of two sorted rows, the second with a factor.
fn combine(
    a: &[(SimplexVar, Rational)],
    b: &[(SimplexVar, Rational)],
    factor: &Rational,
) -> Vec<(SimplexVar, Rational)> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (0, 0);
    while left < a.len() || right < b.len() {
        if right >= b.len() || left < a.len() && a[left].0 < b[right].0 {
            sum.push(a[left].clone());
            left += 1;
        } else if left >= a.len() || b[right].0 < a[left].0 {
            sum.push((b[right].0, &b[right].1 * factor));
            right += 1;
        } else {
            let value = &a[left].1 + &(&b[right].1 * factor);
            if !value.is_zero() {
                sum.push((a[left].0, value));
            }
            left += 1;
            right += 1;
        }
    }
    sum
}
