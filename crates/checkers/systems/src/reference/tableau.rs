//! `E ψ` for any path formula `ψ`, by guessing.
//!
//! First `ψ` is written with few operators: literals, Boolean connectives, `X`, `U[0,b]`, `Y`, `S[0,b]` (with or without
//! `b`); lower bounds become chains of `X` or `Y`, state subformulas become sets of states. Then a position of a path carries,
//! besides its step, a *guess* for each future operator (what it will be at the next position) and a *memory* for each past
//! operator (what it was at the previous one). With these the truth of every subformula at the position follows from the
//! expansion laws, e.g. `p U q = q | p & X(p U q)`. A guess is right if the next position agrees with it. An unbounded until
//! must moreover not be promised for ever: infinitely often it is false or its right operand is true. This is the classical
//! tableau of Lichtenstein and Pnueli, and the temporal testers of chapter 2 of the handbook.
//!
//! A bounded operator's guess is a number, not a bit for each length: `U[0,b]` is determined by the least distance at which it
//! is met, with `b + 1` for "not within the bound". So guesses are numbers below a limit; for unbounded operators and `X`
//! the limit is two, and 0 means true.
//!
//! Cost: steps times guesses times memories, all of them built.

use super::NotRechecked;
use super::branching::Evaluation;
use super::fair::FairGraph;
use super::graph::Target;
use entail_evidence::Truth;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_model::TermId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A subformula; operands are positions of earlier ones.
enum Core {
    Constant(bool),
    Atom(TermId),
    States(Rc<Vec<bool>>),
    Not(usize),
    And(usize, usize),
    /// `X` of the operand.
    Next(usize),
    /// Least distance to `q` through `p`, capped.
    Until(usize, usize, Cap),
    Yesterday(usize),
    Since(usize, usize, Cap),
}

/// The number that means "not within the bound"; unbounded operators have none.
#[derive(Clone, Copy)]
struct Cap(Option<u32>);

impl Cap {
    /// The distance here, from the operands here and the distance at the neighbouring position.
    fn distance(self, p: bool, q: bool, neighbour: u32) -> u32 {
        let never = self.0.unwrap_or(1);
        match (q, p) {
            (true, _) => 0,
            (false, false) => never,
            (false, true) if self.0.is_none() => neighbour,
            (false, true) => never.min(neighbour + 1),
        }
    }

    fn never(self) -> u32 {
        self.0.unwrap_or(1)
    }
}

struct Tableau {
    core: Vec<Core>,
    /// Where a subformula is, so that equal ones are guessed once.
    places: FxHashMap<Formula<TermId>, usize>,
    /// Positions in `core` of the future and of the past operators.
    future: Vec<usize>,
    past: Vec<usize>,
}

/// One position of a path: its step, the guesses for the next position, the memory of the previous one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    step: usize,
    guess: Vec<u32>,
    memory: Vec<u32>,
}

/// The states with a fair path that satisfies the path formula.
pub(super) fn exists(
    evaluation: &mut Evaluation<'_>,
    path: &Formula<TermId>,
) -> Result<Vec<bool>, NotRechecked> {
    let mut tableau = Tableau {
        core: Vec::new(),
        places: FxHashMap::default(),
        future: Vec::new(),
        past: Vec::new(),
    };
    let root = tableau.translate(evaluation, path)?;
    for (position, core) in tableau.core.iter().enumerate() {
        match core {
            Core::Next(_) | Core::Until(..) => tableau.future.push(position),
            Core::Yesterday(_) | Core::Since(..) => tableau.past.push(position),
            _ => {}
        }
    }
    let guesses = tableau.guesses(evaluation.limits.steps)?;
    Search::new(evaluation, &tableau, &guesses).run(root)
}

impl Tableau {
    fn push(&mut self, core: Core) -> Result<usize, NotRechecked> {
        if self.core.len() > 4096 {
            return Err(NotRechecked::TooLarge(
                "the formula's bounds are too large".into(),
            ));
        }
        self.core.push(core);
        Ok(self.core.len() - 1)
    }

    fn not(&mut self, p: usize) -> Result<usize, NotRechecked> {
        self.push(Core::Not(p))
    }

    fn and(&mut self, p: usize, q: usize) -> Result<usize, NotRechecked> {
        self.push(Core::And(p, q))
    }

    fn or(&mut self, p: usize, q: usize) -> Result<usize, NotRechecked> {
        let (p, q) = (self.not(p)?, self.not(q)?);
        let neither = self.and(p, q)?;
        self.not(neither)
    }

