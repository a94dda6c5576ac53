//! Names of columns: which ones the user asked for, which ones a formula is about.

/// Whether a letter can be part of a name.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$' || letter == '#'
}

/// Whether `word` occurs in `text`, not as a part of a longer word. `joins` says which letters make a word longer.
fn has_word(text: &str, word: &str, joins: impl Fn(char) -> bool) -> bool {
    if word.is_empty() {
        return false;
    }
    let begins_open = !word.starts_with(is_part);
    let ends_open = !word.ends_with(is_part);
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        (begins_open || !before.is_some_and(&joins)) && (ends_open || !after.is_some_and(&joins))
    })
}

/// Whether a formula speaks about the column of this name.
pub(crate) fn mentions(formula: &str, name: &str) -> bool {
    // A name inside a scope is not the name without it.
    has_word(formula, name, |letter| is_part(letter) || letter == '.')
}

/// Whether a name is one that the user asked for: it is the pattern, has it as a whole word (`held` and `user(2)` are in `user(2).held`), or
/// fits it where `*` stands for anything.
pub fn matches(name: &str, pattern: &str) -> bool {
    match pattern.contains('*') {
        true => fits(name, pattern),
        false => name == pattern || has_word(name, pattern, is_part),
    }
}

/// Whether a name fits a pattern with stars: its pieces are found one after the other, the first and the last at the ends.
fn fits(name: &str, pattern: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('*').collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
        return false;
    };
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    for piece in &pieces[1..pieces.len() - 1] {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_whole_word_of_the_name_or_has_stars() {
        assert!(matches("user(2).held", "held"));
        assert!(matches("user(2).held", "user(2)"));
        assert!(matches("queue[3]", "queue"));
        assert!(!matches("turnstile", "turn"));
        assert!(matches("turnstile", "turn*"));
        assert!(matches("a.b.c", "a*c") && !matches("a.b.c", "a*d") && !matches("ab", "ab*b"));
        assert!(!matches("x", ""));
    }

    #[test]
    fn a_formula_mentions_whole_names() {
        assert!(mentions("G (c1 = waiting -> F c1 = busy)", "c1"));
        assert!(!mentions("G a.b", "b") && !mentions("G a.b", "a"));
        assert!(mentions("q[1] = 0", "q[1]") && mentions("!p", "p"));
    }
}
