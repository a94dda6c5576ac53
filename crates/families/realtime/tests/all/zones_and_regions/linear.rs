//! Formulas about single runs: the product with an automaton on zones agrees with regions, with definitions on words, and with nested questions.

use super::{Features, effort, network};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::regions::RegionGraph;
use entail_clocks::{
    Branching, Clock, ClockName, Comparison, Condition, Edge, Expression, Formula, Interval, Linear,
    Location, Nested, Network, Process, Query, Runs, Statement, Temporal,
};
use entail_source::Span;
use entail_timed::{Attempts, Engine, Settings};
use entail_timed_checker::judge_by;
use entail_timed_checker::linear::violations;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const ALWAYS: Interval = Interval {
    least: (0, true),
    most: None,
};

fn question(conditions: Vec<Formula>, formula: Temporal, wanted: bool, runs: Runs) -> Option<Query> {
    let observer = violations(&formula, runs).ok()?;
    Some(Query::Linear(Box::new(Linear {
        conditions,
        formula,
        wanted,
        runs,
        observer,
    })))
}

/// The verdict of the engine, by one thread and, without the attempts that mostly find an answer at once, by several.
fn decided(network: &Network, query: &Query) -> (Verdict, Proof) {
    let first = decided_by(network, query, Settings::default());
    let hurried = Settings {
        threads: 2 + network.edges.len() % 2,
        attempts: Attempts {
            last_first: 0,
            around: 0,
            covering: 0,
            first_first: 0,
        },
        ..Settings::default()
    };
    assert_eq!(
        decided_by(network, query, hurried).0,
        first.0,
        "{query:?}\n{network:#?}"
    );
    first
}

/// The verdict of the engine, accepted by the checker; damaged evidence is not.
fn decided_by(network: &Network, query: &Query, settings: Settings) -> (Verdict, Proof) {
    let Query::Linear(asked) = query else {
        panic!("a question about single runs")
    };
    let budget = Budget::unlimited();
    let observed = asked.observed(network);
    let answer = Engine::new(&observed, settings).check(query, &budget);
    let answer = answer.expect("no fault");
    let proof = answer
        .evidence
        .unwrap_or_else(|| panic!("{:?} {query:?}\n{network:#?}", answer.reason));
    let judge = |verdict: Verdict, proof: &Proof| {
        judge_by(&|ask| ask(network), 1, &observed, query, verdict, proof, &budget)
    };
    let report = judge(answer.verdict, &proof);
    assert!(report.is_accepted(), "{report}: {query:?}\n{network:#?}");
    let opposite = match answer.verdict {
        Verdict::Holds => Verdict::Fails,
        _ => Verdict::Holds,
    };
    assert!(judge(opposite, &proof).is_rejected());
    (answer.verdict, proof)
}

fn formula(
    random: &mut StdRng,
    atoms: usize,
    depth: usize,
    interval: &dyn Fn(&mut StdRng) -> Interval,
) -> Temporal {
    if depth == 0 || random.random_bool(0.1) {
        let atom = Temporal::Condition(random.random_range(0..atoms));
        return if random.random_bool(0.3) {
            atom.negated()
        } else {
            atom
        };
    }
    let first = formula(random, atoms, depth - 1, interval);
    match random.random_range(0..8) {
        0 => first.negated(),
        1 => Temporal::And(vec![first, formula(random, atoms, depth - 1, interval)]),
        2 => Temporal::Or(vec![first, formula(random, atoms, depth - 1, interval)]),
        3 => first.globally(interval(random)),
        4 => first.finally(interval(random)),
        5 => first.release(formula(random, atoms, depth - 1, interval), interval(random)),
        6 => Temporal::Next(Box::new(first)),
        _ => first.until(formula(random, atoms, depth - 1, interval), interval(random)),
    }
}

/// A word that ends, or goes round from a position on: letters, and the time from each position to the next.
struct Word {
    letters: Vec<Vec<bool>>,
    delays: Vec<i64>,
    /// Where the last position leads; nothing: the word ends.
    back: Option<usize>,
}

impl Word {
    fn next(&self, position: usize) -> Option<usize> {
        match position + 1 < self.letters.len() {
            true => Some(position + 1),
            false => self.back,
        }
    }

