//! Emptiness for every acceptance condition, with a lasso word as witness.
//!
//! The generic check for Emerson–Lei conditions (Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček 2019): in each
//! strongly connected component drop from the condition what its marks decide; if the marks of the component satisfy the
//! rest, there is an accepting cycle through all of them; otherwise choose some `Fin(m)` and look twice, once without the
//! edges marked `m` and once without hoping for `Fin(m)`. Linear for conditions without `Fin`, polynomial for Rabin and
//! Streett of fixed size, exponential only in the number of `Fin` marks.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, Edge, State};
use crate::reduce::components::Components;
use crate::word::LassoWord;
use std::collections::VecDeque;

/// An accepting run in the shape of a lasso: the edges taken, by source state and position in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoRun {
    /// The state it starts from.
    pub start: State,
    /// The edges before the cycle.
    pub prefix: Vec<(State, Edge)>,
    /// The edges of the cycle.
    pub cycle: Vec<(State, Edge)>,
}

/// A strongly connected part of the automaton in which visiting `needed` for ever is accepting.
struct Region {
    states: Vec<State>,
    forbidden: Marks,
    needed: Marks,
}

impl Automaton {
    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        region(self, self.initial()).is_none()
    }

    /// Whether no word is accepted from this state.
    pub fn is_empty_from(&self, state: State) -> bool {
        region(self, &[state]).is_none()
    }

    /// An accepting run, if there is one.
    pub fn accepting_run(&self) -> Option<LassoRun> {
        let region = region(self, self.initial())?;
        Some(run_into(self, &region))
    }

    /// An accepted word, if there is one.
    pub fn accepted_word(&self) -> Option<LassoWord> {
        let run = self.accepting_run()?;
        let letters = |edges: &[(State, Edge)]| {
            edges
                .iter()
                .map(|(_, edge)| self.labels.pick(edge.label).map_or(0, |cube| cube.positive))
                .collect()
        };
        let word = LassoWord::new(
            self.propositions().to_vec(),
            letters(&run.prefix),
            letters(&run.cycle),
        );
        Some(word.shortened())
    }

    /// The states from which some word is accepted.
    pub(crate) fn productive(&self) -> Vec<bool> {
        let components = Components::of(self);
        let mut productive = vec![false; self.state_count()];
        // Components come sinks first, so targets are decided before sources.
        for component in 0..components.members.len() {
            let members = &components.members[component];
            let leads_on = members.iter().any(|state| {
                self.edges(*state)
                    .iter()
                    .any(|edge| productive[edge.target.index()])
            });
            if leads_on || accepting_component(self, &components, component) {
                for state in members {
                    productive[state.index()] = true;
                }
            }
        }
        productive
    }
}

/// Whether a run can be accepting by staying in the component.
pub(crate) fn accepting_component(automaton: &Automaton, components: &Components, component: usize) -> bool {
    let inside = components.inside(automaton, component, |_, _| true);
    inside.cyclic
        && search(
            automaton,
            &components.members[component],
            Marks::NONE,
            automaton.acceptance(),
        )
        .is_some()
}

fn region(automaton: &Automaton, from: &[State]) -> Option<Region> {
    let components = Components::within(automaton, from, |_, _| true);
    (0..components.members.len()).find_map(|component| {
        let inside = components.inside(automaton, component, |_, _| true);
        if !inside.cyclic {
            return None;
        }
        search(
            automaton,
            &components.members[component],
            Marks::NONE,
            automaton.acceptance(),
        )
    })
}

/// An accepting region among `states` that avoids the marks `forbidden`.
fn search(
    automaton: &Automaton,
    states: &[State],
    forbidden: Marks,
    acceptance: &Acceptance,
) -> Option<Region> {
    if *acceptance == Acceptance::False {
        return None;
    }
    let mut allowed = vec![false; automaton.state_count()];
    for state in states {
        allowed[state.index()] = true;
    }
    let keep =
        |_: State, edge: &Edge| allowed[edge.target.index()] && edge.marks.common(forbidden).is_empty();
    let components = Components::within(automaton, states, keep);
    for component in 0..components.members.len() {
        let inside = components.inside(automaton, component, keep);
        if !inside.cyclic {
            continue;
        }
        let rest = acceptance.restricted_to(inside.marks);
        let hopeful = without_fin(&rest);
        let cheapest = hopeful
            .disjuncts()
            .into_iter()
            .filter(|(_, inf)| inf.subset(inside.marks))
            .min_by_key(|(_, inf)| inf.0.count_ones());
        if let Some((_, needed)) = cheapest {
            return Some(Region {
                states: components.members[component].clone(),
                forbidden,
                needed,
            });
        }
        let Some(mark) = rest.polarities().1.iter().next() else {
            continue;
        };
        let members = &components.members[component];
        let hoping = assume_fin(&rest, mark, true);
        if let Some(found) = search(automaton, members, forbidden.with(Marks::one(mark)), &hoping) {
            return Some(found);
        }
        let not_hoping = assume_fin(&rest, mark, false);
        if let Some(found) = search(automaton, members, forbidden, &not_hoping) {
            return Some(found);
        }
    }
    None
}

