//! The monitor of a path formula, added to a system as variables and conditions.
//!
//! The construction is defined in [`entail_evidence::LivenessCertificate`]'s module; this is the checker's own implementation of
//! it. Claims are terms: a promise about the next position is the next value of the promise's variable. What a term is, a [`Host`] says:
//! a finite system or one over first-order sorts.

use entail_logic::{Binary, Formula, Node, Unary};
use entail_model::{Sort, TermId, TransitionSystem, VarId, VarKind};
use rustc_hash::FxHashMap;

/// Nested formulas grow the stack when so little of it is left, by so much.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// The formula has an operator that no path formula in positive normal form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotLinear;

/// A Boolean variable now and next.
#[derive(Clone, Copy)]
pub(crate) struct Flag<T> {
    pub(crate) now: T,
    pub(crate) next: T,
}

/// A system that a monitor can be added to.
pub(crate) trait Host {
    /// Its formulas.
    type Term: Copy;

    /// A new Boolean variable with its first value.
    fn flag(&mut self, initially: bool) -> Flag<Self::Term>;
    /// Requires a condition of every step.
    fn require(&mut self, condition: Self::Term);
    fn truth(&mut self, value: bool) -> Self::Term;
    fn not(&mut self, a: Self::Term) -> Self::Term;
    fn and(&mut self, all: &[Self::Term]) -> Self::Term;
    fn or(&mut self, all: &[Self::Term]) -> Self::Term;
    fn iff(&mut self, a: Self::Term, b: Self::Term) -> Self::Term;
    fn justice(&self) -> Vec<Self::Term>;
    fn compassion(&self) -> Vec<(Self::Term, Self::Term)>;
}

impl Host for TransitionSystem {
    type Term = TermId;

    fn flag(&mut self, initially: bool) -> Flag<TermId> {
        let name = format!("monitor {}", self.variables().len());
        let variable: VarId = self.add_variable(name, Sort::Bool, VarKind::State);
        let (now, next) = (self.current(variable), self.next(variable));
        let start = if initially { now } else { self.terms.not(now) };
        self.init.push(start);
        Flag { now, next }
    }

    fn require(&mut self, condition: TermId) {
        self.transition.push(condition);
    }

    fn truth(&mut self, value: bool) -> TermId {
        self.terms.truth(value)
    }

    fn not(&mut self, a: TermId) -> TermId {
        self.terms.not(a)
    }

    fn and(&mut self, all: &[TermId]) -> TermId {
        self.terms.and(all.iter().copied())
    }

    fn or(&mut self, all: &[TermId]) -> TermId {
        self.terms.or(all.iter().copied())
    }

    fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.iff(a, b)
    }

    fn justice(&self) -> Vec<TermId> {
        self.justice.clone()
    }

    fn compassion(&self) -> Vec<(TermId, TermId)> {
        self.compassion.clone()
    }
}

/// A system with a monitor under construction.
pub(crate) struct Monitor<H: Host> {
    pub(crate) system: H,
    /// Met again and again on the paths in question.
    pub(crate) fair: Vec<H::Term>,
    known: FxHashMap<usize, H::Term>,
}

