//! Corrupted evidence is rejected, and no evidence is accepted for a false claim.

use super::check_outcome;
use crate::reference::{CheckLimits, Evaluation, Graph, Scope};
use crate::samples::{Mutex, Numbered, Random};
use crate::{PathEnd, PathWord};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_evidence::json::{SavedEvidence, resolve, save};
use entail_evidence::{
    Because, CheckOptions, DeadEnds, Evidence, Exhaustive, Explanation, Note, Outcome, PathWitness, Quantity,
    Searched, Trace, Truth, Verdict,
};
use entail_logic::{Formula, Node, Property, Quantifier, Question};
use entail_model::{TermId, TransitionSystem, Value};

fn property(question: Question<TermId>) -> Property<TermId> {
    Property {
        name: None,
        text: "as asked".into(),
        logic: entail_logic::Logic::CtlStar,
        question,
    }
}

fn check(
    system: &TransitionSystem,
    question: &Question<TermId>,
    outcome: &Outcome,
    dead_ends: DeadEnds,
) -> CheckReport {
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    check_outcome(
        system,
        &property(question.clone()),
        outcome,
        &options,
        &Budget::unlimited(),
    )
}

/// `G (p0 = trying -> F p0 = critical)` fails in the mutex: process 0 tries, and then process 1 goes round.
fn starvation(mutex: &mut Mutex) -> (Question<TermId>, Trace) {
    let trying = Formula::atom(mutex.at(0, "trying"));
    let critical = Formula::atom(mutex.at(0, "critical"));
    let question = Question::Formula(trying.implies(&critical.finally()).globally().forall());
    let trace = Trace {
        steps: vec![
            mutex.step(["idle", "idle"], Some(0)),
            mutex.step(["trying", "idle"], Some(1)),
            mutex.step(["trying", "trying"], Some(1)),
            mutex.step(["trying", "critical"], Some(1)),
        ],
        loop_start: Some(1),
    };
    (question, trace)
}

fn judge(mutex: &Mutex, question: &Question<TermId>, trace: &Trace) -> CheckReport {
    let outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(trace.clone()));
    check(&mutex.system, question, &outcome, DeadEnds::Infinite)
}

/// Asserts that the trace is rejected, for a reason that contains the given words.
fn assert_rejected(report: CheckReport, words: &str) {
    match report {
        CheckReport::Rejected { reason } => assert!(reason.contains(words), "{reason}"),
        other => panic!("{other}: expected a rejection with `{words}`"),
    }
}

#[test]
fn a_starving_process_is_accepted_and_every_corruption_of_it_rejected() {
    let mut mutex = Mutex::new();
    let (question, good) = starvation(&mut mutex);
    assert_eq!(judge(&mutex, &question, &good), CheckReport::Accepted);

    let corrupted = |change: &dyn Fn(&mut Trace)| {
        let mut trace = good.clone();
        change(&mut trace);
        judge(&mutex, &question, &trace)
    };
    assert_rejected(
        corrupted(&|trace| trace.steps[2][1] = Some(Value::symbol("idle"))),
        "transition",
    );
    assert_rejected(
        corrupted(&|trace| trace.steps[2][1] = Some(Value::symbol("asleep"))),
        "not in",
    );
    assert_rejected(corrupted(&|trace| trace.steps[2][1] = None), "has no value");
    assert_rejected(
        corrupted(&|trace| drop(trace.steps.remove(2))),
        "from step 1 to step 2",
    );
    assert_rejected(
        corrupted(&|trace| trace.steps[1][2] = None),
        "`moves` has no value",
    );
    assert_rejected(
        corrupted(&|trace| trace.steps[1][2] = Some(Value::Int(0))),
        "from step 1 to step 2",
    );
    assert_rejected(
        corrupted(&|trace| trace.steps[2][3] = Some(Value::Int(1))),
        "frozen",
    );
    assert_rejected(
        corrupted(&|trace| trace.loop_start = Some(2)),
        "from step 3 to step 2",
    );
    assert_rejected(corrupted(&|trace| trace.loop_start = Some(7)), "only 4 steps");
    assert_rejected(corrupted(&|trace| trace.loop_start = None), "do not decide");
    assert_rejected(corrupted(&|trace| drop(trace.steps.drain(..1))), "not initial");
    assert_rejected(corrupted(&|trace| trace.steps.clear()), "no step");
    assert_rejected(corrupted(&|trace| drop(trace.steps[0].pop())), "values for");
}

