//! Whether a permutation of scalars keeps what a network means, shown on its text.
//!
//! Every part of the network must be the image of its counterpart: of each location the invariant and the edges, of each edge the channel, the guard and the action. Expressions are compared by
//! structure. Each has a sort: it is a plain number, the same before and after the permutation, or a scalar, which is permuted. Scalars are compared for equality, assigned, and index what is moved with
//! them; whatever else is done with them has no image, and the permutation is refused. So the test may refuse what is symmetric, and never accepts what is not (Ip, Dill 1996; for UPPAAL Hendriks,
//! Behrmann, Larsen, Niebert, Vaandrager 2003, whose scalars are restricted by their type instead).
//!
//! Conjunctions, disjunctions and sums over all scalars come back in another order. They are compared as sets where no operand can go wrong, since then the order in which they are evaluated does not matter.

use crate::shapes::{flatten, is_safe, matched, returns, terms_of};
use entail_clocks::{
    Binary, ClockName, Comparison, Condition, Direction, Edge, Expression, Formula, Function, Network,
    Permutation, Place, Signal, Statement,
};
use rustc_hash::FxHashMap;

/// The sorts that an expression and its image may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sorts {
    plain: bool,
    scalar: bool,
}

const NEITHER: Sorts = Sorts {
    plain: false,
    scalar: false,
};
const PLAIN: Sorts = Sorts {
    plain: true,
    scalar: false,
};
const SCALAR: Sorts = Sorts {
    plain: false,
    scalar: true,
};

impl Sorts {
    fn and(self, other: Sorts) -> Sorts {
        Sorts {
            plain: self.plain && other.plain,
            scalar: self.scalar && other.scalar,
        }
    }

    fn of(is_scalar: bool) -> Sorts {
        if is_scalar { SCALAR } else { PLAIN }
    }

    fn plain_if(is_so: bool) -> Sorts {
        if is_so { PLAIN } else { NEITHER }
    }
}

/// The values that an index may take, at most, when all of them are tried.
const MOST_INDICES: usize = 1 << 14;

/// Whether a permutation keeps what a network means.
pub(crate) fn is_automorphism(network: &Network, permutation: &Permutation) -> bool {
    let mut images = Images::new(network, permutation);
    let supported = network.synchronisations.is_empty()
        && network.stopwatches.is_empty()
        && (network.edges.iter()).all(|edge| is_order_free(network, permutation, edge));
    supported && images.declarations() && images.locations()
}

/// Whether a permutation keeps the states that satisfy a condition.
pub(crate) fn keeps(network: &Network, permutation: &Permutation, formula: &Formula) -> bool {
    Images::new(network, permutation).formula(formula, formula)
}

/// The updates of those who hear a broadcast run in the order of the processes, which a permutation changes: they may set nothing but clocks of their own.
fn is_order_free(network: &Network, permutation: &Permutation, edge: &Edge) -> bool {
    let hears =
        |signal: &Signal| signal.direction == Direction::Receive && network.channels[signal.base].broadcast;
    if !edge.signal.as_ref().is_some_and(hears) || permutation.processes[edge.process] == edge.process {
        return true;
    }
    edge.action.iter().all(|statement| match statement {
        Statement::Clock { target, source, .. } => {
            target.index.is_none()
                && *source == ClockName::one(0)
                && permutation.clocks[target.base] != target.base
        }
        _ => false,
    })
}

/// What is compared, and what is known of local slots.
struct Images<'n> {
    network: &'n Network,
    permutation: &'n Permutation,
    ranges: Vec<(i64, i64)>,
    /// For local slots: the counterpart and the sorts that all values have which they were given.
    locals: FxHashMap<usize, (usize, Sorts)>,
}

/// What an index is one of.
#[derive(Clone, Copy)]
enum Memory {
    Integers,
    Clocks,
    Channels,
}

/// A run of slots or clocks, and which of them.
struct Block<'e> {
    base: usize,
    size: usize,
    index: Option<&'e Expression>,
}

impl<'e> Block<'e> {
    fn new(base: usize, size: usize, index: Option<&'e Expression>) -> Block<'e> {
        Block { base, size, index }
    }
}

impl<'n> Images<'n> {
    fn new(network: &'n Network, permutation: &'n Permutation) -> Images<'n> {
        Images {
            network,
            permutation,
            ranges: network.ranges(),
            locals: FxHashMap::default(),
        }
    }

