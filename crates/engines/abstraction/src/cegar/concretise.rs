//! Is there a concrete path behind an abstract one? SplitPATH (Clarke, Grumberg, Jha, Lu, Veith 2000; chapter 13, section
//! 13.5.1.1) as one question to a SAT solver: bits for every position of the sketch, the visible ones fixed.
//!
//! The parts that the abstraction leaves out are switched on by assumptions. If there is no concrete path, the assumptions that
//! were needed are the parts to keep from now on: with them the same abstract path does not come back. (They are never none:
//! without any, the abstract path itself is a solution.) Switched by assumptions as well are the steps; the last one needed is where
//! the path dies: its beginning can be walked, into dead-end states.
//!
//! Parts are switched on from the visible ones outwards, as far as they are read: many counterexamples die before most of a large model is
//! looked at. Only when all are on, a solution is a concrete path.

use super::parts::Parts;
use super::sketch::{Demand, Filled, Seen, Sketch};
use entail_budget::{Budget, Spent};
use entail_model::{Kept, Sort, TermId, TransitionSystem, Value, VarId, VarKind};
use entail_sat::{
    Aig, Answer, Bits, Blaster, Cadical, ConeEncoder, Leaf, Lit, NotEncoded, Query, SatSolver, Signal,
    belongs, decode, encode, shape,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What became of an abstract counterexample.
#[derive(Debug)]
pub(crate) enum Concrete {
    /// A concrete path is behind it.
    Real(Filled),
    /// No concrete path is behind it.
    Spurious(Spurious),
}

/// Why an abstract counterexample is none.
#[derive(Debug)]
pub(crate) struct Spurious {
    /// The parts that exclude it.
    pub(crate) parts: Vec<usize>,
    /// The last step needed for the contradiction; none if it is about the first position.
    pub(crate) dies_at: Option<usize>,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error(transparent)]
    NotEncoded(#[from] NotEncoded),
    #[error(transparent)]
    Spent(#[from] Spent),
}

/// Asks whether a sketch can be filled.
pub(crate) fn concretise(
    system: &TransitionSystem,
    parts: &Parts,
    kept: &[bool],
    sketch: &Sketch,
    budget: &Budget,
) -> Result<Concrete, Unanswered> {
    let mut asked: Vec<TermId> = sketch
        .steps
        .iter()
        .flat_map(|step| step.atoms.iter().map(|atom| atom.0))
        .collect();
    asked.extend(sketch.demands.iter().flatten().map(|demand| demand.term));
    let mut known: Vec<VarId> = Vec::new();
    for &(seen, _) in sketch.positions.iter().flatten() {
        match seen {
            Seen::Variable(variable) => known.push(variable),
            Seen::Term(term) => asked.push(term),
        }
    }
    let (mut read, next) = system.terms.support(&asked);
    read.extend(next);
    read.extend(known);
    read.sort_unstable();
    read.dedup();
    let mut active = kept.to_vec();
    loop {
        // Twice as far each time: what is built again costs no more than what is new.
        let mut grown = false;
        let before = active.iter().filter(|on| **on).count();
        while parts.widen(&mut active, &read) {
            grown = true;
            if active.iter().filter(|on| **on).count() >= 2 * before.max(FEW) {
                break;
            }
        }
        if !grown {
            active.fill(true);
        }
        let complete = active.iter().all(|on| *on);
        if complete {
            read = system.variable_ids().collect();
        }
        let mut question = SatQuestion::new(system, budget);
        question.build(parts, kept, &active, &read, sketch)?;
        match question.answer(parts, sketch, budget)? {
            Concrete::Real(_) if !complete => {}
            answer => return Ok(answer),
        }
    }
}

/// Parts are switched on in no smaller portions.
const FEW: usize = 16;

/// Making a core smaller may take so many calls of so many conflicts.
const MOST_TRIALS: usize = 200;
const CONFLICTS: u64 = 1_000;

/// How terms are translated at the places of a sketch.
struct Places {
    of_positions: Vec<Blaster>,
    of_steps: Vec<Blaster>,
    /// For each position, the switch of the step that leads there first.
    entered: Vec<Option<Lit>>,
    /// For each term, whether it is about next values.
    mention_next: Vec<bool>,
}

struct SatQuestion<'a> {
    system: &'a TransitionSystem,
    aig: Aig,
    encoder: ConeEncoder,
    solver: Cadical,
    budget: Arc<Budget>,
    /// Bits of state variables at each position, and of inputs at each step.
    positions: Vec<FxHashMap<VarId, Bits>>,
    inputs: Vec<FxHashMap<VarId, Bits>>,
    /// The switch of each part that is on and not kept.
    part_switches: Vec<(usize, Lit)>,
    step_switches: Vec<Lit>,
}

impl<'a> SatQuestion<'a> {
    fn new(system: &'a TransitionSystem, budget: &Budget) -> SatQuestion<'a> {
        SatQuestion {
            system,
            aig: Aig::new(),
            encoder: ConeEncoder::new(),
            solver: Cadical::new(),
            budget: Arc::new(budget.same_limits()),
            positions: Vec::new(),
            inputs: Vec::new(),
            part_switches: Vec::new(),
            step_switches: Vec::new(),
        }
    }

    fn build(
        &mut self,
        parts: &Parts,
        kept: &[bool],
        active: &[bool],
        read: &[VarId],
        sketch: &Sketch,
    ) -> Result<(), Unanswered> {
        let system = self.system;
        let mut variables: Vec<VarId> = read.to_vec();
        for (part, _) in parts.list.iter().zip(active).filter(|(_, on)| **on) {
            variables.extend(&part.reads);
        }
        variables.sort_unstable();
        variables.dedup();
        let (inputs, states): (Vec<VarId>, Vec<VarId>) =
            (variables.into_iter()).partition(|&variable| system.variable(variable).kind == VarKind::Input);
        self.step_switches = sketch
            .steps
            .iter()
            .map(|_| self.solver.new_var().lit(true))
            .collect();
        // What is said about a position belongs to the step that leads there first.
        let mut entered: Vec<Option<Lit>> = vec![None; sketch.positions.len()];
        for (number, step) in sketch.steps.iter().enumerate() {
            if let Some(to) = step.to.filter(|&to| to > step.from) {
                entered[to].get_or_insert(self.step_switches[number]);
            }
        }
        self.make_bits(&states, &inputs, sketch)?;
        let mut of_positions: Vec<Blaster> = (0..sketch.positions.len())
            .map(|at| self.at_position(at))
            .collect();
        for (at, facts) in sketch.positions.iter().enumerate() {
            for (seen, value) in facts {
                let (code, sort) = match *seen {
                    Seen::Variable(variable) => {
                        let code = self.positions[at][&variable].clone();
                        (code, &system.variable(variable).sort)
                    }
                    Seen::Term(term) => {
                        let code = of_positions[at].bits(&mut self.aig, &system.terms, term)?;
                        (code, system.terms.sort(term))
                    }
                };
                self.fix(&code, value, sort, entered[at])?;
            }
        }
        let mut places = Places {
            of_steps: (0..sketch.steps.len())
                .map(|number| self.at_step(number, sketch))
                .collect(),
            of_positions,
            entered,
            mention_next: system.terms.mention_next(),
        };
        for (number, part) in parts
            .list
            .iter()
            .enumerate()
            .filter(|(number, _)| active[*number])
        {
            let switch = (!kept[number]).then(|| self.solver.new_var().lit(true));
            if let Some(switch) = switch {
                self.part_switches.push((number, switch));
            }
            self.require_part(&part.conjuncts, switch, sketch, &mut places)?;
        }
        for (number, step) in sketch.steps.iter().enumerate() {
            for &(atom, truth) in &step.atoms {
                let taken = Some(self.step_switches[number]);
                self.require(&mut places.of_steps[number], atom, truth, [taken, None])?;
            }
        }
        for demand in &sketch.demands {
            let mut clause = Vec::new();
            for &Demand { step, term, truth } in demand {
                let signal = places.of_steps[step].signal(&mut self.aig, &system.terms, term)?;
                let signal = signal.flipped_if(!truth);
                clause.push(self.encoder.encode(&self.aig, signal, &mut self.solver));
            }
            self.solver.add_clause(&clause);
        }
        Ok(())
    }

    /// Bits for the state variables at each position (those of frozen ones are the same everywhere), and for the inputs at each step.
    fn make_bits(&mut self, states: &[VarId], inputs: &[VarId], sketch: &Sketch) -> Result<(), Unanswered> {
        let mut frozen: FxHashMap<VarId, Bits> = FxHashMap::default();
        for _ in &sketch.positions {
            let mut bits: FxHashMap<VarId, Bits> = FxHashMap::default();
            for &variable in states {
                let is_frozen = self.system.variable(variable).kind == VarKind::Frozen;
                let code = match frozen.get(&variable) {
                    Some(code) => code.clone(),
                    None => self.fresh(variable)?,
                };
                if is_frozen {
                    frozen.insert(variable, code.clone());
                }
                bits.insert(variable, code);
            }
            self.positions.push(bits);
        }
        for _ in &sketch.steps {
            let mut bits = FxHashMap::default();
            for &variable in inputs {
                let code = self.fresh(variable)?;
                bits.insert(variable, code);
            }
            self.inputs.push(bits);
        }
        Ok(())
    }

    /// Translates terms about a step.
    fn at_step(&self, number: usize, sketch: &Sketch) -> Blaster {
        let step = &sketch.steps[number];
        let mut blaster = self.at_position(step.from);
        for (&variable, code) in &self.inputs[number] {
            blaster.bind(
                Leaf {
                    variable,
                    next: false,
                },
                code.clone(),
            );
        }
        if let Some(to) = step.to {
            for (&variable, code) in &self.positions[to] {
                blaster.bind(Leaf { variable, next: true }, code.clone());
            }
        }
        blaster
    }

    /// Requires the conjuncts of a part at all positions and steps, where its switch is on.
    fn require_part(
        &mut self,
        conjuncts: &Kept,
        switch: Option<Lit>,
        sketch: &Sketch,
        places: &mut Places,
    ) -> Result<(), Unanswered> {
        let system = self.system;
        for &conjunct in &conjuncts.init {
            let first = &mut places.of_positions[0];
            self.require(first, system.init[conjunct], true, [switch, None])?;
        }
        for &conjunct in &conjuncts.invariant {
            for (blaster, entered) in places.of_positions.iter_mut().zip(&places.entered) {
                self.require(blaster, system.invariant[conjunct], true, [switch, *entered])?;
            }
        }
        for &conjunct in &conjuncts.transition {
            let term = system.transition[conjunct];
            for (at, blaster) in places.of_steps.iter_mut().enumerate() {
                if sketch.steps[at].to.is_some() || !places.mention_next[term.index()] {
                    let taken = Some(self.step_switches[at]);
                    self.require(blaster, term, true, [switch, taken])?;
                }
            }
        }
        Ok(())
    }

    /// Bits for a variable that are a value of its sort.
    fn fresh(&mut self, variable: VarId) -> Result<Bits, Unanswered> {
        let sort = &self.system.variable(variable).sort;
        let (width, _) = shape(sort)?;
        let code: Bits = (0..width).map(|_| self.aig.leaf()).collect();
        let valid = belongs(&mut self.aig, &code, sort);
        self.clause(valid, [None, None]);
        // Bits that occur nowhere else still get a value.
        for &bit in &code {
            self.encoder.encode(&self.aig, bit, &mut self.solver);
        }
        Ok(code)
    }

    fn fix(&mut self, code: &Bits, value: &Value, sort: &Sort, taken: Option<Lit>) -> Result<(), Unanswered> {
        for (&bit, is_one) in code.iter().zip(encode(value, sort)?) {
            self.clause(bit.flipped_if(!is_one), [taken, None]);
        }
        Ok(())
    }

    fn at_position(&self, position: usize) -> Blaster {
        let mut blaster = Blaster::new();
        blaster.watch(self.budget.clone());
        for (&variable, code) in &self.positions[position] {
            blaster.bind(
                Leaf {
                    variable,
                    next: false,
                },
                code.clone(),
            );
        }
        blaster
    }

    fn require(
        &mut self,
        blaster: &mut Blaster,
        term: TermId,
        truth: bool,
        switches: [Option<Lit>; 2],
    ) -> Result<(), Unanswered> {
        let signal = blaster.signal(&mut self.aig, &self.system.terms, term)?;
        self.clause(signal.flipped_if(!truth), switches);
        Ok(())
    }

    /// The signal is true if the switches are on.
    fn clause(&mut self, signal: Signal, switches: [Option<Lit>; 2]) {
        if signal == Signal::TRUE {
            return;
        }
        let literal = self.encoder.encode(&self.aig, signal, &mut self.solver);
        let mut clause = vec![literal];
        clause.extend(switches.into_iter().flatten().map(|switch| !switch));
        self.solver.add_clause(&clause);
    }

    fn answer(mut self, parts: &Parts, sketch: &Sketch, budget: &Budget) -> Result<Concrete, Unanswered> {
        let mut assumptions: Vec<Lit> = self.part_switches.iter().map(|&(_, switch)| switch).collect();
        assumptions.extend(&self.step_switches);
        if self.solver.satisfiable(&assumptions, budget)? {
            return Ok(Concrete::Real(self.filled(sketch)));
        }
        let core = |question: &SatQuestion<'_>, switches: &[(usize, Lit)]| -> Vec<(usize, Lit)> {
            let needed = |(_, switch): &&(usize, Lit)| question.solver.failed(*switch);
            switches.iter().filter(needed).copied().collect()
        };
        let mut needed = core(&self, &self.part_switches);
        let mut dies_at = self.last_step_needed();
        // Larger parts cost more bits of abstract state: they are tried to be spared first.
        let mut untried: Vec<usize> = needed.iter().map(|&(part, _)| part).collect();
        untried.sort_by_key(|&part| parts.list[part].bits);
        for _ in 0..MOST_TRIALS {
            let Some(part) = untried.pop() else { break };
            if !needed.iter().any(|&(other, _)| other == part) {
                continue;
            }
            let others = needed.iter().filter(|&&(other, _)| other != part);
            let mut assumptions: Vec<Lit> = others.map(|&(_, switch)| switch).collect();
            assumptions.extend(&self.step_switches);
            let query = Query {
                assumptions: &assumptions,
                conflict_limit: Some(CONFLICTS),
                ..Query::default()
            };
            if self.solver.solve_query(query, budget)? == Answer::Unsatisfiable {
                needed = core(&self, &needed);
                dies_at = self.last_step_needed();
            }
        }
        Ok(Concrete::Spurious(Spurious {
            parts: needed.into_iter().map(|(part, _)| part).collect(),
            dies_at,
        }))
    }

    fn last_step_needed(&self) -> Option<usize> {
        self.step_switches
            .iter()
            .rposition(|&switch| self.solver.failed(switch))
    }

    /// The solution's values.
    fn filled(&self, sketch: &Sketch) -> Filled {
        let values = |bits: &FxHashMap<VarId, Bits>| {
            let mut values: Vec<Option<Value>> = self.system.blank();
            for (&variable, code) in bits {
                let code: Vec<bool> = code.iter().map(|&bit| self.bit(bit)).collect();
                values[variable.index()] = Some(decode(&code, &self.system.variable(variable).sort));
            }
            values
        };
        Filled {
            positions: (0..sketch.positions.len())
                .map(|at| values(&self.positions[at]))
                .collect(),
            steps: (0..sketch.steps.len())
                .map(|at| values(&self.inputs[at]))
                .collect(),
        }
    }

    fn bit(&self, bit: Signal) -> bool {
        let literal = self.encoder.literal(bit);
        literal.is_some_and(|literal| self.solver.value(literal).unwrap_or(false))
    }
}
