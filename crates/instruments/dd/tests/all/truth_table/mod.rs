//! Functions of six variables as 64-bit truth tables: the naive reference for everything the diagrams do.
use entail_dd::{Bdd, Manager, Result, Var};

pub const N: usize = 6;

/// Bit `i` is the value where variable `v` has bit `v` of `i`.
pub type Table = u64;

/// The table of a variable.
pub fn variable(v: usize) -> Table {
    (0..64)
        .filter(|row| row >> v & 1 == 1)
        .fold(0, |table, row| table | 1 << row)
}

/// The function of a table, built bottom-up by if-then-else.
pub fn build(manager: &Manager, vars: &[Var], table: Table) -> Result<Bdd> {
    fn part(manager: &Manager, vars: &[Var], table: Table, v: usize) -> Result<Bdd> {
        if v == 0 {
            return Ok(manager.constant(table & 1 == 1));
        }
        let half = 1 << (v - 1);
        let mask = if half == 64 { u64::MAX } else { (1u64 << half) - 1 };
        let lo = part(manager, vars, table & mask, v - 1)?;
        let hi = part(manager, vars, table >> half & mask, v - 1)?;
        manager.var(vars[v - 1])?.ite(&hi, &lo)
    }
    part(manager, vars, table, N)
}

/// The table of a function of the first six variables.
pub fn table(f: &Bdd) -> Table {
    (0..64u64)
        .filter(|row| f.eval(|var| row >> var.index() & 1 == 1))
        .fold(0, |table, row| table | 1 << row)
}

pub fn cofactor(table: Table, v: usize, value: bool) -> Table {
    (0..64u64)
        .filter(|row| {
            let fixed = if value { row | 1 << v } else { row & !(1 << v) };
            table >> fixed & 1 == 1
        })
        .fold(0, |table, row| table | 1 << row)
}

pub fn exists(table: Table, vars: u32) -> Table {
    (0..N)
        .filter(|v| vars >> v & 1 == 1)
        .fold(table, |t, v| cofactor(t, v, false) | cofactor(t, v, true))
}

pub fn forall(table: Table, vars: u32) -> Table {
    (0..N)
        .filter(|v| vars >> v & 1 == 1)
        .fold(table, |t, v| cofactor(t, v, false) & cofactor(t, v, true))
}

/// Simultaneous substitution of tables for variables.
pub fn substitute(table: Table, by: &[Table; N]) -> Table {
    (0..64u64)
        .filter(|row| {
            let image = (0..N).fold(0u64, |image, v| image | (by[v] >> row & 1) << v);
            table >> image & 1 == 1
        })
        .fold(0, |table, row| table | 1 << row)
}

pub fn depends(table: Table, v: usize) -> bool {
    cofactor(table, v, false) != cofactor(table, v, true)
}

/// A manager with six variables.
pub fn manager() -> (Manager, Vec<Var>) {
    let manager = Manager::new(&entail_dd::Config {
        memory: 1 << 24,
        threads: 1,
    })
    .unwrap();
    let vars = manager.new_vars(N).unwrap();
    (manager, vars)
}
