//! A naive model checker, straight from the definitions.
//!
//! All valuations are tried with the reference evaluation of terms. Every step `(state, inputs, next state)` is a node, so
//! that atoms and fairness over inputs are labels of nodes. A path formula is decided by guessing, at every position, the
//! truth of each of its temporal subformulas, and keeping the guesses that are consistent with the next position. Fairness
//! is decided by iteration on sets; compassion by trying every subset of the pairs as "the first part only finitely often".

pub mod random;

use entail_evidence::DeadEnds;
use entail_logic::{Binary, Formula, Interval, Node, Quantifier, Unary};
use entail_model::{TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_bool};
use std::collections::HashMap;

pub type State = Vec<Option<Value>>;

/// The reachable part of a system, step by step.
pub struct Naive<'a> {
    pub system: &'a TransitionSystem,
    pub states: Vec<State>,
    pub initial: Vec<usize>,
    pub steps: Vec<NaiveStep>,
    pub dead_ends: Vec<usize>,
}

#[derive(Clone)]
pub struct NaiveStep {
    pub from: usize,
    /// None: past the end of a maximal path.
    pub to: Option<usize>,
    pub now: State,
    pub after: State,
}

fn valuations(system: &TransitionSystem, wanted: impl Fn(VarKind) -> bool) -> Vec<State> {
    let mut all = vec![system.blank()];
    for variable in system.variable_ids() {
        if wanted(system.variable(variable).kind) {
            all = all
                .into_iter()
                .flat_map(|state| {
                    system.variable(variable).sort.values().map(move |value| {
                        let mut more = state.clone();
                        more[variable.index()] = Some(value);
                        more
                    })
                })
                .collect();
        }
    }
    all
}

fn truth(system: &TransitionSystem, term: TermId, at: Valuation<'_>) -> bool {
    evaluate_bool(&system.terms, term, at) == Ok(true)
}

