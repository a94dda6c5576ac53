//! Chapter 2, examples E1, E2, E5, E6, E7, and the labelling example of the surveys: symbolic systems unfolded to explicit
//! graphs and checked by fixpoints.

use entail_fixpoint::{CtlEvaluator, Graph, GraphAlgebra, evaluate};
use entail_logic::mu::parse_mu;
use entail_logic::{Paths, parse};
use entail_model::{
    Kripke, KripkeBuilder, Sort, StateId, TermId, TransitionSystem, VarId, VarKind, interleaving_composition,
};

fn algebra(kripke: &Kripke) -> GraphAlgebra {
    let edges = kripke
        .edges()
        .map(|(from, to)| (from.index() as u32, to.index() as u32));
    kripke.propositions().iter().fold(
        GraphAlgebra::new(Graph::new(kripke.state_count(), edges)),
        |algebra, proposition| algebra.with_atom(proposition.name.to_string(), proposition.states.ones()),
    )
}

/// Whether the CTL formula is true in all initial states, on paths that meet the structure's justice.
fn holds_on(kripke: &Kripke, paths: Paths, text: &str) -> bool {
    let formula = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut algebra = algebra(kripke);
    let justice = kripke.justice().to_vec();
    let region = CtlEvaluator::new(&mut algebra, paths, justice)
        .label(&formula)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .region;
    !kripke.initial().is_empty()
        && kripke
            .initial()
            .iter()
            .all(|state| region.contains(state.index()))
}

fn holds(kripke: &Kripke, text: &str) -> bool {
    holds_on(kripke, Paths::Infinite, text)
}

/// Whether on every path from every initial state `p` is true from some point on: no path has infinitely many `!p`.
fn almost_always_p(kripke: &Kripke) -> bool {
    let recurring = parse_mu("nu Y. mu X. (!p & <>Y) | <>X").expect("a formula");
    let region = evaluate(&mut algebra(kripke), &recurring).expect("atom p").region;
    kripke
        .initial()
        .iter()
        .all(|state| !region.contains(state.index()))
}

fn without_justice(kripke: &Kripke) -> Kripke {
    let mut builder = KripkeBuilder::new(kripke.state_count() as u64);
    builder.edges(
        kripke
            .edges()
            .map(|(from, to)| (from.index() as u32, to.index() as u32)),
    );
    for &state in kripke.initial() {
        builder.initial(state);
    }
    for proposition in kripke.propositions() {
        builder.proposition(
            &proposition.name,
            proposition.states.ones().map(|state| StateId::new(state as u32)),
        );
    }
    builder.build().expect("the parts of a structure")
}

/// A process as a table: at `from`, if the guard holds, go to `to` and set a variable. The other shared variables keep their
/// values.
struct Process {
    system: TransitionSystem,
    location: VarId,
    moves: Vec<TermId>,
}

impl Process {
    fn new(location: &str, last: i64, shared: &[(&str, i64, i64)]) -> Process {
        let mut system = TransitionSystem::new();
        let id = system.add_variable(location, Sort::range(0, last), VarKind::State);
        for (name, high, start) in shared {
            let variable = system.add_variable(name, Sort::range(0, *high), VarKind::State);
            let begins = is(&mut system, variable, *start);
            system.init.push(begins);
        }
        let begins = is(&mut system, id, 0);
        system.init.push(begins);
        Process {
            system,
            location: id,
            moves: Vec::new(),
        }
    }

    fn at(&mut self, location: i64) -> TermId {
        is(&mut self.system, self.location, location)
    }

    fn is(&mut self, name: &str, value: i64) -> TermId {
        let variable = self.system.find_variable(name).expect("a shared variable");
        is(&mut self.system, variable, value)
    }

    fn step(&mut self, from: i64, guard: Option<TermId>, to: i64, set: Option<(&str, TermId)>) {
        let here = self.at(from);
        let next_location = self.system.next(self.location);
        let target = self.system.terms.integer(to);
        let there = self.system.terms.equal(next_location, target).expect("integers");
        let written = set.map(|(name, _)| self.system.find_variable(name).expect("a shared variable"));
        let others: Vec<VarId> = self
            .system
            .variable_ids()
            .filter(|&variable| variable != self.location && Some(variable) != written)
            .collect();
        let mut parts = vec![here, there, self.system.keep(others)];
        parts.extend(guard);
        if let (Some(variable), Some((_, value))) = (written, set) {
            let after = self.system.next(variable);
            parts.push(self.system.terms.equal(after, value).expect("integers"));
        }
        let whole = self.system.terms.and(parts);
        self.moves.push(whole);
    }

    fn integer(&mut self, value: i64) -> TermId {
        self.system.terms.integer(value)
    }

    fn finish(mut self) -> TransitionSystem {
        let step = self.system.terms.or(self.moves);
        self.system.transition = vec![step];
        self.system
    }
}

