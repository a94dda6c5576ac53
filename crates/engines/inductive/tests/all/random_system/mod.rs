//! Small random systems of all sorts, and what is true of them by enumeration.

use entail_logic::{Binary, Formula, Interval, Unary};
use entail_model::{
    Hazard, Sort, SortError, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_bool,
};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// A seeded generator of random numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % limit
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

fn random_sort(random: &mut Random) -> Sort {
    match random.below(9) {
        0..=2 => Sort::Bool,
        3 => Sort::range(0, 2 + random.below(3) as i64),
        4 => Sort::range(-2, 1 + random.below(2) as i64),
        5 => Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::Int(3)]),
        6 => Sort::word(2),
        7 => Sort::Word {
            width: 2,
            signed: true,
        },
        _ if random.percent(30) => Sort::Array {
            index: Arc::new(Sort::range(0, 1)),
            element: Arc::new(Sort::range(0, 2)),
        },
        _ => Sort::enumeration([Value::Int(1), Value::Int(4), Value::Int(-2)]),
    }
}

fn operation(
    system: &mut TransitionSystem,
    pool: &[TermId],
    random: &mut Random,
) -> Result<TermId, SortError> {
    let mut pick = || pool[random.below(pool.len())];
    let (a, b, c) = (pick(), pick(), pick());
    let terms = &mut system.terms;
    let boolean = |terms: &entail_model::Terms, term: TermId| *terms.sort(term) == Sort::Bool;
    match random.below(19) {
        0 if boolean(terms, a) => Ok(terms.not(a)),
        1 if boolean(terms, a) && boolean(terms, b) => Ok(terms.and([a, b])),
        2 if boolean(terms, a) && boolean(terms, b) => Ok(terms.or([a, b])),
        3..=5 if boolean(terms, a) => terms.ite(a, b, c),
        6 | 7 => terms.equal(a, b),
        8 => terms.less(a, b),
        9 => terms.add(a, b),
        10 => terms.subtract(a, b),
        11 => terms.multiply(a, b),
        12 => terms.remainder(a, b),
        13 => terms.bit_xor(a, b),
        14 => terms.bit_not(a),
        15 => terms.read(a, b),
        16 => terms.write(a, b, c),
        17 => {
            let sort = terms.sort(a).clone();
            let value = sort.value_at(random.below(sort.size().unwrap_or(1) as usize) as u64);
            match value {
                Value::Array(_) => Ok(a),
                value => {
                    let constant = terms.constant(value);
                    terms.equal(a, constant)
                }
            }
        }
        _ => match terms.sort(a).clone() {
            Sort::Array { .. } | Sort::Bool => Ok(a),
            sort => Ok(terms.constant(sort.value_at(random.below(sort.size().unwrap_or(1) as usize) as u64))),
        },
    }
}

/// Terms over the leaves; small ones only.
fn grow(system: &mut TransitionSystem, leaves: &[TermId], steps: usize, random: &mut Random) -> Vec<TermId> {
    let mut pool = leaves.to_vec();
    for _ in 0..steps {
        if let Ok(term) = operation(system, &pool, random) {
            let sort = system.terms.sort(term);
            if sort
                .integer_bounds()
                .is_none_or(|(low, high)| low > -50 && high < 50)
            {
                pool.push(term);
            }
        }
    }
    pool
}

fn booleans(system: &TransitionSystem, pool: &[TermId]) -> Vec<TermId> {
    let interesting =
        |term: &&TermId| *system.terms.sort(**term) == Sort::Bool && system.terms.as_truth(**term).is_none();
    pool.iter().filter(interesting).copied().collect()
}

