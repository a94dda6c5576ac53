//! A system with its properties, as the app asks for it.

use crate::checker::InfiniteChecker;
use crate::circuits::read_circuit;
use crate::evidence::InfiniteEvidence;
use crate::queries::QueryFolder;
use crate::write::{FORMATS, write};
use entail_answer::{Answer, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Converted, Heading, Input, LoadError, Model, ModelError, Options, Runner, Session, Turn, Usage,
};
use entail_first_order::sexpr::Reader;
use entail_first_order::{Claim, FirstOrderProperty, FirstOrderSystem, SortId, TermId};
use entail_infinite::{
    Found, FoundEndless, Safety, Work, bounded, by_interpolation, descending_ranks, k_induction, k_liveness,
    lassos, predicate_abstraction, property_directed, recurring_runs,
};
use entail_logic::{Formula, Logic, Node};
use entail_smt::has_products;
use entail_smtlib::{
    Meaning, Problem, Scope, declare_temporal_operators, path_formula, read_horn, read_mcmt, read_term,
    read_vmt,
};
use entail_smv::read_unbounded;
use entail_source::{Diagnostic, Source, Span};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A system that has been read.
pub(crate) struct InfiniteModel {
    source: Source,
    language: &'static str,
    pub system: FirstOrderSystem,
    pub properties: Vec<FirstOrderProperty>,
    /// For each property, what a violation makes false; the claim itself where the language has no errors of the model.
    pub refuted: Vec<Claim>,
    /// Formulas that the file offers as predicates.
    predicates: Vec<TermId>,
    /// What numbers are called, by variable and by input.
    pub names: ValueNames,
    headings: Vec<Heading>,
    unsupported: Vec<(Heading, String)>,
    warnings: Vec<Diagnostic>,
}

/// What numbers of variables and inputs are called, and what inputs are.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueNames {
    pub states: Vec<Option<FxHashMap<i64, String>>>,
    pub inputs: Vec<Option<FxHashMap<i64, String>>>,
    pub input_names: Vec<String>,
}

/// Names of the variables, for formulas that are read later.
pub(crate) fn scope_of(system: &FirstOrderSystem) -> Scope {
    let mut scope = Scope::default();
    for variable in &system.variables {
        scope.define(&variable.name, Meaning::Macro(Vec::new(), variable.current));
    }
    scope
}

fn logic_of(claim: &Claim) -> Logic {
    match claim {
        Claim::Invariant(_) => Logic::Safety,
        Claim::Path(_) => Logic::Ltl,
    }
}

