//! Saturation: reachable states of an interleaving model, node by node from the bottom of the diagram up.
//!
//! Ciardo, Lüttgen, Siminiscu (TACAS 2001), here on binary diagrams with one relation for each disjunctive part, as in van Dijk and van
//! de Pol's Sylvan. A part touches only the levels from its topmost bit down, so it can be applied to a subdiagram below
//! that level without looking at what is above. A node is *saturated* when no part that fits below it adds anything; its children are
//! saturated before it, and again whenever a part at its own level has added something. Most work happens low in the diagram, on small
//! subdiagrams that many states share, and intermediate sets stay near the final one instead of swelling as rings do.
//!
//! The recursion follows levels, so the order must not change meanwhile: automatic reordering is off. When the diagrams outgrow a
//! limit the recursion unwinds with what it has (all of it reachable), the variables are sifted, and saturation starts again from there.

use crate::machine::Machine;
use crate::reachability::Watch;
use crate::relation::Part;
use crate::stop::Attempt;
use entail_dd::{AutoReorder, Bdd, FunctionId, Manager, Method, ReorderLimits};
use rustc_hash::FxHashMap;

/// Diagrams may grow by this factor before the variables are sifted.
const GROWTH: usize = 2;
/// How many images are computed between two looks at the size of the diagrams.
const LOOK_EVERY: usize = 64;

/// All states reachable from a set.
pub(crate) fn saturate(
    machine: &Machine,
    from: &Bdd,
    auto: Option<AutoReorder>,
    watch: Watch<'_>,
) -> Attempt<Bdd> {
    let manager = from.manager();
    manager.set_auto_reorder(None);
    let reached = by_turns(&manager, machine, from, auto.as_ref(), watch);
    manager.set_auto_reorder(auto);
    reached
}

/// Saturates and sifts in turn.
fn by_turns(
    manager: &Manager,
    machine: &Machine,
    from: &Bdd,
    auto: Option<&AutoReorder>,
    watch: Watch<'_>,
) -> Attempt<Bdd> {
    let mut reached = from.clone();
    let mut limit = auto.map(|auto| auto.first_at.max(GROWTH * manager.live_nodes()));
    for turn in 1.. {
        watch.report("saturation", turn, &reached)?;
        let mut saturation = Saturation::new(machine, limit, watch);
        reached = saturation.saturated(&reached, 0)?;
        if !saturation.unwinding {
            break;
        }
        drop(saturation);
        let method = auto.map_or(Method::Sift, |auto| auto.method.clone());
        manager.reorder(method, &ReorderLimits::default())?;
        limit = auto.map(|auto| auto.first_at.max(GROWTH * manager.live_nodes()));
    }
    Ok(reached)
}

struct Saturation<'a> {
    /// The parts with the topmost level each touches, topmost first.
    parts: Vec<(usize, &'a Part)>,
    /// What became of a set, from a number of parts on.
    known: FxHashMap<(FunctionId, usize), (Bdd, Bdd)>,
    limit: Option<usize>,
    images: usize,
    /// The diagrams have outgrown the limit: everybody returns with what there is.
    unwinding: bool,
    watch: Watch<'a>,
}

impl<'a> Saturation<'a> {
    fn new(machine: &'a Machine, limit: Option<usize>, watch: Watch<'a>) -> Saturation<'a> {
        let mut parts: Vec<(usize, &Part)> = machine
            .parts
            .iter()
            .map(|part| (part.top_level(), part))
            .collect();
        parts.sort_by_key(|(level, _)| *level);
        Saturation {
            parts,
            known: FxHashMap::default(),
            limit,
            images: 0,
            unwinding: false,
            watch,
        }
    }

    /// The states reachable from the set by the parts from number `first` on, which all touch levels at or below the top of what is
    /// passed here, or the set does not depend on anything above them.
    fn saturated(&mut self, set: &Bdd, first: usize) -> Attempt<Bdd> {
        let Some(&(level, _)) = self.parts.get(first) else {
            return Ok(set.clone());
        };
        if set.is_false() || self.unwinding {
            return Ok(set.clone());
        }
        let key = (set.id(), first);
        if let Some((_, known)) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let manager = set.manager();
        let result = match set.top() {
            Some((var, low, high)) if manager.level(var) < level => {
                let low = stacker::maybe_grow(1 << 16, 1 << 20, || self.saturated(&low, first))?;
                let high = stacker::maybe_grow(1 << 16, 1 << 20, || self.saturated(&high, first))?;
                manager.var(var)?.ite(&high, &low)?
            }
            _ => self.at_level(set, first, level)?,
        };
        if !self.unwinding {
            self.known.insert(key, (set.clone(), result.clone()));
        }
        Ok(result)
    }

    /// Applies the parts of one level until they add nothing, saturating below after each round.
    fn at_level(&mut self, set: &Bdd, first: usize, level: usize) -> Attempt<Bdd> {
        let last = self.parts[first..].partition_point(|(other, _)| *other == level) + first;
        let mut set = set.clone();
        loop {
            let before = set.clone();
            set = stacker::maybe_grow(1 << 16, 1 << 20, || self.saturated(&set, last))?;
            for at in first..last {
                if self.unwinding {
                    return Ok(set);
                }
                set = set.or(&self.parts[at].1.image(&set)?)?;
                self.look(&set)?;
            }
            if set == before {
                return Ok(set);
            }
        }
    }

    fn look(&mut self, set: &Bdd) -> Attempt<()> {
        self.images += 1;
        if !self.images.is_multiple_of(LOOK_EVERY) {
            return Ok(());
        }
        self.watch.budget.check_now()?;
        if let Some(limit) = self.limit {
            let manager = set.manager();
            if manager.statistics().nodes > limit {
                self.known.clear();
                self.unwinding = manager.live_nodes() > limit;
            }
        }
        Ok(())
    }
}