/// A system with at most a few hundred states, and an atom.
pub fn random_system(random: &mut Random) -> (TransitionSystem, TermId) {
    let mut system = TransitionSystem::new();
    let mut size = 1;
    for index in 0..2 + random.below(4) {
        let sort = random_sort(random);
        size *= sort.size().unwrap_or(1);
        if size > 250 {
            break;
        }
        let kind = match random.below(8) {
            0 => VarKind::Frozen,
            1 | 2 => VarKind::Input,
            _ => VarKind::State,
        };
        system.add_variable(format!("x{index}"), sort, kind);
    }
    let ids: Vec<_> = system.variable_ids().collect();
    let of_kind = |system: &TransitionSystem, input: bool| {
        let wanted = |id: &&entail_model::VarId| (system.variable(**id).kind == VarKind::Input) == input;
        ids.iter().filter(wanted).copied().collect::<Vec<_>>()
    };
    let states: Vec<TermId> = of_kind(&system, false)
        .iter()
        .map(|&id| system.current(id))
        .collect();
    let inputs: Vec<TermId> = of_kind(&system, true)
        .iter()
        .map(|&id| system.current(id))
        .collect();
    if states.is_empty() {
        let id = system.add_variable("y", Sort::Bool, VarKind::State);
        let y = system.current(id);
        return (system, y);
    }
    let next: Vec<TermId> = of_kind(&system, false)
        .iter()
        .map(|&id| system.next(id))
        .collect();
    let state_terms = grow(&mut system, &states, 25, random);
    let step_leaves: Vec<TermId> = states.iter().chain(&inputs).copied().collect();
    let step_terms = grow(&mut system, &step_leaves, 25, random);
    let all_leaves: Vec<TermId> = step_leaves.iter().chain(&next).copied().collect();
    let relation_terms = grow(&mut system, &all_leaves, 30, random);

    let state_facts = booleans(&system, &state_terms);
    let pick =
        |random: &mut Random, facts: &[TermId]| (!facts.is_empty()).then(|| facts[random.below(facts.len())]);
    for &state in &states {
        if random.percent(65) {
            let sort = system.terms.sort(state).clone();
            if !matches!(sort, Sort::Array { .. }) {
                let value = sort.value_at(random.below(sort.size().unwrap_or(1) as usize) as u64);
                let constant = system.terms.constant(value);
                let start = system.terms.equal(state, constant).expect("a value of the sort");
                system.init.push(start);
            }
        }
    }
    if random.percent(30) {
        system.init.extend(pick(random, &state_facts));
    }
    if random.percent(25) {
        system.invariant.extend(pick(random, &state_facts));
    }
    for &variable in &of_kind(&system, false) {
        if system.variable(variable).kind != VarKind::State || random.percent(20) {
            continue;
        }
        let later = system.next(variable);
        let pool = if random.percent(15) {
            &relation_terms
        } else {
            &step_terms
        };
        for _ in 0..20 {
            let value = pool[random.below(pool.len())];
            if let Ok(step) = system.terms.equal(later, value)
                && system.terms.as_truth(step).is_none()
            {
                system.transition.push(step);
                break;
            }
        }
    }
    let relations = booleans(&system, &relation_terms);
    for _ in 0..random.below(3) {
        if random.percent(50) {
            system.transition.extend(pick(random, &relations));
        }
    }
    if random.percent(15) {
        let conditions = booleans(
            &system,
            if random.percent(50) {
                &step_terms
            } else {
                &relation_terms
            },
        );
        if let Some(condition) = pick(random, &conditions) {
            system.hazards.push(Hazard {
                condition,
                message: "a hazard".into(),
                place: None,
            });
        }
    }
    let atoms = match random.below(6) {
        0 => booleans(&system, &relation_terms),
        1 => booleans(&system, &step_terms),
        _ => state_facts,
    };
    let mut atom = pick(random, &atoms).unwrap_or_else(|| system.terms.truth(true));
    for _ in 0..random.below(3) {
        if let Some(other) = pick(random, &atoms) {
            atom = system.terms.or([atom, other]);
        }
    }
    (system, atom)
}

/// A path formula over the atoms, without path quantifiers.
pub fn random_path_formula(random: &mut Random, atoms: &[TermId], depth: usize) -> Formula<TermId> {
    if depth == 0 || random.percent(15) {
        let atom = Formula::atom(atoms[random.below(atoms.len())]);
        return if random.percent(30) { atom.not() } else { atom };
    }
    const UNARY: [Unary; 9] = [
        Unary::Next,
        Unary::Finally,
        Unary::Globally,
        Unary::Finally,
        Unary::Globally,
        Unary::Yesterday,
        Unary::WeakYesterday,
        Unary::Once,
        Unary::Historically,
    ];
    const BINARY: [Binary; 6] = [
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
        Binary::Since,
        Binary::Triggered,
    ];
    let p = random_path_formula(random, atoms, depth - 1);
    match random.below(10) {
        0..=4 => {
            let op = UNARY[random.below(UNARY.len())];
            let pointlike = matches!(op, Unary::Next | Unary::Yesterday | Unary::WeakYesterday);
            let interval = match random.below(6) {
                0 if !pointlike => Interval::bounded(random.below(2) as u32, 1 + random.below(2) as u32),
                _ => Interval::ALWAYS,
            };
            Formula::unary_within(op, interval, &p)
        }
        5..=7 => {
            let q = random_path_formula(random, atoms, depth - 1);
            Formula::binary_within(BINARY[random.below(BINARY.len())], Interval::ALWAYS, &p, &q)
        }
        8 => Formula::or([p, random_path_formula(random, atoms, depth - 1)]),
        _ => p.iff(&random_path_formula(random, atoms, depth - 1)),
    }
}