    fn iff(&mut self, p: usize, q: usize) -> Result<usize, NotRechecked> {
        let both = self.and(p, q)?;
        let (not_p, not_q) = (self.not(p)?, self.not(q)?);
        let neither = self.and(not_p, not_q)?;
        self.or(both, neither)
    }

    fn translate(
        &mut self,
        evaluation: &mut Evaluation<'_>,
        formula: &Formula<TermId>,
    ) -> Result<usize, NotRechecked> {
        if let Some(&place) = self.places.get(formula) {
            return Ok(place);
        }
        let place = self.translate_new(evaluation, formula)?;
        self.places.insert(formula.clone(), place);
        Ok(place)
    }

    fn translate_new(
        &mut self,
        evaluation: &mut Evaluation<'_>,
        formula: &Formula<TermId>,
    ) -> Result<usize, NotRechecked> {
        match formula.node() {
            Node::Constant(truth) => self.push(Core::Constant(*truth)),
            Node::Atom(term) => self.push(Core::Atom(*term)),
            Node::Quantified(..) => {
                let states = evaluation.states(formula)?;
                self.push(Core::States(states))
            }
            Node::Not(p) => {
                let p = self.translate(evaluation, p)?;
                self.not(p)
            }
            Node::And(list) => {
                let mut all = self.push(Core::Constant(true))?;
                for operand in list {
                    let operand = self.translate(evaluation, operand)?;
                    all = self.and(all, operand)?;
                }
                Ok(all)
            }
            Node::Or(list) => {
                let mut any = self.push(Core::Constant(false))?;
                for operand in list {
                    let operand = self.translate(evaluation, operand)?;
                    any = self.or(any, operand)?;
                }
                Ok(any)
            }
            Node::Implies(p, q) => {
                let (p, q) = (self.translate(evaluation, p)?, self.translate(evaluation, q)?);
                let not_p = self.not(p)?;
                self.or(not_p, q)
            }
            Node::Iff(p, q) => {
                let (p, q) = (self.translate(evaluation, p)?, self.translate(evaluation, q)?);
                self.iff(p, q)
            }
            Node::Xor(p, q) => {
                let (p, q) = (self.translate(evaluation, p)?, self.translate(evaluation, q)?);
                let equal = self.iff(p, q)?;
                self.not(equal)
            }
            Node::Unary(op, interval, p) => {
                let p = self.translate(evaluation, p)?;
                self.unary(*op, *interval, p)
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (self.translate(evaluation, p)?, self.translate(evaluation, q)?);
                self.binary(*op, *interval, p, q)
            }
        }
    }

    fn unary(&mut self, op: Unary, interval: Interval, p: usize) -> Result<usize, NotRechecked> {
        let always = self.push(Core::Constant(true))?;
        match op {
            Unary::Next => self.push(Core::Next(p)),
            Unary::Yesterday => self.push(Core::Yesterday(p)),
            Unary::Finally => self.until(always, p, interval),
            Unary::Once => self.since(always, p, interval),
            Unary::Globally | Unary::WeakYesterday | Unary::Historically => {
                let not_p = self.not(p)?;
                let dual = self.unary(op.dual(), interval, not_p)?;
                self.not(dual)
            }
        }
    }

    fn binary(&mut self, op: Binary, interval: Interval, p: usize, q: usize) -> Result<usize, NotRechecked> {
        match op {
            Binary::Until => self.until(p, q, interval),
            Binary::Since => self.since(p, q, interval),
            Binary::StrongRelease => {
                let both = self.and(p, q)?;
                self.until(q, both, interval)
            }
            Binary::Release | Binary::WeakUntil | Binary::Triggered => {
                let (not_p, not_q) = (self.not(p)?, self.not(q)?);
                let dual = self.binary(op.dual(), interval, not_p, not_q)?;
                self.not(dual)
            }
        }
    }

    fn until(&mut self, p: usize, q: usize, interval: Interval) -> Result<usize, NotRechecked> {
        self.delayed(p, interval, |cap| Core::Until(p, q, cap), Core::Next)
    }

    fn since(&mut self, p: usize, q: usize, interval: Interval) -> Result<usize, NotRechecked> {
        self.delayed(p, interval, |cap| Core::Since(p, q, cap), Core::Yesterday)
    }

