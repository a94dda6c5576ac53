//! A symbolic fair transition structure: bits, relation, initial states, fairness.
//!
//! The model itself is one, and so is its product with the tester of a path formula. Sets of states are functions of the
//! current bits; every set here is a set of states that satisfy the invariants of the model.

use crate::encoding::{Bit, Encoding};
use crate::relation::{Part, PartSpec};
use crate::stop::Attempt;
use entail_dd::{Bdd, Var};
use entail_evidence::{DeadEnds, Trace};
use entail_model::{Value, VarKind};
use rustc_hash::FxHashMap;

/// One state: the value of each bit of [`Machine::vars`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point(pub Vec<bool>);

/// The inputs of a step (none where a dead end is repeated) and the state it leads to.
pub(crate) type Step = (Option<Vec<bool>>, Point);

/// A path: states with the inputs chosen in them (none at the end, and where a dead end is repeated).
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub points: Vec<Point>,
    /// Inputs of the step that leaves each point; one fewer than the points unless the path is closed.
    pub inputs: Vec<Option<Vec<bool>>>,
}

impl Path {
    pub fn single(point: Point) -> Path {
        Path {
            points: vec![point],
            inputs: Vec::new(),
        }
    }

    pub fn last(&self) -> &Point {
        self.points.last().expect("a path has a first state")
    }

    pub fn push(&mut self, inputs: Option<Vec<bool>>, point: Point) {
        self.inputs.push(inputs);
        self.points.push(point);
    }

    /// Goes on with a path that starts in the last state.
    pub fn append(&mut self, other: Path) {
        self.points.extend(other.points.into_iter().skip(1));
        self.inputs.extend(other.inputs);
    }
}

pub(crate) struct Machine {
    pub parts: Vec<Part>,
    /// All current bits of a state.
    pub vars: Vec<Var>,
    pub initial: Bdd,
    /// Conditions on steps that fair paths meet infinitely often.
    pub justice: Vec<Bdd>,
    /// Pairs of sets of states.
    pub compassion: Vec<(Bdd, Bdd)>,
}

impl Machine {
    pub fn new(
        encoding: &Encoding,
        specs: Vec<PartSpec>,
        invariants: &[Bdd],
        bits: Vec<Bit>,
        initial: Bdd,
        cluster_size: usize,
    ) -> Attempt<Machine> {
        let mut parts = Vec::with_capacity(specs.len());
        for spec in specs {
            parts.push(Part::new(encoding, spec, invariants, &bits, cluster_size)?);
        }
        let vars = bits
            .iter()
            .map(|bit| bit.current)
            .chain(encoding.frozen_bits.iter().copied());
        Ok(Machine {
            parts,
            vars: vars.collect(),
            initial,
            justice: Vec::new(),
            compassion: Vec::new(),
        })
    }

    /// Successors.
    pub fn image(&self, states: &Bdd) -> Attempt<Bdd> {
        let mut image = states.manager().zero();
        for part in &self.parts {
            image = image.or(&part.image(states)?)?;
        }
        Ok(image)
    }

    /// Predecessors.
    pub fn preimage(&self, encoding: &Encoding, states: &Bdd) -> Attempt<Bdd> {
        self.preimage_along(encoding, states, None)
    }

    /// Predecessors by steps that satisfy a condition.
    pub fn preimage_along(&self, encoding: &Encoding, states: &Bdd, along: Option<&Bdd>) -> Attempt<Bdd> {
        let mut preimage = states.manager().zero();
        for part in &self.parts {
            preimage = preimage.or(&part.preimage(encoding, states, along)?)?;
        }
        Ok(preimage)
    }

    /// Predecessors by steps of the model (not repetitions of dead ends) that satisfy a condition.
    pub fn preimage_of_steps(&self, encoding: &Encoding, states: &Bdd, along: &Bdd) -> Attempt<Bdd> {
        let mut preimage = states.manager().zero();
        for part in self.parts.iter().filter(|part| !part.inputless) {
            preimage = preimage.or(&part.preimage(encoding, states, Some(along))?)?;
        }
        Ok(preimage)
    }

    /// Some state of a set.
    pub fn pick(&self, states: &Bdd) -> Option<Point> {
        states.pick_model(&self.vars).map(Point)
    }

