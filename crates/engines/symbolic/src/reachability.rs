//! Reachable states, ring by ring.
//!
//! Breadth-first search with a frontier (chapter 8, Fig. 2): the image of the new states only, simplified by what is already
//! known where that makes it smaller. The *onion rings*, the new states of each round, give shortest traces: the ring of a
//! state is its distance. With several parts in the relation each part is applied to what the earlier ones have added in the
//! same round (chaining): far fewer rounds, but a ring no longer tells the distance, only an upper bound in rounds.

use crate::encoding::Encoding;
use crate::machine::{Machine, Path};
use crate::saturation::saturate;
use crate::stop::Attempt;
use entail_budget::{Budget, Progress, Snapshot};
use entail_dd::{AutoReorder, Bdd};

/// What a search has found.
#[derive(Clone)]
pub(crate) struct Reached {
    /// New states of each round.
    pub rings: Vec<Bdd>,
    /// All states found: the union of the rings.
    pub states: Bdd,
    /// Whether these are all reachable states.
    pub complete: bool,
    /// Whether a ring is exactly the states at a distance.
    pub exact_rings: bool,
    /// Whether all states are found by saturation where the relation has several parts, and how reordering is set.
    pub saturating: Option<Option<AutoReorder>>,
}

/// Where a computation reports, and what it may spend.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub budget: &'a Budget,
    pub progress: &'a dyn Progress,
}

impl Watch<'_> {
    pub fn report(&self, phase: &'static str, depth: usize, frontier: &Bdd) -> Attempt<()> {
        self.budget.check_now()?;
        self.progress.report(&Snapshot {
            phase,
            depth: Some(depth as u64),
            states: None,
            frontier: Some(frontier.node_count() as u64),
            nodes: Some(frontier.manager().statistics().nodes as u64),
        });
        Ok(())
    }
}

impl Reached {
    pub fn start(from: &Bdd) -> Reached {
        Reached {
            rings: vec![from.clone()],
            states: from.clone(),
            complete: false,
            exact_rings: true,
            saturating: None,
        }
    }