fn is(system: &mut TransitionSystem, variable: VarId, value: i64) -> TermId {
    let (now, value) = (system.current(variable), system.terms.integer(value));
    system.terms.equal(now, value).expect("integers")
}

/// E1: `while (n > 0) { n := n - 1 }` from 10.
fn countdown(stutter: bool, fair: bool) -> Kripke {
    let mut process = Process::new("l", 3, &[("n", 10, 10)]);
    let n = process.system.find_variable("n").expect("n");
    let done = process.is("n", 0);
    let going = process.system.terms.not(done);
    let now = process.system.current(n);
    let one = process.integer(1);
    let less = process.system.terms.subtract(now, one).expect("integers");
    process.step(0, Some(going), 1, None);
    process.step(0, Some(done), 3, None);
    process.step(1, None, 2, Some(("n", less)));
    process.step(2, None, 0, None);
    let end = process.at(3);
    let justice: Vec<TermId> = (0..3)
        .map(|location| {
            let at = process.at(location);
            process.system.terms.not(at)
        })
        .collect();
    let mut system = process.finish();
    if stutter {
        system.allow_stuttering();
    }
    if fair {
        system.justice = justice;
    }
    system.unfold(&[("end", end)], 1000).expect("small").kripke
}

#[test]
fn e1_the_countdown_ends_if_it_must_move() {
    let plain = countdown(false, false);
    assert_eq!(plain.state_count(), 32);
    assert!(holds_on(&plain, Paths::Maximal, "AF end"));
    assert!(holds_on(
        &plain,
        Paths::Maximal,
        "!EBF 0..30 end & EBF 31..31 end"
    ));
    assert!(!holds_on(&plain, Paths::Maximal, "AG EX TRUE"));
    let lazy = countdown(true, false);
    assert_eq!(lazy.state_count(), 32);
    assert!(!holds(&lazy, "AF end"));
    assert!(holds(&countdown(true, true), "AF end"));
    // Every state of the stuttering model begins an infinite path.
    assert!(holds(&lazy, "AG E TRUE"));
}

/// E2: one side of Peterson's algorithm.
fn peterson_side(location: &str, mine: &str, other: &str, turn: i64) -> TransitionSystem {
    let mut process = Process::new(location, 7, &[("x", 1, 0), ("y", 1, 0), ("t", 1, 0)]);
    let (zero, one) = (process.integer(0), process.integer(1));
    let give_way = process.integer(turn);
    let free = process.is(other, 0);
    let my_turn = process.is("t", 1 - turn);
    let enter = process.system.terms.or([free, my_turn]);
    process.step(0, None, 1, None);
    process.step(1, None, 2, None);
    process.step(2, None, 3, Some((mine, one)));
    process.step(3, None, 4, Some(("t", give_way)));
    process.step(4, Some(enter), 5, None);
    process.step(5, None, 6, None);
    process.step(6, None, 7, Some((mine, zero)));
    process.step(7, None, 0, None);
    let mut justice = Vec::new();
    for place in [0, 2, 3, 5, 6, 7] {
        let at = process.at(place);
        justice.push(process.system.terms.not(at));
    }
    let waits = process.at(4);
    let stuck = process.system.terms.not(enter);
    let not_waiting = process.system.terms.not(waits);
    justice.push(process.system.terms.or([not_waiting, stuck]));
    let mut system = process.finish();
    system.justice = justice;
    system
}

#[test]
fn e2_peterson_excludes_always_and_lets_in_under_justice() {
    let (left, right) = (peterson_side("l", "x", "y", 1), peterson_side("m", "y", "x", 0));
    let mut system = interleaving_composition(&left, &right)
        .expect("compatible")
        .system;
    system.allow_stuttering();
    let names = [("l", 2, "at_l2"), ("l", 5, "at_l5"), ("m", 5, "at_m5")];
    let propositions: Vec<(&str, TermId)> = names
        .into_iter()
        .map(|(variable, value, name)| {
            let variable = system.find_variable(variable).expect("a location");
            (name, is(&mut system, variable, value))
        })
        .collect();
    let fair = system.unfold(&propositions, 10_000).expect("small").kripke;
    let unfair = without_justice(&fair);
    for kripke in [&fair, &unfair] {
        assert!(holds(kripke, "AG !(at_l5 & at_m5)"));
    }
    assert!(holds(&fair, "AG (at_l2 -> AF at_l5)"));
    assert!(!holds(&unfair, "AG (at_l2 -> AF at_l5)"));
    assert!(holds(&unfair, "AG (at_l2 -> EF at_l5)"));
}

