//! Why answers about networks should be believed, as plain data.
//!
//! A [`Run`] is replayed with exact numbers. A [`Lasso`] is a run to a state in a zone, and a cycle that leads from every state of that zone back into it. A [`Cover`] is
//! a set of symbolic states that contains the initial ones and, up to simulation, the successors of its own; ranks on them show that nothing happens again and again
//! (Wimmer, von Mutius 2020; Wimmer, Herbreteau, van de Pol 2020).

pub use crate::cover_nodes::CoverNodes;
pub use crate::energy::{
    Because, LevelledCorner, Little, LostLevel, Potential, PotentialPiece, Potentials, Sustained,
};
use crate::{EdgeId, LocationId, Rational};
use serde::{Deserialize, Serialize};

/// An exact number of time units, written `7` or `5/2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time(pub Rational);

impl Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse::<Rational>();
        number
            .map(Time)
            .map_err(|_| serde::de::Error::custom(format!("`{text}` is no number")))
    }
}

/// A delay and the joint edge taken after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// How long the network waits before.
    pub delay: Time,
    /// One edge of each process that moves.
    pub edges: Vec<EdgeId>,
}

/// A run from an initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The initial locations.
    pub first: Vec<LocationId>,
    /// The steps.
    pub steps: Vec<Step>,
    /// How long the network waits in the end.
    pub rest: Time,
}

/// A run that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lasso {
    /// The way to the cycle.
    pub stem: Run,
    /// The cycle: joint edges, before each of which the network may wait.
    pub cycle: Vec<Vec<EdgeId>>,
    /// Clock values at the head of the cycle: the stem ends in one of them, and from each of them the cycle leads back to one of them. Bounds as in [`CoverNode::zone`].
    pub zone: Vec<i32>,
}

/// A maximal run on which a condition holds from some point on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stay {
    /// The way to the cycle or to the end. A step without edges is a wait.
    pub stem: Run,
    /// The number of steps after which the condition begins to hold.
    pub since: usize,
    /// The cycle: joint edges, before each of which the network may wait; none for a wait. Without a cycle the run ends with its stem, in a state from which no step can be taken
    /// however long the network waits, or waits for ever.
    pub cycle: Vec<Vec<EdgeId>>,
    /// Clock values at the head of the cycle, as in [`Lasso::zone`]; nothing without a cycle.
    pub zone: Vec<i32>,
}

/// Why a value is the largest or the least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extreme {
    /// A run to the value, or along which other delays come as near to it as one likes; nothing if no state satisfies the condition.
    pub run: Option<Run>,
    /// The value; with a run, nothing if there is no bound.
    pub value: Option<i64>,
    /// Whether some state has the value.
    pub attained: bool,
    /// All that is reachable, in which nothing is beyond the value; nothing if there is no bound.
    pub cover: Option<Cover>,
}

/// No bound, in a zone.
pub const NO_BOUND: i32 = i32::MAX;

/// A symbolic state: a discrete state with a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverNode {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// A difference-bound matrix, row by row, with the reference clock first: entry (i, j) bounds clock i minus clock j, as twice the bound, plus one if equality is allowed;
    /// [`NO_BOUND`] where there is none.
    pub zone: Vec<i32>,
    /// Never grows along steps, and falls at each step from a state that is not to be met again and again.
    pub rank: u32,
}

/// The largest constants that a clock is compared with from a location on, before it is set: from below (`x > c`) and from above (`x < c`); nothing if it is not.
pub type ClockBounds = (Option<i32>, Option<i32>);

/// A set of symbolic states that contains all runs, up to simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// For each location and each clock of the model: the constants that still matter.
    pub bounds: Vec<Vec<ClockBounds>>,
    /// The differences of clocks that are compared with constants: (left, right, bound as in zones). Every node's zone lies on one side of each.
    pub diagonals: Vec<(usize, usize, i32)>,
    /// The symbolic states.
    pub nodes: CoverNodes,
    /// For a condition that may begin to hold anywhere: the symbolic states up to there.
    #[serde(default, skip_serializing_if = "CoverNodes::is_empty")]
    pub prelude: CoverNodes,
    /// Comparisons along which zones are cut before nodes cover the parts, written like `diagonals`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<(usize, usize, i32)>,
    /// Whether zones contain one another only as sets, because constants cannot be bounded.
    pub plain: bool,
}

