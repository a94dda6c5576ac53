//! Tests of the solvers of games with other objectives than parity.

mod concurrent;
mod equations;
mod random_games;

/// `ENTAIL_EFFORT`: how many times the usual number of random games.
fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}
