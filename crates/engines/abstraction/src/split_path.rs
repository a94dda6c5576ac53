//! SplitPATH on an explicit structure (chapter 13, section 13.5.1.1): which concrete states an abstract path can be walked through, and what
//! is left where it ends. The symbolic version of the same question, for models that are never written out, is in `cegar/concretise.rs`.

use entail_model::{Kripke, StateId, StateSet};

/// How far an abstract path can be walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPath {
    /// The concrete states that can be reached along the path, position by position, up to the last that are not none.
    pub walked: Vec<StateSet>,
    /// Where it dies: none if the path is real.
    pub failure: Option<FailureState>,
}

/// The states of the abstract state beyond which the path cannot be walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureState {
    /// Its position on the path; none if the path does not even begin in an initial state.
    pub position: Option<usize>,
    /// Reached along the path, without a step to the next abstract state.
    pub dead_end: StateSet,
    /// With a step to the next abstract state, but not reached.
    pub bad: StateSet,
    /// Neither.
    pub irrelevant: StateSet,
}

/// Walks an abstract path, given as classes of concrete states. `class_of` gives each state's class.
///
/// The bad states are those of the failure state with a step into the *class* that comes next. (The handbook prints the preimage of what is walked there,
/// which is empty.)
pub fn split_path(kripke: &Kripke, class_of: &[usize], path: &[usize]) -> SplitPath {
    let set = |states: &mut dyn Iterator<Item = StateId>| {
        let mut set = StateSet::with_capacity(kripke.state_count());
        states.for_each(|state| set.insert(state.index()));
        set
    };
    let class = |number: usize| set(&mut kripke.states().filter(|state| class_of[state.index()] == number));
    let mut walked: Vec<StateSet> = Vec::new();
    for (position, &here) in path.iter().enumerate() {
        let mut reached = match walked.last() {
            None => set(&mut kripke.initial().iter().copied()),
            Some(before) => {
                let successors = before
                    .ones()
                    .flat_map(|state| kripke.successors(StateId::new(state as u32)));
                set(&mut successors.copied())
            }
        };
        reached.intersect_with(&class(here));
        if !reached.is_clear() {
            walked.push(reached);
            continue;
        }
        let Some(dead_end) = walked.last().cloned() else {
            let nothing = StateSet::with_capacity(kripke.state_count());
            let failure = FailureState {
                position: None,
                dead_end: nothing.clone(),
                bad: nothing,
                irrelevant: class(here),
            };
            return SplitPath {
                walked,
                failure: Some(failure),
            };
        };
        let next = class(here);
        let goes_on = |state: &StateId| {
            kripke
                .successors(*state)
                .iter()
                .any(|to| next.contains(to.index()))
        };
        let of_class = class(path[position - 1]);
        let bad = set(&mut (of_class.ones().map(|state| StateId::new(state as u32))).filter(goes_on));
        let mut irrelevant = of_class;
        irrelevant.difference_with(&dead_end);
        irrelevant.difference_with(&bad);
        let failure = FailureState {
            position: Some(position - 1),
            dead_end,
            bad,
            irrelevant,
        };
        return SplitPath {
            walked,
            failure: Some(failure),
        };
    }
    SplitPath {
        walked,
        failure: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::KripkeBuilder;

    fn numbers(set: &StateSet) -> Vec<usize> {
        set.ones().map(|state| state + 1).collect()
    }

    /// Chapter 13, E6 (figure 7): twelve states in four classes of three, all of the first initial.
    #[test]
    fn the_handbooks_spurious_path() {
        let mut builder = KripkeBuilder::new(12);
        let edges = [(1, 4), (2, 5), (3, 6), (6, 9), (7, 10)];
        builder.edges(edges.map(|(from, to)| (from - 1, to - 1)));
        for state in 0..3 {
            builder.initial(StateId::new(state));
        }
        let kripke = builder.build().expect("a structure");
        let class_of: Vec<usize> = (0..12).map(|state| state / 3).collect();
        let split = split_path(&kripke, &class_of, &[0, 1, 2, 3]);
        let walked: Vec<Vec<usize>> = split.walked.iter().map(numbers).collect();
        assert_eq!(walked, [vec![1, 2, 3], vec![4, 5, 6], vec![9]]);
        let failure = split.failure.expect("the path is spurious");
        assert_eq!(failure.position, Some(2));
        assert_eq!(numbers(&failure.dead_end), [9]);
        assert_eq!(numbers(&failure.bad), [7]);
        assert_eq!(numbers(&failure.irrelevant), [8]);
        assert_eq!(split_path(&kripke, &class_of, &[0, 1, 2]).failure, None);
        let elsewhere = split_path(&kripke, &class_of, &[1, 2])
            .failure
            .expect("not initial");
        assert_eq!(elsewhere.position, None);
    }
}