/// How the controller wins a game.
///
/// In a state, the nodes of the least rank that contain it decide: if one of them takes a step, that step is taken at once; otherwise the controller waits. Waiting leads to where the game is
/// won, to a smaller rank, to a node that takes a step, or to the end of the time that may pass, where the opponent has to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// Where the controller wins. Every step, of whomever, leads to smaller ranks; where nothing has to be reached, ranks mean nothing.
    pub winning: CoverNodes,
    /// For each node: the joint edge that the controller takes; none: it waits.
    pub choices: Vec<Vec<EdgeId>>,
}

/// Why the controller wins within a time, and not sooner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Soonest {
    /// The time.
    pub within: i64,
    /// Whether the controller wins before it; otherwise within it.
    pub strictly: bool,
    /// How.
    pub strategy: Strategy,
    /// Why not before it, or where it wins before it, not within one unit less: where the opponent wins, as in [`Proof::Spoiled`]; nothing if no time is needed.
    pub losing: Option<CoverNodes>,
}

/// A symbolic state with a lower bound of the cost at which its states are reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricedNode {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// The clock values, as in [`CoverNode::zone`].
    pub zone: Vec<i32>,
    /// The bound where all clocks are 0.
    pub offset: i64,
    /// How much the bound grows with each clock of the model.
    pub slopes: Vec<i64>,
    /// Where its delays and steps lead.
    pub hints: Vec<PricedHint>,
}

/// A part of what a delay or a step leads to, and the node that contains it at no larger cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricedHint {
    /// The joint edge; none for a delay.
    pub edges: Vec<EdgeId>,
    /// The clock values, as in [`CoverNode::zone`].
    pub zone: Vec<i32>,
    /// The node; nothing if the part costs at least as much as the run that was found.
    pub node: Option<usize>,
}

/// Why a cost is the least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cheapest {
    /// A run at this cost, or along which other delays come as near to it as one likes.
    pub run: Run,
    /// The least cost.
    pub cost: i64,
    /// Whether the run has it.
    pub attained: bool,
    /// All that is reachable at a smaller cost.
    pub nodes: Vec<PricedNode>,
}

/// A corner of a region: clock values that are whole numbers but for something infinitely small.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricedCorner {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// The clocks of the model: the whole number, and the rank of what is added, which is below 0, 0, or above; nothing for a clock beyond the largest constant.
    pub clocks: Vec<Option<(i64, i32)>>,
    /// Along a delay or a step it grows at most by [`LongRun::time`] times its cost, less [`LongRun::cost`] times its time.
    pub potential: i64,
}

/// Why a cost per unit of time is the least in the long run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongRun {
    /// A run near the way to the cycle and once around it; nothing if time diverges in none.
    pub run: Option<Run>,
    /// What the cycle costs; 1 if time diverges in no run.
    pub cost: i64,
    /// The time around the cycle; 0 if time diverges in no run.
    pub time: i64,
    /// The largest constant that clocks are compared with.
    pub most: i64,
    /// All corners that are reached.
    pub corners: Vec<PricedCorner>,
    /// Where the way to the cycle begins, by number.
    pub start: Option<usize>,
    /// The way from there to the cycle.
    pub stem: Vec<CornerStep>,
    /// The cycle; its last corner is where the way to it ends.
    pub cycle: Vec<CornerStep>,
}

/// A delay or a step from corner to corner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CornerStep {
    /// The joint edge; none for a delay.
    pub edges: Vec<EdgeId>,
    /// Where it leads, by number.
    pub corner: usize,
}

impl LongRun {
    /// The ratio; nothing if time diverges in no run.
    pub fn value(&self) -> Option<Rational> {
        (self.time > 0).then(|| Rational::from(self.cost) / Rational::from(self.time))
    }
}

/// A share of random runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Number of runs.
    pub runs: u64,
    /// Runs that do what is asked.
    pub successes: u64,
}

/// A mean over random runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// Number of runs.
    pub runs: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// A value over a run: it changes evenly between points, or stays until the next where it is stepped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The run, by number.
    pub run: u64,
    /// What it is.
    pub name: String,
    /// Its points: time (steps, or the clock that bounds the run), and the value.
    pub points: Vec<(f64, f64)>,
    /// Whether the value stays between points.
    pub is_stepped: bool,
}

