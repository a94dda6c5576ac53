//! What a strategy leaves of a region graph, from the definition: the reference that questions under a strategy are compared with.
//!
//! A state is a region, and, where time came into states in which a step is to be taken without a first moment, the rule within which it may go on. The regions must tell the truth of all that rules compare: it is
//! enough to explore them for [`RegionGraph::compared`].

use crate::discrete::Trouble;
use crate::evidence::{NO_BOUND, Strategy};
use crate::regions::RegionGraph;
use crate::{ClockName, Comparison, Expression, Formula, Query};

/// What the controller does in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Says {
    /// Anything; the game is won.
    Won,
    /// Anything; there is no rule.
    Nothing,
    /// Wait.
    Wait,
    /// Take the step of one of these rules.
    Take(Vec<usize>),
    /// Stay where it wins.
    Keep,
}

impl Says {
    fn is_kept(&self) -> bool {
        matches!(self, Says::Won | Says::Keep)
    }
}

/// A region, and the rule within which time may go on.
type State = (usize, Option<usize>);

/// The condition of a matrix.
fn condition(zone: &[i32], size: usize) -> Formula {
    let mut parts = Vec::new();
    for (at, &bound) in zone.iter().enumerate() {
        let (left, right) = (at / size, at % size);
        if left == right || bound == NO_BOUND {
            continue;
        }
        let (comparison, left, right, bound) = match (left, bound & 1) {
            (0, 0) => (Comparison::Greater, right, 0, -(bound >> 1)),
            (0, _) => (Comparison::GreaterEqual, right, 0, -(bound >> 1)),
            (_, 0) => (Comparison::Less, left, right, bound >> 1),
            _ => (Comparison::LessEqual, left, right, bound >> 1),
        };
        parts.push(Formula::Clock {
            left: ClockName::one(left),
            right: ClockName::one(right),
            comparison,
            bound: Expression::Constant(i64::from(bound)),
        });
    }
    Formula::And(parts)
}

