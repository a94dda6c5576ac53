//! What it takes to make `p U[I] q` and `p R[I] q` true at several positions at once, with few clocks.
//!
//! An operator is asked for at some positions, and each of them has its own interval of later positions that count. How many of them are pending at once has no bound, but some of them stand for the others; so one clock or two are enough
//! (Alur, Feder, Henzinger 1996; Brihaye, Geeraerts, Ho, Monmege 2017):
//!
//! - `p U[0,b] q`: the first `q` serves all; the oldest must not be older than `b` then.
//! - `p U(0,b] q`: the same, but for those asked for at the very moment of `q`, which stay; a second clock tells whether there are any.
//! - `p U[a,∞) q`: `p` holds on. At a `q` when the youngest is old enough all are served. If younger ones always come, `p` holds for ever, and they are served in batches: those that were pending when a clock was set, then the next.
//! - `p R[0,b] q`: the youngest stands for all: `q` as long as it is not older than `b`, or until `p`.
//! - `p R(0,b] q`: the youngest of those that are older than this moment: two clocks in turn.
//! - `p R[a,∞) q`: the oldest stands for all.
//! - `p R[a,b] q`: the intervals of those asked for overlap or do not; each union of overlapping ones lasts from the oldest to the youngest of its own. Unions begin more than b − a behind the end of what asks for the one before, so the first of n is over when the next
//!   begins, if n (b − a) ≥ b: n = ⌈b / (b − a)⌉ are enough.
//! - `p U[a,b] q`: batches that are served by one `q` each, in turn; the oldest of a batch must not be too old then, and the youngest not too young. Let each batch be served by the last `q` that serves its oldest. The oldest of the next batch comes less than a before that `q` (otherwise
//!   it would be of this batch), and its own `q` more than b after the oldest of this batch (otherwise that would be this batch's): so from a batch to the one after the next the `q` moves by more than b − a. All that are pending at one moment are served within b: 2n are enough.
//!
//! An operator that is asked for at one position at most ([`Timing::once`]) needs one clock, whatever its interval is, also for a single moment.
//!
//! All of them end at once where `p` makes an end to `R`, or a `q` to `U`.

use entail_clocks::{ClockTest, Interval};

/// Where an operator stands; at first nothing is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mode(u8);

const IDLE: Mode = Mode(0);

/// What an operator does at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Whether the left operand, and the right one, must hold here.
    pub left: bool,
    pub right: bool,
    pub guard: Vec<ClockTest>,
    pub resets: Vec<usize>,
    pub next: Mode,
    /// Whether what is pending is put off.
    pub put_off: bool,
}

/// A bound, and whether it belongs to the interval.
type End = (i64, bool);

/// An operator with an interval, by what it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    until: bool,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// From 0 on, to an end.
    Within(End),
    /// After 0, to an end.
    SoonAfter(End),
    /// From a beginning on, for ever.
    After(End),
    /// From a beginning to an end, with so many unions at once.
    Between(End, End, u8),
    /// From a beginning to an end, asked for at one position at most.
    Once(End, End),
}

/// Unions of intervals that are pending at once, at most. Batches are chosen, unions are not: an automaton with many batches is too slow to be of use.
const MOST_UNIONS: i64 = 5;
const MOST_OF_UNTIL: i64 = 2;

/// How many unions of intervals are pending at once; nothing if there are more than so many.
fn unions((least, _): End, (most, _): End, at_most: i64) -> Option<u8> {
    let length = most - least;
    let count = (length > 0).then(|| (most + length - 1) / length)?;
    u8::try_from(count).ok().filter(|_| count <= at_most)
}

/// Clock ≥ bound, or > where the bound is excluded.
fn at_least(clock: usize, (bound, included): End) -> ClockTest {
    ClockTest {
        clock,
        from_below: true,
        bound,
        strict: !included,
    }
}

/// Clock ≤ bound, or < where the bound is excluded.
fn at_most(clock: usize, (bound, included): End) -> ClockTest {
    ClockTest {
        clock,
        from_below: false,
        bound,
        strict: !included,
    }
}

/// Clock before the bound.
fn before(clock: usize, (bound, included): End) -> ClockTest {
    at_most(clock, (bound, !included))
}

/// Clock beyond the bound.
fn beyond(clock: usize, (bound, included): End) -> ClockTest {
    at_least(clock, (bound, !included))
}

/// Whether a clock was set at this moment, or before.
fn is_fresh(clock: usize, fresh: bool) -> ClockTest {
    match fresh {
        true => at_most(clock, (0, true)),
        false => at_least(clock, (0, false)),
    }
}

impl Step {
    fn to(next: Mode) -> Step {
        Step {
            next,
            ..Step::default()
        }
    }