#[test]
fn a_loop_must_be_fair_to_every_condition_at_once() {
    let mut mutex = Mutex::new();
    let (question, good) = starvation(&mut mutex);
    let (moves_0, moves_1) = (mutex.mover(0), mutex.mover(1));
    let (trying, critical) = (mutex.at(0, "trying"), mutex.at(0, "critical"));
    mutex.system.justice = vec![moves_1];
    assert_eq!(judge(&mutex, &question, &good), CheckReport::Accepted);
    mutex.system.justice = vec![moves_1, moves_0];
    assert_rejected(judge(&mutex, &question, &good), "justice condition 1");
    mutex.system.justice.clear();
    mutex.system.compassion = vec![(trying, critical)];
    assert_rejected(judge(&mutex, &question, &good), "compassion pair 0");
    mutex.system.compassion = vec![(critical, trying)];
    assert_eq!(judge(&mutex, &question, &good), CheckReport::Accepted);
}

#[test]
fn an_invariant_is_refuted_by_the_last_state_only_of_a_real_path() {
    let mut mutex = Mutex::new();
    let critical = mutex.at(1, "critical");
    let safe = mutex.system.terms.not(critical);
    let question = Question::Invariant(safe);
    let steps = vec![
        mutex.step(["idle", "idle"], Some(1)),
        mutex.step(["idle", "trying"], Some(1)),
        mutex.step(["idle", "critical"], None),
    ];
    let mut trace = Trace {
        steps,
        loop_start: None,
    };
    assert_eq!(judge(&mutex, &question, &trace), CheckReport::Accepted);
    trace.steps.pop();
    assert_rejected(judge(&mutex, &question, &trace), "not violated");
}

#[test]
fn a_hazard_on_the_way_makes_a_counterexample_worthless() {
    let mut mutex = Mutex::new();
    let (question, good) = starvation(&mut mutex);
    let condition = mutex.at(1, "trying");
    mutex.system.hazards.push(entail_model::Hazard {
        condition,
        message: "a division by zero".into(),
        place: None,
    });
    assert_rejected(judge(&mutex, &question, &good), "division by zero");
}

#[test]
fn exhaustive_claims_are_recounted_and_decided_again() {
    let mut mutex = Mutex::new();
    let (a, b) = (mutex.at(0, "critical"), mutex.at(1, "critical"));
    let both = mutex.system.terms.and([a, b]);
    let safe = mutex.system.terms.not(both);
    let claim = |states| {
        Evidence::Exhaustive(Exhaustive {
            states,
            satisfying: None,
            searched: Searched::Model,
        })
    };
    let judge = |question: Question<TermId>, verdict, states| {
        let outcome = Outcome::complete(verdict, claim(states));
        check(&mutex.system, &question, &outcome, DeadEnds::Infinite)
    };
    // 9 pairs of phases without (critical, critical), for each value of the frozen variable.
    let safety = || Question::Invariant(safe);
    assert_eq!(judge(safety(), Verdict::Holds, 16), CheckReport::Accepted);
    assert_rejected(judge(safety(), Verdict::Holds, 17), "recount gives 16");
    assert_rejected(judge(safety(), Verdict::Fails, 16), "the property holds");
    let reset = || Question::Formula(Formula::atom(a).finally().exists().globally().forall());
    assert_eq!(judge(reset(), Verdict::Holds, 16), CheckReport::Accepted);
    assert_rejected(judge(reset(), Verdict::Fails, 16), "the property holds");
}

#[test]
fn lengths_are_measured_again() {
    let mut mutex = Mutex::new();
    let (start, goal) = (mutex.at(0, "idle"), mutex.at(0, "critical"));
    let judge = |question: &Question<TermId>, value| {
        let mut outcome = Outcome::complete(
            Verdict::Holds,
            Evidence::Exhaustive(Exhaustive {
                states: 16,
                satisfying: None,
                searched: Searched::Model,
            }),
        );
        outcome.value = Some(value);
        check(&mutex.system, question, &outcome, DeadEnds::Infinite)
    };
    let shortest = Question::ShortestPath(start, goal);
    assert_eq!(judge(&shortest, Quantity::whole(2)), CheckReport::Accepted);
    assert_rejected(judge(&shortest, Quantity::whole(3)), "another value");
    let longest = Question::LongestPath(start, goal);
    assert_eq!(judge(&longest, Quantity::Infinite), CheckReport::Accepted);
    assert_rejected(judge(&longest, Quantity::whole(5)), "another value");
}

