//! What a user may set: the variable order, reordering, and the shape of the transition relation.

/// Whether the variable order is improved while the engine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reordering {
    /// The order stays as it was made.
    None,
    /// Sifting of current/next pairs, triggered by growth.
    #[default]
    Sift,
    /// Sifting repeated until it gains little.
    Converge,
}

/// How the variables are ordered at the start.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum InitialOrder {
    /// From the model's dependency structure (FORCE), if that is better than the declaration order.
    #[default]
    Structure,
    /// As declared.
    Declared,
    /// As listed, by name (`x` for all bits of a variable, `x.3` for its bit 3, 0 being the least significant, as in order
    /// files). What is not listed follows in declaration order; names of no variable are passed over: the system may be a part of the
    /// model that the order was made for.
    Listed(Vec<String>),
    /// At random, from a seed; for tests.
    Random(u64),
}

/// How the reachable states of a model with a disjunctive relation are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Search {
    /// In rounds, each part going on from what the earlier ones have added.
    #[default]
    Chaining,
    /// By saturation, where everything is wanted.
    Saturation,
}

/// Settings of the engine; the defaults are meant to be good.
#[derive(Clone, Debug)]
pub struct SymbolicOptions {
    /// The order at the start.
    pub order: InitialOrder,
    /// How the variable order is improved.
    pub reordering: Reordering,
    /// Number of nodes that triggers the first reordering.
    pub first_reordering: usize,
    /// Conjuncts of the transition relation are multiplied together up to this many nodes.
    pub cluster_size: usize,
    /// Whether models that interleave are given a disjunctive relation.
    pub disjunctive: bool,
    /// How models that interleave are searched.
    pub search: Search,
    /// Whether CTL's path quantifiers respect compassion as well as justice.
    pub compassion_in_ctl: bool,
}

impl Default for SymbolicOptions {
    fn default() -> SymbolicOptions {
        SymbolicOptions {
            order: InitialOrder::Structure,
            reordering: Reordering::Sift,
            // Sifting fewer nodes takes longer than most of what is then done with them.
            first_reordering: 32_768,
            cluster_size: 10_000,
            disjunctive: true,
            search: Search::default(),
            compassion_in_ctl: true,
        }
    }
}
