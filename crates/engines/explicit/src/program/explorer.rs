//! Programs as searches see them.

use super::reduction::{Reducer, Symmetry};
use super::steps::action::Compiled;
use super::steps::space::{Space, Successors};
use entail_budget::{Budget, Spent};
use entail_program::Fault;
use entail_search::{Explorer, GroupSet, Searchable};

/// A program of communicating processes. The action groups are the processes.
pub struct ProgramSteps<'p> {
    pub compiled: &'p Compiled,
    pub reducer: Option<Reducer>,
    /// What tells which processes are independent, for sleep sets.
    pub sleep: Option<Reducer>,
    /// What may be interchanged: successors are representatives.
    pub symmetry: Option<Symmetry>,
}

/// What a thread explores a program with.
pub struct ProgramExplorer<'m> {
    space: Space<'m>,
    reducer: Option<Reducer>,
    sleep: Option<Reducer>,
    symmetry: Option<&'m Symmetry>,
}

impl Searchable for ProgramSteps<'_> {
    type Flaw = Fault;
    type Explorer<'m>
        = ProgramExplorer<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, budget: &'m Budget) -> ProgramExplorer<'m> {
        ProgramExplorer {
            space: Space::new(self.compiled, budget),
            reducer: self.reducer.clone(),
            sleep: self.sleep.clone(),
            symmetry: self.symmetry.as_ref(),
        }
    }
}

impl Explorer for ProgramExplorer<'_> {
    type Flaw = Fault;
    type Successors = Successors;

    fn initial(&mut self, out: &mut Successors) -> Result<(), Spent> {
        out.clear();
        out.begin(self.space.compiled.initial());
        Ok(())
    }

    #[inline]
    fn expand(&mut self, state: &[u8], out: &mut Successors) -> Result<(), Spent> {
        self.space.expand(state, out)?;
        if let Some(symmetry) = self.symmetry {
            (0..out.list.len()).for_each(|position| symmetry.canonize(out.state_mut(position)));
        }
        Ok(())
    }

    fn expand_awake(&mut self, state: &[u8], asleep: &GroupSet, out: &mut Successors) -> Result<(), Spent> {
        let is_left_out = |process: usize| asleep.contains(process as u8);
        self.space
            .expand_without(state, is_left_out, *asleep != GroupSet::default(), out)
    }

    fn independence(&mut self, out: &Successors, asleep: &GroupSet, found: &mut Vec<(u8, GroupSet)>) {
        if let Some(sleep) = &mut self.sleep {
            sleep.independence(self.space.compiled, self.space.entered(), out, asleep, found);
        }
    }

    #[inline]
    fn choices(&mut self, out: &Successors) -> &[(usize, GroupSet)] {
        match &mut self.reducer {
            Some(reducer) => reducer.choices(self.space.compiled, self.space.entered(), out),
            None => &[],
        }
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.space.is_valid_end(state)
    }
}

impl entail_search::Successors for Successors {
    type Flaw = Fault;

    #[inline]
    fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    fn state(&self, position: usize) -> &[u8] {
        Successors::state(self, position)
    }

    #[inline]
    fn group(&self, position: usize) -> u8 {
        self.list[position].process
    }

    fn takes_part(&self, position: usize, group: u8) -> bool {
        let successor = &self.list[position];
        let bit = 1u64.checked_shl(group.into()).unwrap_or(0);
        successor.process == group || successor.movers & bit != 0
    }

    #[inline]
    fn flaw(&self, position: usize) -> Option<&Fault> {
        self.list[position].fault.as_ref()
    }

    #[inline]
    fn first_flaw(&self) -> Option<&Fault> {
        self.list.iter().find_map(|successor| successor.fault.as_ref())
    }

    #[inline]
    fn diverges(&self) -> bool {
        self.diverges
    }
}