impl RegionGraph<'_> {
    /// A question in which everything is compared that rules, game and question compare.
    pub fn compared(size: usize, game: &Query, question: &Query, strategy: &Strategy) -> Query {
        let rules = strategy.winning.iter().map(|node| condition(&node.zone, size));
        let others = game.formulas().iter().chain(question.formulas()).cloned();
        Query::Reach(Formula::And(rules.chain(others).collect()), true)
    }

    /// What the strategy says in a region.
    fn says(&self, region: usize, game: (&Formula, bool), strategy: &Strategy) -> Result<Says, Trouble> {
        if self.satisfies(region, game.0)? {
            return Ok(Says::Won);
        }
        let size = self.network.dimension();
        let mut own = Vec::new();
        for (number, node) in strategy.winning.iter().enumerate() {
            let discrete = self.discrete(region);
            if node.locations == discrete.locations
                && node.integers == discrete.integers
                && self.satisfies(region, &condition(&node.zone, size))?
            {
                own.push((node.rank, number));
            }
        }
        let Some(&(least, _)) = own.iter().min() else {
            return Ok(Says::Nothing);
        };
        if !game.1 {
            return Ok(Says::Keep);
        }
        own.retain(|&(rank, number)| rank == least && !strategy.choices[number].is_empty());
        Ok(match own.is_empty() {
            true => Says::Wait,
            false => Says::Take(own.into_iter().map(|(_, number)| number).collect()),
        })
    }

    /// Whether what a question looks for exists in what a strategy for a game leaves.
    pub fn exists_under(&self, game: &Query, strategy: &Strategy, question: &Query) -> Result<bool, Trouble> {
        let Query::Control { formulas, must_win } = game else {
            return Ok(false);
        };
        let mut says = Vec::new();
        for region in 0..self.len() {
            says.push(self.says(region, (&formulas[0], *must_win), strategy)?);
        }
        let left = Left {
            graph: self,
            says,
            strategy,
        };
        let reached = left.reached();
        let asked = question.formulas();
        match question {
            Query::Reach(..) => {
                for &(region, _) in &reached {
                    if self.satisfies(region, &asked[0])? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Query::Stay(..) => {
                let (mut stays, mut begins) = (Vec::new(), Vec::new());
                for &(region, _) in &reached {
                    stays.push(self.satisfies(region, &asked[0])?);
                    begins.push(match asked.get(1) {
                        Some(begin) => self.satisfies(region, begin)?,
                        None => self.initial[region],
                    });
                }
                // A run begins in an initial region at once; it comes there again by steps only, which makes no difference.
                Ok(left.stays(&reached, stays, &begins))
            }
            _ => Ok(false),
        }
    }
}

/// What is left.
struct Left<'g, 'n> {
    graph: &'g RegionGraph<'n>,
    says: Vec<Says>,
    strategy: &'g Strategy,
}

impl Left<'_, '_> {
    /// Where time leads; to the region itself where it goes on for ever.
    fn later(&self, (region, rule): State) -> Vec<State> {
        let Some(next) = self.graph.delays[region] else {
            return Vec::new();
        };
        match (&self.says[region], &self.says[next]) {
            (Says::Take(_), Says::Take(rules)) => {
                let same = rule.filter(|rule| rules.contains(rule) && next != region);
                same.map(|rule| (next, Some(rule))).into_iter().collect()
            }
            (Says::Take(_), _) => Vec::new(),
            (Says::Keep, next) if !next.is_kept() => Vec::new(),
            (_, Says::Take(rules)) if !self.graph.is_moment(next) => {
                rules.iter().map(|&rule| (next, Some(rule))).collect()
            }
            _ => vec![(next, None)],
        }
    }

    /// Where the steps that are left lead.
    fn steps(&self, (region, _): State) -> Vec<State> {
        let is_left = |edges: &[usize], next: usize| match &self.says[region] {
            _ if !self.graph.network.is_controllable(edges) => true,
            Says::Won | Says::Nothing => true,
            Says::Wait => false,
            Says::Take(rules) => rules.iter().any(|&rule| self.strategy.choices[rule] == edges),
            Says::Keep => self.says[next].is_kept(),
        };
        let steps = self.graph.steps[region].iter();
        steps
            .filter(|(edges, next)| is_left(edges, *next))
            .map(|&(_, next)| (next, None))
            .collect()
    }

    fn reached(&self) -> Vec<State> {
        let mut reached: Vec<State> = (0..self.graph.len())
            .filter(|&region| self.graph.initial[region])
            .map(|region| (region, None))
            .collect();
        let mut at = 0;
        while at < reached.len() {
            let here = reached[at];
            for next in self.later(here).into_iter().chain(self.steps(here)) {
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        reached
    }

    /// Whether a maximal run from where it may begin stays within a condition.
    fn stays(&self, reached: &[State], inside: Vec<bool>, begins: &[bool]) -> bool {
        let position = |state: &State| reached.iter().position(|one| one == state);
        let holds = |all: &[bool], state: &State| position(state).is_some_and(|at| all[at]);
        // Whether the run may end here: time goes on for ever, or stops without a step that is left on the way.
        let ends = |state: State| {
            let (mut here, mut has_step) = (state, false);
            loop {
                if !holds(&inside, &here) {
                    return false;
                }
                has_step |= !self.steps(here).is_empty();
                match self.later(here).first() {
                    Some(&next) if next.0 == here.0 => return true,
                    Some(&next) => here = next,
                    None => return !has_step,
                }
            }
        };
        let mut stays = inside.clone();
        loop {
            let before = stays.clone();
            for (at, stays) in stays.iter_mut().enumerate() {
                let mut waiting = vec![reached[at]];
                let mut found = false;
                let mut seen = Vec::new();
                while *stays && !found {
                    let Some(here) = waiting.pop() else { break };
                    if seen.contains(&here) || !holds(&inside, &here) {
                        continue;
                    }
                    seen.push(here);
                    found = ends(here) || self.steps(here).iter().any(|next| holds(&before, next));
                    waiting.extend(self.later(here));
                }
                *stays &= found;
            }
            if stays == before {
                return stays.iter().zip(begins).any(|(&stays, &begins)| stays && begins);
            }
        }
    }
}
