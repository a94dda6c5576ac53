//! A model with every kind of variable, and answers of every kind about it.

#![allow(dead_code)]

use entail_evidence::{
    Because, CheckReport, DeadEnds, Evidence, Exhaustive, Explanation, Guarantee, Note, Outcome, PathWitness,
    Quantity, Searched, Statistics, Trace, Verdict,
};
use entail_logic::{Formula, Property, Question};
use entail_model::{Define, Sort, TermId, TransitionSystem, Value, VarId, VarKind, Word};
use entail_report::{ModelReport, PropertyReport, Report};

/// Two clients and an arbiter: `c0`, `c1` in {idle, waiting, busy}; `turn`; a `count` of grants as a word of 2 bits; an
/// input `kick`; a frozen `polite`; a define `both`.
pub struct Sample {
    pub system: TransitionSystem,
    pub properties: Vec<Property<TermId>>,
    pub outcomes: Vec<Outcome>,
    pub checks: Vec<Option<CheckReport>>,
}

/// Who is where: phases, whose turn, the count, the input.
fn step(phases: [&str; 2], turn: bool, count: u64, kick: Option<bool>) -> Vec<Option<Value>> {
    vec![
        Some(Value::symbol(phases[0])),
        Some(Value::symbol(phases[1])),
        Some(Value::Bool(turn)),
        Some(Value::Word(Word::from_u64(2, false, count))),
        kick.map(Value::Bool),
        Some(Value::Int(3)),
    ]
}

fn state(step: &[Option<Value>]) -> Vec<Option<Value>> {
    let mut state = step.to_vec();
    state[4] = None;
    state
}

struct Builder {
    system: TransitionSystem,
    clients: [VarId; 2],
}

impl Builder {
    fn at(&mut self, client: usize, phase: &str) -> TermId {
        let now = self.system.current(self.clients[client]);
        let phase = self.system.terms.constant(Value::symbol(phase));
        self.system.terms.equal(now, phase).expect("constants")
    }
}