    /// Integers, channels and processes have the same properties as their images.
    fn declarations(&self) -> bool {
        let (network, permutation) = (self.network, self.permutation);
        let integers =
            (network.integers.iter().zip(&permutation.integers).enumerate()).all(|(slot, (one, &image))| {
                let other = &network.integers[image];
                let holds = permutation.holds[slot];
                let is_range = (one.low, one.high) == (0, permutation.values.len() as i64 - 1);
                (one.low, one.high) == (other.low, other.high)
                    && holds == permutation.holds[image]
                    && (!holds || is_range)
            });
        let channels = (network.channels.iter().zip(&permutation.channels)).all(|(one, &image)| {
            let other = &network.channels[image];
            (one.broadcast, one.urgent, one.priority) == (other.broadcast, other.urgent, other.priority)
        });
        let processes = (network.processes.iter().zip(&permutation.processes))
            .all(|(one, &image)| one.priority == network.processes[image].priority);
        integers && channels && processes
    }

    fn locations(&mut self) -> bool {
        let network = self.network;
        (network.locations.iter().zip(&self.permutation.locations)).all(|(one, &image)| {
            let other = &network.locations[image];
            (one.committed, one.urgent, &one.labels) == (other.committed, other.urgent, &other.labels)
                && one.rate.is_none()
                && other.rate.is_none()
                && self.conditions(&one.invariant, &other.invariant)
                && self.edges(&one.outgoing, &other.outgoing)
        })
    }

    fn edges(&mut self, ones: &[usize], others: &[usize]) -> bool {
        let network = self.network;
        matched(ones, others, |&one, &other| {
            self.locals.clear();
            self.edge(&network.edges[one], &network.edges[other])
        })
    }

