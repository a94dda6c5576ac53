//! Running both circuits on the inputs of a trace.
//!
//! Only inputs and first values are taken from the trace; everything else is computed from each circuit by itself, with the reference evaluator of terms. Gold runs with 0 for
//! every X, and beside it goes which bits are known in spite of X ([`masks`]). A difference is a step at which a bit of an output is known in gold, and another one in gate.

use super::known::{Truth, masks};
use super::{Half, Pair, Place};
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_model::{Sort, TermId, Valuation, Value, VarId, Word, evaluate, evaluate_with};
use rustc_hash::FxHashMap;

/// Where two circuits differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The step, from 0.
    pub step: usize,
    /// The position of the output among those that are compared.
    pub output: usize,
}

/// Whether the inputs of a trace make the circuits differ, in one of these outputs, at its end or before; or what is wrong.
pub fn check_difference(
    pair: &Pair,
    outputs: &[usize],
    trace: &Trace,
    budget: &Budget,
) -> Result<Difference, String> {
    let found = first_difference(pair, outputs, trace, budget)?;
    found.ok_or_else(|| {
        "both circuits have the same outputs along the trace, as far as gold is not X".to_owned()
    })
}

/// The first step at which one of these outputs has a value in gold and another one in gate, if there is such a step.
pub fn first_difference(
    pair: &Pair,
    outputs: &[usize],
    trace: &Trace,
    budget: &Budget,
) -> Result<Option<Difference>, String> {
    if trace.loop_start.is_some() {
        return Err("two circuits are told apart by a finite run".into());
    }
    let first = trace.steps.first().ok_or("the trace has no step")?;
    let gate = first_values(&pair.gate, &|variable| at_place(&pair.gate, variable, first));
    let tied = |variable: VarId| -> Option<Value> {
        let tie = pair.ties.iter().find(|tie| tie.gold == variable)?;
        value_at(&tie.gate, &pair.gold.system.variable(variable).sort, &gate)
    };
    let gold = first_values(&pair.gold, &tied);
    let mut runs = [
        Run::new(&pair.gold, gold, &pair.unknown),
        Run::new(&pair.gate, gate, &[]),
    ];
    for (step, values) in trace.steps.iter().enumerate() {
        budget.check_now().map_err(|spent| spent.to_string())?;
        let [gold, gate] = &mut runs;
        gold.set_inputs(values);
        gate.set_inputs(values);
        let (in_gold, in_gate) = (gold.evaluated(), gate.evaluated());
        if gold.violates_a_constraint(&in_gold) {
            return Err(format!("step {step} violates a constraint of gold"));
        }
        for &position in outputs {
            let output = pair.outputs.get(position).ok_or("there is no such output")?;
            for (&ours, &theirs) in output.gold.iter().zip(&output.gate) {
                let (ours, theirs) = (gold.bit(&in_gold, ours), gate.bit(&in_gate, theirs));
                if let (Some(ours), Some(theirs)) = (ours, theirs)
                    && ours != theirs
                {
                    return Ok(Some(Difference {
                        step,
                        output: position,
                    }));
                }
            }
        }
        gold.advance(&in_gold);
        gate.advance(&in_gate);
    }
    Ok(None)
}

/// The value of a variable of a circuit, given those of both circuits together.
fn at_place(half: &Half, variable: VarId, values: &[Option<Value>]) -> Option<Value> {
    value_at(
        half.places.get(variable.index())?,
        &half.system.variable(variable).sort,
        values,
    )
}

fn value_at(place: &Place, sort: &Sort, values: &[Option<Value>]) -> Option<Value> {
    match place {
        Place::Whole(at) => values.get(at.index())?.clone(),
        Place::Bits(bits) => gathered(bits, sort, values),
    }
}

/// The bits of values, from the lowest on, as one value of a sort.
fn gathered(bits: &[(VarId, u32)], sort: &Sort, values: &[Option<Value>]) -> Option<Value> {
    let mut word: Option<Word> = None;
    for &(variable, bit) in bits {
        let truth = bit_of(values.get(variable.index())?.as_ref()?, bit)?;
        let next = Word::from_u64(1, false, u64::from(truth));
        word = Some(match word {
            Some(low) => next.concat(&low),
            None => next,
        });
    }
    match sort {
        Sort::Bool => Some(Value::Bool(word?.bit(0))),
        _ => word.map(Value::Word),
    }
}

fn bit_of(value: &Value, bit: u32) -> Option<bool> {
    match value {
        Value::Bool(truth) => (bit == 0).then_some(*truth),
        Value::Word(word) => (bit < word.width()).then(|| word.bit(bit)),
        _ => None,
    }
}

