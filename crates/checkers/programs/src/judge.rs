//! Whether a run shows that a requirement is violated.
//!
//! The run is repeated by the interpreter. A formula is evaluated on the states in which nobody has control (the others are inside of atomic
//! sequences), a lasso or, for a finite run, the last state repeated for ever; subformulas are evaluated from the inside out,
//! `U` as a least and `R` as a greatest fixpoint over the positions of the lasso.

use entail_logic::{Binary, Formula, Node, Unary};
use entail_program::Run;
use entail_program::interpret::{View, evaluate, moves};
use entail_program::{Action, LocationId, ProcessTypeId, Program};
use entail_program::{Replayed, Situation, replay};
use entail_program::{Requirement, RequirementKind};

/// Repeats a run and judges it. The error says what is wrong with it.
pub fn judge(
    program: &Program,
    requirement: &Requirement,
    run: &Run,
    fair: bool,
) -> Result<Replayed, String> {
    let replayed = replay(program, run)?;
    match &requirement.question {
        RequirementKind::Safety => {
            if run.loop_start.is_some() {
                return Err("a run that ends with an error has no loop".into());
            }
            match &replayed.fault {
                Some(fault) if fault.refutes() => return Ok(replayed),
                Some(fault) => return Err(format!("{fault}, which is no violation")),
                None => {}
            }
            let last = replayed.situations.last().ok_or("the run has no state")?;
            if !moves(program, &last.state, last.control).is_empty() {
                return Err("the run can go on after its last step".into());
            }
            if last.state.is_valid_end(program) {
                return Err("every process may stop where it is after the last step".into());
            }
        }
        question => {
            if replayed.fault.is_some() {
                return Err("the last step goes wrong".into());
            }
            let lasso = Lasso::new(
                program,
                run,
                &replayed,
                matches!(question, RequirementKind::NeverClaim(_)),
            )?;
            if fair {
                lasso.check_fairness(program, run, &replayed)?;
            }
            let violated = match question {
                RequirementKind::Safety => true,
                RequirementKind::Always(formula) => !lasso.evaluate(program, formula)?[0],
                RequirementKind::NeverClaim(claim) => lasso.claim_is_matched(program, *claim)?,
                RequirementKind::NoAcceptanceCycle => {
                    lasso.repeats(|situation| situation.state.is_accepting(program))
                }
                RequirementKind::Progress => !lasso.repeats(|situation| situation.state.is_progress(program)),
            };
            if !violated {
                return Err("the requirement is not violated on this run".into());
            }
        }
    }
    Ok(replayed)
}

/// The states at rest of a run.
struct Lasso<'a> {
    situations: Vec<&'a Situation>,
    /// After the last comes this one; without it the run is a finite prefix.
    start: Option<usize>,
}