/// Reads SMV with unbounded variables.
fn load_smv(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.lossy_text();
    let read = read_unbounded(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut headings = Vec::new();
    let mut properties = Vec::new();
    let mut refuted = Vec::new();
    for property in read.properties {
        let mut heading = Heading::new(
            property.text.clone(),
            logic_of(&property.goal),
            Some(property.place),
        );
        heading.name = property.name.clone();
        headings.push(heading);
        refuted.push(property.holds_or_error);
        properties.push(FirstOrderProperty {
            name: property.name,
            text: property.text,
            place: (property.place.start, property.place.end),
            claim: property.goal,
        });
    }
    let unsupported = (read.unsupported.into_iter())
        .map(|(text, why)| (Heading::new(text, Logic::Ltl, None), why))
        .collect();
    Ok(Box::new(InfiniteModel {
        source,
        language: input.language.name,
        system: read.system,
        properties,
        refuted,
        predicates: Vec::new(),
        names: ValueNames {
            states: read.constants,
            inputs: read.input_constants,
            input_names: read.inputs,
        },
        headings,
        unsupported,
        warnings: read.warnings,
    }))
}

/// Reads a circuit of words with memories.
fn load_circuit(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let circuit = read_circuit(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let heading = |property: &FirstOrderProperty| {
        let mut heading = Heading::new(property.text.clone(), logic_of(&property.claim), None);
        heading.name = property.name.clone();
        heading
    };
    Ok(Box::new(InfiniteModel {
        source: source.clone(),
        language: input.language.name,
        headings: circuit.properties.iter().map(heading).collect(),
        refuted: (circuit.properties.iter())
            .map(|property| property.claim.clone())
            .collect(),
        system: circuit.system,
        properties: circuit.properties,
        predicates: Vec::new(),
        names: ValueNames {
            states: Vec::new(),
            inputs: Vec::new(),
            input_names: circuit.input_names,
        },
        unsupported: Vec::new(),
        warnings: Vec::new(),
    }))
}

pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    match input.language.name {
        "nuxmv" => return load_smv(input),
        "btor2-memory" => return load_circuit(input),
        _ => {}
    }
    let source = input.text()?;
    let text = source.text();
    let read = match input.language.name {
        "vmt" => read_vmt(text),
        "mcmt" => read_mcmt(text),
        _ => read_horn(text),
    };
    let invalid = |problem: Problem| LoadError::invalid(&source, problem.diagnostic("infinite::text"));
    let read = read.map_err(invalid)?;
    let heading = |property: &FirstOrderProperty| {
        let span = Span::new(property.place.0, property.place.1);
        let mut heading = Heading::new(property.text.clone(), logic_of(&property.claim), Some(span));
        heading.name = property.name.clone();
        heading
    };
    let headings = read.properties.iter().map(heading).collect();
    Ok(Box::new(InfiniteModel {
        source: source.clone(),
        language: input.language.name,
        system: read.system,
        refuted: read
            .properties
            .iter()
            .map(|property| property.claim.clone())
            .collect(),
        properties: read.properties,
        predicates: read.predicates,
        names: ValueNames::default(),
        headings,
        unsupported: Vec::new(),
        warnings: read.warnings,
    }))
}

/// How long predicate abstraction may try at first.
const FIRST_TRY: Duration = Duration::from_millis(700);

/// How long induction may try, if others are waiting.
const INDUCTION: Duration = Duration::from_secs(3);

/// How long paths are searched without induction, which then go deepest.
const LONG_PATHS: Duration = Duration::from_secs(1);

/// How long predicate abstraction may try after that.
const SECOND_TRY: Duration = Duration::from_secs(30);

impl Model for InfiniteModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        self.language
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn unsupported(&self) -> Vec<(Heading, String)> {
        self.unsupported.clone()
    }

    fn add_property(&mut self, text: &str, _logic: Option<Logic>) -> Result<usize, LoadError> {
        let source = Source::new("formula", text);
        let invalid = |problem: Problem| LoadError::invalid(&source, problem.diagnostic("infinite::formula"));
        let whole = Problem {
            message: "a property is one formula of SMT-LIB over the variables of the state".into(),
            help: Some("for example (<= 0 x), or with temporal operators (ltl.G (ltl.F (<= 0 x)))".into()),
            place: (0, text.len()),
        };
        let read = Reader::new(text).all().map_err(|error| invalid(error.into()))?;
        let [expression] = read.as_slice() else {
            return Err(invalid(whole));
        };
        let mut scope = scope_of(&self.system);
        declare_temporal_operators(&mut self.system.terms, &mut scope);
        let formula = read_term(&mut self.system.terms, &mut scope, expression).map_err(invalid)?;
        if self.system.terms.sort_of(formula) != SortId::BOOL {
            return Err(invalid(whole));
        }
        let claim = match path_formula(&self.system.terms, formula) {
            Some(path) if matches!(path.node(), Node::Atom(_)) => Claim::Invariant(formula),
            Some(path) => Claim::Path(path),
            None => {
                let mut problem = whole;
                problem.message = "a temporal operator stands inside a term".into();
                return Err(invalid(problem));
            }
        };
        self.properties.push(FirstOrderProperty {
            name: None,
            text: text.to_owned(),
            place: (0, text.len()),
            claim: claim.clone(),
        });
        self.headings.push(Heading::new(text, logic_of(&claim), None));
        self.refuted.push(claim);
        Ok(self.headings.len() - 1)
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("variables", self.system.variables.len() as u64)
            .with("inputs", self.system.inputs.len() as u64)
    }

    fn formats(&self) -> &'static [&'static str] {
        FORMATS
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        write(extension, &self.system, &self.properties)
    }

    fn schedule(&self, property: usize, options: &Options, racing: bool) -> Vec<Turn> {
        if matches!(self.properties[property].claim, Claim::Path(_)) {
            return schedule_of_paths(options, racing);
        }
        if options.has("bound") {
            return vec![Turn::alone(
                "kind",
                None,
                "only paths up to a bound are asked for",
            )];
        }
        let system = &self.system;
        let formulas = [system.init, system.transition];
        if racing && has_products(&system.terms, &formulas) {
            // Questions about products are hard one by one; induction and paths need the fewest.
            let turn = Turn {
                runners: vec![
                    Runner::new("kind", None),
                    Runner::new("ic3ia", Some(SECOND_TRY)),
                    Runner::new("ic3mbp", None),
                ],
                because: "induction and short paths need the fewest questions about products",
            };
            return vec![turn];
        }
        if racing {
            // What predicates prove, they mostly prove at once, and what induction decides, it mostly decides soon after; then both have another
            // try, predicates first.
            let turn = Turn {
                runners: vec![
                    Runner::new("ic3ia", Some(FIRST_TRY)),
                    Runner::new("ic3mbp", None),
                    Runner::new("kind", Some(INDUCTION)),
                    Runner::new("bmc", Some(LONG_PATHS)),
                    Runner::new("ic3ia", Some(SECOND_TRY)),
                    Runner::new("kind", None),
                ],
                because: "induction finds simple proofs and short paths, IC3 the others",
            };
            return vec![turn];
        }
        vec![
            Turn::alone("ic3mbp", Some(Duration::from_secs(10)), "it proves and refutes"),
            Turn::alone("ic3ia", None, "predicates may do where projections do not"),
        ]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        let depth = options.number("bound").map(|depth| depth as usize);
        let queries = options.value("dump-queries").map(QueryFolder::open).transpose()?;
        Ok(Box::new(InfiniteSession {
            model: self,
            depth,
            queries,
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(InfiniteChecker { model: self }))
    }
}

struct InfiniteSession<'m> {
    model: &'m InfiniteModel,
    depth: Option<usize>,
    queries: Option<QueryFolder>,
}

