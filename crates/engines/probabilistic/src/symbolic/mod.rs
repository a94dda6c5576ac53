//! The symbolic engine: states, steps and probabilities as decision diagrams.
//!
//! Reachable states, and where a probability is 0 or 1 or a reward infinite, are found by fixpoints ([`space`]) whatever the number of states is. What is left open
//! becomes rows ([`rows`]), which are solved as those of explored models are, or is solved on the diagrams, if it is too large for that ([`hybrid`]). So questions whose answers are certain never look at single states, and others
//! look at those that are neither certain nor impossible.
//!
//! Where a model is small enough for its certificate to be checked, it is also explored state by state, and each state gets the bounds of its place in the
//! diagrams: the certificate is the one that every other engine gives.

mod encoding;
mod functions;
mod hybrid;
mod levels;
mod numbering;
mod rows;
mod space;
mod steps;

use crate::brackets;
use crate::check::{Schedulers, Settings, Trouble, Values, Workshop, effective};
use crate::graph::Predecessors;
use entail_budget::{Budget, Progress};
use entail_dd::Bdd;
use entail_markov::{
    BinaryOp, Bounds, Bracket, Certificate, Comparison, Kind, Network, Optimum, Path, Property, Query,
    Rational, RewardKind, Threshold, UnaryOp,
};
use fixedbitset::FixedBitSet;
use numbering::{Numbering, Place};
pub(crate) use rows::shell;
use space::Space;
use std::borrow::Cow;

/// Initial states beyond which answers about each of them are refused.
const MOST_INITIAL: usize = 10_000;

/// Open states whose rows are written out, where nobody says otherwise.
const MOST_ROWS: u64 = 20_000_000;

/// A model as decision diagrams.
pub struct Diagrams<'n> {
    space: Space<'n>,
    /// Up to so many open states are solved with rows that are written out; more are solved on the diagrams.
    pub most_rows: u64,
}

/// What was found about a property.
pub struct SymbolicAnswer<'n> {
    /// The values: of all states if the model was explored, otherwise of the initial states.
    pub values: Values,
    /// The certificate, if the model was explored; otherwise empty.
    pub certificate: Certificate,
    /// The model, if it was explored.
    pub workshop: Option<Workshop<'n>>,
    /// How many initial states there are.
    pub initial: usize,
    /// Open states that were solved one by one.
    pub solved: u64,
    /// Sweeps of iterations.
    pub sweeps: u64,
}

/// Values in all states: of the open ones by number, and of the others.
struct Solution {
    numbering: Numbering,
    /// Of the open states, then of the goals, then of what is lost.
    bracket: Bracket,
    solved: u64,
    sweeps: u64,
}

/// What an operator asks, on sets of states.
enum Operator {
    Reach {
        optimum: Optimum,
        stay: Bdd,
        goal: Bdd,
        bounds: Option<Bounds>,
        /// Whether the value is one minus the probability.
        complemented: bool,
    },
    Reward {
        optimum: Optimum,
        structure: usize,
        goal: Bdd,
    },
}

impl<'n> Diagrams<'n> {
    /// Builds the diagrams of a network and finds its states.
    pub fn new(network: &'n Network, budget: &Budget) -> Result<Diagrams<'n>, Trouble> {
        Ok(Diagrams {
            space: Space::new(network, None, 0, budget)?,
            most_rows: MOST_ROWS,
        })
    }

    /// Builds the diagrams of a network for one property: in models with more than `few` states those behind which what is asked is settled are left out.
    pub fn for_property(
        network: &'n Network,
        property: &Property,
        few: usize,
        budget: &Budget,
    ) -> Result<Diagrams<'n>, Trouble> {
        asked_by(network.kind, property)?;
        let settled = crate::endings::settled(property);
        Ok(Diagrams {
            space: Space::new(network, settled.as_ref(), few, budget)?,
            most_rows: MOST_ROWS,
        })
    }