/// What is true of a system.
#[derive(Debug)]
pub enum Expected {
    NoInitialState,
    Hazard,
    /// The shortest trace has so many steps.
    Fails {
        depth: usize,
    },
    Holds {
        reachable: usize,
    },
}

type State = Vec<Option<Value>>;

fn valuations(system: &TransitionSystem, wanted: impl Fn(VarKind) -> bool) -> Vec<State> {
    let mut all = vec![system.blank()];
    for id in system
        .variable_ids()
        .filter(|&id| wanted(system.variable(id).kind))
    {
        all = all
            .into_iter()
            .flat_map(|state| {
                system
                    .variable(id)
                    .sort
                    .values()
                    .map(move |value| {
                        let mut state = state.clone();
                        state[id.index()] = Some(value);
                        state
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// Decides by enumerating states and steps.
pub fn expected(system: &TransitionSystem, atom: TermId) -> Expected {
    let holds = |term: TermId, at: Valuation<'_>| evaluate_bool(&system.terms, term, at) == Ok(true);
    let all_hold = |terms: &[TermId], at: Valuation<'_>| terms.iter().all(|&term| holds(term, at));
    let looks_ahead = |term: TermId| !system.terms.support(&[term]).1.is_empty();
    let reads_inputs = |term: TermId| {
        let (current, _) = system.terms.support(&[term]);
        current
            .iter()
            .any(|&id| system.variable(id).kind == VarKind::Input)
    };
    let states: Vec<State> = valuations(system, |kind| kind != VarKind::Input)
        .into_iter()
        .filter(|state| all_hold(&system.invariant, Valuation::state(state)))
        .collect();
    let inputs = valuations(system, |kind| kind == VarKind::Input);
    let choices: Vec<TermId> = system
        .transition
        .iter()
        .copied()
        .filter(|&term| !looks_ahead(term))
        .collect();
    let about_steps = looks_ahead(atom) || reads_inputs(atom);

    let mut depth: HashMap<usize, usize> = HashMap::new();
    let mut queue = VecDeque::new();
    for (number, state) in states.iter().enumerate() {
        if all_hold(&system.init, Valuation::state(state)) {
            depth.insert(number, 0);
            queue.push_back(number);
        }
    }
    if queue.is_empty() {
        return Expected::NoInitialState;
    }
    let (mut hazard, mut violated) = (false, None::<usize>);
    while let Some(number) = queue.pop_front() {
        let here = depth[&number];
        if !about_steps && !holds(atom, Valuation::state(&states[number])) {
            violated = Some(violated.map_or(here, |old| old.min(here)));
        }
        // What is wrong in a state is wrong whether or not inputs can be chosen there.
        hazard |= system.hazards.iter().any(|hazard| {
            let condition = hazard.condition;
            !looks_ahead(condition)
                && !reads_inputs(condition)
                && holds(condition, Valuation::state(&states[number]))
        });
        for input in &inputs {
            let mut now = states[number].clone();
            for id in system.input_variables() {
                now[id.index()] = input[id.index()].clone();
            }
            let at = Valuation::state(&now);
            if !all_hold(&choices, at) {
                continue;
            }
            hazard |= system
                .hazards
                .iter()
                .any(|hazard| !looks_ahead(hazard.condition) && holds(hazard.condition, at));
            for (other, after) in states.iter().enumerate() {
                let step = Valuation::step(&now, after);
                let frozen_stay = system.variable_ids().all(|id| {
                    system.variable(id).kind != VarKind::Frozen || now[id.index()] == after[id.index()]
                });
                if !frozen_stay || !all_hold(&system.transition, step) {
                    continue;
                }
                hazard |= system.hazards.iter().any(|hazard| holds(hazard.condition, step));
                if about_steps && !holds(atom, step) {
                    violated = Some(violated.map_or(here + 1, |old| old.min(here + 1)));
                }
                depth.entry(other).or_insert_with(|| {
                    queue.push_back(other);
                    here + 1
                });
            }
        }
    }
    match (hazard, violated) {
        (true, _) => Expected::Hazard,
        (_, Some(depth)) => Expected::Fails { depth },
        _ => Expected::Holds {
            reachable: depth.len(),
        },
    }
}