    /// `p op[a,b] q = p & X (p & X (… p op[0,b-a] q))`, and the same into the past.
    fn delayed(
        &mut self,
        p: usize,
        interval: Interval,
        operator: impl Fn(Cap) -> Core,
        shift: impl Fn(usize) -> Core,
    ) -> Result<usize, NotRechecked> {
        if interval.is_empty() {
            return self.push(Core::Constant(false));
        }
        let cap = Cap(interval.to.map(|to| (to - interval.from).saturating_add(1)));
        let mut result = self.push(operator(cap))?;
        for _ in 0..interval.from {
            let shifted = self.push(shift(result))?;
            result = self.and(p, shifted)?;
        }
        Ok(result)
    }

    /// All combinations of guesses.
    fn guesses(&self, limit: usize) -> Result<Vec<Vec<u32>>, NotRechecked> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for &operator in &self.future {
            let choices = self.never(operator) as usize + 1;
            if all.len().saturating_mul(choices) > limit.min(1 << 16) {
                return Err(NotRechecked::TooLarge("the formula is too large".into()));
            }
            all = all
                .into_iter()
                .flat_map(|guess| {
                    (0..choices as u32).map(move |choice| {
                        let mut longer = guess.clone();
                        longer.push(choice);
                        longer
                    })
                })
                .collect();
        }
        Ok(all)
    }

    /// The number that stands for false.
    fn never(&self, operator: usize) -> u32 {
        match &self.core[operator] {
            Core::Until(_, _, cap) | Core::Since(_, _, cap) => cap.never(),
            _ => 1,
        }
    }
}

struct Search<'e, 'a, 't> {
    evaluation: &'e Evaluation<'a>,
    tableau: &'t Tableau,
    guesses: &'t [Vec<u32>],
    /// The state each step leaves.
    state_of: Vec<usize>,
}

/// The truth of every subformula at a place, and the numbers of the temporal ones.
struct Values {
    truth: Vec<bool>,
    number: Vec<u32>,
}

impl<'e, 'a, 't> Search<'e, 'a, 't> {
    fn new(evaluation: &'e Evaluation<'a>, tableau: &'t Tableau, guesses: &'t [Vec<u32>]) -> Self {
        let graph = evaluation.graph;
        let mut state_of = vec![0; graph.step_count()];
        for state in 0..graph.states.len() {
            state_of[graph.steps_of(state)].fill(state);
        }
        Search {
            evaluation,
            tableau,
            guesses,
            state_of,
        }
    }

    /// Subformulas bottom-up: operands come before the formulas that use them.
    fn values(&self, place: &Place) -> Result<Values, NotRechecked> {
        let length = self.tableau.core.len();
        let mut values = Values {
            truth: vec![false; length],
            number: vec![0; length],
        };
        let (mut guesses, mut memories) = (place.guess.iter(), place.memory.iter());
        for (position, core) in self.tableau.core.iter().enumerate() {
            let truth = |operand: &usize| values.truth[*operand];
            let mut number = 0;
            let holds = match core {
                Core::Constant(truth) => *truth,
                Core::Atom(term) => match self.evaluation.graph.term_at(*term, place.step) {
                    Truth::True => true,
                    Truth::False => false,
                    Truth::Unknown => {
                        return Err(NotRechecked::Undefined(
                            "an atom depends on the inputs of a step that is not taken (at a dead end)"
                                .into(),
                        ));
                    }
                },
                Core::States(states) => states[self.state_of[place.step]],
                Core::Not(p) => !truth(p),
                Core::And(p, q) => truth(p) && truth(q),
                Core::Next(_) => guesses.next() == Some(&0),
                Core::Yesterday(_) => memories.next() == Some(&0),
                Core::Until(p, q, cap) | Core::Since(p, q, cap) => {
                    let neighbour = match core {
                        Core::Until(..) => guesses.next(),
                        _ => memories.next(),
                    };
                    number = cap.distance(truth(p), truth(q), neighbour.copied().unwrap_or(cap.never()));
                    number < cap.never()
                }
            };
            values.truth[position] = holds;
            values.number[position] = number;
        }
        Ok(values)
    }

    /// What the previous position must have guessed for this one, and what the next one will remember.
    fn seen_from_neighbour(&self, operators: &[usize], values: &Values) -> Vec<u32> {
        operators
            .iter()
            .map(|&operator| match &self.tableau.core[operator] {
                Core::Next(p) | Core::Yesterday(p) => u32::from(!values.truth[*p]),
                _ => values.number[operator],
            })
            .collect()
    }

