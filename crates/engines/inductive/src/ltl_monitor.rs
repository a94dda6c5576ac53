//! A path formula as a monitor circuit: the symbolic tableau (Clarke, Grumberg, Hamaguchi), on claims instead of truths.
//!
//! The formula is in positive normal form. For every subformula there is a signal "it is claimed here"; a claim about the future is an
//! input (the path's guess) that a latch hands on to the next position, where a constraint makes it good. Claims only need to be
//! kept, never denied: a path satisfies the formula iff it can be run with the whole formula claimed at its first position, all
//! constraints kept, and every eventuality met again and again (the `fair` signals). Past operators need no guess: a latch
//! remembers the claim.
//!
//! The monitor has one latch for each temporal operator; conjuncts `G χ`, `G F χ` and `F G χ` of the whole formula need none or one. Which latches there
//! are, and in which order, is part of the certificate of k-liveness ([`entail_evidence::LivenessCertificate`]): this file and the checker
//! follow the same definition.

use entail_logic::{Binary, Formula, Node, Unary};
use entail_model::{TermId, TransitionSystem};
use entail_sat::{Init, NotEncoded, Signal, SystemCircuit};
use rustc_hash::FxHashMap;

/// Nested formulas grow the stack when so little of it is left, by so much.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// How a latch must compare when a path returns to an earlier position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// It has the same value.
    Equal,
    /// What is promised now was claimed then: the signal is the claim.
    ClaimedThen(Signal),
    /// What was remembered then is remembered now, too.
    ThenImpliesNow,
    /// It does not matter.
    Free,
}

/// A guess, the latch that asks for it one position later, and that latch's place among the added ones.
struct Promise {
    guess: Signal,
    asked: Signal,
    place: usize,
}

/// Why a formula has no monitor.
pub enum NoMonitor {
    /// It has path quantifiers inside.
    Quantifier,
    /// An atom cannot be encoded.
    Atom(NotEncoded),
}

impl From<NotEncoded> for NoMonitor {
    fn from(reason: NotEncoded) -> NoMonitor {
        NoMonitor::Atom(reason)
    }
}

/// A monitor under construction inside a system's circuit.
pub struct LtlMonitor<'a> {
    system: &'a TransitionSystem,
    translated: &'a mut SystemCircuit,
    known: FxHashMap<usize, Signal>,
    /// Met infinitely often on the paths that satisfy the formula.
    pub fair: Vec<Signal>,
    /// For each latch added, in order, how it closes a loop.
    pub closing: Vec<Closing>,
}

