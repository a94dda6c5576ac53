//! Small models and random formulas for the tests of this crate.

use entail_evidence::DeadEnds;
use entail_logic::{Binary, Formula, Interval, Unary};
use entail_model::{Sort, TermId, TransitionSystem, Value, VarId, VarKind};

/// A graph of numbered states as a system with one variable `s`; the first state is initial.
pub struct Numbered {
    pub system: TransitionSystem,
    pub variable: VarId,
}

impl Numbered {
    pub fn new(states: i64, edges: &[(i64, i64)]) -> Numbered {
        let mut system = TransitionSystem::new();
        let variable = system.add_variable("s", Sort::range(0, states - 1), VarKind::State);
        let mut model = Numbered { system, variable };
        let start = model.set(&[0]);
        model.system.init.push(start);
        let steps: Vec<TermId> = edges.iter().map(|&(from, to)| model.edge(from, to)).collect();
        let relation = model.system.terms.or(steps);
        model.system.transition.push(relation);
        model
    }

    fn edge(&mut self, from: i64, to: i64) -> TermId {
        let now = self.set(&[from]);
        let next = self.system.next(self.variable);
        let number = self.system.terms.integer(to);
        let then = self.system.terms.equal(next, number).expect("integers");
        self.system.terms.and([now, then])
    }

    /// "`s` is one of these".
    pub fn set(&mut self, states: &[i64]) -> TermId {
        let now = self.system.current(self.variable);
        let choices: Vec<TermId> = states
            .iter()
            .map(|&state| {
                let number = self.system.terms.integer(state);
                self.system.terms.equal(now, number).expect("integers")
            })
            .collect();
        self.system.terms.or(choices)
    }

    /// The state of a number.
    pub fn state(&self, number: i64) -> Vec<Option<Value>> {
        vec![Some(Value::Int(number))]
    }
}

/// A small generator of random numbers, seeded.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % limit
    }

    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub fn policy(&mut self) -> DeadEnds {
        [DeadEnds::Infinite, DeadEnds::Maximal, DeadEnds::Stutter][self.below(3)]
    }

    fn interval(&mut self) -> Interval {
        match self.below(4) {
            0 => Interval::bounded(self.below(3) as u32, self.below(4) as u32),
            1 => Interval {
                from: self.below(3) as u32,
                to: None,
            },
            _ => Interval::ALWAYS,
        }
    }

    /// A path formula over the atoms, without path quantifiers.
    pub fn path_formula(&mut self, atoms: &[TermId], depth: usize) -> Formula<TermId> {
        if depth == 0 || self.one_in(6) {
            return Formula::atom(atoms[self.below(atoms.len())]);
        }
        const UNARY: [Unary; 7] = [
            Unary::Next,
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
        let p = self.path_formula(atoms, depth - 1);
        match self.below(10) {
            0 => p.not(),
            1..=4 => {
                let op = UNARY[self.below(UNARY.len())];
                let pointlike = matches!(op, Unary::Next | Unary::Yesterday | Unary::WeakYesterday);
                let interval = if pointlike {
                    Interval::ALWAYS
                } else {
                    self.interval()
                };
                Formula::unary_within(op, interval, &p)
            }
            5..=7 => {
                let q = self.path_formula(atoms, depth - 1);
                Formula::binary_within(BINARY[self.below(BINARY.len())], self.interval(), &p, &q)
            }
            8 => Formula::and([p, self.path_formula(atoms, depth - 1)]),
            _ => p.iff(&self.path_formula(atoms, depth - 1)),
        }
    }

    /// A CTL formula over the atoms.
    pub fn ctl_formula(&mut self, atoms: &[TermId], depth: usize) -> Formula<TermId> {
        if depth == 0 || self.one_in(6) {
            return Formula::atom(atoms[self.below(atoms.len())]);
        }
        let p = self.ctl_formula(atoms, depth - 1);
        let path = match self.below(7) {
            0 => return p.not(),
            1 => return Formula::or([p, self.ctl_formula(atoms, depth - 1)]),
            2 => p.next(),
            3 => Formula::unary_within(Unary::Finally, self.interval(), &p),
            4 => Formula::unary_within(Unary::Globally, self.interval(), &p),
            choice => {
                let q = self.ctl_formula(atoms, depth - 1);
                let op = if choice == 5 {
                    Binary::Until
                } else {
                    Binary::Release
                };
                Formula::binary_within(op, self.interval(), &p, &q)
            }
        };
        if self.one_in(2) {
            path.exists()
        } else {
            path.forall()
        }
    }
}

/// Two processes that share a critical section: `p0`, `p1` in {idle, trying, critical}, a frozen `first`, and an input
/// `moves` that says which process takes a step. A process that tries may enter when the other is not critical; it may also
/// stay where it is.
pub struct Mutex {
    pub system: TransitionSystem,
    pub processes: [VarId; 2],
    pub moves: VarId,
}

impl Mutex {
    pub fn new() -> Mutex {
        let mut system = TransitionSystem::new();
        let phases = || Sort::enumeration(["idle", "trying", "critical"].map(Value::symbol));
        let processes = ["p0", "p1"].map(|name| system.add_variable(name, phases(), VarKind::State));
        let moves = system.add_variable("moves", Sort::range(0, 1), VarKind::Input);
        system.add_variable("first", Sort::range(0, 1), VarKind::Frozen);
        let mut mutex = Mutex {
            system,
            processes,
            moves,
        };
        for process in 0..2 {
            let idle = mutex.at(process, "idle");
            mutex.system.init.push(idle);
            let relation = mutex.process(process);
            mutex.system.transition.push(relation);
        }
        mutex
    }

    fn constant(&mut self, name: &str) -> TermId {
        self.system.terms.constant(Value::symbol(name))
    }

    /// "Process is in this phase."
    pub fn at(&mut self, process: usize, phase: &str) -> TermId {
        let now = self.system.current(self.processes[process]);
        let phase = self.constant(phase);
        self.system.terms.equal(now, phase).expect("constants")
    }

    /// "This process moves."
    pub fn mover(&mut self, process: usize) -> TermId {
        let moves = self.system.current(self.moves);
        let number = self.system.terms.integer(process as i64);
        self.system.terms.equal(moves, number).expect("integers")
    }

    fn process(&mut self, process: usize) -> TermId {
        let now = self.system.current(self.processes[process]);
        let next = self.system.next(self.processes[process]);
        let mut change = |from: &str, to: &str| {
            let here = self.at(process, from);
            let to = self.constant(to);
            let there = self.system.terms.equal(next, to).expect("constants");
            self.system.terms.and([here, there])
        };
        let (trying, entering, leaving) = (
            change("idle", "trying"),
            change("trying", "critical"),
            change("critical", "idle"),
        );
        let other_critical = self.at(1 - process, "critical");
        let free = self.system.terms.not(other_critical);
        let entering = self.system.terms.and([entering, free]);
        let stays = self.system.terms.equal(next, now).expect("constants");
        let mover = self.mover(process);
        let goes = self.system.terms.or([trying, entering, leaving, stays]);
        self.system.terms.ite(mover, goes, stays).expect("Booleans")
    }

    /// A step: the phases, who moves (if anybody does), and `first` as 0.
    pub fn step(&self, phases: [&str; 2], moves: Option<i64>) -> Vec<Option<Value>> {
        vec![
            Some(Value::symbol(phases[0])),
            Some(Value::symbol(phases[1])),
            moves.map(Value::Int),
            Some(Value::Int(0)),
        ]
    }
}
