//! Linear-time formulas by temporal testers.
//!
//! The *tester* of a path formula (chapter 2, §2.3.4; the tableau of chapter 8, §8.4.4) has a bit for each promise the formula
//! makes about the next state and for each memory it keeps of the previous one. A bit guessed wrongly now makes a later step
//! impossible, so along every fair path of the product with the model, the formula's truth at a position is a function of the
//! bits there:
//!
//! - `X p`: a bit `x` with `x <-> p'`; `p U q` is `q | p & x` with `x <-> (p U q)'`, and justice `!(p U q) | q`;
//! - `Y p`: a bit `y`, initially 0, with `y' <-> p`; `p S q` is `q | p & y` with `y' <-> (p S q)`;
//! - an atom about inputs or next values: a bit that must agree with the step taken.
//!
//! Bounded operators are chains of promises. `E ψ` then holds in a state iff the product has a fair path from it that starts
//! with `ψ` true. Where finite paths count, a path may end in a dead end whose promises are all 0.

use crate::encoding::Bit;
use crate::fair_states::Fixpoints;
use crate::machine::{Machine, Path, Point, counts_finite_paths};
use crate::model::{Model, is_about_steps};
use crate::reachability::{Onion, Reached, Watch};
use crate::stop::{Attempt, Stop};
use crate::witness::{Walk, lost};
use entail_dd::Bdd;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_model::TermId;
use rustc_hash::FxHashMap;

/// Longest chains of promises.
const LONGEST_CHAIN: u32 = 2_000;

/// A model together with the tester of one path formula.
struct Product {
    machine: Machine,
    /// Where the path formula is true.
    truth: Bdd,
    /// Memories are empty.
    beginning: Bdd,
    /// No promise is open.
    end: Bdd,
    tester_bits: Vec<Bit>,
}

struct Builder<'m, 'a, 'w> {
    model: &'m mut Model<'a>,
    watch: Watch<'w>,
    bits: Vec<Bit>,
    /// Bits that are true now iff the condition is true in the next state.
    promises: Vec<(Bit, Bdd)>,
    /// Bits that are true in the next state iff the condition is true now.
    memories: Vec<(Bit, Bdd)>,
    /// Bits that are true now iff the step satisfies the condition.
    guesses: Vec<(Bit, Bdd)>,
    justice: Vec<Bdd>,
    known: FxHashMap<Formula<TermId>, Bdd>,
}