    fn left(mut self) -> Step {
        self.left = true;
        self
    }

    fn right(mut self) -> Step {
        self.right = true;
        self
    }

    fn when(mut self, test: ClockTest) -> Step {
        self.guard.push(test);
        self
    }

    fn set(mut self, clocks: &[usize]) -> Step {
        self.resets.extend(clocks);
        self
    }

    fn put_off(mut self) -> Step {
        self.put_off = true;
        self
    }
}

impl Timing {
    /// What an until (or its dual) with an interval needs; nothing if that is not supported.
    pub fn of(interval: &Interval, until: bool) -> Option<Timing> {
        let kind = match (interval.least, interval.most) {
            ((0, true), None) => return None,
            (least, None) => Kind::After(least),
            ((0, true), Some(most)) => Kind::Within(most),
            ((0, false), Some(most)) => Kind::SoonAfter(most),
            (least, Some(most)) => {
                let at_most = if until { MOST_OF_UNTIL } else { MOST_UNIONS };
                Kind::Between(least, most, unions(least, most, at_most)?)
            }
        };
        Some(Timing { until, kind })
    }

    /// What an until (or its dual) with an interval needs that is asked for at one position at most.
    pub fn once(interval: &Interval, until: bool) -> Option<Timing> {
        match (interval.least, interval.most) {
            (least, Some(most)) if least != (0, true) => Some(Timing {
                until,
                kind: Kind::Once(least, most),
            }),
            _ => Timing::of(interval, until),
        }
    }

    /// Whether it must not be asked for while it is pending.
    pub fn is_once(&self) -> bool {
        matches!(self.kind, Kind::Once(..))
    }

    /// Whether, asked for at one position, it asks for its right operand (an until) or its left one (its dual) at one position at most.
    pub fn passes_on_once(&self) -> bool {
        matches!(self.kind, Kind::Once(..) | Kind::Within(_) | Kind::After(_))
    }

    /// Whether it is an until, which must come true in the end.
    pub fn is_until(&self) -> bool {
        self.until
    }

    /// Whether the position at which it is asked for counts.
    pub fn is_now(&self) -> bool {
        matches!(self.kind, Kind::Within(_))
    }

    /// Number of clocks.
    pub fn clocks(&self) -> usize {
        match (&self.kind, self.until) {
            (Kind::Within(_) | Kind::After(_) | Kind::Once(..), _) => 1,
            (Kind::SoonAfter(_), _) => 2,
            (Kind::Between(.., unions), true) => 4 * usize::from(*unions),
            (Kind::Between(.., unions), false) => 2 * usize::from(*unions),
        }
    }

    /// What it can do at a position, at which it is asked for or not.
    pub fn steps(&self, mode: Mode, asked: bool) -> Vec<Step> {
        if mode == IDLE && !asked {
            return vec![Step::to(IDLE)];
        }
        match (&self.kind, self.until) {
            (Kind::Within(most), true) => until_within(mode, *most),
            (Kind::Within(most), false) => release_within(asked, *most),
            (Kind::SoonAfter(most), true) => until_soon_after(mode, asked, *most),
            (Kind::SoonAfter(most), false) => release_soon_after(mode, asked, *most),
            (Kind::After(least), true) => until_after(mode, asked, *least),
            (Kind::After(least), false) => release_after(mode, *least),
            (Kind::Once(least, most), true) => until_once(mode, *least, *most),
            (Kind::Once(least, most), false) => release_once(mode, *least, *most),
            (Kind::Between(least, most, unions), true) => {
                until_between(Groups::of(mode, 2 * unions), asked, *least, *most)
            }
            (Kind::Between(least, most, unions), false) => {
                release_between(Groups::of(mode, *unions), asked, *least, *most)
            }
        }
    }
}

/// Clock 0: since the oldest.
fn until_within(mode: Mode, most: End) -> Vec<Step> {
    const PENDING: Mode = Mode(1);
    match mode {
        IDLE => vec![
            Step::to(IDLE).right(),
            Step::to(PENDING).left().set(&[0]).put_off(),
        ],
        _ => vec![
            Step::to(IDLE).right().when(at_most(0, most)),
            Step::to(PENDING).left().when(at_most(0, most)).put_off(),
        ],
    }
}

/// Clock 0: since the youngest.
fn release_within(asked: bool, most: End) -> Vec<Step> {
    const ACTIVE: Mode = Mode(1);
    if asked {
        return vec![Step::to(IDLE).right().left(), Step::to(ACTIVE).right().set(&[0])];
    }
    vec![
        Step::to(IDLE).when(beyond(0, most)),
        Step::to(IDLE).when(at_most(0, most)).right().left(),
        Step::to(ACTIVE).when(at_most(0, most)).right(),
    ]
}

