//! Edge labels: Boolean functions over atomic propositions, as small hash-consed decision diagrams.
//!
//! A [`Label`] is an edge into a store of binary decision nodes with complement bits ([`Labels`]), so equal functions are
//! equal numbers, negation is free, and conjunction is one memoised walk. A store belongs to one automaton and only grows;
//! functions move between stores by [`Labels::import`]. The translation from LTL uses the same store with extra variables
//! behind the propositions.
//!
//! A conjunction can take exponential time and memory, so a store can be *watched*: a budget is asked as it works, and once that is spent the store gives up, at once and for good, and
//! what comes out of it means nothing. Stores made from a watched one share its watch: whoever began it ends it ([`Labels::end_watch`]) and learns whether all that was made in between counts.
//!
//! Invariant: the high edge of a stored node is never complemented, and `low != high`. Letters are `u64` valuations, bit
//! `v` for variable `v`; functions of more variables can be built but not evaluated on letters.

use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// A Boolean function in a [`Labels`] store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Label(u32);

/// A valuation of up to 64 propositions: bit `i` is proposition `i`.
pub type Letter = u64;

/// A conjunction of literals: the variables that must be true, and those that must be false.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    /// Variables that are true.
    pub positive: u64,
    /// Variables that are false.
    pub negative: u64,
}

impl Label {
    /// The label every letter satisfies.
    pub const TRUE: Label = Label(0);
    /// The label no letter satisfies.
    pub const FALSE: Label = Label(1);

    /// The other letters.
    #[expect(clippy::should_implement_trait, reason = "named as the logic names it")]
    pub fn not(self) -> Label {
        Label(self.0 ^ 1)
    }

    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is [`Label::TRUE`] or [`Label::FALSE`].
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    var: u32,
    low: Label,
    high: Label,
}

/// The variable of a constant: behind all others.
const NO_VARIABLE: u32 = u32::MAX;

/// A budget, and how it was found spent, if it was.
struct Watch {
    budget: Budget,
    spent: OnceLock<Spent>,
}

/// The budget of a watch is asked once in this many conjunctions.
const ASK_EVERY: u32 = 1024;

/// A store of Boolean functions.
#[derive(Clone)]
pub struct Labels {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, u32>,
    conjunctions: FxHashMap<(Label, Label), Label>,
    limit: usize,
    full: bool,
    watch: Option<Arc<Watch>>,
    /// Conjunctions since the watch was last asked.
    unasked: u32,
}

impl Default for Labels {
    fn default() -> Self {
        Labels {
            nodes: vec![Node {
                var: NO_VARIABLE,
                low: Label::TRUE,
                high: Label::TRUE,
            }],
            unique: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            limit: usize::MAX,
            full: false,
            watch: None,
            unasked: 0,
        }
    }
}

impl Labels {
    /// From now on no more than `limit` nodes are stored. Beyond that, what comes out is meaningless: ask
    /// [`Labels::is_full`] before it is used.
    pub fn limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Whether the limit was passed.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// From now on this budget is asked as the store works; see [`Labels::end_watch`].
    pub fn watch(&mut self, budget: &Budget) {
        self.watch = Some(Arc::new(Watch {
            budget: budget.same_limits(),
            spent: OnceLock::new(),
        }));
    }

    /// Is watched together with another store, if that is watched and this one is not yet.
    pub(crate) fn join_watch(&mut self, other: &Labels) {
        if self.watch.is_none() {
            self.watch.clone_from(&other.watch);
        }
    }

    /// Whether a budget is asked.
    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Whether everything that was made under the watch so far, in this store and in those that share it, is what it claims to be.
    pub fn check_watch(&self) -> Result<(), Spent> {
        match self.watch.as_ref().and_then(|watch| watch.spent.get()) {
            Some(spent) => Err(*spent),
            None => Ok(()),
        }
    }

    /// Ends the watch of this store, with the answer of [`Labels::check_watch`].
    pub fn end_watch(&mut self) -> Result<(), Spent> {
        let found = self.check_watch();
        self.watch = None;
        found
    }

    /// Asks the watch, and gives up if its budget is spent.
    #[cold]
    fn ask(&mut self) {
        self.unasked = 0;
        if let Some(watch) = &self.watch {
            let spent = watch.spent.get().copied();
            if let Some(spent) = spent.or_else(|| watch.budget.check_now().err()) {
                watch.spent.get_or_init(|| spent);
                self.full = true;
            }
        }
    }

