//! The engines that decide properties of transition systems.

use entail_abstraction::{AbstractEngine, AbstractOptions, CegarEngine, PredicateEngine};
use entail_evidence::Engine;
use entail_explicit::Explicit;
use entail_family::EngineInfo;
use entail_inductive::{InductiveEngine, Method, WhenLarge};
use entail_logic::Logic;
use entail_search::SearchOptions;
use entail_symbolic::{SymbolicEngine, SymbolicOptions};

/// The engine of abstract models, which `--abstract` and `--three-valued` ask.
pub(crate) const ABSTRACT: &str = "abstract";

/// Logics of single paths: what SAT-based engines decide.
const LINEAR: &[Logic] = &[Logic::Propositional, Logic::Invariant, Logic::Ltl];

/// The engines as they are listed. What each is about is what the engine says of itself; a test compares.
pub(crate) const ENGINES: &[EngineInfo] = &[
    EngineInfo {
        name: "explicit",
        about: "finite-state systems, one state at a time: invariants, CTL, LTL with past, CTL*, shortest and longest paths",
        logics: &[
            Logic::Propositional,
            Logic::Invariant,
            Logic::Ctl,
            Logic::Ltl,
            Logic::CtlStar,
            Logic::Compute,
        ],
    },
    EngineInfo {
        name: "bdd",
        about: "finite-state models; invariants, CTL, LTL with past, CTL* under justice and compassion: fixpoints on decision diagrams",
        logics: &[
            Logic::Propositional,
            Logic::Invariant,
            Logic::Ctl,
            Logic::Ltl,
            Logic::CtlStar,
            Logic::Mu,
            Logic::Compute,
        ],
    },
    EngineInfo {
        name: "bmc",
        about: "counterexamples to invariants and LTL up to a bound, by SAT on an unrolled circuit: shortest ones; proves nothing beyond the bound",
        logics: LINEAR,
    },
    EngineInfo {
        name: "kind",
        about: "invariants and A G p by k-induction with simple paths; LTL as ic3",
        logics: LINEAR,
    },
    EngineInfo {
        name: "ic3",
        about: "invariants and A G p by IC3: an inductive invariant or a counterexample; LTL by k-liveness and lassos",
        logics: LINEAR,
    },
    EngineInfo {
        name: "glance",
        about: "invariants and A G p that every state satisfies, or that a run of a few steps violates: one encoding for all properties",
        logics: LINEAR,
    },
    EngineInfo {
        name: "interpolation",
        about: "invariants and A G p by interpolants of bounded model checking; LTL as ic3",
        logics: LINEAR,
    },
    EngineInfo {
        name: "interpolation-sequence",
        about: "invariants and A G p by sequences of interpolants, one for each step; LTL as ic3",
        logics: LINEAR,
    },
    EngineInfo {
        name: "gla",
        about: "as ic3, on an abstraction: the latches and gates that counterexamples and their refutations ask for",
        logics: LINEAR,
    },
    EngineInfo {
        name: "pba",
        about: "as ic3, on an abstraction: the latches that proofs of bounded model checking use",
        logics: LINEAR,
    },
    EngineInfo {
        name: "sweep",
        about: "invariants and A G p of circuits with much that is twice there: all signals that agree are found and told, then ic3 on what is left; LTL as ic3",
        logics: LINEAR,
    },
    EngineInfo {
        name: "cegar",
        about: "invariants, LTL and ACTL* by counterexample-guided abstraction refinement: other engines decide a model that keeps what matters",
        logics: UNIVERSAL,
    },
    EngineInfo {
        name: "predicates",
        about: "invariants, LTL and ACTL* by predicate abstraction, refined by interpolants: other engines decide what the predicates can tell apart",
        logics: UNIVERSAL,
    },
    EngineInfo {
        name: ABSTRACT,
        about: "finite-state models; CTL, invariants, mu-calculus on abstract states: may and must steps, three truth values, refinement",
        logics: &[Logic::Propositional, Logic::Invariant, Logic::Ctl, Logic::Mu],
    },
];

/// Logics with formulas about all paths, which an abstraction with more paths can decide.
const UNIVERSAL: &[Logic] = &[
    Logic::Propositional,
    Logic::Invariant,
    Logic::Ctl,
    Logic::Ltl,
    Logic::CtlStar,
];

/// What the user may set for single engines.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineSettings {
    /// Decision diagrams: variable order and reordering.
    pub(crate) bdd: SymbolicOptions,
    /// What `gla` and `pba` do when the abstraction keeps most of the circuit. In a race they give up: `ic3` asks the whole circuit anyway.
    pub(crate) when_large: WhenLarge,
    /// Abstract models: what is observed, and whether that is refined.
    pub(crate) abstraction: AbstractOptions,
    /// Explicit search: order, storage, threads.
    pub(crate) search: SearchOptions,
}

/// All engines with the user's settings, in the order of [`ENGINES`].
pub(crate) fn engines(settings: &EngineSettings) -> Vec<Box<dyn Engine>> {
    let diagrams = || SymbolicEngine {
        options: settings.bdd.clone(),
    };
    // The engines that abstraction asks about smaller models.
    let of_abstractions = || -> Vec<Box<dyn Engine>> {
        vec![Box::new(InductiveEngine::new(Method::Ic3)), Box::new(diagrams())]
    };
    vec![
        Box::new(Explicit {
            search: settings.search.clone(),
        }),
        Box::new(diagrams()),
        Box::new(InductiveEngine::new(Method::Bmc)),
        Box::new(InductiveEngine::new(Method::KInduction)),
        Box::new(InductiveEngine::new(Method::Ic3)),
        Box::new(InductiveEngine::new(Method::Glance)),
        Box::new(InductiveEngine::new(Method::Interpolation)),
        Box::new(InductiveEngine::new(Method::InterpolationSequence)),
        Box::new(InductiveEngine::new(Method::GateLevel).when_large(settings.when_large)),
        Box::new(InductiveEngine::new(Method::ProofBased).when_large(settings.when_large)),
        Box::new(InductiveEngine::new(Method::Sweep)),
        Box::new(CegarEngine::new(of_abstractions())),
        Box::new(PredicateEngine::new(
            of_abstractions(),
            CegarEngine::new(of_abstractions()),
        )),
        Box::new(AbstractEngine {
            options: AbstractOptions {
                diagrams: settings.bdd.clone(),
                ..settings.abstraction.clone()
            },
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_says_what_the_engines_say_of_themselves() {
        let listed: Vec<_> = ENGINES.iter().map(|info| (info.name, info.about)).collect();
        let own: Vec<_> = engines(&EngineSettings::default())
            .iter()
            .map(|engine| (engine.name(), engine.description()))
            .collect();
        assert_eq!(listed, own);
    }
}