/// What random runs gave. No proof: only the run in it can be replayed, and the figures be computed again from the counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Where random numbers began.
    pub seed: u64,
    /// How many runs do what is asked; for a comparison, of the first and of the second kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Share>,
    /// A mean, where one is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<Mean>,
    /// When the goal was met, in runs that meet it: equal parts of the time from 0 on, and how many runs meet it in each.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub when: Histogram,
    /// Values over runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// A run that meets the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Run>,
}

/// Counts over equal parts of an axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// How wide a part is.
    pub width: f64,
    /// The counts.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Where the parts of a nested question hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchingSets {
    /// Whether the formula holds in every initial state.
    pub holds: bool,
    /// All that is reachable, and perhaps more: closed under waiting and steps. The clocks of intervals have any value.
    pub reached: CoverNodes,
    /// For each `E[ p U q ]` and `E[] p`, operands first and in the order in which they are written: where `E[ p U q ]` holds, each value waits for `q`, or for a step to a smaller rank; where `E[] p` does not hold although `p` does, no
    /// value can stay in `p` but by a step to a smaller rank.
    pub sets: Vec<CoverNodes>,
}

/// Evidence about a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Proof {
    /// A run to a state that is looked for.
    Run {
        /// The run.
        run: Run,
    },
    /// A run on which what is looked for happens again and again.
    Lasso {
        /// The run.
        lasso: Lasso,
    },
    /// A maximal run on which a condition holds from some point on.
    Stay {
        /// The run.
        stay: Stay,
    },
    /// The largest or least value of a measure.
    Extreme {
        /// The value, and why it is.
        extreme: Extreme,
    },
    /// What is looked for does not exist.
    Cover {
        /// All that exists.
        cover: Cover,
    },
    /// The controller wins a game.
    Strategy {
        /// How.
        strategy: Strategy,
    },
    /// The opponent wins a game.
    Spoiled {
        /// Where: from each of these states the controller cannot win in one move, a wait and a step, even if it wins everywhere else; where losing is what ends the game, everywhere but in smaller ranks.
        losing: CoverNodes,
    },
    /// The least cost of a run.
    Cheapest {
        /// The cost, and why it is.
        cheapest: Cheapest,
    },
    /// The least cost per unit of time in the long run.
    LongRun {
        /// The ratio, and why it is.
        long_run: LongRun,
    },
    /// Whether a weight stays within bounds.
    Energy {
        /// Why it does, or does not.
        sustained: Sustained,
    },
    /// What is left when the controller plays a strategy.
    Under {
        /// The strategy. Where nothing has to be reached, the controller may do whatever leads to states of it.
        strategy: Strategy,
        /// The evidence about what is left.
        proof: Box<Proof>,
    },
    /// Where the parts of a nested question hold.
    Branching {
        /// The sets.
        branching: BranchingSets,
    },
    /// The controller wins a game within a time.
    Soonest {
        /// The time, and why it is needed.
        soonest: Soonest,
    },
    /// What is reachable, up to permutations of scalars: no proof, since what these make of it is not listed.
    Representatives {
        /// The symbolic states that stand for the others.
        cover: Cover,
    },
    /// Random runs: an estimate, no proof.
    Samples {
        /// What they gave.
        samples: Samples,
    },
}

impl Proof {
    /// Whether it shows that what a query looks for exists.
    pub fn shows_existence(&self) -> bool {
        match self {
            Proof::Under { proof, .. } => proof.shows_existence(),
            Proof::Branching { branching } => branching.holds,
            Proof::LongRun { long_run } => long_run.time > 0,
            Proof::Energy { sustained } => sustained.holds,
            Proof::Cover { .. } | Proof::Representatives { .. } | Proof::Spoiled { .. } => false,
            _ => true,
        }
    }
}

impl entail_answer::Evidence for Proof {
    fn kind(&self) -> &'static str {
        match self {
            Proof::Run { .. } => "run",
            Proof::Lasso { .. } => "lasso",
            Proof::Stay { .. } => "stay",
            Proof::Extreme { .. } => "extreme",
            Proof::Cover { .. } => "cover",
            Proof::Representatives { .. } => "representatives",
            Proof::Strategy { .. } => "strategy",
            Proof::Spoiled { .. } => "spoiled",
            Proof::Cheapest { .. } => "cheapest",
            Proof::LongRun { .. } => "long-run",
            Proof::Energy { .. } => "energy",
            Proof::Under { .. } => "under",
            Proof::Soonest { .. } => "soonest",
            Proof::Samples { .. } => "samples",
            Proof::Branching { .. } => "branching",
        }
    }
}
