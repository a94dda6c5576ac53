//! The methods by which equations are solved, by name.
//!
//! All of them but plain value iteration are sound: what they compute is either exact or a pair of inductive bounds. Optimistic value iteration is the default.

/// How equations are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Optimistic value iteration (Hartmanns and Kaminski 2020), with exact values where they are cheap.
    #[default]
    Optimistic,
    /// Sound value iteration (Quatmann and Katoen 2018).
    Sound,
    /// Interval iteration (Haddad and Monmege 2014).
    Interval,
    /// Policy iteration with exact elimination.
    Policy,
    /// A linear program, solved exactly.
    LinearProgram,
    /// Rational search (Mathur et al. 2020).
    RationalSearch,
    /// Value iteration until values change little: they may still be far from what they tend to. Never chosen but by name.
    Plain,
}

impl Method {
    /// All, with their names.
    pub const ALL: &'static [(&'static str, Method)] = &[
        ("ovi", Method::Optimistic),
        ("svi", Method::Sound),
        ("ii", Method::Interval),
        ("pi", Method::Policy),
        ("lp", Method::LinearProgram),
        ("rational-search", Method::RationalSearch),
        ("vi", Method::Plain),
    ];

    /// The method with a name.
    pub fn named(name: &str) -> Option<Method> {
        let found = Method::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, method)| *method)
    }
}