impl Builder<'_, '_, '_> {
    fn fresh(&mut self) -> Attempt<Bit> {
        let at = self.bits.len();
        let existing = self.model.spare.borrow().get(at).copied();
        let bit = match existing {
            Some(bit) => bit,
            None => {
                let bit = self.model.encoding.add_pair()?;
                self.model.spare.borrow_mut().push(bit);
                bit
            }
        };
        self.bits.push(bit);
        Ok(bit)
    }

    fn now(&self, bit: Bit) -> Attempt<Bdd> {
        Ok(self.model.manager().var(bit.current)?)
    }

    fn promise(&mut self, later: Bdd) -> Attempt<Bdd> {
        let bit = self.fresh()?;
        self.promises.push((bit, later));
        self.now(bit)
    }

    fn memory(&mut self, before: Bdd) -> Attempt<Bdd> {
        let bit = self.fresh()?;
        self.memories.push((bit, before));
        self.now(bit)
    }

    /// A bit that tells, in each state, whether the step taken there satisfies the condition.
    fn guess(&mut self, condition: Bdd) -> Attempt<Bdd> {
        let bit = self.fresh()?;
        self.guesses.push((bit, condition));
        self.now(bit)
    }

    fn truth(&mut self, formula: &Formula<TermId>) -> Attempt<Bdd> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let truth = stacker::maybe_grow(1 << 16, 1 << 20, || self.truth_node(formula))?;
        self.known.insert(formula.clone(), truth.clone());
        Ok(truth)
    }

    fn term(&mut self, term: TermId) -> Attempt<Bdd> {
        let condition = self.model.condition(term)?;
        if !is_about_steps(self.model.system, term) {
            return Ok(condition);
        }
        // Where a path ends, or a dead end is repeated, no step is taken that such a term could speak of.
        let repeats = self.model.machine.parts.iter().any(|part| part.inputless);
        let ends =
            counts_finite_paths(self.model.dead_end_policy) && !self.model.dead_ends(self.watch)?.is_false();
        if repeats || ends {
            return Err(Stop::Unsupported(
                "a condition on inputs or next values has no truth at a dead end".into(),
            ));
        }
        self.guess(condition)
    }

    fn truth_node(&mut self, formula: &Formula<TermId>) -> Attempt<Bdd> {
        let manager = self.model.manager().clone();
        Ok(match formula.node() {
            Node::Constant(truth) => manager.constant(*truth),
            Node::Atom(term) => self.term(*term)?,
            Node::Not(p) => self.truth(p)?.not(),
            Node::And(list) => {
                let mut all = manager.one();
                for p in list {
                    all = all.and(&self.truth(p)?)?;
                }
                all
            }
            Node::Or(list) => {
                let mut some = manager.zero();
                for p in list {
                    some = some.or(&self.truth(p)?)?;
                }
                some
            }
            Node::Implies(p, q) => self.truth(p)?.implies(&self.truth(q)?)?,
            Node::Iff(p, q) => self.truth(p)?.iff(&self.truth(q)?)?,
            Node::Xor(p, q) => self.truth(p)?.xor(&self.truth(q)?)?,
            Node::Quantified(..) => self.model.label(formula, self.watch)?,
            Node::Unary(op, interval, p) => {
                let (p, anything) = (self.truth(p)?, manager.one());
                match op {
                    Unary::Next => self.promise(p)?,
                    Unary::Finally => self.until(&anything, &p, *interval)?,
                    Unary::Globally => self.until(&anything, &p.not(), *interval)?.not(),
                    Unary::Yesterday => self.memory(p)?,
                    Unary::WeakYesterday => self.memory(p.not())?.not(),
                    Unary::Once => self.since(&anything, &p, *interval)?,
                    Unary::Historically => self.since(&anything, &p.not(), *interval)?.not(),
                }
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (self.truth(p)?, self.truth(q)?);
                match op {
                    Binary::Until => self.until(&p, &q, *interval)?,
                    Binary::Release => self.until(&p.not(), &q.not(), *interval)?.not(),
                    // p M q = q U (p & q); p W q = q V (p | q).
                    Binary::StrongRelease => self.until(&q, &p.and(&q)?, *interval)?,
                    Binary::WeakUntil => self.until(&q.not(), &p.or(&q)?.not(), *interval)?.not(),
                    Binary::Since => self.since(&p, &q, *interval)?,
                    Binary::Triggered => self.since(&p.not(), &q.not(), *interval)?.not(),
                }
            }
        })
    }

    fn until(&mut self, p: &Bdd, q: &Bdd, interval: Interval) -> Attempt<Bdd> {
        let innermost = match interval.to {
            _ if interval.is_empty() => return Ok(self.model.manager().zero()),
            Some(_) => q.clone(),
            None => {
                let bit = self.fresh()?;
                let truth = q.or(&p.and(&self.now(bit)?)?)?;
                self.promises.push((bit, truth.clone()));
                self.justice.push(truth.implies(q)?);
                truth
            }
        };
        self.chain(p, q, interval, innermost, Builder::promise)
    }

    fn since(&mut self, p: &Bdd, q: &Bdd, interval: Interval) -> Attempt<Bdd> {
        let innermost = match interval.to {
            _ if interval.is_empty() => return Ok(self.model.manager().zero()),
            Some(_) => q.clone(),
            None => {
                let bit = self.fresh()?;
                let truth = q.or(&p.and(&self.now(bit)?)?)?;
                self.memories.push((bit, truth.clone()));
                truth
            }
        };
        self.chain(p, q, interval, innermost, Builder::memory)
    }

    /// Writes out the steps of an interval, from the last one inwards.
    fn chain(
        &mut self,
        p: &Bdd,
        q: &Bdd,
        interval: Interval,
        innermost: Bdd,
        link: fn(&mut Self, Bdd) -> Attempt<Bdd>,
    ) -> Attempt<Bdd> {
        let last = interval.to.unwrap_or(interval.from);
        if last > LONGEST_CHAIN {
            return Err(Stop::Unsupported(format!("the bounds {interval} are too large")));
        }
        let mut truth = innermost;
        for step in (0..last).rev() {
            truth = link(self, truth)?.and(p)?;
            if step >= interval.from {
                truth = truth.or(q)?;
            }
        }
        Ok(truth)
    }

    fn product(mut self, formula: &Formula<TermId>) -> Attempt<Product> {
        let truth = self.truth(formula)?;
        let system = self.model.system;
        let mut compassion = Vec::new();
        for &(p, q) in &system.compassion {
            compassion.push((self.term(p)?, self.term(q)?));
        }
        let Builder {
            model,
            bits: tester_bits,
            promises,
            memories,
            guesses,
            mut justice,
            ..
        } = self;
        let manager = model.manager().clone();
        let bits: Vec<Bit> = model
            .encoding
            .state_bits
            .iter()
            .chain(&tester_bits)
            .copied()
            .collect();
        let to_next = model.encoding.renaming(&bits, true)?;
        let mut conjuncts = Vec::new();
        let (mut beginning, mut end) = (manager.one(), manager.one());
        for (bit, later) in promises {
            let promised = manager.var(bit.current)?;
            conjuncts.push(promised.iff(&later.substitute(&to_next)?)?);
            end = end.minus(&promised)?;
        }
        for (bit, before) in memories {
            let next = bit.next.expect("testers have pairs of bits");
            conjuncts.push(manager.var(next)?.iff(&before)?);
            beginning = beginning.minus(&manager.var(bit.current)?)?;
        }
        for (bit, condition) in guesses {
            let guessed = manager.var(bit.current)?;
            conjuncts.push(guessed.iff(&condition)?);
            end = end.minus(&guessed)?;
        }
        let specs = model.machine.parts.iter().map(|part| {
            let mut spec = part.spec();
            spec.conjuncts.extend(conjuncts.iter().cloned());
            spec.changed.extend(&tester_bits);
            spec
        });
        let nothing = manager.zero();
        let mut machine = Machine::new(
            &model.encoding,
            specs.collect(),
            &model.invariants,
            bits,
            nothing,
            model.settings.cluster_size,
        )?;
        justice.extend(model.machine.justice.iter().cloned());
        machine.justice = justice;
        machine.compassion = compassion;
        Ok(Product {
            machine,
            truth,
            beginning,
            end,
            tester_bits,
        })
    }
}

