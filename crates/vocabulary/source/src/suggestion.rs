//! Which known word was meant by one that is unknown.

/// The known word that is nearest to the wanted one, if it is near enough to be worth asking: for short words one edit away, for longer
/// ones up to three.
pub fn nearest<'k>(wanted: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let limit = match wanted.len() {
        ..=2 => 1,
        length => (length / 4).clamp(1, 3),
    };
    known
        .filter(|candidate| candidate.len().abs_diff(wanted.len()) <= limit)
        .map(|candidate| (edit_distance(candidate, wanted, limit), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of single-character edits (swaps of neighbours count once) between two names, or `limit + 1` if it is more
/// than `limit`.
fn edit_distance(left: &str, right: &str, limit: usize) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for i in 0..left.len() {
        let mut next = vec![i + 1];
        for j in 0..right.len() {
            let replaced = row[j] + usize::from(left[i] != right[j]);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()].min(limit + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        assert_eq!(edit_distance("state", "state", 2), 0);
        assert_eq!(edit_distance("state", "sate", 2), 1);
        assert_eq!(edit_distance("critical", "critcial", 2), 1);
        assert_eq!(edit_distance("abc", "xyz", 2), 3);
    }

    #[test]
    fn the_nearest_word_is_suggested_and_a_far_one_is_not() {
        let known = || ["and", "add", "sub", "critical"].into_iter();
        assert_eq!(nearest("addd", known()), Some("add"));
        assert_eq!(nearest("critcial", known()), Some("critical"));
        assert_eq!(nearest("zzz", known()), None);
    }
}
