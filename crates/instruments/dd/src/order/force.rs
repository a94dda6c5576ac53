//! FORCE (Aloul, Markov, Sakallah 2003): items that occur together attract each other.
//!
//! In each round every hyperedge has its centre of gravity at the mean place of its items, and every item moves to
//! the mean of the centres of its hyperedges; sorting gives new places. The best order by total span is kept. Rounds
//! end when the span has not improved for a while.
//!
//! Cost: O(size of the hyperedges + n log n) a round, and about log n rounds.

/// The sum over all hyperedges of the distance between their first and last item.
pub fn total_span(order: &[usize], hyperedges: &[Vec<usize>]) -> usize {
    let place = places(order);
    hyperedges
        .iter()
        .filter_map(|edge| {
            let places = edge.iter().map(|&item| place[item]);
            Some(places.clone().max()? - places.min()?)
        })
        .sum()
}

/// An order of small total span, beginning from `initial`, which lists every item once. It is returned itself if
/// nothing better is found; items in no hyperedge stay near their place.
pub fn force_order(initial: &[usize], hyperedges: &[Vec<usize>]) -> Vec<usize> {
    let mut best = initial.to_vec();
    let mut best_span = total_span(&best, hyperedges);
    let mut order = best.clone();
    let patience = 10 + 2 * (usize::BITS - initial.len().leading_zeros()) as usize;
    let mut without_gain = 0;
    while without_gain < patience {
        order = round(&order, hyperedges);
        let span = total_span(&order, hyperedges);
        if span < best_span {
            best_span = span;
            best.clone_from(&order);
            without_gain = 0;
        } else {
            without_gain += 1;
        }
    }
    best
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (at, &item) in order.iter().enumerate() {
        place[item] = at;
    }
    place
}

fn round(order: &[usize], hyperedges: &[Vec<usize>]) -> Vec<usize> {
    let place = places(order);
    let mut pull = vec![(0.0, 0usize); order.len()];
    for edge in hyperedges.iter().filter(|edge| !edge.is_empty()) {
        let centre = edge.iter().map(|&item| place[item] as f64).sum::<f64>() / edge.len() as f64;
        for &item in edge {
            pull[item].0 += centre;
            pull[item].1 += 1;
        }
    }
    let target = |item: usize| match pull[item] {
        (_, 0) => place[item] as f64,
        (sum, count) => sum / count as f64,
    };
    let mut next = order.to_vec();
    // Stable: equal targets keep their present order.
    next.sort_by(|&a, &b| target(a).total_cmp(&target(b)));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_chain_is_straightened() {
        let n = 50;
        let chain: Vec<Vec<usize>> = (1..n).map(|i| vec![i - 1, i]).collect();
        // 0, 7, 14, … modulo 50: neighbours far apart.
        let initial: Vec<usize> = (0..n).map(|i| i * 7 % n).collect();
        let order = force_order(&initial, &chain);
        assert!(total_span(&order, &chain) * 3 < total_span(&initial, &chain));
    }

    #[test]
    fn the_words_of_a_comparator_are_interleaved() {
        let n = 8;
        let pairs: Vec<Vec<usize>> = (0..n).map(|i| vec![i, n + i]).collect();
        let order = force_order(&(0..2 * n).collect::<Vec<_>>(), &pairs);
        assert_eq!(total_span(&order, &pairs), n);
    }

    #[test]
    fn an_order_is_a_permutation_even_without_hyperedges() {
        assert_eq!(force_order(&[2, 0, 1], &[]), [2, 0, 1]);
        assert_eq!(force_order(&[], &[]), []);
        let mut order = force_order(&[3, 1, 0, 2], &[vec![0, 3], vec![], vec![2, 3, 1]]);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3]);
    }
}
