//! The monitor of a path formula, added to a system as variables and conditions.
//!
//! The construction is defined in [`entail_evidence::LivenessCertificate`]'s module; this is the checker's own implementation of
//! it. Claims are terms: a promise about the next position is the next value of the promise's variable.

use entail_logic::{Binary, Formula, Node, Unary};
use entail_model::{Sort, TermId, TransitionSystem, VarId, VarKind};
use rustc_hash::FxHashMap;

/// Nested formulas grow the stack when so little of it is left, by so much.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// The formula has an operator that no path formula in positive normal form has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotLinear;

/// A system with a monitor under construction.
pub(crate) struct Monitor {
    pub(crate) system: TransitionSystem,
    /// Met again and again on the paths in question.
    pub(crate) fair: Vec<TermId>,
    known: FxHashMap<usize, TermId>,
}

/// A Boolean variable now and next.
#[derive(Clone, Copy)]
struct Flag {
    now: TermId,
    next: TermId,
}

impl Monitor {
    /// A monitor that asks for nothing yet.
    pub(crate) fn new(system: TransitionSystem) -> Monitor {
        Monitor {
            system,
            fair: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn flag(&mut self, initially: bool) -> Flag {
        let name = format!("monitor {}", self.system.variables().len());
        let variable: VarId = self.system.add_variable(name, Sort::Bool, VarKind::State);
        let (now, next) = (self.system.current(variable), self.system.next(variable));
        let start = if initially {
            now
        } else {
            self.system.terms.not(now)
        };
        self.system.init.push(start);
        Flag { now, next }
    }

    fn require(&mut self, condition: TermId) {
        self.system.transition.push(condition);
    }

    fn require_if(&mut self, condition: TermId, then: TermId) {
        let implied = self.system.terms.implies(condition, then);
        self.require(implied);
    }

    fn set_next(&mut self, flag: Flag, value: TermId) {
        let equal = self.system.terms.iff(flag.next, value);
        self.require(equal);
    }

    /// Requires a formula in positive normal form of the whole path.
    pub(crate) fn require_at_start(&mut self, formula: &Formula<TermId>) -> Result<(), NotLinear> {
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
            let past = self.system.terms.not(first.next);
            self.require(past);
            for claim in at_start {
                self.require_if(first.now, claim);
            }
        }
        Ok(())
    }

    /// Justice and compassion of the system.
    pub(crate) fn require_fairness(&mut self) {
        self.fair.extend(&self.system.justice);
        for (often, then) in self.system.compassion.clone() {
            let over = self.flag(false);
            self.require_if(over.now, over.next);
            let quiet = self.system.terms.not(often);
            self.require_if(over.now, quiet);
            let met = self.system.terms.or([over.now, then]);
            self.fair.push(met);
        }
    }

    /// Counts how often all fairness signals were met: the term is true once that happened more than `bound` times.
    pub(crate) fn exceeds(&mut self, bound: u64) -> TermId {
        let signals = self.fair.clone();
        let seen: Vec<Flag> = signals.iter().map(|_| self.flag(false)).collect();
        let met: Vec<TermId> = seen
            .iter()
            .zip(&signals)
            .map(|(seen, &signal)| self.system.terms.or([seen.now, signal]))
            .collect();
        let all = self.system.terms.and(met.iter().copied());
        let not_all = self.system.terms.not(all);
        for (flag, met) in seen.into_iter().zip(met) {
            let kept = self.system.terms.and([met, not_all]);
            self.set_next(flag, kept);
        }
        let mut before = self.system.terms.truth(true);
        for _ in 0..=bound {
            let place = self.flag(false);
            let reached = self.system.terms.and([before, all]);
            let next = self.system.terms.or([place.now, reached]);
            self.set_next(place, next);
            before = place.now;
        }
        before
    }

    /// The claim of a formula. The caller keeps the formula alive, so that its parts are told apart by their addresses.
    fn claim(&mut self, formula: &Formula<TermId>) -> Result<TermId, NotLinear> {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.claim_here(formula))
    }

    fn claim_here(&mut self, formula: &Formula<TermId>) -> Result<TermId, NotLinear> {
        if let Some(&claim) = self.known.get(&formula.address()) {
            return Ok(claim);
        }
        let claim = match formula.node() {
            Node::Constant(truth) => self.system.terms.truth(*truth),
            Node::Atom(atom) => *atom,
            Node::Not(inner) => match inner.node() {
                Node::Atom(atom) => self.system.terms.not(*atom),
                _ => return Err(NotLinear),
            },
            Node::And(list) | Node::Or(list) => {
                let claims: Vec<TermId> = list
                    .iter()
                    .map(|operand| self.claim(operand))
                    .collect::<Result<_, _>>()?;
                match formula.node() {
                    Node::And(_) => self.system.terms.and(claims),
                    _ => self.system.terms.or(claims),
                }
            }
            Node::Unary(op, interval, operand) if interval.is_always() => {
                let operand = self.claim(operand)?;
                let truth = self.system.terms.truth(true);
                let falsity = self.system.terms.truth(false);
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

    fn binary(&mut self, op: Binary, left: TermId, right: TermId) -> TermId {
        let flag = self.flag(op == Binary::Triggered);
        let past = matches!(op, Binary::Since | Binary::Triggered);
        let further = if past { flag.now } else { flag.next };
        let terms = &mut self.system.terms;
        let claim = match op {
            Binary::Until | Binary::WeakUntil | Binary::Since => {
                let lasting = terms.and([left, further]);
                terms.or([right, lasting])
            }
            Binary::Release | Binary::StrongRelease | Binary::Triggered => {
                let released = terms.or([left, further]);
                terms.and([right, released])
            }
        };
        let done = match op {
            Binary::Until => Some(right),
            Binary::StrongRelease => Some(terms.and([left, right])),
            _ => None,
        };
        if past {
            self.set_next(flag, claim);
        } else {
            self.require_if(flag.now, claim);
        }
        if let Some(done) = done {
            let nothing_left = self.system.terms.not(flag.next);
            let met = self.system.terms.or([nothing_left, done]);
            self.fair.push(met);
        }
        claim
    }
}

/// What a conjunct of the whole formula asks for.
enum Shape<'a> {
    Always(&'a Formula<TermId>),
    AgainAndAgain(&'a Formula<TermId>),
    FromSomePointOn(&'a Formula<TermId>),
    Other,
}

fn shape(formula: &Formula<TermId>) -> Shape<'_> {
    fn unary(formula: &Formula<TermId>, wanted: Unary) -> Option<&Formula<TermId>> {
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