impl<H: Host> Monitor<H> {
    /// A monitor that asks for nothing yet.
    pub(crate) fn new(system: H) -> Monitor<H> {
        Monitor {
            system,
            fair: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn flag(&mut self, initially: bool) -> Flag<H::Term> {
        self.system.flag(initially)
    }

    fn require(&mut self, condition: H::Term) {
        self.system.require(condition);
    }

    fn require_if(&mut self, condition: H::Term, then: H::Term) {
        let otherwise = self.system.not(condition);
        let implied = self.system.or(&[otherwise, then]);
        self.require(implied);
    }

    fn set_next(&mut self, flag: Flag<H::Term>, value: H::Term) {
        let equal = self.system.iff(flag.next, value);
        self.require(equal);
    }

    /// Requires a formula in positive normal form of the whole path.
    pub(crate) fn require_at_start(&mut self, formula: &Formula<H::Term>) -> Result<(), NotLinear> {
        let conjuncts = match formula.node() {
            Node::And(list) => list.clone(),
            _ => vec![formula.clone()],
        };
        let mut at_start = Vec::new();
        for conjunct in &conjuncts {
            match shape(conjunct) {
                Shape::Always(inner) => {
                    let claim = self.claim(inner)?;
                    self.require(claim);
                }
                Shape::AgainAndAgain(inner) => {
                    let claim = self.claim(inner)?;
                    self.fair.push(claim);
                }
                Shape::FromSomePointOn(inner) => {
                    let claim = self.claim(inner)?;
                    let over = self.flag(false);
                    self.require_if(over.now, over.next);
                    self.require_if(over.now, claim);
                    self.fair.push(over.now);
                }
                Shape::Other => at_start.push(self.claim(conjunct)?),
            }
        }
        if !at_start.is_empty() {
            let first = self.flag(true);
            let past = self.system.not(first.next);
            self.require(past);
            for claim in at_start {
                self.require_if(first.now, claim);
            }
        }
        Ok(())
    }

    /// Justice and compassion of the system.
    pub(crate) fn require_fairness(&mut self) {
        let justice = self.system.justice();
        self.fair.extend(justice);
        for (often, then) in self.system.compassion() {
            let over = self.flag(false);
            self.require_if(over.now, over.next);
            let quiet = self.system.not(often);
            self.require_if(over.now, quiet);
            let met = self.system.or(&[over.now, then]);
            self.fair.push(met);
        }
    }

    /// Watches for rounds, in which every fairness signal is met once: the condition of the step that ends one.
    pub(crate) fn round(&mut self) -> H::Term {
        let signals = self.fair.clone();
        let seen: Vec<Flag<H::Term>> = signals.iter().map(|_| self.flag(false)).collect();
        let met: Vec<H::Term> = seen
            .iter()
            .zip(&signals)
            .map(|(seen, &signal)| self.system.or(&[seen.now, signal]))
            .collect();
        let all = self.system.and(&met);
        let not_all = self.system.not(all);
        for (flag, met) in seen.into_iter().zip(met) {
            let kept = self.system.and(&[met, not_all]);
            self.set_next(flag, kept);
        }
        all
    }

    /// Counts rounds: the term is true once there were more than `bound`.
    pub(crate) fn exceeds(&mut self, bound: u64) -> H::Term {
        let all = self.round();
        let mut before = self.system.truth(true);
        for _ in 0..=bound {
            let place = self.flag(false);
            let reached = self.system.and(&[before, all]);
            let next = self.system.or(&[place.now, reached]);
            self.set_next(place, next);
            before = place.now;
        }
        before
    }

    /// The claim of a formula. The caller keeps the formula alive, so that its parts are told apart by their addresses.
    fn claim(&mut self, formula: &Formula<H::Term>) -> Result<H::Term, NotLinear> {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.claim_here(formula))
    }

    fn claim_here(&mut self, formula: &Formula<H::Term>) -> Result<H::Term, NotLinear> {
        if let Some(&claim) = self.known.get(&formula.address()) {
            return Ok(claim);
        }
        let claim = match formula.node() {
            Node::Constant(truth) => self.system.truth(*truth),
            Node::Atom(atom) => *atom,
            Node::Not(inner) => match inner.node() {
                Node::Atom(atom) => self.system.not(*atom),
                _ => return Err(NotLinear),
            },
            Node::And(list) | Node::Or(list) => {
                let claims: Vec<H::Term> = list
                    .iter()
                    .map(|operand| self.claim(operand))
                    .collect::<Result<_, _>>()?;
                match formula.node() {
                    Node::And(_) => self.system.and(&claims),
                    _ => self.system.or(&claims),
                }
            }
            Node::Unary(op, interval, operand) if interval.is_always() => {
                let operand = self.claim(operand)?;
                let truth = self.system.truth(true);
                let falsity = self.system.truth(false);
                match op {
                    Unary::Next => {
                        let promise = self.flag(false);
                        self.require_if(promise.now, operand);
                        promise.next
                    }
                    Unary::Finally => self.binary(Binary::Until, truth, operand),
                    Unary::Globally => self.binary(Binary::Release, falsity, operand),
                    Unary::Once => self.binary(Binary::Since, truth, operand),
                    Unary::Historically => self.binary(Binary::Triggered, falsity, operand),
                    Unary::Yesterday | Unary::WeakYesterday => {
                        let before = self.flag(*op == Unary::WeakYesterday);
                        self.set_next(before, operand);
                        before.now
                    }
                }
            }
            Node::Binary(op, interval, left, right) if interval.is_always() => {
                let (left, right) = (self.claim(left)?, self.claim(right)?);
                self.binary(*op, left, right)
            }
            _ => return Err(NotLinear),
        };
        self.known.insert(formula.address(), claim);
        Ok(claim)
    }

    fn binary(&mut self, op: Binary, left: H::Term, right: H::Term) -> H::Term {
        let flag = self.flag(op == Binary::Triggered);
        let past = matches!(op, Binary::Since | Binary::Triggered);
        let further = if past { flag.now } else { flag.next };
        let host = &mut self.system;
        let claim = match op {
            Binary::Until | Binary::WeakUntil | Binary::Since => {
                let lasting = host.and(&[left, further]);
                host.or(&[right, lasting])
            }
            Binary::Release | Binary::StrongRelease | Binary::Triggered => {
                let released = host.or(&[left, further]);
                host.and(&[right, released])
            }
        };
        let done = match op {
            Binary::Until => Some(right),
            Binary::StrongRelease => Some(host.and(&[left, right])),
            _ => None,
        };
        if past {
            self.set_next(flag, claim);
        } else {
            self.require_if(flag.now, claim);
        }
        if let Some(done) = done {
            let nothing_left = self.system.not(flag.next);
            let met = self.system.or(&[nothing_left, done]);
            self.fair.push(met);
        }
        claim
    }
}

/// What a conjunct of the whole formula asks for.
enum Shape<'a, T> {
    Always(&'a Formula<T>),
    AgainAndAgain(&'a Formula<T>),
    FromSomePointOn(&'a Formula<T>),
    Other,
}

fn shape<T>(formula: &Formula<T>) -> Shape<'_, T> {
    fn unary<T>(formula: &Formula<T>, wanted: Unary) -> Option<&Formula<T>> {
        match formula.node() {
            Node::Unary(op, interval, inner) if *op == wanted && interval.is_always() => Some(inner),
            _ => None,
        }
    }
    if let Some(inner) = unary(formula, Unary::Globally) {
        return match unary(inner, Unary::Finally) {
            Some(often) => Shape::AgainAndAgain(often),
            None => Shape::Always(inner),
        };
    }
    match unary(formula, Unary::Finally).and_then(|inner| unary(inner, Unary::Globally)) {
        Some(inner) => Shape::FromSomePointOn(inner),
        None => Shape::Other,
    }
}