/// Explains formulas on small graphs by trying paths; for tests only.
struct Explainer<'a> {
    model: &'a Numbered,
    graph: &'a Graph,
    evaluation: Evaluation<'a>,
    dead_ends: DeadEnds,
}

impl Explainer<'_> {
    fn truth(&mut self, formula: &Formula<TermId>, state: usize) -> Option<bool> {
        Some(self.evaluation.states(formula).ok()?[state])
    }

    fn explain(&mut self, formula: &Formula<TermId>, state: usize) -> Option<Explanation> {
        let truth = self.truth(formula, state)?;
        let because = match formula.node() {
            _ if formula.is_propositional() => Because::Evaluation,
            Node::Quantified(quantifier, path) => {
                if truth == (*quantifier == Quantifier::Exists) {
                    Because::Path(self.witness(path, truth, state)?)
                } else {
                    Because::Exhaustion
                }
            }
            _ => {
                let operands = formula.operands().into_iter();
                Because::Operands(
                    operands
                        .map(|operand| self.explain(operand, state))
                        .collect::<Option<_>>()?,
                )
            }
        };
        Some(Explanation {
            formula: formula.clone(),
            truth,
            state: self.graph.states()[state].clone(),
            because,
        })
    }

    fn witness(&mut self, path: &Formula<TermId>, wanted: bool, state: usize) -> Option<PathWitness> {
        let mut quantified = Vec::new();
        outermost_quantified(path, &mut quantified);
        let edges: Vec<(usize, usize)> = self
            .graph
            .edges()
            .iter()
            .map(|edge| (edge.from, edge.to))
            .collect();
        let mut paths = vec![vec![state]];
        for length in 0..6 {
            let ended: Vec<Vec<usize>> = paths
                .iter()
                .filter(|path| path.len() == length + 1)
                .cloned()
                .collect();
            for states in ended {
                let last = states[length];
                let dead = !edges.iter().any(|&(from, _)| from == last);
                let mut ends: Vec<(Option<usize>, PathEnd)> = (0..=length)
                    .filter(|&start| edges.contains(&(last, states[start])))
                    .map(|start| (Some(start), PathEnd::Loop(start)))
                    .collect();
                if dead && self.dead_ends == DeadEnds::Maximal {
                    ends.push((None, PathEnd::Ended));
                }
                for (loop_start, end) in ends {
                    let trace = Trace {
                        steps: states.iter().map(|&at| self.graph.states()[at].clone()).collect(),
                        loop_start,
                    };
                    if !self.fair(&trace) {
                        continue;
                    }
                    let mut truths = Vec::new();
                    for &at in &states {
                        for formula in &quantified {
                            truths.push((at, formula.clone(), self.truth(formula, at)?));
                        }
                    }
                    let known = |position: usize, formula: &Formula<TermId>| {
                        let found = truths
                            .iter()
                            .find(|(at, other, _)| *at == states[position] && other == formula);
                        found.map(|found| found.2)
                    };
                    let shown = PathWord::new(&self.model.system, &trace, end)?
                        .with_known(known)
                        .holds(path);
                    if shown != Truth::from(wanted) {
                        continue;
                    }
                    let mut notes = Vec::new();
                    for (position, &at) in states.iter().enumerate() {
                        for formula in &quantified {
                            let explanation = self.explain(formula, at)?;
                            notes.push(Note {
                                position,
                                explanation,
                            });
                        }
                    }
                    return Some(PathWitness { trace, notes });
                }
                for &(from, to) in &edges {
                    if from == last {
                        let mut longer = states.clone();
                        longer.push(to);
                        paths.push(longer);
                    }
                }
            }
        }
        None
    }

    fn fair(&self, trace: &Trace) -> bool {
        let Some(start) = trace.loop_start else {
            return true;
        };
        let word = PathWord::new(&self.model.system, trace, PathEnd::Loop(start)).expect("a lasso");
        let met = |term: TermId| word.term(term)[start..].contains(&Truth::True);
        self.model.system.justice.iter().all(|&term| met(term))
    }
}