    pub fn cube(&self, encoding: &Encoding, point: &Point) -> Attempt<Bdd> {
        let literals = self.vars.iter().copied().zip(point.0.iter().copied());
        Ok(encoding.manager.cube(literals.collect::<Vec<_>>())?)
    }

    pub fn contains(&self, states: &Bdd, point: &Point) -> bool {
        let values = self.values(point);
        states.eval(|var| values.get(&var).copied().unwrap_or(false))
    }

    fn values(&self, point: &Point) -> FxHashMap<Var, bool> {
        self.vars.iter().copied().zip(point.0.iter().copied()).collect()
    }

    /// A step from a state into a set, if there is one.
    pub fn step(
        &self,
        encoding: &Encoding,
        from: &Point,
        into: &Bdd,
        along: Option<&Bdd>,
    ) -> Attempt<Option<Step>> {
        self.step_by(encoding, &mut self.parts.iter(), from, into, along)
    }

    /// A step of the model itself, not the repetition of a dead end.
    pub fn real_step(
        &self,
        encoding: &Encoding,
        from: &Point,
        into: &Bdd,
        along: &Bdd,
    ) -> Attempt<Option<Step>> {
        let mut parts = self.parts.iter().filter(|part| !part.inputless);
        self.step_by(encoding, &mut parts, from, into, Some(along))
    }

    fn step_by(
        &self,
        encoding: &Encoding,
        parts: &mut dyn Iterator<Item = &Part>,
        from: &Point,
        into: &Bdd,
        along: Option<&Bdd>,
    ) -> Attempt<Option<Step>> {
        let state = self.cube(encoding, from)?;
        for part in parts {
            let steps = part.steps_from(encoding, &state, into, along)?;
            let Some(model) = steps.pick_cube() else {
                continue;
            };
            let model: FxHashMap<Var, bool> = model.into_iter().collect();
            let value = |var: &Var| model.get(var).copied().unwrap_or(false);
            let mut values = self.values(from);
            for bit in &part.changed {
                if let Some(next) = bit.next {
                    values.insert(bit.current, value(&next));
                }
            }
            let inputs = (!part.inputless).then(|| encoding.input_bits.iter().map(value).collect());
            let point = Point(self.vars.iter().map(|var| values[var]).collect());
            return Ok(Some((inputs, point)));
        }
        Ok(None)
    }

    /// The path as plain data about the model; `loop_start` closes it with the inputs that were recorded last.
    pub fn trace(&self, encoding: &Encoding, path: &Path, loop_start: Option<usize>) -> Trace {
        let steps = path.points.iter().enumerate().map(|(position, point)| {
            let inputs = path.inputs.get(position).and_then(Option::as_ref);
            self.valuation(encoding, point, inputs)
        });
        Trace {
            steps: steps.collect(),
            loop_start,
        }
    }

    /// The values of the model's variables.
    pub fn valuation(
        &self,
        encoding: &Encoding,
        point: &Point,
        inputs: Option<&Vec<bool>>,
    ) -> Vec<Option<Value>> {
        let mut values = self.values(point);
        if let Some(inputs) = inputs {
            values.extend(encoding.input_bits.iter().copied().zip(inputs.iter().copied()));
        }
        let value = |layout: &crate::encoding::Layout| {
            if layout.kind == VarKind::Input && inputs.is_none() {
                return None;
            }
            let bits: Vec<bool> = layout
                .bits
                .iter()
                .map(|bit| values.get(&bit.current).copied().unwrap_or(false))
                .collect();
            Some(Encoding::decode(&layout.sort, &bits))
        };
        encoding.layouts.iter().map(value).collect()
    }

    /// States without successors, among the given ones.
    pub fn dead_ends(&self, encoding: &Encoding, among: &Bdd, states: &Bdd) -> Attempt<Bdd> {
        Ok(among.minus(&self.preimage(encoding, states)?)?)
    }

    pub fn nodes(&self) -> usize {
        self.parts.iter().map(Part::nodes).sum()
    }
}

/// The part that repeats dead ends.
pub(crate) fn stuttering(dead: Bdd) -> PartSpec {
    PartSpec {
        conjuncts: vec![dead],
        changed: Vec::new(),
        inputless: true,
    }
}

/// Whether finite paths that end in dead ends count.
pub(crate) fn counts_finite_paths(policy: DeadEnds) -> bool {
    policy == DeadEnds::Maximal
}
