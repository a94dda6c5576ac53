//! What a property is asked of: the model, or the part of it that the property depends on.
//!
//! The cone of influence ([`entail_model::cone_of_influence`]) has the same truths about its variables as the model, and often
//! far fewer states. An engine that looks at all variables is asked about the cone where that is notably smaller; what it
//! answers is carried back: traces and trees are completed with values for the other variables, an invariant of the cone is one of the
//! model, and a count of states says that it is the cone's. Evidence is then checked against the model like any other. Where an answer
//! cannot be carried back (a loop that the other variables close only after very many rounds), the model itself is asked.
//!
//! Properties with the same cone share it, and with it the engine's session.

use crate::model::SystemModel;
use crate::schedule::state_bits;
use entail_evidence::{
    Because, Certificate, Evidence, Exhaustive, Explanation, FixpointProof, ModelError, Note, Outcome,
    PathWitness, Searched, Trace,
};
use entail_logic::{Property, Question};
use entail_model::{Cone, TermId, Terms, TransitionSystem, Value, VarId, VarKind, cone_of_influence};
use rustc_hash::{FxHashMap, FxHashSet};

/// Dropped variables may take so many rounds to close a loop.
const ROUNDS: usize = 1_000;

/// A cone is used if it leaves out at least one bit in so many.
const WORTH_LEAVING_OUT: u64 = 12;

/// Cones are no longer looked for after visiting so many terms.
const MOST_VISITS: usize = 100_000_000;

/// In larger systems no cones are looked for of what is asked beside properties.
const MOST_TERMS: usize = 5_000;

/// A property as it is asked of its cone.
#[derive(Debug)]
pub(crate) struct Slice {
    /// The number of the cone.
    pub(crate) cone: usize,
    /// The property in the cone's terms.
    pub(crate) property: Property<TermId>,
    /// The model's term of each atom.
    atoms: FxHashMap<TermId, TermId>,
}

/// A cone of influence, and whether it is one of the system without compassion.
#[derive(Debug)]
struct PartCone {
    without_compassion: bool,
    cone: Cone,
}

/// The cones of a model's properties.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    cones: Vec<PartCone>,
    /// By position of the property.
    slices: FxHashMap<usize, Slice>,
}

impl Slices {
    /// The cones of all properties, where they are worth while; the one at `first` is looked for first, because it is asked first.
    pub(crate) fn new(model: &SystemModel, first: usize) -> Slices {
        let mut slices = Slices::default();
        let visits = model.system().terms.len().max(1);
        let all = 0..model.content.properties.len();
        let in_order = [first].into_iter().chain(all.filter(|&other| other != first));
        for position in in_order.take(MOST_VISITS / visits) {
            if let Some(property) = model.property(position) {
                slices.add(model, position, property);
            }
        }
        slices
    }

    fn add(&mut self, model: &SystemModel, position: usize, property: &Property<TermId>) {
        // Paths whose length is asked for may start anywhere: they cannot be carried back.
        if matches!(
            property.question,
            Question::ShortestPath(..) | Question::LongestPath(..)
        ) {
            return;
        }
        let without_compassion = model.drops_compassion(property);
        let system = model.part(without_compassion);
        let cone = cone_of_influence(system, &property.question.atoms());
        let (kept, all) = (state_bits(&cone.system), state_bits(system));
        if kept.saturating_add(all / WORTH_LEAVING_OUT) >= all {
            return;
        }
        let same =
            |known: &PartCone| known.without_compassion == without_compassion && known.cone.kept == cone.kept;
        let number = self.cones.iter().position(same).unwrap_or_else(|| {
            self.cones.push(PartCone {
                without_compassion,
                cone,
            });
            self.cones.len() - 1
        });
        self.ask_of(number, system, position, property);
        // What is asked beside the property speaks of parts of it; its cones may be smaller still.
        if self.slices.contains_key(&position) && system.terms.len() <= MOST_TERMS {
            for (at, doubt) in model.doubts(position) {
                self.add(model, at, &doubt.property);
            }
        }
    }