fn outermost_quantified(formula: &Formula<TermId>, found: &mut Vec<Formula<TermId>>) {
    if matches!(formula.node(), Node::Quantified(..)) {
        if !found.contains(formula) {
            found.push(formula.clone());
        }
        return;
    }
    for operand in formula.operands() {
        outermost_quantified(operand, found);
    }
}

/// Changes one thing somewhere in a tree.
fn corrupt(tree: &mut Explanation, random: &mut Random) {
    match &mut tree.because {
        Because::Path(witness) if !random.one_in(4) => match random.below(6) {
            0 if !witness.notes.is_empty() => {
                let at = random.below(witness.notes.len());
                witness.notes.remove(at);
            }
            1 if !witness.notes.is_empty() => {
                let at = random.below(witness.notes.len());
                corrupt(&mut witness.notes[at].explanation, random);
            }
            2 => {
                let at = random.below(witness.trace.steps.len());
                witness.trace.steps[at][0] = Some(Value::Int(random.below(7) as i64));
            }
            3 => {
                let at = random.below(witness.trace.steps.len());
                witness.trace.steps.remove(at);
            }
            _ => witness.trace.loop_start = Some(random.below(7)),
        },
        Because::Operands(operands) if !operands.is_empty() && !random.one_in(4) => {
            let at = random.below(operands.len());
            if random.one_in(2) {
                operands.remove(at);
            } else {
                corrupt(&mut operands[at], random);
            }
        }
        _ => match random.below(3) {
            0 => tree.because = Because::Evaluation,
            1 => tree.state[0] = Some(Value::Int(random.below(7) as i64)),
            _ => tree.truth = !tree.truth,
        },
    }
}

/// The formulas a tree claims, flipped: a tree for the opposite claim, with all its reasons kept.
fn flipped(tree: &Explanation) -> Explanation {
    Explanation {
        truth: !tree.truth,
        ..tree.clone()
    }
}

#[test]
fn right_trees_are_accepted_saved_and_read_back_and_no_tree_proves_a_falsehood() {
    let (mut explained, mut rejected) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Random::new(seed + 31_337);
        let states = 2 + random.below(4) as i64;
        let mut edges = Vec::new();
        for from in 0..states {
            for to in 0..states {
                if random.one_in(3) {
                    edges.push((from, to));
                }
            }
        }
        let mut model = Numbered::new(states, &edges);
        let mut set = |random: &mut Random| {
            let members: Vec<i64> = (0..states).filter(|_| random.one_in(2)).collect();
            model.set(&members)
        };
        let atoms = [set(&mut random), set(&mut random)];
        let justice = set(&mut random);
        if random.one_in(3) {
            model.system.justice.push(justice);
        }
        let dead_ends = [DeadEnds::Infinite, DeadEnds::Maximal][random.below(2)];
        let formula = random.ctl_formula(&atoms, 3);
        let budget = Budget::unlimited();
        let mut observed = atoms.to_vec();
        observed.extend(&model.system.justice);
        let scope = Scope {
            further: &[],
            observed,
            dead_ends,
            bound: None,
        };
        let limits = CheckLimits::default();
        let graph = Graph::build(&model.system, &scope, limits, &budget).expect("small");
        let mut explainer = Explainer {
            model: &model,
            graph: &graph,
            evaluation: Evaluation::new(&model.system, &graph, limits, &budget).expect("small"),
            dead_ends,
        };
        let Some(tree) = explainer.explain(&formula, 0) else {
            continue;
        };
        explained += 1;
        let question = Question::Formula(formula.clone());
        let outcome = |tree: &Explanation, truth: bool| {
            let verdict = if truth { Verdict::Holds } else { Verdict::Fails };
            Outcome::complete(verdict, Evidence::Explanation(tree.clone()))
        };
        let good = outcome(&tree, tree.truth);
        assert_eq!(
            check(&model.system, &question, &good, dead_ends),
            CheckReport::Accepted,
            "seed {seed} {dead_ends:?} {tree:#?}"
        );

        let text = save(
            &model.system,
            ("m", "none"),
            &property(question.clone()),
            &good,
            dead_ends,
            "test",
        );
        let saved = SavedEvidence::read(&text).expect("what was written");
        let (read, policy) =
            resolve(&model.system, &property(question.clone()), &saved).expect("its own model");
        assert_eq!(policy, dead_ends);
        match (&read.evidence, &good.evidence) {
            (Some(Evidence::Explanation(read)), Some(Evidence::Explanation(written))) => {
                assert_eq!(read, written, "seed {seed}");
            }
            other => panic!("{other:?}"),
        }

        // The opposite claim, with the same reasons and with corrupted ones, is never accepted.
        for round in 0..6 {
            let mut wrong = flipped(&tree);
            let mut damaged = tree.clone();
            corrupt(&mut damaged, &mut random);
            if round > 0 {
                wrong = flipped(&damaged);
                wrong.truth = !tree.truth;
            }
            let report = check(&model.system, &question, &outcome(&wrong, wrong.truth), dead_ends);
            assert!(report.is_rejected(), "seed {seed}: {report} {wrong:#?}");
            if check(
                &model.system,
                &question,
                &outcome(&damaged, tree.truth),
                dead_ends,
            )
            .is_rejected()
            {
                rejected += 1;
            }
        }
    }
    assert!(explained > 1_000, "{explained} trees were made");
    assert!(rejected > 3_000, "{rejected} corrupted trees were rejected");
}

