//! What a formula asks of the two sides, as the judge reads it.
//!
//! The formula's top is a conjunction of clauses, perhaps under a condition on the first letter. A clause is about the first letter, or says what is always so, what is so until the
//! environment breaks its rules, what recurs, or what follows from assumptions of these kinds. The judge knows what a few combinations of them mean as a game, and refuses all others.

use entail_logic::{Binary, Formula, Interval, Node, Unary};
use rustc_hash::FxHashMap;

/// A formula about one letter, or a letter and the next.
pub(super) type Clause = Formula<String>;

/// A GR(1) game: what each side does first, from letter to letter, and again and again.
#[derive(Default)]
pub(super) struct Contract {
    pub assumed_first: Vec<Clause>,
    pub promised_first: Vec<Clause>,
    pub assumed_steps: Vec<Clause>,
    pub promised_steps: Vec<Clause>,
    pub assumed_again: Vec<Clause>,
    pub promised_again: Vec<Clause>,
    /// Whether broken promises about steps are forgiven if the assumptions fail, before or after.
    pub forgives: bool,
}

/// A clause of the top.
enum Top {
    First(Clause),
    Always(Clause),
    Again(Clause),
    /// Steps until the environment's steps are broken.
    AsLongAs {
        promised: Clause,
        assumed: Clause,
    },
    Given(Vec<Top>, Vec<Top>),
}

/// Reads a formula; nothing if it is no contract.
pub(super) fn read(formula: &Clause) -> Option<Contract> {
    let mut reader = Reader {
        horizons: FxHashMap::default(),
    };
    let mut contract = Contract::default();
    let body = match formula.node() {
        Node::Implies(condition, body) if reader.horizon(condition) == Horizon::Letter => {
            contract.assumed_first.push(condition.clone());
            body
        }
        _ => formula,
    };
    let mut always = Vec::new();
    let mut again = Vec::new();
    let mut rest = Vec::new();
    for top in reader.tops(body)? {
        match top {
            Top::First(clause) => contract.promised_first.push(clause),
            Top::Always(clause) => always.push(clause),
            Top::Again(clause) => again.push(clause),
            other => rest.push(other),
        }
    }
    match rest.as_slice() {
        [] => {
            contract.promised_steps = always;
            contract.promised_again = again;
        }
        [Top::AsLongAs { promised, assumed }] if always.is_empty() && again.is_empty() => {
            contract.assumed_steps.push(assumed.clone());
            contract.promised_steps.push(promised.clone());
        }
        [Top::Given(assumptions, promises)] if again.is_empty() => {
            contract.assume(assumptions)?;
            let (steps, goals) = sorted(promises)?;
            contract.promised_again = goals;
            contract.forgives = !steps.is_empty();
            let is_clear = match contract.forgives {
                true => always.is_empty(),
                false => always.is_empty() || contract.assumed_steps.is_empty(),
            };
            is_clear.then_some(())?;
            contract.promised_steps = if contract.forgives { steps } else { always };
        }
        [
            Top::AsLongAs { promised, assumed },
            Top::Given(assumptions, promises),
        ]
        | [
            Top::Given(assumptions, promises),
            Top::AsLongAs { promised, assumed },
        ] if always.is_empty() && again.is_empty() => {
            contract.assume(assumptions)?;
            let (steps, goals) = sorted(promises)?;
            // Both speak of the same rules of the environment.
            let both = Formula::and(contract.assumed_steps.iter().cloned());
            let one = Formula::and([assumed.clone()]);
            (steps.is_empty() && both == one).then_some(())?;
            contract.promised_steps.push(promised.clone());
            contract.promised_again = goals;
        }
        _ => return None,
    }
    Some(contract)
}

impl Contract {
    fn assume(&mut self, assumptions: &[Top]) -> Option<()> {
        (self.assumed_steps, self.assumed_again) = sorted(assumptions)?;
        Some(())
    }
}

/// What is always so, and what recurs, if there is nothing else.
fn sorted(tops: &[Top]) -> Option<(Vec<Clause>, Vec<Clause>)> {
    let (mut steps, mut again) = (Vec::new(), Vec::new());
    for top in tops {
        match top {
            Top::Always(clause) => steps.push(clause.clone()),
            Top::Again(clause) => again.push(clause.clone()),
            Top::First(clause) if *clause == Formula::constant(true) => {}
            _ => return None,
        }
    }
    Some((steps, again))
}

/// How far a formula looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Horizon {
    Letter,
    Step,
    Further,
}

struct Reader {
    /// By the address of nodes, all of which live as long as the formula.
    horizons: FxHashMap<usize, Horizon>,
}

impl Reader {
    fn horizon(&mut self, formula: &Clause) -> Horizon {
        if let Some(&known) = self.horizons.get(&formula.address()) {
            return known;
        }
        let horizon = stacker::maybe_grow(64 << 10, 1 << 20, || {
            let widest = |reader: &mut Reader| {
                let operands = formula.operands().into_iter();
                operands
                    .map(|operand| reader.horizon(operand))
                    .max()
                    .unwrap_or(Horizon::Letter)
            };
            match formula.node() {
                Node::Unary(Unary::Next, interval, _) if *interval == Interval::ALWAYS => {
                    match widest(self) {
                        Horizon::Letter => Horizon::Step,
                        _ => Horizon::Further,
                    }
                }
                Node::Unary(..) | Node::Binary(..) | Node::Quantified(..) => Horizon::Further,
                _ => widest(self),
            }
        });
        self.horizons.insert(formula.address(), horizon);
        horizon
    }

    fn is_step(&mut self, formula: &Clause) -> Option<Clause> {
        (self.horizon(formula) <= Horizon::Step).then(|| formula.clone())
    }

    fn tops(&mut self, formula: &Clause) -> Option<Vec<Top>> {
        let mut tops = Vec::new();
        self.add_tops(formula, &mut tops)?;
        Some(tops)
    }

    fn add_tops(&mut self, formula: &Clause, tops: &mut Vec<Top>) -> Option<()> {
        if self.horizon(formula) == Horizon::Letter {
            tops.push(Top::First(formula.clone()));
            return Some(());
        }
        match formula.node() {
            Node::And(list) => {
                for one in list {
                    stacker::maybe_grow(64 << 10, 1 << 20, || self.add_tops(one, tops))?;
                }
            }
            Node::Unary(Unary::Globally, interval, inner) if *interval == Interval::ALWAYS => {
                self.add_always(inner, tops)?;
            }
            Node::Binary(Binary::WeakUntil, interval, promised, broken) if *interval == Interval::ALWAYS => {
                tops.push(Top::AsLongAs {
                    promised: self.is_step(promised)?,
                    assumed: self.is_step(broken)?.not(),
                });
            }
            Node::Implies(assumed, promised) => {
                let both = (self.tops(assumed)?, self.tops(promised)?);
                tops.push(Top::Given(both.0, both.1));
            }
            _ => return None,
        }
        Some(())
    }

    /// What is always so: steps, and what comes again.
    fn add_always(&mut self, inner: &Clause, tops: &mut Vec<Top>) -> Option<()> {
        if let Some(step) = self.is_step(inner) {
            tops.push(Top::Always(step));
            return Some(());
        }
        match inner.node() {
            Node::And(list) => {
                for one in list {
                    stacker::maybe_grow(64 << 10, 1 << 20, || self.add_always(one, tops))?;
                }
                Some(())
            }
            Node::Unary(Unary::Finally, interval, goal) if *interval == Interval::ALWAYS => {
                tops.push(Top::Again(self.is_step(goal)?));
                Some(())
            }
            _ => None,
        }
    }
}