    /// Asks a property of a cone, if the cone has all it depends on.
    fn ask_of(
        &mut self,
        number: usize,
        system: &TransitionSystem,
        position: usize,
        property: &Property<TermId>,
    ) {
        let cone = &mut self.cones[number].cone;
        let mut atoms = FxHashMap::default();
        let mut is_whole = true;
        let question = property.question.map_atoms(&mut |&atom| {
            let image = cone.import(system, atom);
            is_whole &= image.is_some();
            let image = image.unwrap_or(atom);
            atoms.insert(image, atom);
            image
        });
        if !is_whole {
            return;
        }
        // An atom that is simplified to one about states would be refuted by a state; of the original that must be a step.
        let keeps_its_kind = |(image, atom): (&TermId, &TermId)| {
            is_about_steps(&cone.system, *image) == is_about_steps(system, *atom)
        };
        if !atoms.iter().all(keeps_its_kind) {
            return;
        }
        let slice = Slice {
            cone: number,
            property: Property {
                question,
                ..property.clone()
            },
            atoms,
        };
        self.slices.insert(position, slice);
    }

    /// How the property at a position is asked of its cone, if it is.
    pub(crate) fn of(&self, position: usize) -> Option<&Slice> {
        self.slices.get(&position)
    }

    /// The cone of a slice.
    pub(crate) fn system(&self, slice: &Slice) -> &TransitionSystem {
        &self.cones[slice.cone].cone.system
    }

    fn back<'s>(&'s self, model: &'s SystemModel, slice: &'s Slice) -> Back<'s> {
        let part = &self.cones[slice.cone];
        Back {
            system: model.part(part.without_compassion),
            cone: &part.cone,
            atoms: &slice.atoms,
        }
    }

    /// The answer about the model; none if it cannot be carried back.
    pub(crate) fn carried_back(
        &self,
        model: &SystemModel,
        slice: &Slice,
        original: &Property<TermId>,
        mut outcome: Outcome,
    ) -> Option<Outcome> {
        let back = self.back(model, slice);
        outcome.evidence = match outcome.evidence {
            None => None,
            Some(Evidence::Trace(trace)) => Some(Evidence::Trace(back.trace(None, &trace)?)),
            Some(Evidence::Explanation(tree)) => {
                let start = back.trace(
                    None,
                    &Trace {
                        steps: vec![tree.state.clone()],
                        loop_start: None,
                    },
                )?;
                let tree = back.tree(&start.steps[0], &tree)?;
                let Question::Formula(formula) = &original.question else {
                    return None;
                };
                // The engine may have put the quantifier of a path formula in front.
                if tree.formula != *formula && tree.formula != formula.forall() {
                    return None;
                }
                Some(Evidence::Explanation(tree))
            }
            Some(Evidence::Invariant(certificate)) => {
                Some(Evidence::Invariant(back.certificate(&certificate)))
            }
            Some(Evidence::Exhaustive(claim)) => Some(Evidence::Exhaustive(Exhaustive {
                searched: Searched::Cone,
                ..claim
            })),
            Some(Evidence::Fixpoints(proof)) => Some(Evidence::Fixpoints(Box::new(back.fixpoints(&proof)?))),
            // Its variables are numbered behind the model's; nobody who is asked about cones gives one.
            Some(
                Evidence::Liveness(_)
                | Evidence::Abstraction(_)
                | Evidence::Modal(_)
                | Evidence::Closed(_)
                | Evidence::Ranked(_),
            ) => return None,
        };
        Some(outcome)
    }

    /// An error of the model, found in a cone, with the trace it has in the model.
    pub(crate) fn error_carried_back(
        &self,
        model: &SystemModel,
        slice: &Slice,
        mut error: ModelError,
    ) -> ModelError {
        let back = self.back(model, slice);
        error.trace = error.trace.and_then(|trace| back.trace(None, &trace));
        error
    }
}

type Values = Vec<Option<Value>>;

/// The way from a cone back to its system.
struct Back<'a> {
    system: &'a TransitionSystem,
    cone: &'a Cone,
    atoms: &'a FxHashMap<TermId, TermId>,
}