#[test]
fn damaged_documents_are_errors_or_judged_but_never_panic() {
    let mut mutex = Mutex::new();
    let (question, trace) = starvation(&mut mutex);
    let outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(trace));
    let asked = property(question.clone());
    let text = save(
        &mutex.system,
        ("mutex.smv", "smv"),
        &asked,
        &outcome,
        DeadEnds::Infinite,
        "test",
    );
    let mut random = Random::new(5);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..2_000 {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(letters.len());
            match random.below(4) {
                0 => drop(letters.remove(at)),
                1 => letters.truncate(at),
                2 => letters[at] = ['{', '"', '0', '9', 'x', '[', ','][random.below(7)],
                _ => letters.insert(at, letters[random.below(letters.len())]),
            }
            if letters.is_empty() {
                break;
            }
        }
        let damaged: String = letters.into_iter().collect();
        match SavedEvidence::read(&damaged).and_then(|saved| resolve(&mutex.system, &asked, &saved)) {
            Err(problem) => {
                assert!(!problem.to_string().is_empty());
                refused += 1;
            }
            Ok((outcome, dead_ends)) => {
                if check(&mutex.system, &question, &outcome, dead_ends).is_accepted() {
                    accepted += 1;
                }
            }
        }
    }
    assert!(refused > 1_500, "{refused} refused");
    assert!(accepted > 20, "changed names and the like do no harm: {accepted}");
}

#[test]
fn errors_in_documents_name_the_place() {
    let mutex = Mutex::new();
    let mut mutex2 = Mutex::new();
    let (question, trace) = starvation(&mut mutex2);
    let outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(trace));
    let asked = property(question);
    let text = save(
        &mutex.system,
        ("m", "smv"),
        &asked,
        &outcome,
        DeadEnds::Infinite,
        "test",
    );
    let error = |text: &str| {
        SavedEvidence::read(text)
            .and_then(|saved| resolve(&mutex.system, &asked, &saved))
            .expect_err("damaged")
            .to_string()
    };
    assert!(error(&text.replacen("\"trying\"", "\"asleep\"", 1)).contains("checksum"));
    // Without a checksum, what is wrong is told by its place.
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    document
        .as_object_mut()
        .expect("an object")
        .shift_remove("checksum");
    let text = format!("{document:#}");
    assert!(error(&text.replacen("\"trying\"", "\"asleep\"", 1)).contains("`evidence.trace.steps[1].p0`"));
    assert!(error(&text.replacen("\"first\"", "\"last\"", 1)).contains("no such variable"));
    assert!(error(&text.replace("\"loop_start\": 1", "\"loop_start\": 9")).contains("outside the 4 steps"));
    assert!(error(&text.replace("\"kind\": \"lasso\"", "\"kind\": \"magic\"")).contains("magic"));
    assert!(error("{\"model\": \"m\"").contains("line 1, column"));
    assert!(error("[]").contains("expected an object"));
}
