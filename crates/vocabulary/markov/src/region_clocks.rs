//! Probabilistic timed automata as decision processes: the region graph (Alur and Dill 1994).
//!
//! Two values of the clocks that agree on whole parts, on which clocks are whole, and on the order of fractional parts cannot be told apart by comparisons with integers, strict or not, and go on alike when time
//! passes. So a clock becomes a number that counts half steps (`2c` is `c`, `2c + 1` lies between `c` and `c + 1`, the last one above the largest constant), and each pair of clocks a comparison of
//! fractional parts, which counts only while both are fractional. Time passes to the next region. A comparison of a *difference* of clocks is a truth value of its own: time does not change it, and where one of
//! the clocks is set it becomes a comparison of the other (Bérard, Petit, Diekert and Gastin 1998). Nothing is approximated; the price is the number of regions.
//! Invariants are asked after a step of time, as for [`digital_clocks`](mod@crate::digital_clocks).

use crate::Rational;
use crate::clock_constraints::{self, ClockComparison, Condition};
use crate::digital_clocks::TIME;
use crate::expr::{BinaryOp, Expr, Value, VarId};
use crate::interpreter::SemanticError;
use crate::network::{
    ActionId, Branch, Command, CommandKind, Component, Domain, Initial, Network, Synchronisation, Variable,
};
use crate::property::{Optimum, Path, Property, Query};
use crate::timed::{Event, Timed, TimedQuestion};
use entail_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Differences are compared with at most so many numbers where these depend on the state.
const MOST_DIFFERENCES: i64 = 64;

/// A network of regions with the question about it.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The network. Variables of the model keep their positions; clocks count half steps.
    pub network: Network,
    /// The question.
    pub property: Property,
    clocks: Vec<VarId>,
    most: Vec<i64>,
    pairs: BTreeMap<(usize, usize), VarId>,
    /// Whether differences of clocks are compared.
    pub has_differences: bool,
}

/// `clock i − clock j < k` or `<= k`, for i before j.
type Difference = (usize, usize, i64, bool);

struct Translation<'t> {
    network: &'t Network,
    clocks: &'t [VarId],
    most: Vec<i64>,
    pairs: BTreeMap<(usize, usize), VarId>,
    differences: BTreeMap<Difference, VarId>,
}

/// The region graph of a network, with the question that is asked about it.
pub fn region_clocks(question: &TimedQuestion) -> Result<Regions, SemanticError> {
    let (timed, pulse) = match &question.event {
        Event::Reach(..) => (question.timed.clone(), None),
        Event::Miss(..) => {
            let (timed, pulse) = question.timed.with_pulse();
            (timed, Some(pulse))
        }
    };
    let mut translation = Translation::of(&timed, &question.event)?;
    translation.separate_setting()?;
    let network = translation.network_of(&timed)?;
    let property = translation.property(question, pulse)?;
    Ok(Regions {
        network,
        property,
        clocks: timed.timing.clocks.clone(),
        has_differences: !translation.differences.is_empty(),
        most: translation.most,
        pairs: translation.pairs,
    })
}

/// The largest numbers that clocks are compared with or set to, in the order of the clocks, and whether differences of clocks are compared; an error if a condition about clocks has no meaning here.
pub fn largest_constants(timed: &Timed, event: &Event) -> Result<(Vec<i64>, bool), SemanticError> {
    let translation = Translation::of(timed, event)?;
    Ok((translation.most, !translation.differences.is_empty()))
}

impl Regions {
    /// Some values of the clocks in the region of a state, as multiples of a fraction whose denominator comes second; what differences of clocks above their constants are is not kept.
    pub fn point(&self, state: &[i64]) -> (Vec<i64>, i64) {
        let unit = self.clocks.len() as i64 + 1;
        let value = |clock: usize| state[self.clocks[clock].index()];
        let is_between = |clock: usize| value(clock) % 2 == 1 && value(clock) <= 2 * self.most[clock];
        let is_less = |one: usize, other: usize| match one < other {
            true => state[self.pairs[&(one, other)].index()] == 0,
            false => state[self.pairs[&(other, one)].index()] == 2,
        };
        let place = |clock: usize| {
            let whole = value(clock) / 2;
            if value(clock) > 2 * self.most[clock] {
                return (whole + 1) * unit;
            }
            if value(clock) % 2 == 0 {
                return whole * unit;
            }
            let others = (0..self.clocks.len()).filter(|&other| other != clock && is_between(other));
            whole * unit + 1 + others.filter(|&other| is_less(other, clock)).count() as i64
        };
        ((0..self.clocks.len()).map(place).collect(), unit)
    }