    /// Whether diagrams can answer a property of a network; variables may still have too many values.
    pub fn admit(network: &Network, property: &Property) -> bool {
        network.kind != Kind::Ma && !network.has_intervals() && asked_by(network.kind, property).is_ok()
    }

    /// Whether no states are left out, so that the diagrams can answer all properties.
    pub fn is_whole(&self) -> bool {
        self.space.whole
    }

    /// How many states there are: the number if it is below 2^53, and its logarithm to the base 2.
    pub fn states(&self) -> (Option<u64>, f64) {
        let bits = self.space.encoding.now();
        let log = self.space.states.count_log2(&bits);
        let exact = (log < 53.0).then(|| self.space.states.count(&bits).to_string().parse().ok());
        (exact.flatten(), log)
    }

    /// How many states have no way out.
    pub fn deadlocks(&self) -> f64 {
        let bits = self.space.encoding.now();
        match self.space.deadlocks.is_false() {
            true => 0.0,
            false => self.space.deadlocks.count_log2(&bits).exp2(),
        }
    }

    /// Nodes in use.
    pub fn nodes(&self) -> usize {
        self.space.encoding.manager.live_nodes()
    }

    /// The values of a property. A model with at most `explored` states is explored for the certificate.
    pub fn check(
        &mut self,
        property: &'n Property,
        settings: Settings,
        explored: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SymbolicAnswer<'n>, Trouble> {
        if settings.schedulers == Schedulers::Fair && self.space.network.kind.has_choices() {
            let message = "fair schedulers are not supported by --engine symbolic: use --engine sparse";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        self.space.encoding.manager.watch(budget);
        let (query, asked) = asked_by(self.space.network.kind, property)?;
        let operator = self.operator(&asked)?;
        let small = self.is_whole() && self.states().0.is_some_and(|states| states <= explored as u64);
        if small {
            self.check_small(&query, &operator, settings, explored, budget, progress)
        } else {
            self.check_large(&query, &operator, settings, budget)
        }
    }

    fn check_small(
        &mut self,
        query: &Query,
        operator: &Operator,
        settings: Settings,
        explored: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SymbolicAnswer<'n>, Trouble> {
        let solution = self.solve(operator, settings, true, budget)?;
        let network = self.space.network;
        let workshop = Workshop::new(network, settings, explored, budget, progress)?;
        let mut state = Vec::new();
        let places: Vec<Place> = (0..workshop.model.states())
            .map(|at| {
                workshop.model.store.read(at, &mut state);
                solution.numbering.place(&state)
            })
            .collect();
        let bracket = solution.at(&places);
        let certificate = Certificate {
            brackets: vec![bracket.clone()],
            ..Certificate::default()
        };
        Ok(SymbolicAnswer {
            values: asked(query, operator, bracket),
            certificate,
            initial: workshop.model.initial.len(),
            workshop: Some(workshop),
            solved: solution.solved,
            sweeps: solution.sweeps,
        })
    }

    fn check_large(
        &mut self,
        query: &Query,
        operator: &Operator,
        settings: Settings,
        budget: &Budget,
    ) -> Result<SymbolicAnswer<'n>, Trouble> {
        let initial = (self.space.encoding).few_states(&self.space.initial, MOST_INITIAL);
        let Some(initial) = initial else {
            let message = "there are too many initial states to tell the value of each";
            return Err(Trouble::Unsupported(message.to_owned()));
        };
        let solution = self.solve(operator, settings, false, budget)?;
        let places: Vec<Place> = (initial.iter())
            .map(|state| solution.numbering.place(state))
            .collect();
        let bracket = solution.at(&places);
        Ok(SymbolicAnswer {
            values: asked(query, operator, bracket),
            certificate: Certificate::default(),
            workshop: None,
            initial: initial.len(),
            solved: solution.solved,
            sweeps: solution.sweeps,
        })
    }