impl<'a> Naive<'a> {
    pub fn new(system: &'a TransitionSystem, policy: DeadEnds) -> Naive<'a> {
        let candidates: Vec<State> = valuations(system, |kind| kind != VarKind::Input)
            .into_iter()
            .filter(|state| {
                system
                    .invariant
                    .iter()
                    .all(|&term| truth(system, term, Valuation::state(state)))
            })
            .collect();
        let inputs = valuations(system, |kind| kind == VarKind::Input);
        let mut naive = Naive {
            system,
            states: Vec::new(),
            initial: Vec::new(),
            steps: Vec::new(),
            dead_ends: Vec::new(),
        };
        let mut numbers: HashMap<State, usize> = HashMap::new();
        for state in &candidates {
            if system
                .init
                .iter()
                .all(|&term| truth(system, term, Valuation::state(state)))
            {
                naive.initial.push(naive.states.len());
                numbers.insert(state.clone(), naive.states.len());
                naive.states.push(state.clone());
            }
        }
        let mut at = 0;
        while at < naive.states.len() {
            let state = naive.states[at].clone();
            let before = naive.steps.len();
            for input in &inputs {
                let mut now = state.clone();
                for (value, chosen) in now.iter_mut().zip(input) {
                    if chosen.is_some() {
                        *value = chosen.clone();
                    }
                }
                for after in &candidates {
                    let frozen = system
                        .variable_ids()
                        .filter(|&variable| system.variable(variable).kind == VarKind::Frozen)
                        .all(|variable| state[variable.index()] == after[variable.index()]);
                    let step = Valuation::step(&now, after);
                    if frozen && system.transition.iter().all(|&term| truth(system, term, step)) {
                        let next = naive.states.len();
                        let to = *numbers.entry(after.clone()).or_insert(next);
                        if to == next {
                            naive.states.push(after.clone());
                        }
                        naive.steps.push(NaiveStep {
                            from: at,
                            to: Some(to),
                            now: now.clone(),
                            after: after.clone(),
                        });
                    }
                }
            }
            if naive.steps.len() == before {
                naive.dead_ends.push(at);
                let (to, after) = match policy {
                    DeadEnds::Stutter => (Some(at), state.clone()),
                    DeadEnds::Maximal => (None, Vec::new()),
                    _ => {
                        at += 1;
                        continue;
                    }
                };
                naive.steps.push(NaiveStep {
                    from: at,
                    to,
                    now: state.clone(),
                    after,
                });
            }
            at += 1;
        }
        naive
    }

    fn at_step(&self, term: TermId, step: usize) -> bool {
        let step = &self.steps[step];
        truth(self.system, term, Valuation::step(&step.now, &step.after))
    }

    /// States with a fair path.
    pub fn fair(&self, compassion: &[(TermId, TermId)]) -> Vec<bool> {
        self.exists(&Formula::constant(true), compassion)
    }

    /// The reachable states that satisfy a state formula.
    pub fn states_with(&self, formula: &Formula<TermId>, compassion: &[(TermId, TermId)]) -> Vec<bool> {
        let of = |operand: &Formula<TermId>| self.states_with(operand, compassion);
        let zip = |p: Vec<bool>, q: Vec<bool>, f: fn(bool, bool) -> bool| -> Vec<bool> {
            p.into_iter().zip(q).map(|(p, q)| f(p, q)).collect()
        };
        let constant = |truth: bool| vec![truth; self.states.len()];
        match formula.node() {
            Node::Constant(truth) => constant(*truth),
            Node::Atom(term) => self
                .states
                .iter()
                .map(|state| truth(self.system, *term, Valuation::state(state)))
                .collect(),
            Node::Not(p) => of(p).into_iter().map(|truth| !truth).collect(),
            Node::And(list) => list
                .iter()
                .fold(constant(true), |all, p| zip(all, of(p), |p, q| p && q)),
            Node::Or(list) => list
                .iter()
                .fold(constant(false), |any, p| zip(any, of(p), |p, q| p || q)),
            Node::Implies(p, q) => zip(of(p), of(q), |p, q| !p || q),
            Node::Iff(p, q) => zip(of(p), of(q), |p, q| p == q),
            Node::Xor(p, q) => zip(of(p), of(q), |p, q| p != q),
            Node::Quantified(Quantifier::Exists, path) => self.exists(path, compassion),
            Node::Quantified(Quantifier::Forall, path) => self
                .exists(&path.not(), compassion)
                .into_iter()
                .map(|truth| !truth)
                .collect(),
            Node::Unary(..) | Node::Binary(..) => panic!("a path formula asked of a state"),
        }
    }

    /// The states with a fair path that satisfies the path formula.
    fn exists(&self, path: &Formula<TermId>, compassion: &[(TermId, TermId)]) -> Vec<bool> {
        let mut closure = Closure::default();
        let root = closure.add(self, path, compassion);
        let guesses = closure.parts.iter().filter(|part| part.is_temporal()).count();
        assert!(guesses <= 14, "the formula is too large for the naive reference");
        // Nodes: a step, and a consistent truth value for every part.
        let mut nodes: Vec<(usize, Vec<bool>)> = Vec::new();
        for step in 0..self.steps.len() {
            for guess in 0..1u32 << guesses {
                let truths = closure.complete(self, step, guess);
                if self.steps[step].to.is_some() || closure.may_end(&truths) {
                    nodes.push((step, truths));
                }
            }
        }
        let mut by_state: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, (step, _)) in nodes.iter().enumerate() {
            by_state.entry(self.steps[*step].from).or_default().push(number);
        }
        let ends: Vec<bool> = nodes
            .iter()
            .map(|(step, _)| self.steps[*step].to.is_none())
            .collect();
        let successors: Vec<Vec<usize>> = nodes
            .iter()
            .map(|(step, truths)| {
                let Some(to) = self.steps[*step].to else {
                    return Vec::new();
                };
                let candidates = by_state.get(&to).into_iter().flatten().copied();
                candidates
                    .filter(|&next| closure.follows(truths, &nodes[next].1))
                    .collect()
            })
            .collect();
        let mut justice: Vec<Vec<bool>> = Vec::new();
        for &term in &self.system.justice {
            justice.push(nodes.iter().map(|(step, _)| self.at_step(term, *step)).collect());
        }
        for part in 0..closure.parts.len() {
            if let Part::Until(_, q) = closure.parts[part] {
                justice.push(
                    nodes
                        .iter()
                        .map(|(_, truths)| !truths[part] || truths[q])
                        .collect(),
                );
            }
        }
        let pairs: Vec<(Vec<bool>, Vec<bool>)> = compassion
            .iter()
            .map(|&(p, q)| {
                let met = |term| {
                    nodes
                        .iter()
                        .map(|(step, _)| self.at_step(term, *step))
                        .collect::<Vec<bool>>()
                };
                (met(p), met(q))
            })
            .collect();
        let mut good = ends.clone();
        for subset in 0..1u32 << pairs.len() {
            let mut allowed = vec![true; nodes.len()];
            let mut required = justice.clone();
            for (number, (p, q)) in pairs.iter().enumerate() {
                if subset >> number & 1 == 1 {
                    for (allowed, p) in allowed.iter_mut().zip(p) {
                        *allowed &= !p;
                    }
                } else {
                    required.push(q.clone());
                }
            }
            for (good, fair) in good.iter_mut().zip(forever(&successors, &allowed, &required)) {
                *good |= fair;
            }
        }
        let reaching = reach(&successors, &vec![true; nodes.len()], &good);
        let mut result = vec![false; self.states.len()];
        for (number, (step, truths)) in nodes.iter().enumerate() {
            if reaching[number] && truths[root] && closure.may_start(truths) {
                result[self.steps[*step].from] = true;
            }
        }
        result
    }
}

