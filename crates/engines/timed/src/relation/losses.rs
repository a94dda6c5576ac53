//! The pairs from which somebody wins: a least fixpoint, on unions of zones for each place.
//!
//! A step e of one side wins where it can be taken and each answer f of the other side cannot be, or leads to where somebody wins: the intersection, over all answers, of two unions of zones that only grow. A delay wins where it
//! leads to values that the other side cannot wait for, or to where somebody wins. Where delays are matched by any delays, it wins where it leads to a value from which no delay of the other side leads to where nobody wins.
//!
//! What a place gains gets the next rank, and everything it was computed from has smaller ones.

use super::Refusal;
use super::board::{Board, SideStep};
use entail_budget::Budget;
use entail_clocks::pairs::Challenge;
use entail_zones::{Federation, Zone};
use std::collections::VecDeque;

/// Pairs from which a move wins.
pub(super) struct Lost {
    pub zone: Zone,
    pub rank: u32,
    pub challenge: Challenge,
}

/// The beginning of one side to which every answer is lost.
pub(super) struct Opening {
    /// Its position among the beginnings of that side.
    pub number: usize,
    pub by_second: bool,
    /// The places of the answers.
    pub answers: Vec<usize>,
}

/// A step of one side at a place, with what does not change about its answers.
struct Asked {
    side: usize,
    edges: Vec<usize>,
    /// Where it can be taken.
    able: Federation,
    answers: Vec<Answer>,
}

/// An answer to a step.
struct Answer {
    /// Where the step can be taken and this answer cannot.
    unable: Federation,
    /// Where both lead; nothing if plays do not lead there.
    leads: Option<Leads>,
}

/// Where a step and its answer lead.
struct Leads {
    /// The values from which both can be taken.
    both: Zone,
    /// The place they lead to.
    target: usize,
    /// The updates of both: target, source, offset.
    updates: Vec<(usize, usize, i32)>,
}

pub(super) struct Losses<'b, 'n> {
    board: &'b Board<'n>,
    lost: Vec<Vec<Lost>>,
    asked: Vec<Option<Vec<Asked>>>,
    rank: u32,
}

impl<'b, 'n> Losses<'b, 'n> {
    pub fn new(board: &'b Board<'n>) -> Losses<'b, 'n> {
        let places = board.places.len();
        Losses {
            board,
            lost: (0..places).map(|_| Vec::new()).collect(),
            asked: (0..places).map(|_| None).collect(),
            rank: 0,
        }
    }

    /// The pairs at a place from which somebody wins.
    pub fn at(&self, place: usize) -> &[Lost] {
        &self.lost[place]
    }

    fn zones(&self, place: usize) -> impl Iterator<Item = &Zone> + Clone {
        self.lost[place].iter().map(|lost| &lost.zone)
    }

    /// The pairs at a place from which nobody wins.
    pub fn left(&self, place: usize) -> Federation {
        self.board.reach(place).without(self.zones(place))
    }

    /// Finds the pairs from which somebody wins, until that is so of the beginning: then which.
    pub fn find(&mut self, budget: &Budget) -> Result<Option<Opening>, Refusal> {
        let places = self.board.places.len();
        // Places that were reached late come first: what is lost at once is at the ends of plays.
        let mut waiting: VecDeque<usize> = (0..places).rev().collect();
        let mut is_waiting = vec![true; places];
        if let Some(opening) = self.lost_opening() {
            return Ok(Some(opening));
        }
        while let Some(place) = waiting.pop_front() {
            budget.check()?;
            is_waiting[place] = false;
            let gained = self.gained(place, budget)?;
            if gained.is_empty() {
                continue;
            }
            let rank = self.rank;
            self.rank += 1;
            let lost = gained.into_iter().map(|(challenge, zone)| Lost {
                zone,
                rank,
                challenge,
            });
            self.lost[place].extend(lost);
            if let Some(opening) = self.lost_opening() {
                return Ok(Some(opening));
            }
            let before = &self.board.places[place].before;
            for &other in before.iter().chain([&place]) {
                if !std::mem::replace(&mut is_waiting[other], true) {
                    waiting.push_back(other);
                }
            }
        }
        Ok(None)
    }

    /// A beginning of one side to which every answer is lost.
    fn lost_opening(&self) -> Option<Opening> {
        let origin = Zone::zero(self.board.dimension());
        for &side in self.board.sides() {
            for (number, &own) in self.board.starts[side].iter().enumerate() {
                let place = |&other: &usize| {
                    let states = if side == 0 { [own, other] } else { [other, own] };
                    self.board.places.get_index_of(&states)
                };
                let answers: Vec<usize> = self.board.starts[1 - side].iter().filter_map(place).collect();
                let is_lost = |&place: &usize| self.zones(place).any(|zone| origin.is_within(zone));
                if answers.iter().all(is_lost) {
                    return Some(Opening {
                        number,
                        by_second: side == 1,
                        answers,
                    });
                }
            }
        }
        None
    }

