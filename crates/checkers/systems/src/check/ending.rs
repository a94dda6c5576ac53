//! What follows the last step of a witness, and whether it counts as a path.
//!
//! A path quantifier ranges over the paths that the dead-end policy admits, and among them over the fair ones. A lasso shows
//! its future: the loop must be fair. A finite trace stands for its continuations, so somebody has to see that it has one that
//! counts:
//!
//! | policy | last state a dead end | it has successors |
//! |---|---|---|
//! | infinite, error | no path goes on: rejected | an infinite continuation must exist |
//! | maximal | the path is complete, and fair | every finite path can be completed |
//! | stutter | the last state repeats; fair if it is | every finite path can be continued |
//!
//! With fairness, "can be continued" must be "by a fair path", which only the reference can see.

use super::outcome::{Checker, Obligation};
use super::replay::Replayed;
use crate::path::{PathEnd, PathWord};
use crate::reference::{NotRechecked, Visit};
use entail_answer::CheckReport;
use entail_evidence::{DeadEnds, Trace, Truth};
use entail_model::Value;
use rustc_hash::FxHashSet;

/// How a witness ends, what is said about it, and what is left to the reference.
pub(super) struct Ending {
    pub end: PathEnd,
    pub report: CheckReport,
    pub obligation: Option<Obligation>,
}

impl Ending {
    fn new(end: PathEnd, report: CheckReport) -> Ending {
        Ending {
            end,
            report,
            obligation: None,
        }
    }
}

pub(super) fn ending(checker: &Checker<'_>, trace: &Trace, replayed: &Replayed) -> Ending {
    let mut report = CheckReport::Accepted;
    for &step in &replayed.stuttering {
        report = report.and_then(|| stuttering(checker, trace, step));
    }
    if report.is_rejected() {
        return Ending::new(PathEnd::of(trace, checker.dead_ends), report);
    }
    let rest = match trace.loop_start {
        Some(start) => {
            let end = PathEnd::Loop(start);
            Ending::new(end, fair_loop(checker, trace, end, start))
        }
        None => finite(checker, trace),
    };
    Ending {
        report: report.and(rest.report),
        ..rest
    }
}

/// A repeated state that is no transition: only the stutter policy has such steps, and only at dead ends.
fn stuttering(checker: &Checker<'_>, trace: &Trace, step: usize) -> CheckReport {
    if checker.dead_ends != DeadEnds::Stutter {
        return CheckReport::rejected(format!(
            "from step {step}: the state is repeated, which is not a transition"
        ));
    }
    match checker.enumerator().is_dead_end(&trace.steps[step]) {
        Ok(true) => CheckReport::Accepted,
        Ok(false) => CheckReport::rejected(format!(
            "from step {step}: the state is repeated, but it is not a dead end"
        )),
        Err(why) => CheckReport::unchecked(format!("that the state at step {step} is a dead end ({why})")),
    }
}

/// Whether every justice term is met in the loop and every compassion pair is respected there.
fn fair_loop(checker: &Checker<'_>, trace: &Trace, end: PathEnd, start: usize) -> CheckReport {
    let Some(word) = PathWord::new(checker.system, trace, end) else {
        return CheckReport::rejected("the loop starts outside the trace");
    };
    let in_loop = |term| word.term(term).split_off(start);
    for (number, &term) in checker.system.justice.iter().enumerate() {
        if !in_loop(term).contains(&Truth::True) {
            return CheckReport::rejected(format!(
                "the loop is not fair: justice condition {number} is never met in it"
            ));
        }
    }
    for (number, &(p, q)) in checker.system.compassion.iter().enumerate() {
        let never_p = in_loop(p).iter().all(|&truth| truth == Truth::False);
        let some_q = in_loop(q).contains(&Truth::True);
        if !never_p && !some_q {
            return CheckReport::rejected(format!(
                "the loop is not fair: compassion pair {number} has its first part met in it and not its second"
            ));
        }
    }
    CheckReport::Accepted
}