    /// Number of stored nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The topmost variable of a function, if it is not constant.
    pub fn top(&self, label: Label) -> Option<u32> {
        let var = self.nodes[label.index()].var;
        (var != NO_VARIABLE).then_some(var)
    }

    fn level(&self, label: Label) -> u32 {
        self.nodes[label.index()].var
    }

    /// The two cofactors by the topmost variable: where it is false, where it is true.
    pub fn children(&self, label: Label) -> (Label, Label) {
        let node = self.nodes[label.index()];
        let flip = label.0 & 1;
        (Label(node.low.0 ^ flip), Label(node.high.0 ^ flip))
    }

    /// `if var then high else low`, for a variable above both.
    pub fn node(&mut self, var: u32, low: Label, high: Label) -> Label {
        if low == high {
            return low;
        }
        let flip = high.0 & 1;
        let node = Node {
            var,
            low: Label(low.0 ^ flip),
            high: Label(high.0 ^ flip),
        };
        if self.nodes.len() >= self.limit {
            self.full = true;
            return Label::FALSE;
        }
        let next = self.nodes.len() as u32;
        let index = *self.unique.entry(node).or_insert(next);
        if index == next {
            self.nodes.push(node);
        }
        Label(index << 1 | flip)
    }

    /// The variable or its negation.
    pub fn literal(&mut self, var: u32, positive: bool) -> Label {
        let variable = self.node(var, Label::FALSE, Label::TRUE);
        if positive { variable } else { variable.not() }
    }

    /// The conjunction.
    pub fn and(&mut self, a: Label, b: Label) -> Label {
        if a == b || b == Label::TRUE {
            return a;
        }
        if a == Label::TRUE {
            return b;
        }
        if a == Label::FALSE || b == Label::FALSE || a == b.not() || self.full {
            return Label::FALSE;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&known) = self.conjunctions.get(&key) {
            return known;
        }
        self.unasked += 1;
        if self.unasked >= ASK_EVERY {
            self.ask();
        }
        let var = self.level(a).min(self.level(b));
        let (a0, a1) = self.split(a, var);
        let (b0, b1) = self.split(b, var);
        let low = self.and(a0, b0);
        let high = self.and(a1, b1);
        let result = self.node(var, low, high);
        self.conjunctions.insert(key, result);
        result
    }

    fn split(&self, label: Label, var: u32) -> (Label, Label) {
        if self.level(label) == var {
            self.children(label)
        } else {
            (label, label)
        }
    }

    /// The disjunction.
    pub fn or(&mut self, a: Label, b: Label) -> Label {
        self.and(a.not(), b.not()).not()
    }

    /// What satisfies `a` and not `b`.
    pub fn minus(&mut self, a: Label, b: Label) -> Label {
        self.and(a, b.not())
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Label, b: Label) -> Label {
        let left = self.minus(a, b);
        let right = self.minus(b, a);
        self.or(left, right).not()
    }

    /// Whether every letter of `a` satisfies `b`.
    pub fn implies(&mut self, a: Label, b: Label) -> bool {
        self.and(a, b.not()) == Label::FALSE
    }

    /// Whether some letter satisfies both.
    pub fn intersects(&mut self, a: Label, b: Label) -> bool {
        self.and(a, b) != Label::FALSE
    }

    /// The conjunction of a cube's literals.
    pub fn cube(&mut self, cube: Cube) -> Label {
        let mut label = Label::TRUE;
        for var in (0..64).rev() {
            if cube.positive >> var & 1 == 1 {
                label = self.node(var, Label::FALSE, label);
            } else if cube.negative >> var & 1 == 1 {
                label = self.node(var, label, Label::FALSE);
            }
        }
        label
    }

    /// The label that only this letter over the first `count` variables satisfies.
    pub fn minterm(&mut self, letter: Letter, count: usize) -> Label {
        let mask = low_bits(count);
        self.cube(Cube {
            positive: letter & mask,
            negative: !letter & mask,
        })
    }

