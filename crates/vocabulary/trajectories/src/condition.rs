//! Propositional formulas over the symbolic variables of a specification, hash-consed, with constants folded.

use rustc_hash::FxHashMap;

/// The number of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConditionId(pub u32);

impl ConditionId {
    /// The condition that is always true.
    pub const TRUE: ConditionId = ConditionId(0);
    /// The condition that never is.
    pub const FALSE: ConditionId = ConditionId(1);

    /// As a position in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The constant.
    pub fn constant(truth: bool) -> ConditionId {
        match truth {
            true => ConditionId::TRUE,
            false => ConditionId::FALSE,
        }
    }
}

/// How a condition is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A constant.
    Constant(bool),
    /// A variable.
    Variable(u32),
    /// Not.
    Not(ConditionId),
    /// Both.
    And(ConditionId, ConditionId),
    /// Exactly one.
    Xor(ConditionId, ConditionId),
}

/// All conditions of a specification; operands come before what is made of them.
#[derive(Clone, Debug)]
pub struct Conditions {
    list: Vec<Condition>,
    known: FxHashMap<Condition, ConditionId>,
}

impl Default for Conditions {
    fn default() -> Conditions {
        let mut conditions = Conditions {
            list: Vec::new(),
            known: FxHashMap::default(),
        };
        conditions.make(Condition::Constant(true));
        conditions.make(Condition::Constant(false));
        conditions
    }
}

impl Conditions {
    fn make(&mut self, condition: Condition) -> ConditionId {
        let list = &mut self.list;
        *self.known.entry(condition).or_insert_with(|| {
            list.push(condition);
            ConditionId(list.len() as u32 - 1)
        })
    }

    /// How a condition is made.
    pub fn get(&self, id: ConditionId) -> Condition {
        self.list[id.index()]
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = (ConditionId, Condition)> + '_ {
        (self.list.iter().enumerate()).map(|(index, &condition)| (ConditionId(index as u32), condition))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Never: the constants are there from the beginning.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A variable.
    pub fn variable(&mut self, number: u32) -> ConditionId {
        self.make(Condition::Variable(number))
    }

    /// Not.
    pub fn not(&mut self, a: ConditionId) -> ConditionId {
        match self.get(a) {
            Condition::Constant(truth) => ConditionId::constant(!truth),
            Condition::Not(inner) => inner,
            _ => self.make(Condition::Not(a)),
        }
    }

    /// Both.
    pub fn and(&mut self, a: ConditionId, b: ConditionId) -> ConditionId {
        let (a, b) = (a.min(b), a.max(b));
        if a == ConditionId::TRUE || a == b {
            return b;
        }
        let opposite = self.not(a) == b;
        if a == ConditionId::FALSE || b == ConditionId::FALSE || opposite {
            return ConditionId::FALSE;
        }
        self.make(Condition::And(a, b))
    }

    /// At least one.
    pub fn or(&mut self, a: ConditionId, b: ConditionId) -> ConditionId {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// Exactly one.
    pub fn xor(&mut self, a: ConditionId, b: ConditionId) -> ConditionId {
        let (a, b) = (a.min(b), a.max(b));
        match (self.get(a), self.get(b)) {
            _ if a == b => ConditionId::FALSE,
            (Condition::Constant(true), _) => self.not(b),
            (Condition::Constant(false), _) => b,
            (_, Condition::Constant(_)) | (Condition::Not(_), _) | (_, Condition::Not(_)) => {
                // Complements move out, so that a formula and its complement share their parts.
                let (plain_a, flip_a) = self.plain(a);
                let (plain_b, flip_b) = self.plain(b);
                let inner = self.xor(plain_a, plain_b);
                match flip_a != flip_b {
                    true => self.not(inner),
                    false => inner,
                }
            }
            _ => self.make(Condition::Xor(a, b)),
        }
    }

    fn plain(&self, a: ConditionId) -> (ConditionId, bool) {
        match self.get(a) {
            Condition::Not(inner) => (inner, true),
            Condition::Constant(true) => (ConditionId::FALSE, true),
            _ => (a, false),
        }
    }

    /// `then` where the condition is true, `otherwise` where it is not.
    pub fn choose(&mut self, when: ConditionId, then: ConditionId, otherwise: ConditionId) -> ConditionId {
        let unless = self.not(when);
        let (then, otherwise) = (self.and(when, then), self.and(unless, otherwise));
        self.or(then, otherwise)
    }

    /// The truth of every condition under values of the variables; a variable without a value is false.
    pub fn evaluate(&self, values: &[bool]) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::with_capacity(self.list.len());
        for condition in &self.list {
            let truth = match *condition {
                Condition::Constant(truth) => truth,
                Condition::Variable(number) => values.get(number as usize).copied().unwrap_or(false),
                Condition::Not(a) => !truths[a.index()],
                Condition::And(a, b) => truths[a.index()] && truths[b.index()],
                Condition::Xor(a, b) => truths[a.index()] != truths[b.index()],
            };
            truths.push(truth);
        }
        truths
    }
}