impl<'a> Model<'a> {
    fn product(&mut self, path: &Formula<TermId>, watch: Watch<'_>) -> Attempt<Product> {
        let builder = Builder {
            model: self,
            watch,
            bits: Vec::new(),
            promises: Vec::new(),
            memories: Vec::new(),
            guesses: Vec::new(),
            justice: Vec::new(),
            known: FxHashMap::default(),
        };
        builder.product(path)
    }

    /// Reachable states from which a path that counts satisfies (or violates) a path formula.
    pub(crate) fn by_tester(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        watch: Watch<'_>,
    ) -> Attempt<Bdd> {
        let product = self.product(path, watch)?;
        let reachable = self.reachable(watch)?;
        let dead = self.dead_ends(watch)?;
        let fixpoints = Fixpoints {
            encoding: &self.encoding,
            machine: &product.machine,
            watch,
        };
        let machine = &product.machine;
        let mut fair = fixpoints.fair(&reachable, &machine.justice, &machine.compassion)?;
        if counts_finite_paths(self.dead_end_policy) {
            let ends = dead.and(&product.end)?;
            fair = fair.or(&fixpoints.until(&reachable, &ends)?)?;
        }
        let truth = if holds {
            product.truth.clone()
        } else {
            product.truth.not()
        };
        let starts = fair.and(&truth)?.and(&product.beginning)?;
        let tester_bits = self
            .manager()
            .var_set(product.tester_bits.iter().map(|bit| bit.current))?;
        Ok(starts.exists(&tester_bits)?)
    }

    /// A path from some of the given states that counts and satisfies (or violates) the path formula, if there is one.
    pub(crate) fn search_by_tester(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        from: &Bdd,
        watch: Watch<'_>,
    ) -> Attempt<Option<Walk>> {
        let product = self.product(path, watch)?;
        let machine = &product.machine;
        let truth = if holds {
            product.truth.clone()
        } else {
            product.truth.not()
        };
        let start = from.and(&truth)?.and(&product.beginning)?;
        if start.is_false() {
            return Ok(None);
        }
        let mut reached = Reached::start(&start);
        reached.run(machine, None, watch)?;
        let fixpoints = Fixpoints {
            encoding: &self.encoding,
            machine,
            watch,
        };
        let core = fixpoints.fair_core(&reached.states, &machine.justice, &machine.compassion)?;
        let found = if !core.is_false() {
            let approach = Onion::toward(&self.encoding, machine, &core, &reached.states, &start, watch)?;
            let first = approach.states.and(&start)?;
            let point = machine
                .pick(&first)
                .ok_or_else(|| lost("the start of a fair path"))?;
            fixpoints
                .lasso(
                    &reached.states,
                    &core,
                    &machine.justice,
                    &machine.compassion,
                    &point,
                )?
                .map(|(path, start)| (path, Some(start)))
        } else if counts_finite_paths(self.dead_end_policy) {
            let dead = machine.dead_ends(&self.encoding, &reached.states, &reached.states)?;
            let dead = dead.and(&product.end)?.and(&self.dead_ends(watch)?)?;
            if dead.is_false() {
                None
            } else {
                reached
                    .path_to(&self.encoding, machine, &dead, watch)?
                    .map(|path| (path, None))
            }
        } else {
            None
        };
        let Some((found, loop_start)) = found else {
            return Ok(None);
        };
        let walk_path = self.project(machine, found);
        let mut claims = Vec::new();
        for (position, point) in walk_path.points.iter().enumerate() {
            for formula in path.maximal_state_subformulas() {
                if !formula.is_propositional() {
                    let states = self.label(&formula, watch)?;
                    let truth = self.machine.contains(&states, point);
                    claims.push((position, formula, truth));
                }
            }
        }
        Ok(Some(Walk {
            path: walk_path,
            loop_start,
            claims,
        }))
    }

    pub(crate) fn walk_by_tester(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        from: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        let start = self.machine.cube(&self.encoding, from)?;
        self.search_by_tester(path, holds, &start, watch)?
            .ok_or_else(|| lost("a path"))
    }

    /// A path of a product as a path of the model.
    fn project(&self, product: &Machine, path: Path) -> Path {
        let places: Vec<usize> = self
            .machine
            .vars
            .iter()
            .map(|var| {
                product
                    .vars
                    .iter()
                    .position(|other| other == var)
                    .expect("a product has the model's bits")
            })
            .collect();
        let points = path
            .points
            .into_iter()
            .map(|point| Point(places.iter().map(|&at| point.0[at]).collect()));
        Path {
            points: points.collect(),
            inputs: path.inputs,
        }
    }
}