    /// Solves an operator; where only initial states matter, nothing is solved if graph analysis has decided about them.
    fn solve(
        &mut self,
        operator: &Operator,
        settings: Settings,
        everywhere: bool,
        budget: &Budget,
    ) -> Result<Solution, Trouble> {
        let (open, goal, optimum, structure, bounds) = match operator {
            Operator::Reach {
                optimum,
                stay,
                goal,
                bounds: None,
                ..
            } => {
                let (positive, sure) = self.space.certain(*optimum, stay, goal)?;
                (positive.minus(&sure)?, sure, *optimum, None, None)
            }
            Operator::Reach {
                optimum,
                stay,
                goal,
                bounds,
                ..
            } => {
                // Within bounds nothing but the goal itself is sure.
                let some = self.space.reach_some(stay, goal)?;
                (some.minus(goal)?, goal.clone(), *optimum, None, bounds.as_ref())
            }
            Operator::Reward {
                optimum,
                structure,
                goal,
            } => {
                let states = self.space.states.clone();
                let finite = match optimum {
                    Optimum::Min if self.space.network.kind.has_choices() => {
                        self.space.surely_some(&states, goal)?
                    }
                    _ => {
                        let positive = self.space.reach_all(&states, goal)?;
                        let positive = match self.space.network.kind.has_choices() {
                            true => positive,
                            false => self.space.reach_some(&states, goal)?,
                        };
                        self.space.surely_all(&states, goal, &positive)?
                    }
                };
                (
                    finite.minus(goal)?,
                    goal.clone(),
                    *optimum,
                    Some(*structure),
                    None,
                )
            }
        };
        let decided = !everywhere && self.space.initial.is_disjoint_from(&open)?;
        if open.is_false() || decided {
            let nothing = self.space.encoding.manager.zero();
            let numbering = Numbering::new(&self.space.encoding, &nothing, &goal, &[]);
            return Ok(Solution {
                bracket: ends(structure.is_some()),
                numbering,
                solved: 0,
                sweeps: 0,
            });
        }
        let many = open.count_log2(&self.space.encoding.now()) > (self.most_rows.max(1) as f64).log2();
        if many && structure.is_none() && bounds.is_none() {
            let (hybrid, numbering) = self.space.hybrid(optimum, &open, &goal, budget)?;
            let (bracket, sweeps) = hybrid.solve(settings.precision, budget)?;
            return Ok(Solution {
                solved: numbering.open_states(),
                numbering,
                bracket,
                sweeps,
            });
        }
        let earned = match structure {
            Some(structure) => Some(self.space.earned(structure)?),
            None => None,
        };
        let reduced = self.space.reduced(&open, &goal, earned.as_deref(), budget)?;
        let (numbering, rewards, sink) = (reduced.numbering, reduced.rewards, reduced.goal);
        let mut model = reduced.model;
        model.initial = self.watched(&numbering);
        let network = shell(model.kind);
        let before = Predecessors::new(&model);
        let mut workshop = Workshop::assembled(Cow::Owned(network), before, model, settings);
        let mut goal = FixedBitSet::with_capacity(workshop.size());
        goal.insert(sink);
        let everywhere = workshop.everywhere();
        let bracket = match structure {
            Some(_) => workshop.reward_until(optimum, &rewards, &goal, budget)?,
            None => workshop.until_within(optimum, everywhere, goal, bounds, budget)?,
        };
        Ok(Solution {
            numbering,
            bracket,
            solved: sink as u64,
            sweeps: workshop.sweeps,
        })
    }

    /// The numbers of the open initial states; of none, if these are too many to be told one by one.
    fn watched(&self, numbering: &Numbering) -> Vec<u32> {
        let initial = (self.space.encoding).few_states(&self.space.initial, MOST_INITIAL);
        let number = |state: &Vec<i64>| match numbering.place(state) {
            Place::Open(number) => Some(number as u32),
            _ => None,
        };
        initial.iter().flatten().filter_map(number).collect()
    }