    /// Whether the letter satisfies the label.
    pub fn satisfied(&self, mut label: Label, letter: Letter) -> bool {
        while let Some(var) = self.top(label) {
            let (low, high) = self.children(label);
            label = if var < 64 && letter >> var & 1 == 1 {
                high
            } else {
                low
            };
        }
        label == Label::TRUE
    }

    /// A cube inside the label, if there is one.
    pub fn pick(&self, mut label: Label) -> Option<Cube> {
        if label == Label::FALSE {
            return None;
        }
        let mut cube = Cube::default();
        while let Some(var) = self.top(label) {
            let (low, high) = self.children(label);
            let bit = if var < 64 { 1u64 << var } else { 0 };
            if low != Label::FALSE {
                cube.negative |= bit;
                label = low;
            } else {
                cube.positive |= bit;
                label = high;
            }
        }
        Some(cube)
    }

    /// The function with some variables quantified away: those for which `quantified` says so.
    pub fn exists(&mut self, label: Label, quantified: &impl Fn(u32) -> bool) -> Label {
        let join = |labels: &mut Labels, var: u32, low: Label, high: Label| {
            if quantified(var) {
                labels.or(low, high)
            } else {
                labels.node(var, low, high)
            }
        };
        self.rebuilt(label, &join, &mut FxHashMap::default())
    }

    /// The function with variables fixed: `value(v)` is what `v` is set to, if it is.
    pub fn restrict(&mut self, label: Label, value: &impl Fn(u32) -> Option<bool>) -> Label {
        let join = |labels: &mut Labels, var: u32, low: Label, high: Label| match value(var) {
            Some(true) => high,
            Some(false) => low,
            None => labels.node(var, low, high),
        };
        self.rebuilt(label, &join, &mut FxHashMap::default())
    }

    /// The function with variables replaced by functions: `image(v)` is what `v` becomes, if it is replaced.
    pub fn compose(
        &mut self,
        label: Label,
        image: &impl Fn(u32) -> Option<Label>,
        done: &mut FxHashMap<Label, Label>,
    ) -> Label {
        let join = |labels: &mut Labels, var: u32, low: Label, high: Label| {
            let choice = image(var).unwrap_or_else(|| labels.literal(var, true));
            let then = labels.and(choice, high);
            let otherwise = labels.and(choice.not(), low);
            labels.or(then, otherwise)
        };
        self.rebuilt(label, &join, done)
    }

    /// The function rebuilt from the leaves up: `join` says what a node becomes, given what its children became.
    fn rebuilt(
        &mut self,
        label: Label,
        join: &impl Fn(&mut Labels, u32, Label, Label) -> Label,
        done: &mut FxHashMap<Label, Label>,
    ) -> Label {
        let Some(var) = self.top(label) else {
            return label;
        };
        if let Some(&known) = done.get(&label) {
            return known;
        }
        let (low, high) = self.children(label);
        let low = self.rebuilt(low, join, done);
        let high = self.rebuilt(high, join, done);
        let result = join(self, var, low, high);
        done.insert(label, result);
        result
    }

    /// A function of another store, its variables renamed. Any renaming is allowed; one that keeps the order is fast.
    pub fn import(
        &mut self,
        other: &Labels,
        label: Label,
        rename: &impl Fn(u32) -> u32,
        done: &mut FxHashMap<Label, Label>,
    ) -> Label {
        let Some(var) = other.top(label) else {
            return label;
        };
        if let Some(&known) = done.get(&label) {
            return known;
        }
        self.join_watch(other);
        let (low, high) = other.children(label);
        let low = self.import(other, low, rename, done);
        let high = self.import(other, high, rename, done);
        let variable = self.literal(rename(var), true);
        let then = self.and(variable, high);
        let otherwise = self.and(variable.not(), low);
        let result = self.or(then, otherwise);
        done.insert(label, result);
        result
    }

    /// The variables the function depends on, as bits (variables below 64).
    pub fn support(&self, label: Label) -> u64 {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![label];
        let mut support = 0;
        while let Some(label) = stack.pop() {
            if let Some(var) = self.top(label)
                && seen.insert(label.index())
            {
                if var < 64 {
                    support |= 1 << var;
                }
                let (low, high) = self.children(label);
                stack.extend([low, high]);
            }
        }
        support
    }

    /// How many of the `2^count` letters over the first `count` variables satisfy the label.
    pub fn count(&self, label: Label, count: usize) -> f64 {
        let mut done = FxHashMap::default();
        self.fraction(label, &mut done) * 2f64.powi(count as i32)
    }