/// E5: `p` stays until it chooses to fall, then `y` counts the falls down.
fn falling(i: i64) -> Kripke {
    let mut system = TransitionSystem::new();
    let p = system.add_variable("p", Sort::Bool, VarKind::State);
    let y = system.add_variable("y", Sort::range(0, i), VarKind::State);
    let (p_now, p_next) = (system.current(p), system.next(p));
    let (y_now, y_next) = (system.current(y), system.next(y));
    let terms = &mut system.terms;
    let (zero, one, top) = (terms.integer(0), terms.integer(1), terms.integer(i));
    let full = terms.equal(y_now, top).expect("integers");
    system.init.extend([p_now, full]);
    let same = terms.equal(y_next, y_now).expect("integers");
    let is_zero = terms.equal(y_now, zero).expect("integers");
    let less = terms.subtract(y_now, one).expect("integers");
    let lower = terms.ite(is_zero, zero, less).expect("integers");
    let falls = terms.equal(y_next, lower).expect("integers");
    let kept = terms.implies(p_now, same);
    let not_p = terms.not(p_now);
    let fallen = terms.implies(not_p, falls);
    let left = terms.not(is_zero);
    let may_fall = terms.and([p_now, left]);
    let rule = terms.or([may_fall, p_next]);
    system.transition.extend([kept, fallen, rule]);
    system.unfold(&[("p", p_now)], 1000).expect("small").kripke
}

#[test]
fn e5_almost_always_p_is_linear_time_only() {
    for i in 0..5 {
        let kripke = falling(i);
        assert_eq!(kripke.state_count() as i64, 2 * i + 1);
        assert!(almost_always_p(&kripke), "i = {i}");
        assert_eq!(holds(&kripke, "AF AG p"), i == 0, "i = {i}");
    }
}

#[test]
fn e6_one_possible_fall_separates_the_logics() {
    let mut system = TransitionSystem::new();
    let p = system.add_variable("p", Sort::Bool, VarKind::State);
    let x = system.add_variable("x", Sort::Bool, VarKind::State);
    let (p_now, p_next) = (system.current(p), system.next(p));
    let (x_now, x_next) = (system.current(x), system.next(x));
    let terms = &mut system.terms;
    let same = terms.iff(x_next, x_now);
    let kept = terms.implies(p_now, same);
    let not_x = terms.not(x_next);
    let spent = terms.or([p_now, not_x]);
    let both = terms.and([p_now, x_now]);
    let rule = terms.or([both, p_next]);
    system.init.extend([p_now, x_now]);
    system.transition.extend([kept, spent, rule]);
    let kripke = system.unfold(&[("p", p_now)], 100).expect("small").kripke;
    assert_eq!(kripke.state_count(), 3);
    assert!(almost_always_p(&kripke));
    assert!(!holds(&kripke, "AF AG p"));
    // The family of chains, each with one fixed word {p}^i {} {p}^w.
    for i in 1..4u32 {
        let mut builder = KripkeBuilder::new(u64::from(i) + 2);
        builder.edges((0..=i).map(|state| (state, state + 1)).chain([(i + 1, i + 1)]));
        builder.initial(StateId::new(0));
        builder.proposition("p", (0..i + 2).filter(|&state| state != i).map(StateId::new));
        let chain = builder.build().expect("a chain");
        assert!(holds(&chain, "AF AG p") && almost_always_p(&chain));
    }
}

#[test]
fn e7_next_and_eventually_do_not_commute_in_branching_time() {
    let mut builder = KripkeBuilder::new(3);
    builder
        .edges([(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)])
        .initial(StateId::new(0))
        .proposition("p", [StateId::new(1)]);
    let kripke = builder.build().expect("three states");
    assert!(!holds(&kripke, "AF AX p"));
    assert!(holds(&kripke, "AX AF p"));
}

#[test]
fn surveys_the_labels_of_until_appear_from_the_goal_backwards() {
    // s0{a} -> s1, s2; s1{a} loops; s2{a} -> s3{b}, which loops.
    let graph = Graph::new(4, [(0, 1), (0, 2), (1, 1), (2, 3), (3, 3)]);
    let mut algebra = GraphAlgebra::new(graph)
        .with_atom("a", [0, 1, 2])
        .with_atom("b", [3]);
    let mut evaluator = CtlEvaluator::new(&mut algebra, Paths::Infinite, vec![]);
    let exists = evaluator.label(&parse("E [a U b]").expect("CTL")).expect("atoms");
    let Some(entail_fixpoint::Approximants::Until { rings }) = exists.approximants else {
        panic!("an until has rings");
    };
    let rings: Vec<Vec<usize>> = rings.iter().map(|ring| ring.ones().collect()).collect();
    assert_eq!(rings, [vec![3], vec![2, 3], vec![0, 2, 3]]);
    let always = evaluator.label(&parse("A [a U b]").expect("CTL")).expect("atoms");
    assert_eq!(always.region.ones().collect::<Vec<_>>(), [2, 3]);
}
