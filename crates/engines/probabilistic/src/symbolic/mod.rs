//! The symbolic engine: states, steps and probabilities as decision diagrams.
//!
//! Reachable states, and where a probability is 0 or 1 or a reward infinite, are found by fixpoints ([`space`]) whatever the number of states is. What is left open
//! becomes rows ([`rows`], [`solving`]), which are solved as those of explored models are, or is solved on the diagrams, if it is too large for that ([`hybrid`]). So questions whose answers are certain never look at single states, and others
//! look at those that are neither certain nor impossible.
//!
//! Path formulas with several operators are reachability in the product with an automaton, which reads along as one variable more ([`product`]).
//!
//! Where a model is small enough for its certificate to be checked, it is also explored state by state, and each state gets the bounds of its place in the
//! diagrams: the certificate is the one that every other engine gives. What has more in its certificate than values is computed on the explored states.

mod asked;
mod encoding;
mod functions;
mod hybrid;
mod levels;
mod numbering;
mod operator;
mod product;
mod rows;
mod solving;
mod space;
mod steps;

use crate::brackets;
use crate::check::{Schedulers, Settings, Trouble, Values, Workshop, effective};
use asked::{asked_by, unsupported};
use entail_budget::{Budget, Progress};
use entail_dd::Bdd;
use entail_markov::{Bracket, Certificate, Kind, Network, Optimum, Path, Property, Query};
use numbering::Place;
use operator::Operator;
use product::{PathQuestion, is_readable};
#[cfg(test)]
pub(crate) use rows::shell;
use space::Space;

/// Initial states beyond which answers about each of them are refused.
const MOST_INITIAL: usize = 10_000;

/// Open states whose rows are written out, where nobody says otherwise.
const MOST_ROWS: u64 = 20_000_000;

/// A model as decision diagrams.
pub struct Diagrams<'n> {
    space: Space<'n>,
    /// Up to so many open states are solved with rows that are written out; more are solved on the diagrams.
    pub most_rows: u64,
    /// The path formula whose automaton reads along, if there is one: then the diagrams are those of the product, and answer it alone.
    question: Option<PathQuestion>,
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

impl<'n> Diagrams<'n> {
    /// Builds the diagrams of a network and finds its states.
    pub fn new(network: &'n Network, budget: &Budget) -> Result<Diagrams<'n>, Trouble> {
        Ok(Diagrams {
            space: Space::new(network, None, 0, budget)?,
            most_rows: MOST_ROWS,
            question: None,
        })
    }

    /// Builds the diagrams of a network for one property: in models with more than `few` states those behind which what is asked is settled are left out.
    pub fn for_property(
        network: &'n Network,
        property: &Property,
        few: usize,
        budget: &Budget,
    ) -> Result<Diagrams<'n>, Trouble> {
        if let (Some((optimum, _, path)), true) =
            (by_automaton(network.kind, property), !network.has_intervals())
        {
            let question = PathQuestion::new(network.kind, optimum, path, budget)?;
            return Ok(Diagrams {
                space: Space::with_reader(network, &question.reader, budget)?,
                most_rows: MOST_ROWS,
                question: Some(question),
            });
        }
        let settled = crate::endings::settled(property);
        Ok(Diagrams {
            space: Space::new(network, settled.as_ref(), few, budget)?,
            most_rows: MOST_ROWS,
            question: None,
        })
    }

    /// Whether diagrams can answer a property of a network; variables may still have too many values.
    pub fn admit(network: &Network, property: &Property) -> bool {
        let kind = network.kind;
        !network.has_intervals()
            && (asked_by(kind, property).is_ok() || by_automaton(kind, property).is_some())
    }

    /// Whether no states are left out and none are told apart by an automaton, so that the diagrams can answer all properties.
    pub fn is_whole(&self) -> bool {
        self.space.whole && self.question.is_none()
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
        let few = self.states().0.is_some_and(|states| states <= explored as u64);
        if let Some(question) = &self.question {
            if few {
                return self.check_explored(property, settings, explored, budget, progress);
            }
            let Some((_, query, _)) = by_automaton(self.space.network.kind, property) else {
                return Err(unsupported("another property than that of the automaton"));
            };
            let mut won = self.space.encoding.manager.zero();
            for (wrong, again) in question.reader.acceptance() {
                let set = |values: &[usize]| self.read_to(values);
                let allowed = self.space.states.minus(&set(&wrong)?)?;
                let again = again
                    .iter()
                    .map(|values| set(values))
                    .collect::<Result<Vec<_>, _>>()?;
                won = won.or(&self.space.again_and_again(&allowed, &again)?)?;
            }
            let operator = Operator::Reach {
                optimum: Optimum::Max,
                stay: self.space.states.clone(),
                goal: won,
                bounds: None,
                complemented: question.complemented,
            };
            return self.check_large(&query.clone(), &operator, settings, budget);
        }
        let small = self.is_whole() && few;
        let (query, operator) = match asked_by(self.space.network.kind, property) {
            Ok((query, asked)) => (query, self.operator(&asked)?),
            Err(_) if small => return self.check_explored(property, settings, explored, budget, progress),
            Err(trouble) => return Err(trouble),
        };
        if small && !operator.is_certified_by_values() {
            self.check_explored(property, settings, explored, budget, progress)
        } else if small {
            match self.check_small(&query, &operator, settings, explored, budget, progress) {
                Err(Trouble::Unsupported(_)) => {
                    self.check_explored(property, settings, explored, budget, progress)
                }
                checked => checked,
            }
        } else {
            self.check_large(&query, &operator, settings, budget)
        }
    }

    /// The product states in which the automaton's variable has one of some values.
    fn read_to(&self, values: &[usize]) -> Result<Bdd, Trouble> {
        let (encoding, variable) = (&self.space.encoding, self.space.network.variables.len());
        let mut found = encoding.manager.zero();
        for &value in values {
            found = found.or(&encoding.is(variable, value as i64)?)?;
        }
        Ok(found.and(&self.space.states)?)
    }

    /// The answer of the explored model, which is small, where its certificate has more than values in it.
    fn check_explored(
        &self,
        property: &Property,
        settings: Settings,
        explored: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SymbolicAnswer<'n>, Trouble> {
        let mut workshop = Workshop::new(self.space.network, settings, explored, budget, progress)?;
        let (values, certificate) = workshop.check(property, budget)?;
        Ok(SymbolicAnswer {
            values,
            certificate,
            initial: workshop.model.initial.len(),
            solved: workshop.model.states() as u64,
            sweeps: workshop.sweeps,
            workshop: Some(workshop),
        })
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
}

/// The optimum, query and path formula of a property that needs an automaton.
fn by_automaton(kind: Kind, property: &Property) -> Option<(Optimum, &Query, &Path)> {
    let Property::Probability { optimum, query, path } = property else {
        return None;
    };
    let needed = asked_by(kind, property).is_err() && is_readable(kind, path);
    needed.then(|| (effective(*optimum, query), query, path))
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