/// Whether a term reads inputs or next values.
fn is_about_steps(system: &TransitionSystem, term: TermId) -> bool {
    let (current, next) = system.terms.support(&[term]);
    let is_input = |id: &VarId| system.variable(*id).kind == VarKind::Input;
    !next.is_empty() || current.iter().any(is_input)
}

impl Back<'_> {
    fn trace(&self, start: Option<&Values>, trace: &Trace) -> Option<Trace> {
        let start = start.map(Vec::as_slice);
        let completed = self
            .cone
            .complete_from(self.system, start, &trace.steps, trace.loop_start, ROUNDS)
            .ok()?;
        Some(Trace {
            steps: completed.steps,
            loop_start: completed.loop_start,
        })
    }

    /// The tree with `state` (a state of the system) in place of the cone's. A note counts wherever its state is shown, and one state of the cone
    /// may be several of the system: it is noted anew at each of them.
    fn tree(&self, state: &Values, tree: &Explanation) -> Option<Explanation> {
        let because = match &tree.because {
            Because::Evaluation => Because::Evaluation,
            Because::Exhaustion => Because::Exhaustion,
            Because::Operands(operands) => {
                let operands = operands.iter().map(|operand| self.tree(state, operand));
                Because::Operands(operands.collect::<Option<_>>()?)
            }
            Because::Path(witness) => {
                let trace = self.trace(Some(state), &witness.trace)?;
                let mut notes: Vec<Note> = Vec::new();
                let mut noted: FxHashSet<(Values, usize)> = FxHashSet::default();
                let mut here = 0;
                for (position, values) in trace.steps.iter().enumerate() {
                    let state = self.without_inputs(values);
                    for (number, note) in witness.notes.iter().enumerate() {
                        let explained = note.explanation.state.iter().zip(&witness.trace.steps[here]);
                        let is_here = explained
                            .into_iter()
                            .all(|(explained, here)| explained.is_none() || explained == here);
                        if is_here && noted.insert((state.clone(), number)) {
                            notes.push(Note {
                                position,
                                explanation: self.tree(&state, &note.explanation)?,
                            });
                        }
                    }
                    here = witness.trace.successor(here).unwrap_or(here);
                }
                Because::Path(PathWitness { trace, notes })
            }
        };
        let known = |atom: &TermId| self.atoms.contains_key(atom);
        let mut all_known = true;
        tree.formula.for_each_atom(&mut |atom| all_known &= known(atom));
        all_known.then(|| Explanation {
            formula: tree.formula.map_atoms(&mut |atom| self.atoms[atom]),
            truth: tree.truth,
            state: self.without_inputs(state),
            because,
        })
    }

    fn without_inputs(&self, values: &Values) -> Values {
        let mut state = values.clone();
        for id in self.system.input_variables() {
            state[id.index()] = None;
        }
        state
    }

    /// The variables of a monitor come after the model's, as before after the cone's. Strategies say nothing of the variables that were left out: a proof that has any (then it says
    /// which states have a fair path) is not one of the model.
    fn fixpoints(&self, proof: &FixpointProof) -> Option<FixpointProof> {
        if proof.fair.is_some() {
            return None;
        }
        let (kept, all) = (self.cone.kept.len(), self.system.variables().len());
        let back = |variable: VarId| match self.cone.kept.get(variable.index()) {
            Some(&kept) => kept,
            None => VarId::new((variable.index() - kept + all) as u32),
        };
        let roots = proof.roots();
        let mut terms = Terms::new();
        let images = terms.import(&proof.terms, &roots, back);
        let images: FxHashMap<TermId, TermId> = roots.into_iter().zip(images).collect();
        let hazards = proof.hazards.as_ref().map(|hazards| self.certificate(hazards));
        Some(
            proof.map(terms, hazards, &mut |term| images[&term], &mut |variable| {
                back(variable)
            }),
        )
    }

    fn certificate(&self, certificate: &Certificate) -> Certificate {
        let mut terms = Terms::new();
        let invariant = terms.import(&certificate.terms, &[certificate.invariant], |variable| {
            self.cone.kept[variable.index()]
        })[0];
        Certificate { terms, invariant }
    }
}