    /// The clocks, in the order of points.
    pub fn clocks(&self) -> &[VarId] {
        &self.clocks
    }
}

fn not(expr: Expr) -> Expr {
    expr.negated()
}

fn int(op: BinaryOp, left: Expr, right: i64) -> Expr {
    Expr::binary(op, left, Expr::from(right))
}

/// The operator with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

impl<'t> Translation<'t> {
    /// Looks at all comparisons: the largest constants, and the differences that count.
    fn of(timed: &'t Timed, event: &Event) -> Result<Translation<'t>, SemanticError> {
        let (network, clocks) = (&timed.network, timed.timing.clocks.as_slice());
        let mut translation = Translation {
            network,
            clocks,
            most: vec![0; clocks.len()],
            pairs: BTreeMap::new(),
            differences: BTreeMap::new(),
        };
        let (Event::Reach(stay, goal) | Event::Miss(stay, goal)) = event;
        let mut found = BTreeSet::new();
        for expr in [stay, goal] {
            translation.look(expr, Span::default(), &mut found)?;
        }
        for (invariant, place) in &timed.timing.invariants {
            translation.look(invariant, *place, &mut found)?;
        }
        let mut set: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); clocks.len()];
        for component in &network.components {
            for command in &component.commands {
                translation.look(&command.guard, command.place, &mut found)?;
                for branch in &command.branches {
                    for (clock, value) in translation.set_by(branch)? {
                        set[clock].insert(value);
                    }
                }
            }
        }
        if let Initial::Values(values) = &network.initial {
            for (at, clock) in clocks.iter().enumerate() {
                let value = values[clock.index()];
                if !(0..clock_constraints::LARGEST).contains(&value) {
                    let message = format!("a clock begins with {value}");
                    return Err(SemanticError::new(message, Span::default(), None));
                }
                set[at].insert(value);
            }
        }
        for (clock, set) in set.iter().enumerate() {
            translation.most[clock] = translation.most[clock].max(set.last().copied().unwrap_or(0));
        }
        // Where one of the clocks of a difference is set, the other is compared.
        for &(one, other, bound, _) in &found {
            for value in &set[one] {
                translation.most[other] = translation.most[other].max(value - bound);
            }
            for value in &set[other] {
                translation.most[one] = translation.most[one].max(value + bound);
            }
        }
        let mut next = network.variables.len() as u32;
        let mut fresh = || {
            next += 1;
            VarId(next - 1)
        };
        for one in 0..clocks.len() {
            for other in one + 1..clocks.len() {
                translation.pairs.insert((one, other), fresh());
            }
        }
        translation.differences = found.into_iter().map(|key| (key, fresh())).collect();
        Ok(translation)
    }

    fn clock(&self, var: VarId) -> usize {
        self.clocks.iter().position(|&clock| clock == var).unwrap_or(0)
    }

    /// The clocks that a branch sets, with the numbers they are set to.
    fn set_by(&self, branch: &Branch) -> Result<Vec<(usize, i64)>, SemanticError> {
        let mut set = Vec::new();
        for (var, value) in &branch.assignments {
            let at = self.clocks.iter().position(|clock| clock == var);
            match (at, value.constant()) {
                (Some(at), Some(Value::Int(value))) if *value >= 0 && *value < clock_constraints::LARGEST => {
                    set.push((at, *value));
                }
                (Some(_), _) => {
                    let message = "clocks are set to constant integers only";
                    return Err(SemanticError::new(message, branch.place, None));
                }
                (None, _) if clock_constraints::looks_at_clocks(value, self.clocks) => {
                    let message = "variables are not set to values that depend on clocks";
                    return Err(SemanticError::new(message, branch.place, None));
                }
                (None, _) => {}
            }
        }
        if clock_constraints::looks_at_clocks(&branch.weight, self.clocks) {
            let message = "probabilities do not depend on clocks";
            return Err(SemanticError::new(message, branch.place, None));
        }
        Ok(set)
    }

    /// Two commands that happen together each see only what they set themselves: they must not set both clocks of a difference between them.
    fn separate_setting(&self) -> Result<(), SemanticError> {
        let sets = |component: usize, action: ActionId, clock: usize| {
            let commands = self.network.components[component].commands.iter();
            (commands.filter(|command| command.action == Some(action)))
                .flat_map(|command| &command.branches)
                .any(|branch| {
                    branch
                        .assignments
                        .iter()
                        .any(|(var, _)| *var == self.clocks[clock])
                })
        };
        for synchronisation in &self.network.synchronisations {
            for &(one, other, ..) in self.differences.keys() {
                let by = |clock| {
                    let parts = synchronisation.parts.iter().enumerate();
                    parts
                        .filter(move |(_, part)| sets(part.0, part.1, clock))
                        .map(|(at, _)| at)
                };
                let pairs = by(one).flat_map(|one| by(other).map(move |other| (one, other)));
                if pairs.into_iter().any(|(one, other)| one != other) {
                    let message = "two clocks whose difference is compared are set by different modules in one step, which the region graph does not support";
                    return Err(SemanticError::new(message, Span::default(), None));
                }
            }
        }
        Ok(())
    }

    /// Notes what a condition compares.
    fn look(
        &mut self,
        expr: &Expr,
        place: Span,
        found: &mut BTreeSet<Difference>,
    ) -> Result<(), SemanticError> {
        match clock_constraints::split(self.network, expr, self.clocks, place)? {
            Condition::Plain(_) => {}
            Condition::Not(operand) => self.look(operand, place, found)?,
            Condition::Both(_, left, right) => {
                self.look(left, place, found)?;
                self.look(right, place, found)?;
            }
            Condition::If(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.look(part, place, found)?;
                }
            }
            Condition::Compare(comparison) => {
                let (low, high) = clock_constraints::reach(self.network, &comparison, place)?;
                match (comparison.plus, comparison.minus) {
                    (Some(one), Some(other)) => {
                        if high - low > MOST_DIFFERENCES {
                            let message =
                                "a difference of clocks is compared with too many different numbers";
                            return Err(SemanticError::new(message, place, None));
                        }
                        for bound in low..=high {
                            for strict in strictness(comparison.op) {
                                found.insert(self.difference(one, other, bound, strict).0);
                            }
                        }
                    }
                    (Some(clock), None) => {
                        let at = self.clock(clock);
                        self.most[at] = self.most[at].max(high);
                    }
                    (None, Some(clock)) => {
                        let at = self.clock(clock);
                        self.most[at] = self.most[at].max(-low);
                    }
                    (None, None) => {}
                }
            }
        }
        Ok(())
    }

    /// `one − other < bound` (or `<=`) as what is stored, and whether it is the negation of that.
    fn difference(&self, one: VarId, other: VarId, bound: i64, strict: bool) -> (Difference, bool) {
        let (one, other) = (self.clock(one), self.clock(other));
        match one < other {
            true => ((one, other, bound, strict), false),
            // one − other < b is not other − one <= −b.
            false => ((other, one, -bound, !strict), true),
        }
    }

    fn value(&self, clock: usize) -> Expr {
        Expr::Var(self.clocks[clock])
    }

    /// A comparison of one clock with a number, in half steps.
    fn compared(&self, clock: usize, op: BinaryOp, bound: &Expr) -> Expr {
        let halves = Expr::binary(BinaryOp::Mul, Expr::from(2), bound.clone());
        Expr::binary(op, self.value(clock), halves)
    }

    /// A condition about the region.
    fn condition(&self, expr: &Expr, place: Span) -> Result<Expr, SemanticError> {
        Ok(
            match clock_constraints::split(self.network, expr, self.clocks, place)? {
                Condition::Plain(expr) => expr.clone(),
                Condition::Not(operand) => not(self.condition(operand, place)?),
                Condition::Both(op, left, right) => {
                    Expr::binary(op, self.condition(left, place)?, self.condition(right, place)?)
                }
                Condition::If(condition, yes, no) => Expr::choose(
                    self.condition(condition, place)?,
                    self.condition(yes, place)?,
                    self.condition(no, place)?,
                ),
                Condition::Compare(comparison) => self.comparison(&comparison, place)?,
            },
        )
    }

    fn comparison(&self, comparison: &ClockComparison, place: Span) -> Result<Expr, SemanticError> {
        let ClockComparison {
            plus,
            minus,
            op,
            bound,
        } = comparison;
        Ok(match (plus, minus) {
            (Some(clock), None) => self.compared(self.clock(*clock), *op, bound),
            (None, Some(clock)) => {
                let bound = Expr::unary(crate::UnaryOp::Neg, bound.clone());
                self.compared(self.clock(*clock), mirrored(*op), &bound)
            }
            (Some(one), Some(other)) => {
                let (low, high) = clock_constraints::reach(self.network, comparison, place)?;
                let mut any = Expr::from(false);
                for number in low..=high {
                    let below = |strict| {
                        let (difference, negated) = self.difference(*one, *other, number, strict);
                        let stored = Expr::Var(self.differences[&difference]);
                        if negated { not(stored) } else { stored }
                    };
                    let truth = match op {
                        BinaryOp::Lt => below(true),
                        BinaryOp::Le => below(false),
                        BinaryOp::Gt => not(below(false)),
                        BinaryOp::Ge => not(below(true)),
                        BinaryOp::Eq => below(false).and(not(below(true))),
                        _ => not(below(false)).or(below(true)),
                    };
                    let chosen = int(BinaryOp::Eq, bound.clone(), number);
                    any = any.or(chosen.and(truth));
                }
                any
            }
            (None, None) => Expr::from(false),
        })
    }

    /// What a difference is once a branch has set its clocks; nothing if it is as before.
    fn set_difference(&self, (one, other, bound, strict): Difference, set: &[(usize, i64)]) -> Option<Expr> {
        let value = |clock| set.iter().find(|(at, _)| *at == clock).map(|(_, value)| *value);
        let op = if strict { BinaryOp::Lt } else { BinaryOp::Le };
        match (value(one), value(other)) {
            (None, None) => None,
            (Some(one), Some(other)) => Some(int(op, Expr::from(one - other), bound)),
            // value − other < bound: other > value − bound.
            (Some(value), None) => Some(self.compared(other, mirrored(op), &Expr::from(value - bound))),
            (None, Some(value)) => Some(self.compared(one, op, &Expr::from(value + bound))),
        }
    }

    fn network_of(&mut self, timed: &Timed) -> Result<Network, SemanticError> {
        let mut network = timed.network.clone();
        network.rewards.clear();
        network.labels.clear();
        for (clock, most) in self.clocks.iter().zip(&self.most) {
            network.variables[clock.index()].domain = Domain::Range(0, 2 * most + 1);
        }
        let Initial::Values(values) = &mut network.initial else {
            let message = "a timed model has one initial state";
            return Err(SemanticError::new(message, Span::default(), None));
        };
        let before: Vec<(usize, i64)> = self
            .clocks
            .iter()
            .enumerate()
            .map(|(at, clock)| (at, values[clock.index()]))
            .collect();
        for &(at, value) in &before {
            values[self.clocks[at].index()] = 2 * value;
        }
        let name = |kind: &str, one: usize, other: usize| {
            let name = |at: usize| timed.network.variables[self.clocks[at].index()].name.as_str();
            format!("{}{kind}{}", name(one), name(other))
        };
        for &(one, other) in self.pairs.keys() {
            values.push(0);
            network.variables.push(Variable {
                name: name("~", one, other),
                domain: Domain::Range(0, 2),
                hidden: true,
            });
        }
        for &difference in self.differences.keys() {
            let (one, other, bound, strict) = difference;
            let truth = self.set_difference(difference, &before);
            let truth = truth.and_then(|truth| truth.constant().and_then(Value::truth));
            values.push(i64::from(truth == Some(true)));
            network.variables.push(Variable {
                name: format!(
                    "{}{}{bound}",
                    name("-", one, other),
                    if strict { "<" } else { "<=" }
                ),
                domain: Domain::Bool,
                hidden: true,
            });
        }
        for command in network
            .components
            .iter_mut()
            .flat_map(|component| &mut component.commands)
        {
            command.guard = self.condition(&command.guard, command.place)?;
            for branch in &mut command.branches {
                let set = self.set_by(branch)?;
                branch.rewards.clear();
                for (var, value) in &mut branch.assignments {
                    if self.clocks.contains(var)
                        && let Some(Value::Int(whole)) = value.constant()
                    {
                        *value = Expr::from(2 * whole);
                    }
                }
                let is_set = |clock: &usize| set.iter().any(|(at, _)| at == clock);
                for ((one, other), var) in &self.pairs {
                    if is_set(one) || is_set(other) {
                        branch.assignments.push((*var, Expr::from(0)));
                    }
                }
                for (&difference, var) in &self.differences {
                    let truth = self.set_difference(difference, &set);
                    branch.assignments.extend(truth.map(|truth| (*var, truth)));
                }
            }
        }
        self.add_time(&mut network, timed)?;
        Ok(network)
    }

    /// The step to the next region.
    fn add_time(&self, network: &mut Network, timed: &Timed) -> Result<(), SemanticError> {
        let later = self.later();
        let replace = |var: VarId| later.get(&var).cloned();
        let mut guard = Expr::truth();
        for (invariant, place) in &timed.timing.invariants {
            guard = guard.and(self.condition(invariant, *place)?.substitute(&replace));
        }
        let time = ActionId(network.actions.len() as u32);
        let mut name = TIME.to_owned();
        while network.actions.contains(&name) {
            name.push('_');
        }
        network.actions.push(name);
        network.synchronisations.push(Synchronisation {
            parts: vec![(network.components.len(), time)],
            action: Some(time),
        });
        network.components.push(Component {
            name: TIME.to_owned(),
            commands: vec![Command {
                action: Some(time),
                kind: CommandKind::Probabilistic,
                guard,
                branches: vec![Branch {
                    weight: Expr::from(Rational::ONE),
                    upper: None,
                    assignments: later.into_iter().collect(),
                    rewards: Vec::new(),
                    place: Span::default(),
                }],
                place: Span::default(),
            }],
        });
        Ok(())
    }

    /// The values of clocks and pairs in the next region.
    fn later(&self) -> BTreeMap<VarId, Expr> {
        let clocks = 0..self.clocks.len();
        let is_whole = |clock: usize| int(BinaryOp::Eq, int(BinaryOp::Mod, self.value(clock), 2), 0);
        let is_within = |clock: usize| int(BinaryOp::Lt, self.value(clock), 2 * self.most[clock]);
        let is_between = |clock: usize| not(is_whole(clock)).and(is_within(clock));
        let some_whole = clocks.clone().map(is_whole).fold(Expr::from(false), Expr::or);
        // A fractional clock that none of the others exceeds comes to its next whole number first.
        let is_first = |clock: usize| {
            let others = clocks.clone().filter(|&other| other != clock);
            let not_above = |other: usize| {
                let (pair, above) = match clock < other {
                    true => ((clock, other), 0),
                    false => ((other, clock), 2),
                };
                not(is_between(other)).or(int(BinaryOp::Ne, Expr::Var(self.pairs[&pair]), above))
            };
            others.map(not_above).fold(is_between(clock), Expr::and)
        };
        let mut later = BTreeMap::new();
        for clock in clocks.clone() {
            let moves = Expr::choose(some_whole.clone(), is_whole(clock), is_first(clock));
            let next = int(BinaryOp::Add, self.value(clock), 1);
            later.insert(self.clocks[clock], Expr::choose(moves, next, self.value(clock)));
        }
        for (&(one, other), &var) in &self.pairs {
            let number = |value: i64| Expr::from(value);
            // After whole clocks have begun to grow: both are fractional if they are within and not above their constants.
            let both = is_within(one).and(is_within(other));
            let order = Expr::choose(
                is_whole(one),
                Expr::choose(is_whole(other), number(1), number(0)),
                Expr::choose(is_whole(other), number(2), Expr::Var(var)),
            );
            let grown = Expr::choose(both.clone(), order, number(0));
            let remain = is_between(one)
                .and(is_between(other))
                .and(not(is_first(one)))
                .and(not(is_first(other)));
            let arrived = Expr::choose(remain, Expr::Var(var), number(0));
            later.insert(var, Expr::choose(some_whole.clone(), grown, arrived));
        }
        later
    }

    /// The question about regions.
    fn property(&self, question: &TimedQuestion, pulse: Option<VarId>) -> Result<Property, SemanticError> {
        let (Event::Reach(stay, goal) | Event::Miss(stay, goal)) = &question.event;
        let state = |expr: Expr| Box::new(Path::State(Box::new(Property::Expr(expr))));
        let nowhere = Span::default();
        let stay = self.condition(stay, nowhere)?;
        let until = Path::Until(state(stay), state(self.condition(goal, nowhere)?), None);
        let path = match pulse {
            None => until,
            Some(pulse) => {
                let again = |value: i64| {
                    let seen = int(BinaryOp::Eq, Expr::Var(pulse), value);
                    Box::new(Path::Globally(Box::new(Path::Finally(state(seen), None)), None))
                };
                let goes_on = Path::And(again(0), again(2));
                Path::And(Box::new(Path::Not(Box::new(until))), Box::new(goes_on))
            }
        };
        let query = question.query_of_event();
        let is_value = query == Query::Value;
        let asked = Property::Probability {
            optimum: Some(Optimum::Max),
            query,
            path,
        };
        Ok(match question.complement && is_value {
            true => Property::Binary(
                BinaryOp::Sub,
                Box::new(Property::Expr(Expr::from(1))),
                Box::new(asked),
            ),
            false => asked,
        })
    }
}

/// Which of `<` and `<=` a comparison is made of.
fn strictness(op: BinaryOp) -> Vec<bool> {
    match op {
        BinaryOp::Lt | BinaryOp::Ge => vec![true],
        BinaryOp::Le | BinaryOp::Gt => vec![false],
        _ => vec![true, false],
    }
}