    fn fraction(&self, label: Label, done: &mut FxHashMap<Label, f64>) -> f64 {
        if label.is_constant() {
            return if label == Label::TRUE { 1.0 } else { 0.0 };
        }
        if let Some(&known) = done.get(&label) {
            return known;
        }
        let (low, high) = self.children(label);
        let result = (self.fraction(low, done) + self.fraction(high, done)) / 2.0;
        done.insert(label, result);
        result
    }

    /// An irredundant sum of cubes equal to the label (Minato and Morreale).
    pub fn cubes(&mut self, label: Label) -> Vec<Cube> {
        let mut out = Vec::new();
        self.irredundant(label, label, Cube::default(), &mut out);
        out
    }

    /// Cubes that cover `lower` and stay inside `upper`; returns the function they denote.
    fn irredundant(&mut self, lower: Label, upper: Label, path: Cube, out: &mut Vec<Cube>) -> Label {
        if lower == Label::FALSE || self.full {
            return Label::FALSE;
        }
        if upper == Label::TRUE {
            out.push(path);
            return Label::TRUE;
        }
        let var = self.level(lower).min(self.level(upper));
        let bit = if var < 64 { 1u64 << var } else { 0 };
        let (lower0, lower1) = self.split(lower, var);
        let (upper0, upper1) = self.split(upper, var);
        let only0 = self.minus(lower0, upper1);
        let only1 = self.minus(lower1, upper0);
        let negative = Cube {
            negative: path.negative | bit,
            ..path
        };
        let positive = Cube {
            positive: path.positive | bit,
            ..path
        };
        let covered0 = self.irredundant(only0, upper0, negative, out);
        let covered1 = self.irredundant(only1, upper1, positive, out);
        let left0 = self.minus(lower0, covered0);
        let left1 = self.minus(lower1, covered1);
        let rest = self.or(left0, left1);
        let both = self.and(upper0, upper1);
        let covered = self.irredundant(rest, both, path, out);
        let low = self.or(covered0, covered);
        let high = self.or(covered1, covered);
        self.node(var, low, high)
    }
}

/// The lowest `count` bits set.
pub(crate) fn low_bits(count: usize) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1u64 << count) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_are_equal_numbers_and_cubes_cover_exactly() {
        let mut labels = Labels::default();
        let (p, q, r) = (
            labels.literal(0, true),
            labels.literal(1, true),
            labels.literal(2, true),
        );
        let pq = labels.and(p, q);
        let not_either = {
            let a = labels.or(p.not(), q.not());
            a.not()
        };
        assert_eq!(pq, not_either);
        let f = {
            let a = labels.iff(p, q);
            labels.or(a, r)
        };
        let cubes = labels.cubes(f);
        for letter in 0..8u64 {
            let expected = (letter & 1 == letter >> 1 & 1) || letter >> 2 & 1 == 1;
            assert_eq!(labels.satisfied(f, letter), expected);
            let covered = cubes
                .iter()
                .any(|cube| letter & cube.positive == cube.positive && letter & cube.negative == 0);
            assert_eq!(covered, expected);
        }
        assert_eq!(labels.count(f, 3), 6.0);
        assert_eq!(labels.exists(f, &|var| var == 2), Label::TRUE);
    }

    #[test]
    fn a_watched_store_gives_up_when_its_budget_is_spent_and_all_that_share_its_watch_say_so() {
        let spent = Budget::unlimited().with_timeout(Some(std::time::Duration::ZERO));
        let mut labels = Labels::default();
        let before = labels.literal(0, true);
        labels.watch(&spent);
        // In this order of the variables the function has more than a million nodes.
        let mut all = Label::FALSE;
        for pair in 0..20 {
            let (one, other) = (labels.literal(pair, true), labels.literal(20 + pair, true));
            let both = labels.and(one, other);
            all = labels.or(all, both);
        }
        assert!(labels.size() < 10_000);
        let mut other = Labels::default();
        assert!(!other.is_watched());
        other.import(&labels, before, &|var| var, &mut FxHashMap::default());
        assert!(other.is_watched());
        assert!(labels.check_watch().is_err());
        assert!(other.end_watch().is_err() && other.check_watch().is_ok());
    }
}