    /// Searches on until a state of `goal` is met or nothing is new. True if the goal was met.
    pub fn run(&mut self, machine: &Machine, goal: Option<&Bdd>, watch: Watch<'_>) -> Attempt<bool> {
        if let Some(goal) = goal
            && !self.states.is_disjoint_from(goal)?
        {
            return Ok(true);
        }
        if let (None, Some(auto)) = (goal, &self.saturating)
            && machine.parts.len() > 1
        {
            let all = saturate(machine, &self.states, auto.clone(), watch)?;
            let new = all.minus(&self.states)?;
            if !new.is_false() {
                self.rings.push(new);
                self.exact_rings = false;
            }
            self.states = all;
            self.complete = true;
        }
        while !self.complete {
            let last = self.rings.last().expect("the first ring is there from the start");
            watch.report("reachability", self.rings.len(), last)?;
            let new = if machine.parts.len() > 1 {
                self.exact_rings = false;
                self.chained_round(machine, watch)?
            } else {
                let from = smaller(last, &self.states)?;
                machine.image(&from)?.minus(&self.states)?
            };
            if new.is_false() {
                self.complete = true;
                break;
            }
            self.states = self.states.or(&new)?;
            self.rings.push(new.clone());
            if let Some(goal) = goal
                && !new.is_disjoint_from(goal)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Applies each part to everything known so far, what the earlier parts have added included; what is new. The whole set is
    /// used, not the new states: it is the more regular one, and its diagram the smaller.
    fn chained_round(&self, machine: &Machine, watch: Watch<'_>) -> Attempt<Bdd> {
        let mut known = self.states.clone();
        for part in &machine.parts {
            watch.budget.check()?;
            loop {
                let more = part.image(&known)?.or(&known)?;
                if more == known {
                    break;
                }
                known = more;
            }
        }
        Ok(known.minus(&self.states)?)
    }

    /// A path from the first ring to some state of the goal, which must have been met. Where rings are distances it is a shortest
    /// one. Otherwise it goes from a state back to the nearest state of an earlier round, and so on from there: each leg is a
    /// search around a single state, far cheaper than the distance layers of the whole goal.
    pub fn path_to(
        &self,
        encoding: &Encoding,
        machine: &Machine,
        goal: &Bdd,
        watch: Watch<'_>,
    ) -> Attempt<Option<Path>> {
        if !self.exact_rings {
            return self.path_by_rounds(encoding, machine, goal, watch);
        }
        let mut at = None;
        for (depth, ring) in self.rings.iter().enumerate() {
            if !ring.is_disjoint_from(goal)? {
                at = Some(depth);
                break;
            }
        }
        let Some(depth) = at else {
            return Ok(None);
        };
        // Backwards through the rings, then forwards along what was found.
        let mut layers = vec![self.rings[depth].and(goal)?];
        for ring in self.rings[..depth].iter().rev() {
            watch.budget.check()?;
            let later = layers.last().expect("the goal's layer is there");
            // One state of the later layer is enough, and keeps the diagrams small.
            let one = match machine.pick(later) {
                Some(point) => machine.cube(encoding, &point)?,
                None => return Ok(None),
            };
            if let Some(layer) = layers.last_mut() {
                *layer = one.clone();
            }
            layers.push(machine.preimage(encoding, &one)?.and(ring)?);
        }
        layers.reverse();
        let Some(start) = machine.pick(&layers[0]) else {
            return Ok(None);
        };
        let mut path = Path::single(start);
        for layer in &layers[1..] {
            match machine.step(encoding, path.last(), layer, None)? {
                Some((inputs, point)) => path.push(inputs, point),
                None => return Ok(None),
            }
        }
        Ok(Some(path))
    }
}

impl Reached {
    fn path_by_rounds(
        &self,
        encoding: &Encoding,
        machine: &Machine,
        goal: &Bdd,
        watch: Watch<'_>,
    ) -> Attempt<Option<Path>> {
        // What was known after each round.
        let mut known = Vec::with_capacity(self.rings.len());
        let mut all = goal.manager().zero();
        for ring in &self.rings {
            all = all.or(ring)?;
            known.push(all.clone());
        }
        let round_of = |set: &Bdd| -> Attempt<Option<usize>> {
            for (round, ring) in self.rings.iter().enumerate() {
                if !ring.is_disjoint_from(set)? {
                    return Ok(Some(round));
                }
            }
            Ok(None)
        };
        let Some(mut round) = round_of(goal)? else {
            return Ok(None);
        };
        let Some(mut point) = machine.pick(&self.rings[round].and(goal)?) else {
            return Ok(None);
        };
        let mut legs: Vec<Path> = Vec::new();
        while round > 0 {
            let target = machine.cube(encoding, &point)?;
            let (within, earlier) = (&known[round], &known[round - 1]);
            let leg = Onion::toward(encoding, machine, &target, within, earlier, watch)?
                .walk_from_set(encoding, machine, earlier)?;
            let Some(leg) = leg else {
                return Ok(None);
            };
            point = leg.points[0].clone();
            legs.push(leg);
            round = match round_of(&machine.cube(encoding, &point)?)? {
                Some(round) => round,
                None => return Ok(None),
            };
        }
        let mut path = Path::single(point);
        for leg in legs.into_iter().rev() {
            path.append(leg);
        }
        Ok(Some(path))
    }
}

/// The frontier, or a smaller set between the frontier and everything known.
fn smaller(frontier: &Bdd, known: &Bdd) -> Attempt<Bdd> {
    // States already expanded are don't-cares.
    let care = frontier.or(&known.not())?;
    let simplified = frontier.restrict(&care)?;
    Ok(if simplified.node_count() < frontier.node_count() {
        simplified
    } else {
        frontier.clone()
    })
}

/// Distances to a goal: layer `k` holds the states that need `k` steps, staying within a set.
pub(crate) struct Onion {
    pub layers: Vec<Bdd>,
    pub states: Bdd,
}

impl Onion {
    /// Layers around the goal until some state of `from` is in one or nothing is new.
    pub fn toward(
        encoding: &Encoding,
        machine: &Machine,
        goal: &Bdd,
        within: &Bdd,
        from: &Bdd,
        watch: Watch<'_>,
    ) -> Attempt<Onion> {
        let mut onion = Onion {
            layers: vec![goal.clone()],
            states: goal.clone(),
        };
        onion.grow(encoding, machine, within, from, watch)?;
        Ok(onion)
    }

    /// Goes on until some state of `from` is in a layer or nothing is new.
    pub fn grow(
        &mut self,
        encoding: &Encoding,
        machine: &Machine,
        within: &Bdd,
        from: &Bdd,
        watch: Watch<'_>,
    ) -> Attempt<()> {
        while self.states.is_disjoint_from(from)? {
            let last = self.layers.last().expect("the goal is the first layer");
            if last.is_false() {
                break;
            }
            watch.report("paths", self.layers.len(), last)?;
            let new = machine
                .preimage(encoding, last)?
                .and(within)?
                .minus(&self.states)?;
            if new.is_false() {
                break;
            }
            self.states = self.states.or(&new)?;
            self.layers.push(new);
        }
        Ok(())
    }

    pub fn walk_from_set(&self, encoding: &Encoding, machine: &Machine, from: &Bdd) -> Attempt<Option<Path>> {
        for layer in &self.layers {
            let start = layer.and(from)?;
            if let Some(point) = machine.pick(&start) {
                return self.walk(encoding, machine, &point);
            }
        }
        Ok(None)
    }

    /// A shortest path from a state to the goal.
    pub fn walk(
        &self,
        encoding: &Encoding,
        machine: &Machine,
        from: &crate::machine::Point,
    ) -> Attempt<Option<Path>> {
        let Some(distance) = self.layers.iter().position(|layer| machine.contains(layer, from)) else {
            return Ok(None);
        };
        let mut path = Path::single(from.clone());
        for layer in self.layers[..distance].iter().rev() {
            match machine.step(encoding, path.last(), layer, None)? {
                Some((inputs, point)) => path.push(inputs, point),
                None => return Ok(None),
            }
        }
        Ok(Some(path))
    }
}
