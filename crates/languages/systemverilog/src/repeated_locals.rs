//! Repetitions that assign local variables, written out: `(valid, sum = sum + data)[*1:4]`.
//!
//! In each round a variable is read as the round before has left it, so every round is read anew, with numbers of its own for what it assigns. Where the repetition may end after
//! several rounds, each of these endings gives the variables one common number, which is what is read behind it. Alternatives are written out one beside the other, so the cost is quadratic in the
//! number of rounds; a repetition without an end, or that may be left out, stays one, and is refused by those who need constants.

use crate::cursor::Cursor;
use crate::expression::rewrite;
use crate::locals::Assigned;
use crate::property::{Parser, Result, not_read};
use crate::token::{Kind, Token};
use entail_logic::Sequence;
use entail_source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most rounds that are written out, and most assignments of a property up to which they are.
const MOST_ROUNDS: u32 = 16;
const MOST_VALUES: usize = 256;

impl Parser<'_> {
    /// Whether a repetition is written out: its body assigns, and it has from one round up to a number of rounds.
    pub(crate) fn unrolls(&self, body: &Sequence<usize>, least: u32, most: Option<u32>) -> bool {
        let mut assigned = BTreeSet::new();
        body.assigned(&mut assigned);
        let is_short = most.is_some_and(|most| (2..=MOST_ROUNDS).contains(&most));
        let is_small = self.emitted.locals.values < MOST_VALUES;
        !assigned.is_empty() && !body.is_nullable() && least >= 1 && is_short && is_small
    }

    /// The rounds of a repetition, the first of which has been read: they all have the same tokens. `before` is what was assigned when it began.
    pub(crate) fn unrolled(
        &mut self,
        tokens: &[Token],
        before: &Assigned,
        first: Sequence<usize>,
        (least, most): (u32, u32),
    ) -> Result<Sequence<usize>> {
        let mut rounds = vec![(first, self.emitted.locals.assigned())];
        for _ in 1..most {
            let mut cursor = Cursor::new(tokens);
            let span = cursor.span();
            let piece = self.repeated(&mut cursor)?;
            rounds.push((self.sequence(piece, span)?, self.emitted.locals.assigned()));
        }
        let body = |rounds: &[(Sequence<usize>, Assigned)]| {
            let bodies = rounds.iter().map(|(body, _)| body.clone());
            bodies.reduce(Sequence::then)
        };
        if least == most {
            return Ok(body(&rounds).unwrap_or(Sequence::Empty));
        }
        // What rounds assign: variables that were there before. (Others belong to instances within.)
        let (_, after) = &rounds[0];
        let changed = (0..before.len()).filter(|&place| after[place] != before[place]);
        let changed: Vec<usize> = changed.collect();
        let last = rounds[rounds.len() - 1].1.clone();
        let span = tokens.first().map_or(Span::new(0, 0), |token| token.span);
        let mut whole: Option<Sequence<usize>> = None;
        for count in least..=most {
            let (earlier, end) = rounds[..count as usize].split_at(count as usize - 1);
            let (mut ending, assigned) = end[0].clone();
            self.emitted.locals.back_to(&assigned);
            for &place in &changed {
                let alias = self.emitted.locals.variables[place].alias.clone();
                let name = Token {
                    kind: Kind::Name,
                    text: alias,
                    span,
                };
                let Some(common) = last[place].filter(|_| assigned[place].is_some()) else {
                    return Err(not_read(
                        "a local variable has no value after some of the rounds",
                        span,
                    ));
                };
                let text = rewrite(std::slice::from_ref(&name), &mut self.emitted, 0)?;
                self.emitted.locals.variables[place].assigned = Some(common);
                ending = self.assigning(ending, &name, &text)?;
            }
            let way = match body(earlier) {
                None => ending,
                Some(earlier) => earlier.then(ending),
            };
            whole = Some(match whole {
                None => way,
                Some(shorter) => Sequence::Union(Arc::new(shorter), Arc::new(way)),
            });
        }
        Ok(whole.unwrap_or(Sequence::Empty))
    }
}