impl Session for InfiniteSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let work = Work {
            budget,
            queries: self.queries.as_ref().map(|folder| folder.sink(engine)),
        };
        Ok(match &self.model.properties[property].claim {
            Claim::Invariant(invariant) => self.check_invariant(engine, property, *invariant, work),
            Claim::Path(path) => self.check_path(engine, property, path, work),
        })
    }
}

impl InfiniteSession<'_> {
    fn check_invariant(&self, engine: &str, property: usize, invariant: TermId, work: Work<'_>) -> Answer {
        let system = &self.model.system;
        let found = match engine {
            "bmc" => bounded(system, invariant, self.depth.unwrap_or(usize::MAX - 1), work),
            "kind" => k_induction(system, invariant, self.depth, work),
            "ic3ia" => predicate_abstraction(system, invariant, &self.model.predicates, work),
            "interpolation" => by_interpolation(system, invariant, work),
            _ => property_directed(system, invariant, work),
        };
        match found {
            Found::Holds { depth, invariant } => {
                Answer::complete(Verdict::Holds, InfiniteEvidence::Induction { depth, invariant }).boxed()
            }
            Found::Fails(trace)
                if (self.model.refuted[property].invariant())
                    .is_some_and(|refuted| system.replay(&trace, refuted).is_err()) =>
            {
                Answer::unknown(
                    "the model has an error on the way: a value outside of a domain, a `case` without a matching branch, or a \
                     division by zero",
                )
            }
            Found::Fails(trace) => {
                Answer::complete(Verdict::Fails, InfiniteEvidence::of_trace(system, &trace)).boxed()
            }
            Found::Bounded(steps) => Answer::unknown(format!("no violation within {steps} steps")),
            Found::Unknown(reason) => Answer::unknown(reason),
        }
    }

    /// Violations are looked for among paths without an error of the model; proofs show that there is no error, too.
    fn check_path(&self, engine: &str, property: usize, path: &Formula<TermId>, work: Work<'_>) -> Answer {
        let system = &self.model.system;
        let refuted = match &self.model.refuted[property] {
            Claim::Path(refuted) => refuted,
            Claim::Invariant(_) => path,
        };
        let hints = &self.model.predicates;
        if matches!(engine, "ic3ia" | "ic3mbp" | "kind") {
            // That it is always so may follow from an invariant; that it is not needs more than a path to a violation.
            let mut system = system.clone();
            let claim = &self.model.properties[property].claim;
            if let Some(invariant) = claim.sufficient_invariant(&mut system.terms) {
                let found = match engine {
                    "ic3ia" => predicate_abstraction(&system, invariant, hints, work),
                    "kind" => k_induction(&system, invariant, self.depth, work),
                    _ => property_directed(&system, invariant, work),
                };
                return match found {
                    Found::Holds { depth, invariant } => {
                        Answer::complete(Verdict::Holds, InfiniteEvidence::Induction { depth, invariant })
                            .boxed()
                    }
                    Found::Fails(_) => Answer::unknown(
                        "a path leads to a violation, but whether it goes on for ever, and fairly, is not known",
                    ),
                    Found::Bounded(steps) => Answer::unknown(format!("no violation within {steps} steps")),
                    Found::Unknown(reason) => Answer::unknown(reason),
                };
            }
        }
        let found = match engine {
            "kind" => return Answer::unknown("induction proves invariants alone"),
            "bmc" => lassos(system, refuted, self.depth.unwrap_or(usize::MAX - 1), work),
            "recurring" => recurring_runs(system, refuted, self.depth.unwrap_or(usize::MAX - 1), work),
            "ranks" => descending_ranks(system, path, hints, work),
            "ic3ia" => k_liveness(system, path, Safety::Predicates, hints, work),
            _ => k_liveness(system, path, Safety::Projection, hints, work),
        };
        match found {
            FoundEndless::Holds(proof) => {
                Answer::complete(Verdict::Holds, InfiniteEvidence::of_proof(proof)).boxed()
            }
            FoundEndless::Fails(run) => {
                Answer::complete(Verdict::Fails, InfiniteEvidence::of_run(system, run)).boxed()
            }
            FoundEndless::Bounded(steps) => {
                Answer::unknown(format!("no lasso of at most {steps} steps violates it"))
            }
            FoundEndless::Unknown(reason) => Answer::unknown(reason),
        }
    }
}

/// Lassos and simple proofs first, then what takes longer.
fn schedule_of_paths(options: &Options, racing: bool) -> Vec<Turn> {
    if options.has("bound") {
        return vec![Turn::alone(
            "bmc",
            None,
            "only lassos up to a bound are asked for",
        )];
    }
    let at_most = |milliseconds| Some(Duration::from_millis(milliseconds));
    let runners = [
        ("ranks", at_most(300)),
        ("bmc", at_most(500)),
        ("ic3ia", at_most(500)),
        ("recurring", at_most(1_500)),
        ("ranks", at_most(10_000)),
        ("bmc", at_most(5_000)),
        ("ic3mbp", at_most(10_000)),
        ("recurring", None),
        ("ranks", None),
        ("bmc", None),
    ];
    let because = "a violation is a lasso or goes on for ever, a proof counts or descends";
    if racing {
        return vec![Turn {
            runners: (runners.into_iter())
                .map(|(engine, at_most)| Runner::new(engine, at_most))
                .collect(),
            because,
        }];
    }
    (runners.into_iter())
        .map(|(engine, at_most)| Turn::alone(engine, at_most, because))
        .collect()
}
