//! Why a player wins a GR(1) game: sets of states, and how far each state is from what its winner is after.
//!
//! A state is a letter: a value for each signal. The system wins `a₁ … aₘ again and again → g₁ … gₙ again and again` from the sets of the nested fixpoint (Piterman, Pnueli, Sa'ar, *Synthesis
//! of reactive(1) designs*, VMCAI 2006): for each goal, layers from which it comes nearer to the goal, or stays where an assumption is not met. The environment's are the
//! duals: layers in which a goal is avoided, and in each of them, for each assumption, how far the next letter that meets it is.
//!
//! Cost: that of the diagrams; their nodes are shared between all sets.

use crate::Player;

/// A set of letters: the number of its node in [`WrittenSets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WrittenSet(pub u32);

impl WrittenSet {
    /// No letter.
    pub const NONE: WrittenSet = WrittenSet(0);
    /// All letters.
    pub const ALL: WrittenSet = WrittenSet(1);
}

/// Decision diagrams over the signals of one letter, written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenSets {
    /// The signals, in the order in which diagrams test them.
    pub order: Vec<String>,
    /// Each node tests a signal, named by its place in the order, and goes on to a node where it is false, and to one where it is true. Nodes are numbered from 2 on; 0 is the empty set, 1
    /// that of all letters. Those a node leads to come before it, and test signals later in the order.
    pub nodes: Vec<[u32; 3]>,
}

/// States from which the system comes nearer to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemLayer {
    /// The assumption that is not met as long as the play stays in the layer; 0 if there are none.
    pub assumption: u32,
    /// The states.
    pub states: WrittenSet,
}

/// States in which the environment prevents a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentLayer {
    /// The goal.
    pub goal: u32,
    /// The states, those of all layers before among them.
    pub states: WrittenSet,
    /// For each assumption (one if there are none), the states from which it is met in at most one step, two steps, and so on, or the layer is left for one before it.
    pub hunts: Vec<Vec<WrittenSet>>,
}

/// The ranks of the player who wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gr1Ranks {
    /// The system wins from these states; for each goal (one if there are none) there are layers, the nearest first, that contain all of them.
    System {
        /// The states that it wins.
        wins: WrittenSet,
        /// The layers of each goal.
        goals: Vec<Vec<SystemLayer>>,
    },
    /// The environment wins from the states of the last layer.
    Environment {
        /// The layers.
        layers: Vec<EnvironmentLayer>,
    },
}

impl Gr1Ranks {
    /// Who wins.
    pub fn winner(&self) -> Player {
        match self {
            Gr1Ranks::System { .. } => Player::Even,
            Gr1Ranks::Environment { .. } => Player::Odd,
        }
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        match self {
            Gr1Ranks::System { goals, .. } => goals.iter().map(Vec::len).sum(),
            Gr1Ranks::Environment { layers } => layers.len(),
        }
    }
}

/// Why a GR(1) specification is realizable, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gr1Proof {
    /// All sets.
    pub sets: WrittenSets,
    /// The ranks in the game.
    pub ranks: Gr1Ranks,
    /// Where the system may break its own rules as long as the assumptions fail in the end: the ranks of the game that begins when it has done so. There the
    /// system has to see to it that the assumptions fail, whatever else happens.
    pub broken: Option<Gr1Ranks>,
}