impl<'a> LtlMonitor<'a> {
    /// A monitor that asks for nothing yet.
    pub fn new(system: &'a TransitionSystem, translated: &'a mut SystemCircuit) -> LtlMonitor<'a> {
        LtlMonitor {
            system,
            translated,
            known: FxHashMap::default(),
            fair: Vec::new(),
            closing: Vec::new(),
        }
    }

    fn and(&mut self, a: Signal, b: Signal) -> Signal {
        self.translated.circuit.aig.and(a, b)
    }

    fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.translated.circuit.aig.or(a, b)
    }

    /// Requires a signal at every position.
    fn require(&mut self, signal: Signal) {
        self.translated.circuit.constraints.push(signal);
    }

    fn latch(&mut self, init: Init, closing: Closing) -> (usize, Signal) {
        let signal = self.translated.circuit.add_latch(init);
        self.closing.push(closing);
        (self.translated.circuit.latches.len() - 1, signal)
    }

    fn set_next(&mut self, latch: usize, next: Signal) {
        self.translated.circuit.latches[latch].next = next;
    }

    /// A guess about the next position, to be passed to [`LtlMonitor::keep`] with the claim that makes it good there.
    fn promise(&mut self) -> Promise {
        let guess = self.translated.circuit.add_input();
        let place = self.closing.len();
        let (latch, asked) = self.latch(Init::Zero, Closing::Equal);
        self.set_next(latch, guess);
        Promise { guess, asked, place }
    }

    fn keep(&mut self, promise: &Promise, claim: Signal) {
        let kept = self.or(!promise.asked, claim);
        self.require(kept);
        self.closing[promise.place] = Closing::ClaimedThen(claim);
    }

    /// Requires a formula (in positive normal form, without bounds) of the whole path.
    pub fn require_at_start(&mut self, formula: &Formula<TermId>) -> Result<(), NoMonitor> {
        let conjuncts = match formula.node() {
            Node::And(list) => list.as_slice(),
            _ => std::slice::from_ref(formula),
        };
        for conjunct in conjuncts {
            self.require_conjunct(conjunct)?;
        }
        Ok(())
    }

    fn require_conjunct(&mut self, formula: &Formula<TermId>) -> Result<(), NoMonitor> {
        if let Some(inner) = operand_of(formula, Unary::Globally) {
            return match operand_of(inner, Unary::Finally) {
                Some(often) => {
                    let claim = self.claim(often)?;
                    self.fair.push(claim);
                    Ok(())
                }
                None => {
                    let claim = self.claim(inner)?;
                    self.require(claim);
                    Ok(())
                }
            };
        }
        let stays = operand_of(formula, Unary::Finally).and_then(|inner| operand_of(inner, Unary::Globally));
        if let Some(inner) = stays {
            let claim = self.claim(inner)?;
            let over = self.lasting();
            let kept = self.or(!over, claim);
            self.require(kept);
            self.fair.push(over);
            return Ok(());
        }
        let claim = self.claim(formula)?;
        let (latch, first) = self.latch(Init::One, Closing::Free);
        self.set_next(latch, Signal::FALSE);
        let kept = self.or(!first, claim);
        self.require(kept);
        Ok(())
    }

    /// A latch that is false until a guessed position and true from there on.
    fn lasting(&mut self) -> Signal {
        let guess = self.translated.circuit.add_input();
        let (latch, over) = self.latch(Init::Zero, Closing::Equal);
        let next = self.or(over, guess);
        self.set_next(latch, next);
        over
    }

    /// Justice and compassion of the system.
    pub fn require_fairness(&mut self) -> Result<(), NoMonitor> {
        for &justice in &self.system.justice {
            let met = self.translated.term(self.system, justice)?;
            self.fair.push(met);
        }
        for &(often, then) in &self.system.compassion {
            let (p, q) = (
                self.translated.term(self.system, often)?,
                self.translated.term(self.system, then)?,
            );
            // Either q again and again, or from some guessed position on never p.
            let over = self.lasting();
            let quiet = self.or(!over, !p);
            self.require(quiet);
            let met = self.or(over, q);
            self.fair.push(met);
        }
        Ok(())
    }

    fn claim(&mut self, formula: &Formula<TermId>) -> Result<Signal, NoMonitor> {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.claim_here(formula))
    }

    fn claim_here(&mut self, formula: &Formula<TermId>) -> Result<Signal, NoMonitor> {
        if let Some(&signal) = self.known.get(&formula.address()) {
            return Ok(signal);
        }
        let signal = match formula.node() {
            Node::Constant(truth) => Signal::constant(*truth),
            Node::Atom(atom) => self.translated.term(self.system, *atom)?,
            Node::Not(inner) => match inner.node() {
                Node::Atom(atom) => !self.translated.term(self.system, *atom)?,
                _ => return Err(NoMonitor::Quantifier),
            },
            Node::And(list) => {
                let mut all = Signal::TRUE;
                for operand in list {
                    let claim = self.claim(operand)?;
                    all = self.and(all, claim);
                }
                all
            }
            Node::Or(list) => {
                let mut any = Signal::FALSE;
                for operand in list {
                    let claim = self.claim(operand)?;
                    any = self.or(any, claim);
                }
                any
            }
            Node::Unary(op, _, operand) => {
                let operand = self.claim(operand)?;
                self.unary(*op, operand)
            }
            Node::Binary(op, _, left, right) => {
                let (left, right) = (self.claim(left)?, self.claim(right)?);
                self.binary(*op, left, right)
            }
            Node::Quantified(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                return Err(NoMonitor::Quantifier);
            }
        };
        self.known.insert(formula.address(), signal);
        Ok(signal)
    }

    fn unary(&mut self, op: Unary, operand: Signal) -> Signal {
        let (truth, falsity) = (Signal::TRUE, Signal::FALSE);
        match op {
            Unary::Next => {
                let promise = self.promise();
                self.keep(&promise, operand);
                promise.guess
            }
            Unary::Finally => self.binary(Binary::Until, truth, operand),
            Unary::Globally => self.binary(Binary::Release, falsity, operand),
            Unary::Once => self.binary(Binary::Since, truth, operand),
            Unary::Historically => self.binary(Binary::Triggered, falsity, operand),
            Unary::Yesterday | Unary::WeakYesterday => {
                let init = Init::from(op == Unary::WeakYesterday);
                let (latch, before) = self.latch(init, Closing::ThenImpliesNow);
                self.set_next(latch, operand);
                before
            }
        }
    }

    fn binary(&mut self, op: Binary, left: Signal, right: Signal) -> Signal {
        match op {
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => {
                let promise = self.promise();
                let guess = promise.guess;
                let claim = match op {
                    Binary::Until | Binary::WeakUntil => {
                        let waiting = self.and(left, guess);
                        self.or(right, waiting)
                    }
                    _ => {
                        let released = self.or(left, guess);
                        self.and(right, released)
                    }
                };
                self.keep(&promise, claim);
                let met = match op {
                    Binary::Until => right,
                    Binary::StrongRelease => self.and(left, right),
                    _ => return claim,
                };
                let fair = self.or(!guess, met);
                self.fair.push(fair);
                claim
            }
            Binary::Since | Binary::Triggered => {
                let since = op == Binary::Since;
                let (latch, before) = self.latch(Init::from(!since), Closing::ThenImpliesNow);
                let claim = if since {
                    let lasting = self.and(left, before);
                    self.or(right, lasting)
                } else {
                    let released = self.or(left, before);
                    self.and(right, released)
                };
                self.set_next(latch, claim);
                claim
            }
        }
    }
}

/// The operand of an operator without bounds.
fn operand_of(formula: &Formula<TermId>, wanted: Unary) -> Option<&Formula<TermId>> {
    match formula.node() {
        Node::Unary(op, interval, inner) if *op == wanted && interval.is_always() => Some(inner),
        _ => None,
    }
}