/// Nodes from which a path can stay in `allowed` and meet every set infinitely often.
fn forever(successors: &[Vec<usize>], allowed: &[bool], required: &[Vec<bool>]) -> Vec<bool> {
    let mut inside = allowed.to_vec();
    loop {
        let mut next = inside.clone();
        let goals: Vec<Vec<bool>> = match required.is_empty() {
            true => vec![inside.clone()],
            false => required.to_vec(),
        };
        for goal in goals {
            let goal: Vec<bool> = goal
                .iter()
                .zip(&inside)
                .map(|(&goal, &inside)| goal && inside)
                .collect();
            let reaching = reach(successors, &inside, &goal);
            for (node, next) in next.iter_mut().enumerate() {
                *next &= inside[node] && successors[node].iter().any(|&to| reaching[to]);
            }
        }
        if next == inside {
            return inside;
        }
        inside = next;
    }
}

/// Nodes of `through` from which a goal can be reached inside `through`.
fn reach(successors: &[Vec<usize>], through: &[bool], goal: &[bool]) -> Vec<bool> {
    let mut reached: Vec<bool> = goal.to_vec();
    loop {
        let mut changed = false;
        for node in 0..reached.len() {
            if !reached[node] && through[node] && successors[node].iter().any(|&to| reached[to]) {
                reached[node] = true;
                changed = true;
            }
        }
        if !changed {
            return reached;
        }
    }
}

/// A subformula; operands come before it.
enum Part {
    States(Vec<bool>),
    Step(TermId),
    Not(usize),
    And(usize, usize),
    Next(usize),
    Until(usize, usize),
    Yesterday(usize),
    Since(usize, usize),
}

impl Part {
    fn is_temporal(&self) -> bool {
        matches!(
            self,
            Part::Next(_) | Part::Until(..) | Part::Yesterday(_) | Part::Since(..)
        )
    }
}

#[derive(Default)]
struct Closure {
    parts: Vec<Part>,
    known: HashMap<Formula<TermId>, usize>,
}

impl Closure {
    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn not(&mut self, p: usize) -> usize {
        self.push(Part::Not(p))
    }

    fn and(&mut self, p: usize, q: usize) -> usize {
        self.push(Part::And(p, q))
    }

    fn or(&mut self, p: usize, q: usize) -> usize {
        let (p, q) = (self.not(p), self.not(q));
        let neither = self.and(p, q);
        self.not(neither)
    }

    fn constant(&mut self, naive: &Naive<'_>, truth: bool) -> usize {
        self.push(Part::States(vec![truth; naive.states.len()]))
    }

