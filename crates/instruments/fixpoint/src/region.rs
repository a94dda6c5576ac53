//! The interface of a representation of sets of states (chapter 31, section 2.3).
//!
//! Every operation may fail: a decision diagram can run out of memory, any of them out of time. Operations take `&mut self`
//! so that an algebra can count, cache and poll.

/// Sets of states with Boolean operations and predecessors.
pub trait RegionAlgebra {
    /// A set of states.
    type Region: Clone;
    /// What an atom of a formula is.
    type Atom;
    /// One state, for [`RegionAlgebra::member`].
    type State;
    /// Why an operation did not succeed.
    type Error;

    /// All states.
    fn full(&mut self) -> Result<Self::Region, Self::Error>;

    /// No state.
    fn empty(&mut self) -> Result<Self::Region, Self::Error>;

    /// The states where the atom is true.
    fn atom(&mut self, atom: &Self::Atom) -> Result<Self::Region, Self::Error>;

    /// Intersection.
    fn and(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, Self::Error>;

    /// Union.
    fn or(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, Self::Error>;

    /// `a` without `b`.
    fn difference(&mut self, a: &Self::Region, b: &Self::Region) -> Result<Self::Region, Self::Error>;

    /// The states with a successor in the region: `EX`.
    fn pre(&mut self, region: &Self::Region) -> Result<Self::Region, Self::Error>;

    /// The states with a successor in the region along an edge of this action; `None` if the algebra knows no such action.
    fn labelled_pre(
        &mut self,
        action: &str,
        region: &Self::Region,
    ) -> Result<Option<Self::Region>, Self::Error> {
        let _ = (action, region);
        Ok(None)
    }

    /// The names of all actions that edges have; none if edges have no names.
    fn actions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether there is no state in the region.
    fn is_empty(&mut self, region: &Self::Region) -> Result<bool, Self::Error>;

    /// Whether the state is in the region.
    fn member(&mut self, state: &Self::State, region: &Self::Region) -> Result<bool, Self::Error>;

    /// All states but these.
    fn complement(&mut self, region: &Self::Region) -> Result<Self::Region, Self::Error> {
        let full = self.full()?;
        self.difference(&full, region)
    }

    /// The states all of whose successors are in the region: `AX`, true at dead ends. The dual of `pre`.
    fn dpre(&mut self, region: &Self::Region) -> Result<Self::Region, Self::Error> {
        let outside = self.complement(region)?;
        let escaping = self.pre(&outside)?;
        self.complement(&escaping)
    }

    /// Whether every state of `a` is in `b`.
    fn included(&mut self, a: &Self::Region, b: &Self::Region) -> Result<bool, Self::Error> {
        let rest = self.difference(a, b)?;
        self.is_empty(&rest)
    }

    /// Whether both are the same set. Canonical representations compare faster than this.
    fn equal(&mut self, a: &Self::Region, b: &Self::Region) -> Result<bool, Self::Error> {
        Ok(self.included(a, b)? && self.included(b, a)?)
    }
}
