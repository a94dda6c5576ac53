//! Statistical queries: what random runs are asked for.

use crate::Expr;

/// A statistical query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chance {
    /// `Pr[…](…)`: how likely is it?
    Probability(Trial),
    /// `Pr[…](…) >= p`, or `<=`: is it at least (at most) so likely? The number is as written.
    Test {
        /// What is tried.
        trial: Trial,
        /// `>=` instead of `<=`.
        at_least: bool,
        /// The number, as written.
        threshold: String,
    },
    /// `Pr[…](…) >= Pr[…](…)`: is the first at least as likely as the second?
    Compare(Box<[Trial; 2]>),
    /// `E[…](max: e)`, `E[…](min: e)`: the mean, over runs, of the largest or least value on a run.
    Mean {
        /// How far a run goes.
        extent: Extent,
        /// The largest value instead of the least.
        largest: bool,
        /// What is measured.
        of: Expr,
    },
    /// `simulate […] {e1, e2} : k : p`: values over runs.
    Simulate {
        /// How far a run goes.
        extent: Extent,
        /// What is measured, with its text.
        of: Vec<(String, Expr)>,
        /// Only runs that meet this are shown, and at most so many of them.
        only: Option<(Option<Expr>, Expr)>,
    },
}

/// What a run is tried for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How far the run goes.
    pub extent: Extent,
    /// What it is to do until then.
    pub path: TrialPath,
}

/// What a run is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialPath {
    /// `<> q`
    Finally(Expr),
    /// `[] p`
    Globally(Expr),
    /// `p U q`
    Until(Expr, Expr),
}

/// How far runs go, and how many there are: `[<=10; 100]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// What is bounded.
    pub by: ExtentBy,
    /// The bound.
    pub most: Expr,
    /// The number of runs.
    pub runs: Option<Expr>,
}

/// What bounds a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtentBy {
    /// Time: `<=10`
    Time,
    /// Steps: `#<=10`
    Steps,
    /// The value of a clock: `x<=10`
    Clock(Expr),
}