fn without_fin(acceptance: &Acceptance) -> Acceptance {
    acceptance.map(&mut |leaf| match leaf {
        Acceptance::Fin(_) => Acceptance::False,
        other => other.clone(),
    })
}

fn assume_fin(acceptance: &Acceptance, mark: u32, truth: bool) -> Acceptance {
    acceptance.map(&mut |leaf| match leaf {
        Acceptance::Fin(m) if *m == mark && truth => Acceptance::True,
        Acceptance::Fin(m) if *m == mark => Acceptance::False,
        Acceptance::Inf(m) if *m == mark && truth => Acceptance::False,
        other => other.clone(),
    })
}

/// The shortest path from `from` to an edge for which `goal` holds, that edge included.
fn path(
    automaton: &Automaton,
    from: &[State],
    keep: impl Fn(&Edge) -> bool,
    goal: impl Fn(&Edge) -> bool,
) -> Option<Vec<(State, Edge)>> {
    let mut parent: Vec<Option<(State, Edge)>> = vec![None; automaton.state_count()];
    let mut seen = vec![false; automaton.state_count()];
    let mut queue: VecDeque<State> = VecDeque::new();
    for &state in from {
        if !seen[state.index()] {
            seen[state.index()] = true;
            queue.push_back(state);
        }
    }
    while let Some(state) = queue.pop_front() {
        for edge in automaton.edges(state) {
            if !keep(edge) {
                continue;
            }
            if goal(edge) {
                let mut result = vec![(state, *edge)];
                let mut at = state;
                while let Some((source, edge)) = parent[at.index()] {
                    result.push((source, edge));
                    at = source;
                }
                result.reverse();
                return Some(result);
            }
            if !seen[edge.target.index()] {
                seen[edge.target.index()] = true;
                parent[edge.target.index()] = Some((state, *edge));
                queue.push_back(edge.target);
            }
        }
    }
    None
}

fn run_into(automaton: &Automaton, region: &Region) -> LassoRun {
    let mut inside = vec![false; automaton.state_count()];
    for state in &region.states {
        inside[state.index()] = true;
    }
    let prefix = if automaton.initial().iter().any(|state| inside[state.index()]) {
        Vec::new()
    } else {
        path(
            automaton,
            automaton.initial(),
            |_| true,
            |edge| inside[edge.target.index()],
        )
        .expect("the region was found from the initial states")
    };
    let entry = match prefix.last() {
        Some((_, edge)) => edge.target,
        None => *automaton
            .initial()
            .iter()
            .find(|state| inside[state.index()])
            .expect("an empty prefix starts in the region"),
    };
    let keep = |edge: &Edge| inside[edge.target.index()] && edge.marks.common(region.forbidden).is_empty();
    let mut cycle: Vec<(State, Edge)> = Vec::new();
    let mut missing = region.needed;
    let mut at = entry;
    while !missing.is_empty() {
        let leg = path(automaton, &[at], keep, |edge| {
            !edge.marks.common(missing).is_empty()
        })
        .expect("the region is strongly connected and has every needed mark");
        for (_, edge) in &leg {
            missing = missing.without(edge.marks);
        }
        at = leg.last().expect("a path to an edge is not empty").1.target;
        cycle.extend(leg);
    }
    if at != entry || cycle.is_empty() {
        let back = path(automaton, &[at], keep, |edge| edge.target == entry)
            .expect("the region is strongly connected");
        cycle.extend(back);
    }
    LassoRun {
        start: prefix.first().map_or(entry, |(source, _)| *source),
        prefix,
        cycle,
    }
}