    /// Whether a formula holds at each position, by the definition. At the end, the last state comes again at the same moment.
    fn holds(&self, formula: &Temporal) -> Vec<bool> {
        let count = self.letters.len();
        let each = |of: &dyn Fn(usize) -> bool| (0..count).map(of).collect::<Vec<bool>>();
        match formula {
            Temporal::Constant(truth) => vec![*truth; count],
            Temporal::Condition(atom) => each(&|at| self.letters[at][*atom]),
            Temporal::Not(inner) => self.holds(inner).iter().map(|truth| !truth).collect(),
            Temporal::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.holds(part)).collect();
                each(&|at| parts.iter().all(|part| part[at]))
            }
            Temporal::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.holds(part)).collect();
                each(&|at| parts.iter().any(|part| part[at]))
            }
            Temporal::Next(inner) => {
                let inner = self.holds(inner);
                each(&|at| inner[self.next(at).unwrap_or(at)])
            }
            Temporal::Until(from, to, interval) => {
                let (from, to) = (self.holds(from), self.holds(to));
                each(&|at| self.until(at, &from, &to, interval))
            }
        }
    }

    fn until(&self, at: usize, from: &[bool], to: &[bool], interval: &Interval) -> bool {
        let (mut here, mut time) = (at, 0);
        // After as many rounds as constants ask for, nothing new happens.
        for _ in 0..self.letters.len() * 20 + 20 {
            let (least, has_least) = interval.least;
            let late_enough = time > least || (time == least && has_least);
            let early_enough =
                (interval.most).is_none_or(|(most, has_most)| time < most || (time == most && has_most));
            if to[here] && late_enough && early_enough {
                return true;
            }
            let Some(next) = self.next(here) else { return false };
            if !from[here] {
                return false;
            }
            time += self.delays[here];
            here = next;
        }
        false
    }

    /// A network whose only run is the word.
    fn network(&self) -> (Network, Vec<Formula>) {
        let compared = |comparison: Comparison, bound: i64| Condition::Clock {
            left: ClockName::one(1),
            right: ClockName::one(0),
            comparison,
            bound: Expression::Constant(bound),
        };
        let mut network = Network {
            name: "word".to_owned(),
            events: vec!["step".to_owned()],
            clocks: vec![Clock { name: "x".to_owned() }],
            ..Network::default()
        };
        let count = self.letters.len();
        for position in 0..count {
            let next = self.next(position);
            network.locations.push(Location {
                name: format!("l{position}"),
                process: 0,
                invariant: match next {
                    Some(_) => vec![compared(Comparison::LessEqual, self.delays[position])],
                    None => Vec::new(),
                },
                rate: None,
                committed: false,
                urgent: false,
                labels: Vec::new(),
                outgoing: next.map(|_| network.edges.len()).into_iter().collect(),
                span: Span::default(),
            });
            if let Some(target) = next {
                network.edges.push(Edge {
                    process: 0,
                    source: position,
                    target,
                    event: 0,
                    signal: None,
                    guard: vec![compared(Comparison::Equal, self.delays[position])],
                    action: vec![Statement::Clock {
                        target: ClockName::one(1),
                        source: ClockName::one(0),
                        offset: Expression::Constant(0),
                        span: Span::default(),
                    }],
                    controllable: true,
                    span: Span::default(),
                });
            }
        }
        network.processes.push(Process {
            name: "P".to_owned(),
            locations: (0..count).collect(),
            initial: vec![0],
            priority: 0,
        });
        let atom = |atom: usize| {
            let at = (0..count).filter(|&position| self.letters[position][atom]);
            Formula::Or(at.map(Formula::At).collect())
        };
        (network, vec![atom(0), atom(1)])
    }
}

fn word(random: &mut StdRng) -> Word {
    let count = random.random_range(1..=6);
    let back = random.random_bool(0.8).then(|| random.random_range(0..count));
    Word {
        letters: (0..count)
            .map(|_| vec![random.random_bool(0.5), random.random_bool(0.5)])
            .collect(),
        delays: (0..count).map(|_| random.random_range(0..=3)).collect(),
        back,
    }
}

fn any_interval(random: &mut StdRng) -> Interval {
    let least = match random.random_range(0..4) {
        0 | 1 => (0, true),
        2 => (0, false),
        _ => (random.random_range(1..=3), random.random_bool(0.5)),
    };
    let most = random.random_bool(0.7).then(|| {
        let first = if least.0 == 0 { 1 } else { 2 * least.0 };
        (random.random_range(first..=first + 2), random.random_bool(0.5))
    });
    Interval { least, most }
}

/// Intervals of any width, also of a single moment.
fn narrow_interval(random: &mut StdRng) -> Interval {
    let least = random.random_range(0..=5);
    match random.random_range(0..4) {
        0 => any_interval(random),
        1 => Interval {
            least: (least + 1, true),
            most: Some((least + 1, true)),
        },
        _ => Interval {
            least: (least, random.random_bool(0.5)),
            most: Some((least + 1, random.random_bool(0.5))),
        },
    }
}

