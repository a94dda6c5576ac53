//! Linear-time formulas by products with testers.
//!
//! The tester of a path formula ([`entail_automata::tester`]: chapter 2, §2.3.4; the tableau of chapter 8, §8.4.4) becomes pairs of bits beside the
//! model's: `E ψ` holds in a state iff the product has a fair path from it that starts with `ψ` true. Promises are exact: a bit guessed wrongly
//! makes a later step impossible. Where finite paths count, a path may end in a dead end whose promises are all 0; the laws by which
//! formulas are simplified are about infinite paths, so there the formula is tested as it is.
//!
//! An atom about inputs or next values is a bit that must agree with the step taken.

use crate::encoding::Bit;
use crate::fair_states::Fixpoints;
use crate::machine::{Machine, Path, Point, counts_finite_paths};
use crate::model::{EncodedSystem, is_about_steps};
use crate::reachability::{Onion, Reached, Watch};
use crate::stop::{Attempt, NotComputed};
use crate::witness::{Walk, lost};
use entail_automata::ltl::simplify_path::simplify_path;
use entail_automata::tester::{self, Condition, Gate, Promises, Tester};
use entail_dd::Bdd;
use entail_logic::{Formula, Node};
use entail_model::TermId;

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
    model: &'m mut EncodedSystem<'a>,
    watch: Watch<'w>,
    bits: Vec<Bit>,
    /// Bits that are true now iff the step satisfies the condition.
    guesses: Vec<(Bit, Bdd)>,
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

    fn next(&self, bit: Bit) -> Attempt<Bdd> {
        let next = bit.next.expect("testers have pairs of bits");
        Ok(self.model.manager().var(next)?)
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
            return Err(NotComputed::Unsupported(
                "a condition on inputs or next values has no truth at a dead end".into(),
            ));
        }
        let bit = self.fresh()?;
        self.guesses.push((bit, condition));
        self.now(bit)
    }

    /// What the leaves of the tester mean, and the gates over them and over the tester's bits.
    fn gates(&mut self, tester: &Tester<TermId>, bits: &[Bit]) -> Attempt<Vec<Bdd>> {
        let mut leaves = Vec::with_capacity(tester.leaves.len());
        for leaf in &tester.leaves {
            leaves.push(match leaf.node() {
                Node::Atom(term) => self.term(*term)?,
                _ => self.model.label(leaf, self.watch)?,
            });
        }
        let mut gates: Vec<Bdd> = Vec::with_capacity(tester.gates().len());
        for gate in tester.gates() {
            gates.push(match *gate {
                Gate::True => self.model.manager().one(),
                Gate::Leaf(leaf) => leaves[leaf].clone(),
                Gate::Bit(bit) => self.now(bits[bit])?,
                Gate::And(a, b) => value(&gates, a).and(&value(&gates, b))?,
            });
        }
        Ok(gates)
    }

    fn product(mut self, tester: &Tester<TermId>) -> Attempt<Product> {
        let mut own_bits = Vec::with_capacity(tester.bits.len());
        for _ in &tester.bits {
            own_bits.push(self.fresh()?);
        }
        let gates = self.gates(tester, &own_bits)?;
        let mut compassion = Vec::new();
        for &(p, q) in &self.model.system.compassion {
            compassion.push((self.term(p)?, self.term(q)?));
        }
        let state_bits = &self.model.encoding.state_bits;
        let bits: Vec<Bit> = state_bits.iter().chain(&self.bits).copied().collect();
        let to_next = self.model.encoding.renaming(&bits, true)?;
        let manager = self.model.manager().clone();
        let mut conjuncts = Vec::new();
        let (mut beginning, mut end) = (manager.one(), manager.one());
        for (description, &bit) in tester.bits.iter().zip(&own_bits) {
            let now = self.now(bit)?;
            conjuncts.push(match *description {
                tester::Bit::Promise { claim } => {
                    end = end.minus(&now)?;
                    let later = value(&gates, claim).substitute(&to_next)?;
                    match tester.promises {
                        Promises::Exact => now.iff(&later)?,
                        Promises::Kept => now.implies(&later)?,
                    }
                }
                tester::Bit::Memory { initially, next } => {
                    let first = if initially { now } else { now.not() };
                    beginning = beginning.and(&first)?;
                    self.next(bit)?.iff(&value(&gates, next))?
                }
                tester::Bit::Lasting => now.implies(&self.next(bit)?)?,
            });
        }
        for condition in &tester.always {
            conjuncts.push(value(&gates, *condition));
        }
        for (bit, condition) in &self.guesses {
            let guessed = self.now(*bit)?;
            conjuncts.push(guessed.iff(condition)?);
            end = end.minus(&guessed)?;
        }
        let Builder {
            model,
            bits: tester_bits,
            ..
        } = self;
        let specs = model.machine.parts.iter().map(|part| {
            let mut spec = part.spec();
            spec.conjuncts.extend(conjuncts.iter().cloned());
            spec.changed.extend(&tester_bits);
            spec
        });
        let mut machine = Machine::new(
            &model.encoding,
            specs.collect(),
            &model.invariants,
            bits,
            manager.zero(),
            model.settings.cluster_size,
        )?;
        let justice = tester.justice.iter().map(|&condition| value(&gates, condition));
        machine.justice = justice.chain(model.machine.justice.iter().cloned()).collect();
        machine.compassion = compassion;
        Ok(Product {
            machine,
            truth: value(&gates, tester.start.unwrap_or(Condition::TRUE)),
            beginning,
            end,
            tester_bits,
        })
    }
}

/// The meaning of a condition, given that of the gates.
fn value(gates: &[Bdd], condition: Condition) -> Bdd {
    let gate = &gates[condition.gate()];
    if condition.is_negated() {
        gate.not()
    } else {
        gate.clone()
    }
}

impl<'a> EncodedSystem<'a> {
    /// The product with the tester of a path formula (or of its negation).
    fn product(&mut self, path: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Product> {
        let path = if holds { path.clone() } else { path.not() };
        let tester = if counts_finite_paths(self.dead_end_policy) {
            Tester::exact(&path)
        } else {
            Tester::exact(&simplify_path(&path))
        };
        let tester = tester.map_err(|reason| NotComputed::Unsupported(reason.to_string()))?;
        let builder = Builder {
            model: self,
            watch,
            bits: Vec::new(),
            guesses: Vec::new(),
        };
        builder.product(&tester)
    }

    /// Reachable states from which a path that counts satisfies (or violates) a path formula.
    pub(crate) fn by_tester(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        watch: Watch<'_>,
    ) -> Attempt<Bdd> {
        let product = self.product(path, holds, watch)?;
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
        let starts = fair.and(&product.truth)?.and(&product.beginning)?;
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
        let product = self.product(path, holds, watch)?;
        let machine = &product.machine;
        let start = from.and(&product.truth)?.and(&product.beginning)?;
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
