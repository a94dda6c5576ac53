//! A system beside the monitor of the fair paths that violate a formula: the tester with kept promises ([`entail_automata::tester`]) in
//! Boolean variables.
//!
//! Which variables there are, in which order and with which names, is part of the evidence: this file follows the definition in
//! [`entail_first_order::EndlessProof`]'s module. A promise about the next position is the next value of its variable, so conditions of
//! the monitor and fairness signals are about steps.

use super::FoundEndless;
use entail_automata::tester::{Bit, Condition, Gate, Tester};
use entail_first_order::{FirstOrderSystem, Rational, SortId, StateVariable, TermId, Terms};
use entail_logic::{Formula, Node};

/// Bounded operators are written out up to this many steps.
const MAX_WRITTEN_OUT: u32 = 256;

/// The constants of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub now: TermId,
    pub next: TermId,
}

/// A system with the monitor's variables and conditions.
#[derive(Clone)]
pub(super) struct Product {
    pub system: FirstOrderSystem,
    /// Conditions of steps, each met again and again on the paths in question.
    pub fair: Vec<TermId>,
    /// How many variables the system has without the monitor.
    pub own: usize,
}

/// Adds a variable.
pub(super) fn add_variable(system: &mut FirstOrderSystem, name: String, sort: SortId) -> Pair {
    let now = system.terms.constant(&name, sort);
    let next = system.terms.constant(&format!("next({name})"), sort);
    system.variables.push(StateVariable {
        name,
        current: now,
        next,
    });
    Pair { now, next }
}

/// Adds a Boolean variable with its first value.
pub(super) fn add_flag(system: &mut FirstOrderSystem, initially: bool) -> Pair {
    let name = format!("monitor {}", system.variables.len());
    let pair = add_variable(system, name, SortId::BOOL);
    let value = system.terms.bool(initially);
    let start = system.terms.eq(pair.now, value);
    system.init = system.terms.and(&[system.init, start]);
    pair
}

/// Requires a condition of every step.
pub(super) fn require(system: &mut FirstOrderSystem, condition: TermId) {
    system.transition = system.terms.and(&[system.transition, condition]);
}

fn require_if(system: &mut FirstOrderSystem, condition: TermId, then: TermId) {
    let implied = system.terms.implies(condition, then);
    require(system, implied);
}

/// Lets the next value of a variable be a term.
pub(super) fn set_next(system: &mut FirstOrderSystem, pair: Pair, value: TermId) {
    let equal = system.terms.eq(pair.next, value);
    require(system, equal);
}

/// Lets an engine decide a formula on the product, if there is one.
pub(super) fn on_product(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    decide: impl FnOnce(Product) -> FoundEndless,
) -> FoundEndless {
    Product::new(system, path).map_or_else(FoundEndless::Unknown, decide)
}

impl Product {
    /// The product; why there is none otherwise.
    fn new(system: &FirstOrderSystem, path: &Formula<TermId>) -> Result<Product, String> {
        let written_out = path
            .expand_bounds(MAX_WRITTEN_OUT)
            .map_err(|reason| reason.to_string())?;
        let violation = written_out.negated_normal_form();
        let tester = Tester::kept(&violation).map_err(|error| error.to_string())?;
        let own = system.variables.len();
        let mut product = Product {
            system: system.clone(),
            fair: Vec::new(),
            own,
        };
        product.monitor(&tester)?;
        product.fairness();
        Ok(product)
    }

    fn monitor(&mut self, tester: &Tester<TermId>) -> Result<(), String> {
        let system = &mut self.system;
        let mut bits: Vec<Pair> = Vec::with_capacity(tester.bits.len());
        for bit in &tester.bits {
            bits.push(add_flag(
                system,
                matches!(bit, Bit::Memory { initially: true, .. }),
            ));
        }
        let mut gates: Vec<TermId> = Vec::with_capacity(tester.gates().len());
        let value = |terms: &mut Terms, gates: &[TermId], condition: Condition| {
            let gate = gates[condition.gate()];
            if condition.is_negated() {
                terms.not(gate)
            } else {
                gate
            }
        };
        for gate in tester.gates() {
            let term = match *gate {
                Gate::True => system.terms.truth(),
                Gate::Bit(bit) => match tester.bits[bit] {
                    Bit::Promise { .. } => bits[bit].next,
                    Bit::Memory { .. } | Bit::Lasting => bits[bit].now,
                },
                Gate::And(a, b) => {
                    let parts = [a, b].map(|part| value(&mut system.terms, &gates, part));
                    system.terms.and(&parts)
                }
                Gate::Leaf(leaf) => match tester.leaves[leaf].node() {
                    Node::Atom(atom) => *atom,
                    _ => return Err("a path quantifier inside the formula".into()),
                },
            };
            gates.push(term);
        }
        for (bit, &pair) in tester.bits.iter().zip(&bits) {
            match *bit {
                Bit::Promise { claim } => {
                    let claim = value(&mut system.terms, &gates, claim);
                    require_if(system, pair.now, claim);
                }
                Bit::Memory { next, .. } => {
                    let next = value(&mut system.terms, &gates, next);
                    set_next(system, pair, next);
                }
                Bit::Lasting => require_if(system, pair.now, pair.next),
            }
        }
        for &condition in &tester.always {
            let condition = value(&mut system.terms, &gates, condition);
            require(system, condition);
        }
        if let Some(start) = tester.start {
            let first = add_flag(system, true);
            let over = system.terms.falsehood();
            set_next(system, first, over);
            let start = value(&mut system.terms, &gates, start);
            require_if(system, first.now, start);
        }
        for &condition in &tester.justice {
            let signal = value(&mut system.terms, &gates, condition);
            self.fair.push(signal);
        }
        Ok(())
    }