    fn run(&self, root: usize) -> Result<Vec<bool>, NotRechecked> {
        let mut product = Product::default();
        let starts = self.starts(root, &mut product)?;
        self.explore(&mut product)?;
        let fair = self
            .fair_graph(&mut product)
            .fair(&vec![true; product.places.len() + 1], self.evaluation.budget)?;
        let mut result = vec![false; self.evaluation.graph.states.len()];
        for (state, number) in starts {
            result[state] |= fair[number as usize];
        }
        Ok(result)
    }

    /// The number of a place of the product, which is added if it is new.
    fn number_of(&self, place: Place, product: &mut Product) -> Result<u32, NotRechecked> {
        if let Some(&number) = product.numbers.get(&place) {
            return Ok(number);
        }
        if product.places.len() >= self.evaluation.limits.steps {
            return Err(NotRechecked::TooLarge(
                "the tableau of the formula is too large".into(),
            ));
        }
        product.values.push(self.values(&place)?);
        product.places.push(place.clone());
        let number = product.places.len() as u32;
        product.numbers.insert(place, number);
        Ok(number)
    }

    fn never(&self, operators: &[usize]) -> Vec<u32> {
        operators
            .iter()
            .map(|&operator| self.tableau.never(operator))
            .collect()
    }

    /// The places where paths begin on which the formula is said to be true, each with its state.
    fn starts(&self, root: usize, product: &mut Product) -> Result<Vec<(usize, u32)>, NotRechecked> {
        let nothing = self.never(&self.tableau.past);
        let mut starts = Vec::new();
        for step in 0..self.evaluation.graph.step_count() {
            for guess in self.guesses {
                self.evaluation.budget.check()?;
                let place = Place {
                    step,
                    guess: guess.clone(),
                    memory: nothing.clone(),
                };
                let number = self.number_of(place, product)?;
                if product.values[number as usize - 1].truth[root] {
                    starts.push((self.state_of[step], number));
                }
            }
        }
        Ok(starts)
    }

    /// Adds everything that can be reached. Node 0 is the end of a maximal path, which is fair and satisfies no promise to the past.
    fn explore(&self, product: &mut Product) -> Result<(), NotRechecked> {
        let graph = self.evaluation.graph;
        let never = self.never(&self.tableau.future);
        product.successors.push(vec![0]);
        let mut at = 0;
        while at < product.places.len() {
            self.evaluation.budget.check()?;
            let place = product.places[at].clone();
            let memory = self.seen_from_neighbour(&self.tableau.past, &product.values[at]);
            let mut list = Vec::new();
            match graph.targets[place.step] {
                Target::End => {
                    if place.guess == never {
                        list.push(0);
                    }
                }
                Target::State(state) => {
                    for step in graph.steps_of(state) {
                        for guess in self.guesses {
                            let next = Place {
                                step,
                                guess: guess.clone(),
                                memory: memory.clone(),
                            };
                            let next = self.number_of(next, product)?;
                            let values = &product.values[next as usize - 1];
                            if self.seen_from_neighbour(&self.tableau.future, values) == place.guess {
                                list.push(next);
                            }
                        }
                    }
                }
            }
            product.successors.push(list);
            at += 1;
        }
        Ok(())
    }

    /// The product as a graph whose fair paths meet the model's fairness and keep every promise that something happens.
    fn fair_graph(&self, product: &mut Product) -> FairGraph {
        let (graph, system) = (self.evaluation.graph, self.evaluation.system);
        let promises = self.tableau.core.iter().enumerate();
        let promises = promises.filter_map(|(position, core)| match core {
            Core::Until(_, q, Cap(None)) => Some((position, *q)),
            _ => None,
        });
        let mut fair = FairGraph::new(std::mem::take(&mut product.successors));
        let (places, values) = (&product.places, &product.values);
        let on_places = |at_end: bool, holds: &dyn Fn(usize) -> bool| -> Vec<bool> {
            std::iter::once(at_end)
                .chain((0..places.len()).map(holds))
                .collect()
        };
        let met = |term: TermId, at_end: bool| {
            on_places(at_end, &|node| {
                graph.term_at(term, places[node].step) == Truth::True
            })
        };
        fair.justice = system.justice.iter().map(|&term| met(term, true)).collect();
        for (until, q) in promises {
            fair.justice.push(on_places(true, &|node| {
                !values[node].truth[until] || values[node].truth[q]
            }));
        }
        fair.compassion = system
            .compassion
            .iter()
            .map(|&(p, q)| (met(p, false), met(q, true)))
            .collect();
        fair
    }
}

/// The product of a graph with a tableau, as far as it was explored. Places are numbered from 1.
#[derive(Default)]
struct Product {
    places: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    values: Vec<Values>,
    successors: Vec<Vec<u32>>,
}