impl<'a> Lasso<'a> {
    fn new(
        program: &Program,
        run: &Run,
        replayed: &'a Replayed,
        prefix_allowed: bool,
    ) -> Result<Lasso<'a>, String> {
        let all = &replayed.situations;
        let at_rest = |position: &usize| all[*position].control.is_none();
        let last = all.len().checked_sub(1).ok_or("the run has no state")?;
        let resting: Vec<usize> = (0..=last).filter(at_rest).collect();
        let situations: Vec<&Situation> = resting.iter().map(|&position| &all[position]).collect();
        let start = match run.loop_start {
            Some(start) if start == run.steps.len() => {
                let last = &all[last];
                if !moves(program, &last.state, last.control).is_empty() {
                    return Err("the last state is repeated although the run can go on".into());
                }
                Some(situations.len() - 1)
            }
            Some(start) => Some(
                resting
                    .iter()
                    .position(|&position| position == start)
                    .ok_or("the loop begins inside an atomic sequence")?,
            ),
            None if prefix_allowed => None,
            None => return Err("the run does not say how it goes on".into()),
        };
        // The state in which a loop closes is there twice.
        let mut situations = situations;
        if run.loop_start.is_some_and(|start| start < run.steps.len()) {
            situations.pop();
        }
        match situations.is_empty() {
            true => Err("the run has no state at rest".into()),
            false => Ok(Lasso { situations, start }),
        }
    }

    fn next(&self, position: usize) -> Option<usize> {
        match position + 1 < self.situations.len() {
            true => Some(position + 1),
            false => self.start,
        }
    }

    /// Whether it happens again and again.
    fn repeats(&self, happens: impl Fn(&Situation) -> bool) -> bool {
        self.start.is_some_and(|start| {
            self.situations[start..]
                .iter()
                .any(|situation| happens(situation))
        })
    }

    fn condition(
        &self,
        program: &Program,
        condition: &entail_program::Expression,
        position: usize,
    ) -> Result<bool, String> {
        let view = View::new(program, &self.situations[position].state, usize::MAX);
        evaluate(&view, condition)
            .map(|value| value != 0)
            .map_err(|fault| fault.to_string())
    }

    /// The truth of a formula at every position.
    fn evaluate(&self, program: &Program, formula: &Formula<usize>) -> Result<Vec<bool>, String> {
        let length = self.situations.len();
        let inner = |formula: &Formula<usize>| self.evaluate(program, formula);
        let pointwise = |left: Vec<bool>, right: Vec<bool>, combine: fn(bool, bool) -> bool| -> Vec<bool> {
            left.into_iter()
                .zip(right)
                .map(|(left, right)| combine(left, right))
                .collect()
        };
        // Least or greatest fixpoint of `now | (stay & next)`.
        let fixpoint = |now: Vec<bool>, stay: Vec<bool>, greatest: bool| {
            let mut truth = vec![greatest; length];
            for _ in 0..=length {
                for position in (0..length).rev() {
                    let later = self.next(position).is_some_and(|next| truth[next]);
                    truth[position] = now[position] || stay[position] && later;
                }
            }
            truth
        };
        let all = |truth: bool| vec![truth; length];
        Ok(match formula.node() {
            Node::Constant(truth) => all(*truth),
            Node::Atom(atom) => {
                let condition = program.conditions.get(*atom).ok_or("an unknown condition")?;
                (0..length)
                    .map(|position| self.condition(program, condition, position))
                    .collect::<Result<_, _>>()?
            }
            Node::Not(operand) => inner(operand)?.into_iter().map(|truth| !truth).collect(),
            Node::And(operands) => operands.iter().try_fold(all(true), |truth, operand| {
                Ok::<_, String>(pointwise(truth, inner(operand)?, |a, b| a && b))
            })?,
            Node::Or(operands) => operands.iter().try_fold(all(false), |truth, operand| {
                Ok::<_, String>(pointwise(truth, inner(operand)?, |a, b| a || b))
            })?,
            Node::Implies(left, right) => pointwise(inner(left)?, inner(right)?, |a, b| !a || b),
            Node::Iff(left, right) => pointwise(inner(left)?, inner(right)?, |a, b| a == b),
            Node::Xor(left, right) => pointwise(inner(left)?, inner(right)?, |a, b| a != b),
            Node::Unary(Unary::Next, _, operand) => {
                let truth = inner(operand)?;
                (0..length)
                    .map(|position| self.next(position).is_some_and(|next| truth[next]))
                    .collect()
            }
            Node::Unary(Unary::Finally, interval, operand) if interval.is_always() => {
                fixpoint(inner(operand)?, all(true), false)
            }
            Node::Unary(Unary::Globally, interval, operand) if interval.is_always() => {
                let never = fixpoint(
                    inner(operand)?.into_iter().map(|truth| !truth).collect(),
                    all(true),
                    false,
                );
                never.into_iter().map(|truth| !truth).collect()
            }
            Node::Binary(operator, interval, left, right) if interval.is_always() => {
                let (left, right) = (inner(left)?, inner(right)?);
                match operator {
                    Binary::Until => fixpoint(right, left, false),
                    Binary::WeakUntil => fixpoint(right, left, true),
                    Binary::Release => fixpoint(pointwise(left, right.clone(), |a, b| a && b), right, true),
                    Binary::StrongRelease => {
                        fixpoint(pointwise(left, right.clone(), |a, b| a && b), right, false)
                    }
                    Binary::Since | Binary::Triggered => {
                        return Err("past operators are not supported".into());
                    }
                }
            }
            _ => return Err("this operator is not supported".into()),
        })
    }

    /// Whether the claim can follow the run to its end, or for ever through accepting locations.
    fn claim_is_matched(&self, program: &Program, claim: ProcessTypeId) -> Result<bool, String> {
        let locations = &program.process(claim).locations;
        let initial = program.process(claim).start.ok_or("the claim is empty")?;
        // Pairs of a position and a location of the claim that can be reached, and the pairs they lead to.
        let (length, count) = (self.situations.len(), locations.len());
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); length * count];
        let mut reached = vec![false; length * count];
        let mut pending = vec![(0, initial)];
        reached[initial.index()] = true;
        while let Some((position, location)) = pending.pop() {
            let here = &locations[location.index()];
            if here
                .edges
                .iter()
                .any(|edge| matches!(edge.actions.first(), Some(Action::End)))
            {
                return Ok(true);
            }
            for target in self.claim_steps(program, claim, location, position)? {
                if locations[target.index()]
                    .edges
                    .iter()
                    .any(|edge| matches!(edge.actions.first(), Some(Action::End)))
                {
                    return Ok(true);
                }
                let Some(next) = self.next(position) else {
                    continue;
                };
                let pair = next * count + target.index();
                edges[position * count + location.index()].push(pair);
                if !std::mem::replace(&mut reached[pair], true) {
                    pending.push((next, target));
                }
            }
        }
        // An accepting pair that can be reached from itself.
        for pair in (0..length * count).filter(|&pair| reached[pair] && locations[pair % count].is_accepting)
        {
            let mut seen = vec![false; length * count];
            let mut pending = edges[pair].clone();
            while let Some(next) = pending.pop() {
                if next == pair {
                    return Ok(true);
                }
                if !std::mem::replace(&mut seen[next], true) {
                    pending.extend(&edges[next]);
                }
            }
        }
        Ok(false)
    }

    fn claim_steps(
        &self,
        program: &Program,
        claim: ProcessTypeId,
        location: LocationId,
        position: usize,
    ) -> Result<Vec<LocationId>, String> {
        let mut targets = Vec::new();
        // What cannot be evaluated (a variable of a process that has ended) keeps the claim from that edge and from an `else` behind it:
        // what it can do without them is enough to follow the run.
        let mut is_clear = true;
        for edge in &program.process(claim).locations[location.index()].edges {
            let enabled = match edge.actions.first() {
                Some(Action::Guard(condition) | Action::Assert(condition)) => {
                    let holds = self.condition(program, condition, position);
                    is_clear &= holds.is_ok();
                    holds.unwrap_or(false)
                }
                Some(Action::Else) => targets.is_empty() && is_clear,
                Some(Action::Skip) | None => true,
                _ => return Err("the claim does more than look".into()),
            };
            if enabled {
                targets.push(edge.target);
            }
        }
        Ok(targets)
    }

    /// In the loop, every process moves or cannot.
    fn check_fairness(&self, program: &Program, run: &Run, replayed: &Replayed) -> Result<(), String> {
        let Some(start) = run.loop_start else {
            return Ok(());
        };
        let processes = replayed.situations[start..]
            .iter()
            .map(|situation| situation.state.processes.len())
            .min()
            .unwrap_or(0);
        for process in 0..processes as u8 {
            let moves_in_loop = run.steps[start.min(run.steps.len())..].iter().any(|step| {
                step.process == process || step.receiver.is_some_and(|(receiver, _)| receiver == process)
            });
            let blocked = || {
                replayed.situations[start..]
                    .iter()
                    .filter(|situation| situation.control.is_none())
                    .any(|situation| {
                        !moves(program, &situation.state, None).iter().any(|found| {
                            found.step.process == process
                                || found
                                    .step
                                    .receiver
                                    .is_some_and(|(receiver, _)| receiver == process)
                        })
                    })
            };
            if !moves_in_loop && !blocked() {
                return Err(format!(
                    "process {process} could always move in the loop and does not"
                ));
            }
        }
        Ok(())
    }
}