    /// What is asked, on sets of states.
    fn operator(&self, asked: &Asked<'n>) -> Result<Operator, Trouble> {
        let (optimum, path, structure) = match asked {
            Asked::Probability(optimum, path) => (*optimum, *path, None),
            Asked::Reward(optimum, path, structure) => (*optimum, *path, Some(*structure)),
        };
        let all = self.space.states.clone();
        let reach = |optimum, stay, goal, bounds: &Option<Bounds>, complemented| Operator::Reach {
            optimum,
            stay,
            goal,
            bounds: bounds.clone(),
            complemented,
        };
        Ok(match (path, structure) {
            (Path::Finally(goal, _), Some(structure)) => Operator::Reward {
                optimum,
                structure,
                goal: self.path_set(goal)?,
            },
            (Path::Finally(goal, bounds), None) => reach(optimum, all, self.path_set(goal)?, bounds, false),
            (Path::Until(stay, goal, bounds), _) => {
                reach(optimum, self.path_set(stay)?, self.path_set(goal)?, bounds, false)
            }
            (Path::Globally(stay, bounds), _) => {
                let bad = all.minus(&self.path_set(stay)?)?;
                reach(optimum.dual(), all, bad, bounds, true)
            }
            (Path::WeakUntil(stay, goal, bounds), _) => {
                let (stay, goal) = (self.path_set(stay)?, self.path_set(goal)?);
                let bad = all.minus(&stay)?.minus(&goal)?;
                reach(optimum.dual(), stay.minus(&goal)?, bad, bounds, true)
            }
            (Path::Release(first, second, bounds), _) => {
                let (first, second) = (self.path_set(first)?, self.path_set(second)?);
                reach(
                    optimum.dual(),
                    all.minus(&first)?,
                    all.minus(&second)?,
                    bounds,
                    true,
                )
            }
            _ => return Err(unsupported("this path formula")),
        })
    }

    fn path_set(&self, path: &'n Path) -> Result<Bdd, Trouble> {
        match path.as_state() {
            Some(states) => self.set(states),
            None => Err(unsupported("a path formula with several operators")),
        }
    }

    /// The states that satisfy a property without operators of probability.
    fn set(&self, property: &'n Property) -> Result<Bdd, Trouble> {
        let states = &self.space.states;
        Ok(match property {
            Property::Expr(expr) => self.space.set(expr)?,
            Property::Init => self.space.initial.clone(),
            Property::Deadlock => self.space.deadlocks.clone(),
            Property::Unary(UnaryOp::Not, operand) => states.minus(&self.set(operand)?)?,
            Property::Binary(op, left, right) => {
                let (left, right) = (self.set(left)?, self.set(right)?);
                match op {
                    BinaryOp::And => left.and(&right)?,
                    BinaryOp::Or => left.or(&right)?,
                    BinaryOp::Implies => left.implies(&right)?.and(states)?,
                    BinaryOp::Iff | BinaryOp::Eq => left.iff(&right)?.and(states)?,
                    _ => return Err(unsupported("this operator between sets of states")),
                }
            }
            _ => return Err(unsupported("nested operators")),
        })
    }
}