    fn edge(&mut self, one: &Edge, other: &Edge) -> bool {
        let signals = match (&one.signal, &other.signal) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                let ones = Block::new(one.base, one.size, one.index.as_ref());
                let others = Block::new(other.base, other.size, other.index.as_ref());
                one.direction == other.direction && self.element(Memory::Channels, &ones, &others).is_some()
            }
            _ => false,
        };
        signals
            && self.permutation.locations[one.target] == other.target
            && one.controllable == other.controllable
            && self.conditions(&one.guard, &other.guard)
            && self.statements(&one.action, &other.action)
    }

    /// Conditions in any order: of conjuncts that cannot go wrong, otherwise in the order in which they stand.
    fn conditions(&mut self, ones: &[Condition], others: &[Condition]) -> bool {
        let in_order = ones.len() == others.len()
            && (ones.iter().zip(others)).all(|(one, other)| self.condition(one, other));
        let is_safe = |condition: &Condition| match condition {
            Condition::Integer(value) => is_safe(value, &self.ranges),
            Condition::Clock {
                left, right, bound, ..
            } => left.index.is_none() && right.index.is_none() && matches!(bound, Expression::Constant(_)),
            Condition::When(..) => false,
        };
        in_order
            || ones.iter().chain(others).all(is_safe)
                && matched(ones, others, |one, other| self.condition(one, other))
    }

    fn condition(&mut self, one: &Condition, other: &Condition) -> bool {
        match (one, other) {
            (Condition::Integer(one), Condition::Integer(other)) => self.sorts(one, other).plain,
            (Condition::When(one, ones), Condition::When(other, others)) => {
                self.sorts(one, other).plain && self.conditions(ones, others)
            }
            (
                Condition::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                },
                Condition::Clock {
                    left: other_left,
                    right: other_right,
                    comparison: other_comparison,
                    bound: other_bound,
                },
            ) => {
                comparison == other_comparison
                    && self.clock(left, other_left)
                    && self.clock(right, other_right)
                    && self.sorts(bound, other_bound).plain
            }
            _ => false,
        }
    }

    fn formula(&mut self, one: &Formula, other: &Formula) -> bool {
        match (one, other) {
            (Formula::Constant(one), Formula::Constant(other)) => one == other,
            (Formula::Label(one), Formula::Label(other)) => one == other,
            (Formula::At(one), Formula::At(other)) => self.permutation.locations[*one] == *other,
            (Formula::Deadlock, Formula::Deadlock) => true,
            (Formula::Integer(one), Formula::Integer(other)) => self.sorts(one, other).plain,
            (
                Formula::Clock {
                    left,
                    right,
                    comparison,
                    bound,
                },
                Formula::Clock {
                    left: other_left,
                    right: other_right,
                    comparison: other_comparison,
                    bound: other_bound,
                },
            ) => {
                comparison == other_comparison
                    && self.clock(left, other_left)
                    && self.clock(right, other_right)
                    && self.sorts(bound, other_bound).plain
            }
            (Formula::Not(one), Formula::Not(other)) => self.formula(one, other),
            (Formula::And(ones), Formula::And(others)) | (Formula::Or(ones), Formula::Or(others)) => {
                let in_order = ones.len() == others.len()
                    && (ones.iter().zip(others)).all(|(one, other)| self.formula(one, other));
                in_order
                    || ones.iter().chain(others).all(|part| self.is_total(part))
                        && matched(ones, others, |one, other| self.formula(one, other))
            }
            _ => false,
        }
    }

    /// Whether a condition is true or false in every state.
    fn is_total(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(_) | Formula::Label(_) | Formula::At(_) | Formula::Deadlock => true,
            Formula::Integer(value) => is_safe(value, &self.ranges),
            Formula::Clock {
                left, right, bound, ..
            } => left.index.is_none() && right.index.is_none() && is_safe(bound, &self.ranges),
            Formula::Not(inner) => self.is_total(inner),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| self.is_total(part)),
        }
    }

    fn clock(&mut self, one: &ClockName, other: &ClockName) -> bool {
        let ones = Block::new(one.base, one.size, one.index.as_ref());
        let others = Block::new(other.base, other.size, other.index.as_ref());
        self.element(Memory::Clocks, &ones, &others).is_some()
    }

    fn place(&mut self, one: &Place, other: &Place) -> Option<Sorts> {
        let ones = Block::new(one.base, one.size, one.index.as_deref());
        let others = Block::new(other.base, other.size, other.index.as_deref());
        self.element(Memory::Integers, &ones, &others)
    }

    /// Where a part of the memory goes.
    fn image(&self, memory: Memory, place: usize) -> Option<usize> {
        let images = match memory {
            Memory::Integers => &self.permutation.integers,
            Memory::Clocks => &self.permutation.clocks,
            Memory::Channels => &self.permutation.channels,
        };
        images.get(place).copied()
    }

    /// The sorts of an element's value, if it is the image of another, whatever their indices are.
    fn element(&mut self, memory: Memory, one: &Block<'_>, other: &Block<'_>) -> Option<Sorts> {
        let is_local =
            |base: usize| matches!(memory, Memory::Integers) && base >= self.network.integers.len();
        let holds = |place: usize| matches!(memory, Memory::Integers) && self.permutation.holds[place];
        if is_local(one.base) || is_local(other.base) {
            // Arrays of local slots are beyond this test.
            let (counterpart, sorts) = *self.locals.get(&one.base)?;
            let is_it = counterpart == other.base && one.index.is_none() && other.index.is_none();
            return is_it.then_some(sorts);
        }
        let (Some(index), Some(other_index)) = (one.index, other.index) else {
            let fixed = |block: &Block<'_>| match block.index {
                None => Some(block.base),
                Some(Expression::Constant(at)) => Some(block.base + usize::try_from(*at).ok()?),
                Some(_) => None,
            };
            let (place, image) = (fixed(one)?, fixed(other)?);
            return (self.image(memory, place)? == image).then(|| Sorts::of(holds(place)));
        };
        // A sum of indices times strides. Each is tried with all of its values.
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        let rest = terms_of(index, 1, one.size, &mut terms)?;
        let other_rest = terms_of(other_index, 1, other.size, &mut others)?;
        let is_same_shape = terms.len() == others.len()
            && (terms.iter().zip(&others)).all(|(one, other)| (one.1, one.2) == (other.1, other.2));
        let count = terms.iter().map(|term| term.2).product::<usize>();
        if !is_same_shape || count > MOST_INDICES || one.size != other.size {
            return None;
        }
        let pairs = terms.iter().zip(&others);
        let sorts: Vec<Sorts> = pairs.map(|(one, other)| self.sorts(one.0, other.0)).collect();
        let mut is_scalar = None;
        for choice in 0..count {
            let (mut left, mut place, mut image) =
                (choice, one.base as i64 + rest, other.base as i64 + other_rest);
            for (&(_, stride, values), sorts) in terms.iter().zip(&sorts) {
                let value = left % values;
                left /= values;
                let other = match sorts {
                    Sorts { plain: true, .. } => value,
                    Sorts { scalar: true, .. } => *self.permutation.values.get(value)?,
                    _ => return None,
                };
                place += stride * value as i64;
                image += stride * other as i64;
            }
            let within = |place: i64, block: &Block<'_>| {
                let offset = usize::try_from(place - block.base as i64).ok()?;
                (offset < block.size).then_some(block.base + offset)
            };
            let (place, image) = (within(place, one)?, within(image, other)?);
            if self.image(memory, place)? != image || *is_scalar.get_or_insert(holds(place)) != holds(place) {
                return None;
            }
        }
        is_scalar.map(Sorts::of)
    }

    /// The sorts of which an expression is the image of another.
    fn sorts(&mut self, one: &Expression, other: &Expression) -> Sorts {
        match (one, other) {
            (Expression::Constant(one), Expression::Constant(other)) => {
                let image = usize::try_from(*one).ok();
                let image = image.and_then(|one| self.permutation.values.get(one));
                Sorts {
                    plain: one == other,
                    scalar: image.is_some_and(|&image| image as i64 == *other),
                }
            }
            (Expression::Read(one), Expression::Read(other)) => self.place(one, other).unwrap_or(NEITHER),
            (Expression::Negate(one), Expression::Negate(other))
            | (Expression::Not(one), Expression::Not(other)) => Sorts::plain_if(self.sorts(one, other).plain),
            (Expression::Index(one, size), Expression::Index(other, other_size)) if size == other_size => {
                self.sorts(one, other)
            }
            (Expression::Ranged(one, low, high), Expression::Ranged(other, other_low, other_high))
                if (low, high) == (other_low, other_high) =>
            {
                let sorts = self.sorts(one, other);
                let holds_all = (*low, *high) == (0, self.permutation.values.len() as i64 - 1);
                sorts.and(Sorts {
                    plain: true,
                    scalar: holds_all,
                })
            }
            (Expression::Choice(ones), Expression::Choice(others)) => {
                match self.sorts(&ones[0], &others[0]).plain {
                    true => (self.sorts(&ones[1], &others[1])).and(self.sorts(&ones[2], &others[2])),
                    false => NEITHER,
                }
            }
            (Expression::Table(table, one), Expression::Table(other_table, other)) => {
                let sorts = self.sorts(one, other);
                let values = &self.permutation.values;
                let follows = values.len() == table.len()
                    && table.len() == other_table.len()
                    && (0..table.len()).all(|at| table[at] == other_table[values[at]]);
                Sorts::plain_if(sorts.plain && table == other_table || sorts.scalar && follows)
            }
            (Expression::Call(function, ones), Expression::Call(other, others)) => {
                self.call((function, ones), (other, others))
            }
            (
                Expression::Binary(operator, left, right),
                Expression::Binary(other_operator, other_left, other_right),
            ) if operator == other_operator => {
                let (left, right) = (self.sorts(left, other_left), self.sorts(right, other_right));
                let compares = matches!(
                    operator,
                    Binary::Compare(Comparison::Equal | Comparison::Different)
                );
                let in_order = left.plain && right.plain || compares && left.scalar && right.scalar;
                Sorts::plain_if(in_order || self.reordered(*operator, one, other))
            }
            _ => NEITHER,
        }
    }

    /// Whether long conjunctions, disjunctions or sums are images of each other in another order.
    fn reordered(&mut self, operator: Binary, one: &Expression, other: &Expression) -> bool {
        if !matches!(operator, Binary::And | Binary::Or | Binary::Add) {
            return false;
        }
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        flatten(operator, one, &mut ones);
        flatten(operator, other, &mut others);
        ones.iter().chain(&others).all(|part| is_safe(part, &self.ranges))
            && matched(&ones, &others, |one, other| self.sorts(one, other).plain)
    }

    fn statements(&mut self, ones: &[Statement], others: &[Statement]) -> bool {
        ones.len() == others.len() && (ones.iter().zip(others)).all(|(one, other)| self.statement(one, other))
    }

    fn statement(&mut self, one: &Statement, other: &Statement) -> bool {
        match (one, other) {
            (
                Statement::Assign { target, value, .. },
                Statement::Assign {
                    target: other_target,
                    value: other_value,
                    ..
                },
            ) => {
                let sorts = self.sorts(value, other_value);
                self.assign(target, other_target, sorts)
            }
            (
                Statement::Clock {
                    target,
                    source,
                    offset,
                    ..
                },
                Statement::Clock {
                    target: other_target,
                    source: other_source,
                    offset: other_offset,
                    ..
                },
            ) => {
                self.clock(target, other_target)
                    && self.clock(source, other_source)
                    && self.sorts(offset, other_offset).plain
            }
            (Statement::If(one, then, rest), Statement::If(other, other_then, other_rest)) => {
                self.sorts(one, other).plain
                    && self.statements(then, other_then)
                    && self.statements(rest, other_rest)
            }
            (Statement::While(one, body), Statement::While(other, other_body)) => {
                // What a round leaves of the sorts of local slots holds in the next one, too.
                loop {
                    let before = self.locals.clone();
                    if !self.sorts(one, other).plain || !self.statements(body, other_body) {
                        return false;
                    }
                    let is_same =
                        |(slot, known): (&usize, &(usize, Sorts))| self.locals.get(slot) == Some(known);
                    if before.iter().all(is_same) {
                        return true;
                    }
                }
            }
            // What is cleared is 0: a scalar only where that one is not moved.
            (Statement::Clear(first, count), Statement::Clear(other, other_count)) => {
                let zero = Expression::Constant(0);
                let sorts = self.sorts(&zero, &zero);
                count == other_count && (0..*count).all(|at| self.local(first + at, other + at, sorts))
            }
            (Statement::Assert(one, _), Statement::Assert(other, _)) => self.sorts(one, other).plain,
            (Statement::Cost(one, _), Statement::Cost(other, _)) => self.sorts(one, other).plain,
            (
                Statement::Call {
                    function,
                    arguments,
                    result,
                    ..
                },
                Statement::Call {
                    function: other_function,
                    arguments: other_arguments,
                    result: other_result,
                    ..
                },
            ) => {
                let sorts = self.call((function, arguments), (other_function, other_arguments));
                match (result, other_result) {
                    (None, None) => sorts != NEITHER,
                    (Some(one), Some(other)) => self.assign(one, other, sorts),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn assign(&mut self, target: &Place, other: &Place, sorts: Sorts) -> bool {
        if target.base >= self.network.integers.len() {
            let is_one = target.index.is_none() && other.index.is_none();
            return is_one && self.local(target.base, other.base, sorts);
        }
        let own = self.place(target, other).unwrap_or(NEITHER);
        own.and(sorts) != NEITHER
    }

    /// A local slot gets a value of some sorts: those remain that all of its values have.
    fn local(&mut self, slot: usize, other: usize, sorts: Sorts) -> bool {
        let known = self.locals.entry(slot).or_insert((other, sorts));
        known.1 = known.1.and(sorts);
        known.1 != NEITHER && known.0 == other && other >= self.network.integers.len()
    }

    /// The sorts of a function's result.
    fn call(
        &mut self,
        (one, arguments): (&Function, &[Expression]),
        (other, other_arguments): (&Function, &[Expression]),
    ) -> Sorts {
        let is_same_shape = one.arguments.len() == other.arguments.len()
            && arguments.len() == one.arguments.len()
            && other_arguments.len() == arguments.len();
        if !is_same_shape {
            return NEITHER;
        }
        let sorts: Vec<Sorts> = (arguments.iter().zip(other_arguments))
            .map(|(argument, other)| self.sorts(argument, other))
            .collect();
        // Slots of another call of the same function have no meaning any more.
        let outer = self.locals.clone();
        let slots = one.arguments.iter().zip(&other.arguments);
        for (&slot, _) in slots.clone() {
            self.locals.remove(&slot);
        }
        let given = slots
            .zip(sorts)
            .all(|((&slot, &image), sorts)| self.local(slot, image, sorts));
        let (body, other_body) = (&one.body, &other.body);
        let sorts = match (given, body.split_last(), other_body.split_last()) {
            // One way to end, at the end, or none: a function of several is beyond this test.
            (true, Some((last, rest)), Some((other_last, other_rest)))
                if !rest.iter().chain(other_rest).any(returns) =>
            {
                match (self.statements(rest, other_rest), last, other_last) {
                    (false, ..) => NEITHER,
                    (_, Statement::Return(Some(value)), Statement::Return(Some(other))) => {
                        self.sorts(value, other)
                    }
                    (_, Statement::Return(None), Statement::Return(None)) => PLAIN,
                    (_, last, other_last) => {
                        Sorts::plain_if(!returns(last) && self.statement(last, other_last))
                    }
                }
            }
            (true, None, None) => PLAIN,
            _ => NEITHER,
        };
        self.locals = outer;
        sorts
    }
}