/// A formula whose negation asks for each of its intervals at one position at most.
fn asked_once(random: &mut StdRng, depth: usize) -> Temporal {
    let atom = Temporal::Condition(random.random_range(0..2));
    if depth == 0 {
        return atom;
    }
    let inner = asked_once(random, depth - 1);
    let interval = match random.random_bool(0.4) {
        true => ALWAYS,
        false => narrow_interval(random),
    };
    match random.random_range(0..5) {
        0 => Temporal::Or(vec![atom.negated(), inner]).globally(ALWAYS),
        1 => inner.globally(interval),
        2 => atom.release(inner, interval),
        // What stands before `U` is asked for once by the negation, too, if it is an operand of its dual.
        3 => inner.until(atom, interval),
        _ => Temporal::And(vec![inner, asked_once(random, depth - 1)]),
    }
}

#[test]
fn intervals_that_count_at_one_position_may_be_as_narrow_as_one_likes() {
    let (mut seen, mut moments) = ([0, 0], 0);
    for number in 0..900 * effort() {
        let mut random = StdRng::seed_from_u64(47_000_000 + number);
        let word = word(&mut random);
        let depth = random.random_range(1..=3);
        let formula = match number % 3 {
            // At the first position only.
            0 => formula(&mut random, 2, 1, &narrow_interval),
            _ => asked_once(&mut random, depth),
        };
        let (network, conditions) = word.network();
        let query = match question(conditions, formula.clone(), false, Runs::Maximal) {
            Some(query) => query,
            None => panic!("{number}: {formula:?} {:?}", violations(&formula, Runs::Maximal)),
        };
        let expected = match word.holds(&formula)[0] {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let (verdict, _) = decided(&network, &query);
        assert_eq!(
            verdict, expected,
            "word {number}: {:?} {:?} back to {:?}: {formula:?}",
            word.letters, word.delays, word.back
        );
        seen[usize::from(verdict == Verdict::Holds)] += 1;
        moments += usize::from(format!("{formula:?}").contains("least: (3, true), most: Some((3, true))"));
    }
    assert!(
        seen[0] > 100 && seen[1] > 100 && moments > 20,
        "{seen:?} {moments}"
    );
}

#[test]
fn formulas_hold_on_the_words_on_which_they_are_true() {
    let (mut seen, mut zeno, mut refused) = ([0, 0], 0, 0);
    for number in 0..900 * effort() {
        let mut random = StdRng::seed_from_u64(41_000_000 + number);
        let word = word(&mut random);
        let depth = random.random_range(1..=3);
        let formula = match number % 3 {
            0 => formula(&mut random, 2, depth, &|_| ALWAYS),
            _ => formula(&mut random, 2, depth.min(2), &any_interval),
        };
        let (network, conditions) = word.network();
        let runs = if number % 2 == 0 {
            Runs::Maximal
        } else {
            Runs::Divergent
        };
        let Some(query) = question(conditions, formula.clone(), false, runs) else {
            refused += 1;
            continue;
        };
        let round = word.back.map(|back| word.delays[back..].iter().sum::<i64>());
        let counts = runs == Runs::Maximal || round != Some(0);
        zeno += u64::from(!counts);
        let expected = match word.holds(&formula)[0] || !counts {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let (verdict, _) = decided(&network, &query);
        assert_eq!(
            verdict, expected,
            "word {number}: {:?} {:?} back to {:?}: {formula:?} {runs:?}",
            word.letters, word.delays, word.back
        );
        seen[usize::from(verdict == Verdict::Holds)] += 1;
    }
    assert!(seen[0] > 50 && seen[1] > 50 && zeno > 10, "{seen:?} {zeno}");
    assert!(refused * 5 < seen[0] + seen[1], "{refused} refused");
}

/// Requests that come thick and fast, each with an interval that begins late and ends soon after: many are pending at once.
#[test]
fn narrow_intervals_hold_on_the_words_on_which_they_are_true() {
    let mut seen = [0, 0];
    for number in 0..120 * effort() {
        let mut random = StdRng::seed_from_u64(43_000_000 + number);
        let count = random.random_range(4..=12);
        let likely = [0.6, 0.8, 0.95][random.random_range(0..3)];
        let word = Word {
            letters: (0..count)
                .map(|_| vec![random.random_bool(0.7), random.random_bool(likely)])
                .collect(),
            delays: (0..count).map(|_| random.random_range(0..=2)).collect(),
            back: random.random_bool(0.7).then(|| random.random_range(0..count)),
        };
        let least = (random.random_range(1..=8), random.random_bool(0.5));
        let length = random.random_range((least.0 + 3) / 4..=least.0);
        let interval = Interval {
            least,
            most: Some((least.0 + length, random.random_bool(0.5))),
        };
        let (asks, meets) = (Temporal::Condition(0), Temporal::Condition(1));
        let served = match number % 2 {
            0 => meets.finally(interval),
            _ => Temporal::Or(vec![asks.clone(), meets.clone()]).until(meets, interval),
        };
        let formula = Temporal::Or(vec![asks.negated(), served]).globally(ALWAYS);
        let (network, conditions) = word.network();
        let query = question(conditions, formula.clone(), false, Runs::Maximal).expect("few clocks");
        let expected = match word.holds(&formula)[0] {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let (verdict, _) = decided(&network, &query);
        assert_eq!(
            verdict, expected,
            "word {number}: {:?} {:?} back to {:?}: {formula:?}",
            word.letters, word.delays, word.back
        );
        seen[usize::from(verdict == Verdict::Holds)] += 1;
    }
    assert!(seen[0] > 10 && seen[1] > 5, "{seen:?}");
}

/// Conditions on states without clocks.
fn conditions(random: &mut StdRng, network: &Network) -> Vec<Formula> {
    let at = |random: &mut StdRng| Formula::At(random.random_range(0..network.locations.len()));
    let one = at(random);
    let other = match random.random_bool(0.5) {
        true => Formula::Label(0),
        false => Formula::Or(vec![
            at(random),
            Formula::And(vec![at(random), Formula::Label(0)]),
        ]),
    };
    vec![one, other]
}

#[test]
fn formulas_about_runs_agree_with_regions() {
    let (mut seen, mut timed) = ([[0; 2]; 3], 0);
    for number in 0..700 * effort() {
        let mut random = StdRng::seed_from_u64(42_000_000 + number);
        let features = Features {
            differences: number % 7 == 0,
            copies: number % 7 == 1,
        };
        let network = network(&mut random, features);
        let conditions = conditions(&mut random, &network);
        let depth = random.random_range(1..=2);
        let is_timed = number % 3 == 0;
        let formula = match is_timed {
            true => formula(&mut random, 2, 1, &any_interval),
            false => formula(&mut random, 2, depth, &|_| ALWAYS),
        };
        let runs = [Runs::Maximal, Runs::Divergent, Runs::DivergentSteps][number as usize % 4 % 3];
        let wanted = random.random_bool(0.3);
        let Some(query) = question(conditions, formula, wanted, runs) else {
            continue;
        };
        let Query::Linear(asked) = &query else { continue };
        if asked.observer.clocks > 2 {
            continue;
        }
        let observed = asked.observed(&network);
        let Ok(Some(graph)) = RegionGraph::explore(&observed, &query, 1200) else {
            continue;
        };
        let exists = graph
            .exists(&query)
            .expect("nothing goes wrong in these networks");
        let expected = match exists == wanted {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let (verdict, _) = decided(&network, &query);
        assert_eq!(verdict, expected, "network {number}: {query:?}\n{network:#?}");
        seen[runs as usize][usize::from(exists)] += 1;
        timed += u64::from(is_timed);
    }
    assert!(
        seen.iter().flatten().all(|&count| count > 5) && timed > 20,
        "{seen:?} {timed}"
    );
}

/// What is asked about runs with intervals from 0 on, and nothing but conditions without clocks, is asked about states as well.
#[test]
fn deadlines_agree_with_nested_questions() {
    let budget = Budget::unlimited();
    let mut seen = [0, 0];
    for number in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(43_000_000 + number);
        let features = Features {
            differences: false,
            copies: number % 5 == 1,
        };
        let network = network(&mut random, features);
        let conditions = conditions(&mut random, &network);
        let interval = Interval {
            least: (0, true),
            most: Some((random.random_range(1..=3), random.random_bool(0.7))),
        };
        let mut nested = Branching::new();
        let [first, second] = [0, 1].map(|atom: usize| nested.condition(conditions[atom].clone()));
        let clocks = network.clocks.len();
        let atom = Temporal::Condition;
        let formula = match number % 3 {
            0 => {
                let soon = nested.until(true, Nested::And(Vec::new()), second, Some(interval), clocks);
                let kept = Nested::Or(vec![first.negated(), soon]);
                nested.formula = nested.always(true, kept, None, clocks);
                Temporal::Or(vec![atom(0).negated(), atom(1).finally(interval)]).globally(ALWAYS)
            }
            1 => {
                nested.formula = nested.until(true, first, second, Some(interval), clocks);
                atom(0).until(atom(1), interval)
            }
            _ => {
                nested.formula = nested.always(true, first, Some(interval), clocks);
                atom(0).globally(interval)
            }
        };
        let query = question(conditions, formula, false, Runs::Maximal).expect("a small formula");
        let (verdict, _) = decided(&network, &query);
        let mut timed = network.clone();
        for clock in 0..nested.clocks.len() {
            timed.clocks.push(Clock {
                name: format!("z{clock}"),
            });
        }
        let other = Engine::new(&timed, Settings::default()).check(&Query::Branching(nested), &budget);
        let other = other.expect("no fault").verdict;
        assert_eq!(verdict, other, "network {number}: {query:?}\n{network:#?}");
        seen[usize::from(verdict == Verdict::Holds)] += 1;
    }
    assert!(seen[0] > 20 && seen[1] > 10, "{seen:?}");
}