    fn add(
        &mut self,
        naive: &Naive<'_>,
        formula: &Formula<TermId>,
        compassion: &[(TermId, TermId)],
    ) -> usize {
        if let Some(&found) = self.known.get(formula) {
            return found;
        }
        let number = match formula.node() {
            Node::Constant(truth) => self.constant(naive, *truth),
            Node::Atom(term) => self.push(Part::Step(*term)),
            Node::Quantified(..) => self.push(Part::States(naive.states_with(formula, compassion))),
            Node::Not(p) => {
                let p = self.add(naive, p, compassion);
                self.not(p)
            }
            Node::And(list) | Node::Or(list) => {
                let conjunction = matches!(formula.node(), Node::And(_));
                let mut result = self.constant(naive, conjunction);
                for operand in list {
                    let operand = self.add(naive, operand, compassion);
                    result = if conjunction {
                        self.and(result, operand)
                    } else {
                        self.or(result, operand)
                    };
                }
                result
            }
            Node::Implies(p, q) => {
                let (p, q) = (self.add(naive, p, compassion), self.add(naive, q, compassion));
                let not_p = self.not(p);
                self.or(not_p, q)
            }
            Node::Iff(p, q) | Node::Xor(p, q) => {
                let (p, q) = (self.add(naive, p, compassion), self.add(naive, q, compassion));
                let both = self.and(p, q);
                let (not_p, not_q) = (self.not(p), self.not(q));
                let neither = self.and(not_p, not_q);
                let same = self.or(both, neither);
                if matches!(formula.node(), Node::Iff(..)) {
                    same
                } else {
                    self.not(same)
                }
            }
            Node::Unary(op, interval, p) => {
                let p = self.add(naive, p, compassion);
                let always = self.constant(naive, true);
                match op {
                    Unary::Next => self.push(Part::Next(p)),
                    Unary::Yesterday => self.push(Part::Yesterday(p)),
                    Unary::WeakYesterday => {
                        let not_p = self.not(p);
                        let before = self.push(Part::Yesterday(not_p));
                        self.not(before)
                    }
                    Unary::Finally => self.within(naive, always, p, *interval, false),
                    Unary::Once => self.within(naive, always, p, *interval, true),
                    Unary::Globally | Unary::Historically => {
                        let not_p = self.not(p);
                        let past = *op == Unary::Historically;
                        let dual = self.within(naive, always, not_p, *interval, past);
                        self.not(dual)
                    }
                }
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (self.add(naive, p, compassion), self.add(naive, q, compassion));
                match op {
                    Binary::Until => self.within(naive, p, q, *interval, false),
                    Binary::Since => self.within(naive, p, q, *interval, true),
                    Binary::StrongRelease => {
                        let both = self.and(p, q);
                        self.within(naive, q, both, *interval, false)
                    }
                    Binary::Release | Binary::Triggered => {
                        let (not_p, not_q) = (self.not(p), self.not(q));
                        let past = *op == Binary::Triggered;
                        let dual = self.within(naive, not_p, not_q, *interval, past);
                        self.not(dual)
                    }
                    Binary::WeakUntil => {
                        let (not_p, not_q) = (self.not(p), self.not(q));
                        let neither = self.and(not_p, not_q);
                        let dual = self.within(naive, not_q, neither, *interval, false);
                        self.not(dual)
                    }
                }
            }
        };
        self.known.insert(formula.clone(), number);
        number
    }

    /// `p U q` or `p S q` at distances within the interval, bounds written out.
    fn within(&mut self, naive: &Naive<'_>, p: usize, q: usize, interval: Interval, past: bool) -> usize {
        if interval.is_empty() {
            return self.constant(naive, false);
        }
        let shift = |p| if past { Part::Yesterday(p) } else { Part::Next(p) };
        let mut result = match interval.to {
            None if past => self.push(Part::Since(p, q)),
            None => self.push(Part::Until(p, q)),
            Some(to) => {
                let mut result = q;
                for _ in interval.from..to {
                    let neighbour = self.push(shift(result));
                    let kept = self.and(p, neighbour);
                    result = self.or(q, kept);
                }
                result
            }
        };
        for _ in 0..interval.from {
            let neighbour = self.push(shift(result));
            result = self.and(p, neighbour);
        }
        result
    }

    /// The truth of every part at a step, temporal ones as guessed.
    fn complete(&self, naive: &Naive<'_>, step: usize, guess: u32) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::new();
        let mut bit = 0;
        for part in &self.parts {
            let truth = match part {
                Part::States(states) => states[naive.steps[step].from],
                Part::Step(term) => naive.at_step(*term, step),
                Part::Not(p) => !truths[*p],
                Part::And(p, q) => truths[*p] && truths[*q],
                _ => {
                    bit += 1;
                    guess >> (bit - 1) & 1 == 1
                }
            };
            truths.push(truth);
        }
        truths
    }

    /// Whether the temporal parts may have these truth values at the last position of a path.
    fn may_end(&self, truths: &[bool]) -> bool {
        self.parts.iter().zip(truths).all(|(part, &truth)| match part {
            Part::Next(_) => !truth,
            Part::Until(_, q) => truth == truths[*q],
            _ => true,
        })
    }

    /// Whether they may at the first position.
    fn may_start(&self, truths: &[bool]) -> bool {
        self.parts.iter().zip(truths).all(|(part, &truth)| match part {
            Part::Yesterday(_) => !truth,
            Part::Since(_, q) => truth == truths[*q],
            _ => true,
        })
    }

    /// Whether one position may follow another.
    fn follows(&self, now: &[bool], next: &[bool]) -> bool {
        (0..self.parts.len()).all(|part| match self.parts[part] {
            Part::Next(p) => now[part] == next[p],
            Part::Until(p, q) => now[part] == (now[q] || (now[p] && next[part])),
            Part::Yesterday(p) => next[part] == now[p],
            Part::Since(p, q) => next[part] == (next[q] || (next[p] && now[part])),
            _ => true,
        })
    }
}