    /// What is lost at a place beyond what is known to be, by which move.
    fn gained(&mut self, place: usize, budget: &Budget) -> Result<Vec<(Challenge, Zone)>, Refusal> {
        let asked = match self.asked[place].take() {
            Some(asked) => asked,
            None => self.asked(place),
        };
        let mut gained: Vec<(Challenge, Zone)> = Vec::new();
        let (is_abstract, second) = (self.board.relation.is_abstract(), self.board.own(1).start);
        let mut gain = |challenge: Challenge, found: Federation, lost: &[Lost]| {
            let known = gained.iter().map(|(_, zone)| zone);
            let news = found.without(lost.iter().map(|lost| &lost.zone).chain(known));
            let news = news.merged_to(|zone| !is_abstract || zone.is_separate(second));
            gained.extend(news.zones().iter().map(|zone| (challenge.clone(), zone.clone())));
        };
        for step in &asked {
            budget.check()?;
            let mut found = step.able.clone();
            for answer in &step.answers {
                if found.is_empty() {
                    break;
                }
                found = found.meet_all(&self.lost_answer(answer));
            }
            let challenge = Challenge {
                by_second: step.side == 1,
                edges: step.edges.clone(),
            };
            gain(challenge, found, &self.lost[place]);
        }
        for &side in self.board.sides() {
            let challenge = Challenge {
                by_second: side == 1,
                edges: Vec::new(),
            };
            gain(challenge, self.lost_by_delay(place, side), &self.lost[place]);
        }
        if gained.iter().any(|(_, zone)| zone.is_huge()) {
            return Err(Refusal::Spent("clock values grow out of range".to_owned()));
        }
        self.asked[place] = Some(asked);
        Ok(gained)
    }

    /// The steps at a place with their answers.
    fn asked(&self, place: usize) -> Vec<Asked> {
        let board = self.board;
        let mut found = Vec::new();
        for &side in board.sides() {
            for step in &board.state(place, side).steps {
                let Some(zone) = &step.able else { continue };
                let able = board.reach(place).meet(zone);
                if able.is_empty() {
                    continue;
                }
                let others = board.state(place, 1 - side).steps.iter();
                let answers = others
                    .filter(|other| other.name == step.name)
                    .filter_map(|other| self.answer(side, step, zone, other, &able));
                found.push(Asked {
                    side,
                    edges: step.edges.clone(),
                    answers: answers.collect(),
                    able: able.clone(),
                });
            }
        }
        found
    }

    /// What does not change about an answer; nothing if it can never be given.
    fn answer(
        &self,
        side: usize,
        step: &SideStep,
        zone: &Zone,
        other: &SideStep,
        able: &Federation,
    ) -> Option<Answer> {
        let other_zone = other.able.as_ref()?;
        let both = zone.meet(other_zone)?;
        let (first, second) = if side == 0 { (step, other) } else { (other, step) };
        let updates = first.updates.iter().chain(&second.updates);
        let updates = updates.map(|update| (update.target, update.source, update.offset as i32));
        Some(Answer {
            unable: able.without([other_zone]),
            leads: (self.board.after(first, second)).map(|target| Leads {
                both,
                target,
                updates: updates.collect(),
            }),
        })
    }

    /// Where an answer cannot be given, or leads to where somebody wins.
    fn lost_answer(&self, answer: &Answer) -> Federation {
        let mut found = answer.unable.clone();
        if let Some(leads) = &answer.leads {
            for zone in self.zones(leads.target) {
                let mut zone = zone.clone();
                let mut updates = leads.updates.iter().rev();
                if updates.all(|&(target, source, offset)| zone.unassign(target, source, offset))
                    && let Some(zone) = zone.meet(&leads.both)
                {
                    found.add(zone);
                }
            }
        }
        found
    }

    /// Where a delay of a side wins.
    fn lost_by_delay(&self, place: usize, side: usize) -> Federation {
        let board = self.board;
        let (own, other) = (board.state(place, side), board.state(place, 1 - side));
        if !own.may_delay {
            return Federation::default();
        }
        let reach = board.reach(place);
        if board.relation.is_abstract() {
            let beyond = self.unanswered(place, side, u32::MAX);
            let earlier = beyond.zones().iter().map(|zone| {
                let mut zone = zone.clone();
                zone.undelay_group(board.own(side));
                zone
            });
            return reach.meet_all(&earlier.collect());
        }
        let mut found: Federation = self.alone(place, side).into_iter().collect();
        if other.may_delay {
            for zone in self.zones(place) {
                let mut zone = zone.clone();
                zone.undelay();
                found.add(zone);
            }
        }
        reach.meet_all(&found)
    }

    /// The values from which a side can wait longer than the other.
    pub fn alone(&self, place: usize, side: usize) -> Vec<Zone> {
        let inside = self.board.inside(place, side);
        match self.board.state(place, 1 - side).may_delay {
            true => {
                let mut beyond = inside.without(&self.board.inside(place, 1 - side));
                beyond.iter_mut().for_each(Zone::undelay);
                beyond
            }
            false => inside.strictly_before().into_iter().collect(),
        }
    }

    /// Where delays are matched by any delays: the values from which each delay of the other side leads to where somebody wins, by pairs of ranks below this one.
    pub fn unanswered(&self, place: usize, side: usize, below: u32) -> Federation {
        let board = self.board;
        let lost = self.lost[place].iter().filter(|lost| lost.rank < below);
        let left = board.reach(place).without(lost.map(|lost| &lost.zone));
        let answered: Federation = match board.state(place, 1 - side).may_delay {
            false => left,
            true => {
                let earlier = left.zones().iter().map(|zone| {
                    let mut zone = zone.clone();
                    zone.undelay_group(board.own(1 - side));
                    zone
                });
                earlier.collect()
            }
        };
        board.reach(place).without(answered.zones())
    }
}