/// What the variables hold first: what registers begin with, and otherwise what is chosen.
fn first_values(half: &Half, chosen: &dyn Fn(VarId) -> Option<Value>) -> Vec<Option<Value>> {
    let mut values = half.system.blank();
    for register in &half.registers.registers {
        let at = register.variable.index();
        values[at] = match register.init {
            Some(init) => evaluate(&half.system.terms, init, Valuation::state(&values)).ok(),
            None => chosen(register.variable),
        };
    }
    values
}

/// What a circuit computes at a step.
struct Step {
    values: Vec<Option<Value>>,
    /// Which bits are known, of terms that may be X.
    masks: FxHashMap<TermId, Vec<bool>>,
}

/// A circuit at work.
struct Run<'p> {
    half: &'p Half,
    /// Variables without a value: X.
    unknown: &'p [VarId],
    values: Vec<Option<Value>>,
    /// Which bits of registers are known, where not all are.
    known: FxHashMap<VarId, Vec<bool>>,
    /// Everything that is computed at a step.
    cone: Vec<TermId>,
    /// Conditions of the transition relation that are no registers' next values.
    constraints: Vec<TermId>,
}

impl<'p> Run<'p> {
    /// What has no first value is X.
    fn new(half: &'p Half, values: Vec<Option<Value>>, unknown: &'p [VarId]) -> Run<'p> {
        let terms = &half.system.terms;
        let ahead = terms.mention_next();
        let constraints: Vec<TermId> = (half.system.transition.iter().copied())
            .filter(|term| !ahead[term.index()])
            .collect();
        let mut roots: Vec<TermId> = half
            .registers
            .registers
            .iter()
            .filter_map(|one| one.next)
            .collect();
        roots.extend(&constraints);
        roots.extend(half.system.defines.iter().map(|define| define.term));
        let mut run = Run {
            half,
            unknown,
            values,
            known: FxHashMap::default(),
            cone: terms.cone(&roots),
            constraints,
        };
        for register in &half.registers.registers {
            run.open(register.variable);
        }
        run
    }

    /// A variable that has no value is X: zero, and not known. (An array has no value then, nor has what is read from it.)
    fn open(&mut self, variable: VarId) {
        let sort = &self.half.system.variable(variable).sort;
        let place = &mut self.values[variable.index()];
        if place.is_none() {
            *place = Some(sort.value_at(0)).filter(|_| bits_of(sort).is_some());
            self.known
                .insert(variable, vec![false; bits_of(sort).unwrap_or(1)]);
        }
    }

    /// Takes the inputs from the step of a trace. Registers that nothing determines are inputs, too.
    fn set_inputs(&mut self, step: &[Option<Value>]) {
        for variable in self.half.system.input_variables() {
            self.values[variable.index()] = match self.unknown.contains(&variable) {
                true => None,
                false => at_place(self.half, variable, step),
            };
            self.known.remove(&variable);
            self.open(variable);
        }
    }

    fn evaluated(&self) -> Step {
        let terms = &self.half.system.terms;
        let values = evaluate_with(terms, &self.cone, Valuation::state(&self.values));
        let bits = |term: TermId| {
            let value = self.at(&values, term);
            let width = bits_of(terms.sort(term)).unwrap_or(0);
            let bit = |bit| value.and_then(|value| bit_of(value, bit)).unwrap_or(false);
            (0..width as u32).map(bit).collect()
        };
        let of_variable = |variable: VarId| self.known.get(&variable).cloned();
        let masks = masks(&mut Truth, terms, &self.cone, bits, of_variable);
        Step { values, masks }
    }

    fn at<'v>(&self, values: &'v [Option<Value>], term: TermId) -> Option<&'v Value> {
        let at = self.cone.binary_search(&term).ok()?;
        values[at].as_ref()
    }

    /// A bit, if it is known.
    fn bit(&self, step: &Step, (term, bit): (TermId, u32)) -> Option<bool> {
        let is_known = step
            .masks
            .get(&term)
            .is_none_or(|mask| mask.get(bit as usize) == Some(&true));
        bit_of(self.at(&step.values, term)?, bit).filter(|_| is_known)
    }

    fn violates_a_constraint(&self, step: &Step) -> bool {
        self.constraints
            .iter()
            .any(|&term| self.bit(step, (term, 0)) == Some(false))
    }

    fn advance(&mut self, step: &Step) {
        let mut after = self.half.system.blank();
        self.known.clear();
        for register in &self.half.registers.registers {
            let Some(next) = register.next else {
                continue;
            };
            after[register.variable.index()] = self.at(&step.values, next).cloned();
            if let Some(mask) = step.masks.get(&next) {
                self.known.insert(register.variable, mask.clone());
            }
        }
        self.values = after;
        for register in &self.half.registers.registers {
            self.open(register.variable);
        }
    }
}

/// How many bits a value of the sort has, if it is a truth value or a word.
fn bits_of(sort: &Sort) -> Option<usize> {
    match sort {
        Sort::Bool => Some(1),
        Sort::Word { width, .. } => Some(*width as usize),
        _ => None,
    }
}