/// Clock 0: since the oldest; clock 1: since the youngest.
fn until_soon_after(mode: Mode, asked: bool, most: End) -> Vec<Step> {
    const PENDING: Mode = Mode(1);
    if mode == IDLE {
        return vec![Step::to(PENDING).left().set(&[0, 1]).put_off()];
    }
    let served = |next: Mode| {
        Step::to(next)
            .right()
            .when(is_fresh(0, false))
            .when(at_most(0, most))
    };
    let on = Step::to(PENDING).left().when(at_most(0, most)).put_off();
    match asked {
        true => vec![served(PENDING).left().set(&[0, 1]), on.set(&[1])],
        false => vec![
            served(IDLE).when(is_fresh(1, false)),
            served(PENDING).left().when(is_fresh(1, true)).set(&[0]),
            on,
        ],
    }
}

/// Modes 1 and 2: the youngest is clock 0 or 1, and no other is known; 3 and 4: the other clock is since the youngest before that moment.
fn release_soon_after(mode: Mode, asked: bool, most: End) -> Vec<Step> {
    let Some(number) = mode.0.checked_sub(1) else {
        return vec![Step::to(IDLE).left(), Step::to(Mode(1)).set(&[0])];
    };
    let (youngest, has_other) = (usize::from(number % 2), number >= 2);
    let other = 1 - youngest;
    // What is demanded here, and whether the youngest is of this moment.
    let mut cases = Vec::new();
    let fresh = Step::to(mode).when(is_fresh(youngest, true));
    match has_other {
        false => cases.push((fresh, true)),
        true => {
            cases.push((fresh.clone().when(at_most(other, most)).right(), true));
            cases.push((fresh.when(beyond(other, most)), true));
        }
    }
    let old = Step::to(mode).when(is_fresh(youngest, false));
    cases.push((old.clone().when(at_most(youngest, most)).right(), false));
    cases.push((old.when(beyond(youngest, most)), false));
    let mut found = Vec::new();
    for (case, is_fresh) in cases {
        let released = Step {
            next: IDLE,
            ..case.clone().left()
        };
        found.push(released);
        found.push(match asked && !is_fresh {
            true => Step {
                next: Mode(3 + other as u8),
                ..case.set(&[other])
            },
            false => case,
        });
    }
    found
}

/// Clock 0: since the youngest of those that are to be served next. Mode 1: there are no others; mode 2: there are.
fn until_after(mode: Mode, asked: bool, least: End) -> Vec<Step> {
    const ALL: Mode = Mode(1);
    const SOME: Mode = Mode(2);
    match (mode, asked) {
        (IDLE, _) => vec![Step::to(ALL).left().set(&[0]).put_off()],
        (ALL, false) => vec![
            Step::to(IDLE).right().when(at_least(0, least)),
            Step::to(ALL).left().put_off(),
        ],
        (ALL, true) => vec![
            Step::to(ALL).left().right().when(at_least(0, least)).set(&[0]),
            Step::to(ALL).left().set(&[0]).put_off(),
            Step::to(SOME).left().put_off(),
        ],
        _ => vec![
            Step::to(ALL).left().right().when(at_least(0, least)).set(&[0]),
            Step::to(SOME).left().put_off(),
        ],
    }
}

/// Clock 0: since the oldest.
fn release_after(mode: Mode, least: End) -> Vec<Step> {
    const ACTIVE: Mode = Mode(1);
    if mode == IDLE {
        return vec![Step::to(IDLE).left(), Step::to(ACTIVE).set(&[0])];
    }
    let early = before(0, least);
    let late = at_least(0, least);
    vec![
        Step::to(IDLE).left().when(early),
        Step::to(ACTIVE).when(early),
        Step::to(IDLE).left().right().when(late),
        Step::to(ACTIVE).right().when(late),
    ]
}

/// Clock 0: since it was asked for.
fn until_once(mode: Mode, least: End, most: End) -> Vec<Step> {
    const PENDING: Mode = Mode(1);
    match mode {
        IDLE => vec![Step::to(PENDING).left().set(&[0]).put_off()],
        _ => vec![
            Step::to(IDLE)
                .right()
                .when(at_least(0, least))
                .when(at_most(0, most)),
            Step::to(PENDING).left().when(at_most(0, most)).put_off(),
        ],
    }
}