fn finite(checker: &Checker<'_>, trace: &Trace) -> Ending {
    let open = PathEnd::of(trace, checker.dead_ends);
    let Some(last) = trace.steps.last() else {
        return Ending::new(open, CheckReport::rejected("the trace has no step"));
    };
    let dead = match checker.enumerator().is_dead_end(last) {
        Ok(dead) => dead,
        Err(why) => {
            let what = format!("that the path goes on after its last state ({why})");
            return Ending::new(open, CheckReport::unchecked(what));
        }
    };
    let fairness = checker.system.has_fairness();
    match (checker.dead_ends, dead) {
        (DeadEnds::Maximal, true) => Ending::new(PathEnd::Ended, CheckReport::Accepted),
        (DeadEnds::Stutter, true) => {
            let start = trace.steps.len() - 1;
            let report = fair_loop(checker, trace, PathEnd::Stutter, start);
            Ending::new(PathEnd::Stutter, report)
        }
        (DeadEnds::Infinite | DeadEnds::Error, true) => Ending::new(
            open,
            CheckReport::rejected("the path ends in a state without successors, so it is no infinite path"),
        ),
        (_, false) if fairness => Ending {
            end: open,
            report: CheckReport::Accepted,
            obligation: Some(Obligation::FairPath { state: last.clone() }),
        },
        (DeadEnds::Maximal | DeadEnds::Stutter, false) => Ending::new(open, CheckReport::Accepted),
        (DeadEnds::Infinite | DeadEnds::Error, false) => Ending::new(open, goes_on_for_ever(checker, last)),
    }
}

/// Whether an infinite path starts in the state: first by walking on wherever the first step leads, then by search.
fn goes_on_for_ever(checker: &Checker<'_>, state: &[Option<Value>]) -> CheckReport {
    match walk_until_repeated(checker, state).and_then(|found| match found {
        true => Ok(true),
        false => search_cycle(checker, state),
    }) {
        Ok(true) => CheckReport::Accepted,
        Ok(false) => CheckReport::rejected(
            "every continuation of the path ends in a dead end, so it is part of no infinite path",
        ),
        Err(why) => CheckReport::unchecked(format!(
            "that the path can be continued for ever after its last state ({why})"
        )),
    }
}

fn walk_until_repeated(checker: &Checker<'_>, state: &[Option<Value>]) -> Result<bool, NotRechecked> {
    let enumerator = checker.enumerator();
    let mut seen: FxHashSet<Vec<Option<Value>>> = FxHashSet::default();
    let mut state = checker.state(state);
    while seen.insert(state.clone()) {
        if seen.len() > checker.limits.states {
            return Err(too_long(checker));
        }
        let mut next = None;
        enumerator.steps_from(&state, &mut |_, after| {
            next = Some(after.to_vec());
            Ok(Visit::Stop)
        })?;
        match next {
            Some(after) => state = after,
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Depth-first search for a state that is its own descendant.
fn search_cycle(checker: &Checker<'_>, state: &[Option<Value>]) -> Result<bool, NotRechecked> {
    let enumerator = checker.enumerator();
    let successors = |state: &[Option<Value>]| -> Result<Vec<Vec<Option<Value>>>, NotRechecked> {
        let mut list: Vec<Vec<Option<Value>>> = Vec::new();
        enumerator.steps_from(state, &mut |_, after| {
            list.push(after.to_vec());
            Ok(Visit::Continue)
        })?;
        list.sort_unstable();
        list.dedup();
        Ok(list)
    };
    let root = checker.state(state);
    let mut seen: FxHashSet<Vec<Option<Value>>> = FxHashSet::from_iter([root.clone()]);
    let mut on_path: FxHashSet<Vec<Option<Value>>> = seen.clone();
    let mut path = vec![(root.clone(), successors(&root)?)];
    while let Some((_, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) if on_path.contains(&next) => return Ok(true),
            Some(next) => {
                if seen.insert(next.clone()) {
                    if seen.len() > checker.limits.states {
                        return Err(too_long(checker));
                    }
                    on_path.insert(next.clone());
                    let further = successors(&next)?;
                    path.push((next, further));
                }
            }
            None => {
                if let Some((done, _)) = path.pop() {
                    on_path.remove(&done);
                }
            }
        }
    }
    Ok(false)
}

fn too_long(checker: &Checker<'_>) -> NotRechecked {
    NotRechecked::TooLarge(format!("no loop within {} states", checker.limits.states))
}
