//! Variables as bits: a value is coded by its distance from the least one, the most significant bit first. A bit of the state now and the same bit of the next
//! state stand side by side and move together when the order changes.

use crate::check::Trouble;
use entail_budget::Budget;
use entail_dd::order::force_order;
use entail_dd::{AutoReorder, Bdd, FiniteVar, Manager, Substitution, Var};
use entail_markov::{Domain, Network};

/// Variables with more values are refused: their values are handled one by one.
const MOST_VALUES: i64 = 1 << 14;

/// A variable.
pub(super) struct Coded {
    pub low: i64,
    /// The value now.
    pub now: FiniteVar,
    /// The value after a step.
    pub next: FiniteVar,
}

/// The variables of a network as bits.
pub(super) struct Encoding {
    pub manager: Manager,
    pub variables: Vec<Coded>,
    /// The codes that stand for states.
    pub valid: Bdd,
}

impl Encoding {
    /// The variables of a network; behind them one more with so many values, if there is to be one.
    pub fn new(network: &Network, more: Option<usize>, budget: &Budget) -> Result<Encoding, Trouble> {
        let manager = Manager::for_budget(budget, 1)?;
        manager.watch(budget);
        let mut ranges = Vec::new();
        for variable in &network.variables {
            let (low, high) = match variable.domain {
                Domain::Bool => (0, 1),
                Domain::Range(low, high) => (low, high),
                Domain::Unbounded => (0, i64::MAX),
            };
            if high.checked_sub(low).is_none_or(|width| width >= MOST_VALUES) {
                return Err(Trouble::Unsupported(format!(
                    "`{}` has more than {MOST_VALUES} values, too many for decision diagrams: use --engine sparse",
                    variable.name
                )));
            }
            ranges.push((low, (high - low + 1) as usize));
        }
        ranges.extend(more.map(|size| (0, size)));
        let mut coded: Vec<Option<Coded>> = ranges.iter().map(|_| None).collect();
        let mut groups = Vec::new();
        let more = more.map(|_| network.variables.len());
        for at in more.into_iter().chain(static_order(network)) {
            let (low, size) = ranges[at];
            let bits = manager.new_vars(2 * FiniteVar::bits_for(size))?;
            let part = |first: usize| bits.iter().copied().skip(first).step_by(2).collect();
            groups.extend(bits.chunks(2).map(<[Var]>::to_vec));
            coded[at] = Some(Coded {
                low,
                now: FiniteVar::with_bits(size, part(0)),
                next: FiniteVar::with_bits(size, part(1)),
            });
        }
        manager.set_groups(&groups)?;
        manager.set_auto_reorder(Some(AutoReorder {
            first_at: 1 << 16,
            ..AutoReorder::default()
        }));
        let variables: Vec<Coded> = coded.into_iter().flatten().collect();
        let mut valid = manager.one();
        for variable in &variables {
            valid = valid.and(&variable.now.valid(&manager)?)?;
        }
        Ok(Encoding {
            manager,
            variables,
            valid,
        })
    }

    /// The bits of the state now.
    pub fn now(&self) -> Vec<Var> {
        self.variables
            .iter()
            .flat_map(|coded| coded.now.bits().iter().copied())
            .collect()
    }

    /// The states in which a variable has a value.
    pub fn is(&self, variable: usize, value: i64) -> entail_dd::Result<Bdd> {
        let coded = &self.variables[variable];
        coded.now.equals(&self.manager, (value - coded.low) as usize)
    }

    /// The steps after which a variable has a value; nothing if it is outside of the range.
    pub fn becomes(&self, variable: usize, value: i64) -> entail_dd::Result<Option<Bdd>> {
        let coded = &self.variables[variable];
        match value
            .checked_sub(coded.low)
            .and_then(|code| usize::try_from(code).ok())
        {
            Some(code) if code < coded.now.size() => coded.next.equals(&self.manager, code).map(Some),
            _ => Ok(None),
        }
    }

    /// The steps that leave a variable as it is.
    pub fn stays(&self, variable: usize) -> entail_dd::Result<Bdd> {
        let coded = &self.variables[variable];
        coded.now.equals_var(&self.manager, &coded.next)
    }

    /// A state.
    pub fn state(&self, values: &[i64]) -> entail_dd::Result<Bdd> {
        let mut state = self.manager.one();
        for (variable, &value) in values.iter().enumerate() {
            state = state.and(&self.is(variable, value)?)?;
        }
        Ok(state)
    }

    /// Some state of a set.
    pub fn some_state(&self, set: &Bdd) -> Option<Vec<i64>> {
        set.pick_model(&self.now()).map(|bits| self.decoded(&bits))
    }

    /// The states of a set, in increasing order of their values; nothing if there are more than so many.
    pub fn few_states(&self, set: &Bdd, most: usize) -> Option<Vec<Vec<i64>>> {
        let bits = self.now();
        let mut found: Vec<Vec<i64>> = (set.models(&bits).take(most + 1))
            .map(|bits| self.decoded(&bits))
            .collect();
        found.sort_unstable();
        (found.len() <= most).then_some(found)
    }

    fn decoded(&self, bits: &[bool]) -> Vec<i64> {
        let mut bits = bits.iter();
        let value = |coded: &Coded| {
            let code = bits.by_ref().take(coded.now.bits().len());
            coded.low + code.fold(0, |code, &bit| code << 1 | i64::from(bit))
        };
        self.variables.iter().map(value).collect()
    }

    /// The bits of some variables, now and next.
    pub fn bits_of(&self, variables: &[usize]) -> (Vec<Var>, Vec<Var>) {
        let of = |pick: fn(&Coded) -> &FiniteVar| {
            (variables.iter())
                .flat_map(|&at| pick(&self.variables[at]).bits().iter().copied())
                .collect()
        };
        (of(|coded| &coded.now), of(|coded| &coded.next))
    }

    /// Renaming some bits.
    pub fn renaming(&self, from: &[Var], to: &[Var]) -> entail_dd::Result<Substitution> {
        Substitution::renaming(&self.manager, from.iter().copied().zip(to.iter().copied()))
    }
}

/// Variables that commands mention together, near each other (FORCE, Aloul, Markov and Sakallah 2003).
fn static_order(network: &Network) -> Vec<usize> {
    let mut together: Vec<Vec<usize>> = Vec::new();
    for command in network
        .components
        .iter()
        .flat_map(|component| &component.commands)
    {
        let mut mentioned = Vec::new();
        let mut visit = |var: entail_markov::VarId| mentioned.push(var.index());
        command.guard.for_each_variable(&mut visit);
        for (var, expr) in command.branches.iter().flat_map(|branch| &branch.assignments) {
            visit(*var);
            expr.for_each_variable(&mut visit);
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        if mentioned.len() > 1 {
            together.push(mentioned);
        }
    }
    let declared: Vec<usize> = (0..network.variables.len()).collect();
    force_order(&declared, &together)
}