/// A property that diagrams can answer.
enum Asked<'n> {
    /// An operator over sets of states.
    Probability(Optimum, &'n Path),
    /// The reward until a set of states, by a structure.
    Reward(Optimum, &'n Path, usize),
}

/// What a property asks, if diagrams can answer it.
fn asked_by<'n>(kind: Kind, property: &'n Property) -> Result<(Query, Asked<'n>), Trouble> {
    match property {
        Property::Probability { optimum, query, path } => {
            let bounds = match path {
                Path::Finally(set, bounds) | Path::Globally(set, bounds) => {
                    is_set(set)?;
                    bounds
                }
                Path::Until(left, right, bounds)
                | Path::WeakUntil(left, right, bounds)
                | Path::Release(left, right, bounds) => {
                    is_set(left)?;
                    is_set(right)?;
                    bounds
                }
                _ => return Err(unsupported("this path formula")),
            };
            if let Some(bounds) = bounds
                && (!bounds.is_time() || bounds.has_lower() || kind == Kind::Ctmc)
            {
                return Err(unsupported("bounds other than a greatest number of steps"));
            }
            Ok((
                query.clone(),
                Asked::Probability(effective(*optimum, query), path),
            ))
        }
        Property::Reward {
            optimum,
            query,
            structure,
            kind: RewardKind::Reach(path @ Path::Finally(goal, None)),
        } => {
            is_set(goal)?;
            let asked = Asked::Reward(effective(*optimum, query), path, *structure);
            Ok((query.clone(), asked))
        }
        // A number compared with a constant, as JANI writes bounds.
        Property::Binary(op, left, right) => {
            let comparison = match op {
                BinaryOp::Lt => Comparison::Lt,
                BinaryOp::Le => Comparison::Le,
                BinaryOp::Gt => Comparison::Gt,
                BinaryOp::Ge => Comparison::Ge,
                _ => return Err(unsupported("this operator")),
            };
            let bound = match &**right {
                Property::Expr(expr) => expr.constant().and_then(|value| value.number()),
                _ => None,
            };
            let ((Query::Value, asked), Some(bound)) = (asked_by(kind, left)?, bound) else {
                return Err(unsupported("this comparison"));
            };
            Ok((Query::Compare(Threshold { comparison, bound }), asked))
        }
        Property::Reward { .. } => Err(unsupported("rewards other than those until a goal")),
        _ => Err(unsupported("this property")),
    }
}

/// Refuses path formulas that are not about sets of states without operators of probability.
fn is_set(path: &Path) -> Result<(), Trouble> {
    fn is_plain(property: &Property) -> bool {
        match property {
            Property::Expr(_) | Property::Init | Property::Deadlock => true,
            Property::Unary(UnaryOp::Not, operand) => is_plain(operand),
            Property::Binary(_, left, right) => is_plain(left) && is_plain(right),
            _ => false,
        }
    }
    match path.as_state() {
        Some(states) if is_plain(states) => Ok(()),
        Some(_) => Err(unsupported("nested operators")),
        None => Err(unsupported("a path formula with several operators")),
    }
}

fn unsupported(what: &str) -> Trouble {
    Trouble::Unsupported(format!(
        "{what}: not supported by --engine symbolic, use --engine sparse"
    ))
}

/// The values of goals and of what is lost, where nothing is open.
fn ends(reward: bool) -> Bracket {
    Bracket::Exact(match reward {
        true => vec![Some(Rational::ZERO), None],
        false => vec![Some(Rational::ONE), Some(Rational::ZERO)],
    })
}

/// What a query says of the values of an operator.
fn asked(query: &Query, operator: &Operator, bracket: Bracket) -> Values {
    let bracket = match operator {
        Operator::Reach {
            complemented: true, ..
        } => brackets::complement(bracket),
        _ => bracket,
    };
    match query {
        Query::Value => Values::Numbers(bracket),
        Query::Compare(threshold) => Values::Truth(brackets::meets(&bracket, threshold)),
    }
}

impl Solution {
    /// The values at some places.
    fn at(&self, places: &[Place]) -> Bracket {
        let last = self.bracket.len();
        let position = |place: &Place| match place {
            Place::Open(number) => *number as usize,
            Place::Goal => last - 2,
            Place::Lost => last - 1,
        };
        match &self.bracket {
            Bracket::Exact(values) => Bracket::Exact(
                places
                    .iter()
                    .map(|place| values[position(place)].clone())
                    .collect(),
            ),
            Bracket::Between { lower, upper } => Bracket::Between {
                lower: places.iter().map(|place| lower[position(place)]).collect(),
                upper: places.iter().map(|place| upper[position(place)]).collect(),
            },
        }
    }
}