impl Sample {
    /// The names can be chosen, to see what hostile ones do.
    pub fn with_names(names: [&str; 2]) -> Sample {
        let mut system = TransitionSystem::new();
        let phases = || Sort::enumeration(["idle", "waiting", "busy"].map(Value::symbol));
        let clients = names.map(|name| system.add_variable(name, phases(), VarKind::State));
        let turn = system.add_variable("turn", Sort::Bool, VarKind::State);
        system.add_variable("count", Sort::word(2), VarKind::State);
        system.add_variable("kick", Sort::Bool, VarKind::Input);
        let polite = system.add_variable("polite", Sort::range(3, 3), VarKind::Frozen);
        let mut builder = Builder { system, clients };
        let (busy0, busy1) = (builder.at(0, "busy"), builder.at(1, "busy"));
        let (idle0, waiting0) = (builder.at(0, "idle"), builder.at(0, "waiting"));
        let (idle1, waiting1) = (builder.at(1, "idle"), builder.at(1, "waiting"));
        let system = &mut builder.system;
        let both = system.terms.and([busy0, busy1]);
        system.defines.push(Define {
            name: "both".into(),
            term: both,
        });
        system.init = vec![idle0, idle1];
        let turn_now = system.current(turn);
        let turn_next = system.next(turn);
        let flip = system.terms.not(turn_now);
        let turned = system.terms.equal(turn_next, flip).expect("Booleans");
        let count = system.find_variable("count").expect("declared");
        let count_is_zero = {
            let now = system.current(count);
            let zero = system.terms.constant(Value::Word(Word::from_u64(2, false, 0)));
            system.terms.equal(now, zero).expect("words")
        };
        system.init.push(count_is_zero);
        let keep_count = {
            let (now, next) = (system.current(count), system.next(count));
            system.terms.equal(next, now).expect("words")
        };
        let not_turn = system.terms.not(turn_now);
        system.init.push(not_turn);
        system.transition = vec![turned, keep_count];
        let _ = polite;

        let never_both = system.terms.not(both);
        let not_busy0 = system.terms.not(busy0);
        let conjunction = {
            let not_busy1 = system.terms.not(busy1);
            let either = system.terms.or([not_busy1, waiting0]);
            system.terms.and([not_busy0, either])
        };
        let atom = |term: TermId| Formula::atom(term);
        let served = atom(waiting1).implies(&atom(busy1).finally()).globally().forall();
        let reset = atom(idle0).finally().exists();
        let always_reset = reset.globally().forall();

        let property = |name: Option<&str>, text: &str, logic, question| Property {
            name: name.map(String::from),
            text: text.into(),
            logic,
            question,
        };
        let properties = vec![
            property(
                Some("safe"),
                "AG !both",
                "ctl",
                Question::Formula(atom(never_both).globally().forall()),
            ),
            property(
                Some("served"),
                "G (c1 = waiting -> F c1 = busy)",
                "ltl",
                Question::Formula(served),
            ),
            property(
                None,
                "c0 != busy & (c1 != busy | c0 = waiting)",
                "invariant",
                Question::Invariant(conjunction),
            ),
            property(
                Some("reset"),
                "AG EF c0 = idle",
                "ctl",
                Question::Formula(always_reset.clone()),
            ),
            property(
                None,
                "MIN [c0 = idle, c0 = busy]",
                "compute",
                Question::ShortestPath(idle0, busy0),
            ),
            property(
                None,
                "G F turn",
                "ltl",
                Question::Formula(atom(turn_now).finally().globally().forall()),
            ),
        ];

        let starving = Trace {
            steps: vec![
                step(["idle", "idle"], false, 0, Some(false)),
                step(["idle", "waiting"], true, 0, Some(true)),
                step(["waiting", "waiting"], false, 0, Some(true)),
                step(["busy", "waiting"], true, 0, Some(false)),
            ],
            loop_start: Some(2),
        };
        let entered = Trace {
            steps: vec![
                step(["idle", "idle"], false, 0, Some(true)),
                step(["waiting", "idle"], true, 0, Some(false)),
                step(["busy", "idle"], false, 1, None),
            ],
            loop_start: None,
        };
        let stuck = step(["waiting", "busy"], true, 1, None);
        let root = step(["idle", "idle"], false, 0, None);
        let tree = Explanation {
            formula: always_reset,
            truth: false,
            state: root.clone(),
            because: Because::Path(PathWitness {
                trace: Trace {
                    steps: vec![step(["idle", "idle"], false, 0, Some(true)), stuck.clone()],
                    loop_start: None,
                },
                notes: vec![Note {
                    position: 1,
                    explanation: Explanation {
                        formula: reset,
                        truth: false,
                        state: state(&stuck),
                        because: Because::Exhaustion,
                    },
                }],
            }),
        };
        let mut safe = Outcome::complete(
            Verdict::Holds,
            Evidence::Exhaustive(Exhaustive {
                states: 18,
                satisfying: Some(18),
                searched: Searched::Model,
            }),
        );
        safe.statistics = Statistics {
            states: Some(18),
            transitions: Some(162),
            depth: Some(2),
            peak_nodes: None,
        };
        safe.warnings = vec!["the antecedent is never true".into()];
        let mut shortest = Outcome::complete(
            Verdict::Holds,
            Evidence::Exhaustive(Exhaustive {
                states: 18,
                satisfying: None,
                searched: Searched::Model,
            }),
        );
        shortest.value = Some(Quantity::Finite(1));
        let mut undecided = Outcome::unknown("time limit of 2.000 s reached at depth 12 with 4711 states");
        undecided.guarantee = Guarantee::Complete;
        let outcomes = vec![
            safe,
            Outcome::complete(Verdict::Fails, Evidence::Trace(starving)),
            Outcome::complete(Verdict::Fails, Evidence::Trace(entered)),
            Outcome::complete(Verdict::Fails, Evidence::Explanation(tree)),
            shortest,
            undecided,
        ];
        let partly = CheckReport::Partly {
            unchecked: vec!["the search of all paths (too many states)".into()],
        };
        let checks = vec![
            Some(CheckReport::Accepted),
            Some(CheckReport::Accepted),
            Some(CheckReport::Accepted),
            Some(partly),
            Some(CheckReport::Accepted),
            None,
        ];
        Sample {
            system: builder.system,
            properties,
            outcomes,
            checks,
        }
    }

    pub fn new() -> Sample {
        Sample::with_names(["c0", "c1"])
    }

    pub fn report(&self) -> Report<'_> {
        let times = [0.012, 0.020, 0.000_4, 0.5, 0.001, 2.0];
        let properties = (0..self.properties.len())
            .map(|at| PropertyReport {
                property: &self.properties[at],
                outcome: &self.outcomes[at],
                engine: "explicit",
                seconds: times[at],
                checked: self.checks[at].as_ref(),
                internal: None,
            })
            .collect();
        Report {
            model: ModelReport {
                name: "arbiter.smv",
                language: "smv",
                system: &self.system,
                dead_ends: DeadEnds::Infinite,
            },
            properties,
            seconds: 2.6,
            peak_memory_bytes: Some(31_457_280),
        }
    }
}

/// Compares with a file of `tests/golden`; with `UPDATE_GOLDEN` in the environment, writes it instead.
pub fn golden(name: &str, actual: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "{name} differs; set UPDATE_GOLDEN to accept it.\nexpected:\n{expected}\nfound:\n{actual}"
    );
}