    /// Justice and compassion of the system: of the latter, either the second again and again, or from some guessed position on never
    /// the first.
    fn fairness(&mut self) {
        self.fair.extend(&self.system.justice);
        for (often, then) in self.system.compassion.clone() {
            let over = add_flag(&mut self.system, false);
            let quiet = self.system.terms.not(often);
            require_if(&mut self.system, over.now, over.next);
            require_if(&mut self.system, over.now, quiet);
            let met = self.system.terms.or(&[over.now, then]);
            self.fair.push(met);
        }
    }

    /// Adds variables for rounds: the condition of a step that ends one.
    pub fn rounds(&mut self) -> TermId {
        let system = &mut self.system;
        let seen: Vec<Pair> = self.fair.iter().map(|_| add_flag(system, false)).collect();
        let met: Vec<TermId> = (seen.iter().zip(&self.fair))
            .map(|(seen, &signal)| system.terms.or(&[seen.now, signal]))
            .collect();
        let all = system.terms.and(&met);
        let not_all = system.terms.not(all);
        for (seen, met) in seen.into_iter().zip(met) {
            let kept = system.terms.and(&[met, not_all]);
            set_next(system, seen, kept);
        }
        all
    }

    /// Adds a counter of rounds after [`Product::rounds`]: that there were at most `bound`.
    pub fn count(&mut self, round: TermId, bound: u64) -> TermId {
        let system = &mut self.system;
        let mut before = system.terms.truth();
        for _ in 0..=bound {
            let place = add_flag(system, false);
            let reached = system.terms.and(&[before, round]);
            let value = system.terms.or(&[place.now, reached]);
            set_next(system, place, value);
            before = place.now;
        }
        system.terms.not(before)
    }

    /// Adds the comparison of ends of rounds after [`Product::rounds`]: that of any two with the same predicates a rank descends.
    pub fn compare(&mut self, round: TermId, predicates: &[TermId], ranks: &[TermId]) -> Comparison {
        let system = &mut self.system;
        let ended = add_flag(system, false);
        set_next(system, ended, round);
        let kept = add_flag(system, false);
        require_if(system, kept.now, kept.next);
        let not_yet = system.terms.not(kept.now);
        let fresh = system.terms.and(&[not_yet, kept.next]);
        require_if(system, fresh, ended.now);
        let mut bad = vec![kept.now, ended.now];
        for &predicate in predicates {
            let then = add_flag(system, false);
            let value = system.terms.ite(fresh, predicate, then.now);
            set_next(system, then, value);
            bad.push(system.terms.eq(then.now, predicate));
        }
        for &rank in ranks {
            let sort = system.terms.sort_of(rank);
            let name = format!("remembered {}", system.variables.len());
            let then = add_variable(system, name, sort);
            let zero = system.terms.numeral(Rational::integer(0), sort);
            let start = system.terms.eq(then.now, zero);
            system.init = system.terms.and(&[system.init, start]);
            let value = system.terms.ite(fresh, rank, then.now);
            set_next(system, then, value);
            let one = system.terms.numeral(Rational::one(), sort);
            let above = system.terms.add(&[rank, one], sort);
            let parts = [system.terms.le(zero, then.now), system.terms.le(above, then.now)];
            let descends = system.terms.and(&parts);
            bad.push(system.terms.not(descends));
        }
        let bad = system.terms.and(&bad);
        Comparison {
            goal: system.terms.not(bad),
            kept: system.variables.iter().position(|one| one.current == kept.now),
        }
    }
}

/// What comparing ends of rounds added.
pub(super) struct Comparison {
    /// That the ranks do.
    pub goal: TermId,
    /// The place of the variable that says that a state is remembered.
    pub kept: Option<usize>,
}