/// Clock 0: since it was asked for.
fn release_once(mode: Mode, least: End, most: End) -> Vec<Step> {
    const ACTIVE: Mode = Mode(1);
    if mode == IDLE {
        return vec![Step::to(IDLE).left(), Step::to(ACTIVE).set(&[0])];
    }
    let (early, late) = (before(0, least), beyond(0, most));
    let inside = |next: Mode| {
        Step::to(next)
            .right()
            .when(at_least(0, least))
            .when(at_most(0, most))
    };
    vec![
        Step::to(IDLE).left().when(early),
        Step::to(ACTIVE).when(early),
        inside(IDLE).left(),
        inside(ACTIVE),
        Step::to(IDLE).when(late),
    ]
}

/// Groups in turn: the first slot, and their number. A slot has two clocks: since the oldest and since the youngest of the group.
#[derive(Clone, Copy)]
struct Groups {
    first: u8,
    count: u8,
    slots: u8,
}

impl Groups {
    fn of(mode: Mode, slots: u8) -> Groups {
        match mode.0.checked_sub(1) {
            None => Groups {
                first: 0,
                count: 0,
                slots,
            },
            Some(number) => Groups {
                first: number / slots,
                count: number % slots + 1,
                slots,
            },
        }
    }

    fn mode(self) -> Mode {
        match self.count {
            0 => IDLE,
            count => Mode(1 + self.first * self.slots + count - 1),
        }
    }

    /// The clocks of a group: since its oldest, since its youngest.
    fn clocks(self, group: u8) -> [usize; 2] {
        let slot = usize::from((self.first + group) % self.slots);
        [2 * slot, 2 * slot + 1]
    }

    fn without_first(self) -> Groups {
        Groups {
            first: match self.count {
                1 => 0,
                _ => (self.first + 1) % self.slots,
            },
            count: self.count - 1,
            slots: self.slots,
        }
    }

    fn with_one_more(self) -> Groups {
        Groups {
            count: self.count + 1,
            ..self
        }
    }
}

fn until_between(groups: Groups, asked: bool, least: End, most: End) -> Vec<Step> {
    // The first group is served here, or none is.
    let mut served = vec![(groups, Step::default())];
    if groups.count > 0 {
        let [oldest, youngest] = groups.clocks(0);
        served[0].1.guard.push(at_most(oldest, most));
        let here = Step::default().right();
        let here = here.when(at_most(oldest, most)).when(at_least(youngest, least));
        served.push((groups.without_first(), here));
    }
    let mut found = Vec::new();
    for (groups, step) in served {
        let is_served = step.right;
        let mut add = |groups: Groups, step: Step| {
            let step = Step {
                left: groups.count > 0,
                next: groups.mode(),
                put_off: groups.count > 0 && !is_served,
                ..step
            };
            found.push(step);
        };
        if !asked {
            add(groups, step);
            continue;
        }
        if groups.count > 0 {
            let [_, youngest] = groups.clocks(groups.count - 1);
            add(groups, step.clone().set(&[youngest]));
        }
        if groups.count < groups.slots {
            let fresh = groups.clocks(groups.count);
            add(groups.with_one_more(), step.set(&fresh));
        }
    }
    found
}

fn release_between(groups: Groups, asked: bool, least: End, most: End) -> Vec<Step> {
    // The right operand holds here; or this moment is in no union: before it, or behind it.
    let mut cases = vec![Step::default()];
    for group in 0..groups.count {
        let [oldest, youngest] = groups.clocks(group);
        let outside = |case: &Step| {
            let case = case.clone();
            [
                case.clone().when(before(oldest, least)),
                case.when(beyond(youngest, most)),
            ]
        };
        cases = cases.iter().flat_map(outside).collect();
    }
    if groups.count > 0 {
        cases.push(Step::default().right());
    }
    let mut found = Vec::new();
    for case in cases {
        found.push(Step {
            next: IDLE,
            ..case.clone().left()
        });
        let mut add = |groups: Groups, step: Step| {
            found.push(Step {
                next: groups.mode(),
                ..step
            });
        };
        if !asked {
            add(groups, case);
            continue;
        }
        if groups.count == 0 {
            add(groups.with_one_more(), case.set(&groups.clocks(0)));
            continue;
        }
        // The interval of this position overlaps or touches the union of the youngest, or begins behind it.
        let touching = (most.0 - least.0, least.1 || most.1);
        let [_, youngest] = groups.clocks(groups.count - 1);
        add(
            groups,
            case.clone().when(at_most(youngest, touching)).set(&[youngest]),
        );
        let apart = case.when(beyond(youngest, touching));
        match groups.count < groups.slots {
            true => add(groups.with_one_more(), apart.set(&groups.clocks(groups.count))),
            false => {
                let [_, oldest_end] = groups.clocks(0);
                let left = groups.without_first();
                let fresh = left.clocks(left.count);
                add(
                    left.with_one_more(),
                    apart.when(beyond(oldest_end, most)).set(&fresh),
                );
            }
        }
    }
    found
}
