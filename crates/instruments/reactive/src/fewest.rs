//! The fewest states that can do what a table asks for, by SAT (Abel, Reineke, *MeMin*, 2015, for incompletely specified machines; here with sets of outputs).
//!
//! Wanted are so many *classes* of the table's states and a next class for each class and letter: the first state is in class 0; a state in a class leads to states in the next class; and
//! each class and letter has a valuation that all of the class's states allow. Numbers of classes are tried from below. The formula has states times classes times letters times the number of classes and of cubes that a set leaves out.

use crate::loose::{OutputSet, OutputSets};
use crate::table::{Cell, Table};
use entail_budget::{Budget, Spent};
use entail_sat::{Answer, Cadical, Lit, Query, SatSolver};

/// Formulas with more clauses are not built.
const MOST_CLAUSES: usize = 400_000;
/// Sets that leave out more cubes than this are not written as clauses.
const MOST_CUBES: usize = 200;
/// Nor are those with more paths to such cubes or to others.
const MOST_PATHS: usize = 10_000;

/// A table with fewer states than this and the same freedom or less, if one is found.
pub fn fewest(table: &Table, fewer_than: usize, budget: &Budget) -> Result<Option<Table>, Spent> {
    let (states, letters) = (table.rows.len(), table.classes());
    let Some(forbidden) = forbidden(table) else {
        return Ok(None);
    };
    let most_cubes = forbidden.values().map(Vec::len).max().unwrap_or(0);
    for classes in 1..fewer_than {
        if states * classes * (classes + most_cubes) * letters > MOST_CLAUSES {
            return Ok(None);
        }
        let mut search = Search::new(table, &forbidden, classes);
        match search.solve(budget)? {
            Answer::Satisfiable => return Ok(Some(search.found())),
            Answer::Unsatisfiable => {}
            Answer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}

/// A conjunction of values at positions.
type Cube = Vec<(u32, bool)>;

/// The cubes that each set leaves out.
type Forbidden = rustc_hash::FxHashMap<OutputSet, Vec<Cube>>;

fn forbidden(table: &Table) -> Option<Forbidden> {
    let mut all = Forbidden::default();
    for cell in table.rows.iter().flatten() {
        if let std::collections::hash_map::Entry::Vacant(entry) = all.entry(cell.allowed) {
            let mut cubes = Vec::new();
            let mut paths = MOST_PATHS;
            left_out(&table.sets, cell.allowed, &mut Vec::new(), &mut cubes, &mut paths)?;
            entry.insert(cubes);
        }
    }
    Some(all)
}

fn left_out(
    sets: &OutputSets,
    set: OutputSet,
    path: &mut Cube,
    cubes: &mut Vec<Cube>,
    paths: &mut usize,
) -> Option<()> {
    *paths = paths.checked_sub(1)?;
    match sets.top(set) {
        None if set == OutputSet::NONE => cubes.push(path.clone()),
        None => {}
        Some((write, low, high)) => {
            for (value, next) in [(false, low), (true, high)] {
                path.push((write, value));
                left_out(sets, next, path, cubes, paths)?;
                path.pop();
            }
        }
    }
    (cubes.len() <= MOST_CUBES).then_some(())
}

struct Search<'a> {
    table: &'a Table,
    classes: usize,
    solver: Cadical,
    /// For each state and class, whether it is in it.
    member: Vec<Vec<Lit>>,
    /// For each class and letter, a literal for each next class.
    next: Vec<Vec<Vec<Lit>>>,
}

impl<'a> Search<'a> {
    fn new(table: &'a Table, forbidden: &Forbidden, classes: usize) -> Search<'a> {
        let letters = table.classes();
        let mut solver = Cadical::new();
        let mut literals =
            |count: usize| -> Vec<Lit> { (0..count).map(|_| solver.new_var().lit(true)).collect() };
        let member: Vec<Vec<Lit>> = table.rows.iter().map(|_| literals(classes)).collect();
        let next: Vec<Vec<Vec<Lit>>> = (0..classes)
            .map(|_| (0..letters).map(|_| literals(classes)).collect())
            .collect();
        // What is written: in a class that writes first, once; otherwise for each letter.
        let choices = if table.is_moore { 1 } else { letters };
        let written: Vec<Vec<Vec<Lit>>> = (0..classes)
            .map(|_| (0..choices).map(|_| literals(table.writes.len())).collect())
            .collect();
        solver.add_clause(&[member[0][0]]);
        for (class, rows) in next.iter().enumerate() {
            for (letter, row) in rows.iter().enumerate() {
                solver.add_clause(row);
                // Classes are numbered as they are met from class 0.
                if class == 0 {
                    row.iter()
                        .skip(letter + 2)
                        .for_each(|&late| solver.add_clause(&[!late]));
                }
            }
        }
        for (state, cells) in table.rows.iter().enumerate() {
            for (class, after_class) in next.iter().enumerate() {
                let inside = member[state][class];
                for (letter, cell) in cells.iter().enumerate() {
                    if let Some(after) = cell.next {
                        for (target, &taken) in after_class[letter].iter().enumerate() {
                            solver.add_clause(&[!inside, !taken, member[after as usize][target]]);
                        }
                    }
                    if table.is_moore && letter > 0 {
                        continue;
                    }
                    for cube in forbidden.get(&cell.allowed).into_iter().flatten() {
                        let mut clause = vec![!inside];
                        let outside = cube.iter().map(|&(write, value)| {
                            let literal = written[class][letter][write as usize];
                            if value { !literal } else { literal }
                        });
                        clause.extend(outside);
                        solver.add_clause(&clause);
                    }
                }
            }
        }
        Search {
            table,
            classes,
            solver,
            member,
            next,
        }
    }

    fn solve(&mut self, budget: &Budget) -> Result<Answer, Spent> {
        self.solver.solve_query(Query::default(), budget)
    }

    /// The table that was found.
    fn found(&self) -> Table {
        let is_true = |literal: Lit| self.solver.value(literal) == Some(true);
        let mut sets = self.table.sets.clone();
        let mut rows = Vec::with_capacity(self.classes);
        for class in 0..self.classes {
            let members = (0..self.table.rows.len()).filter(|&state| is_true(self.member[state][class]));
            let members: Vec<usize> = members.collect();
            let mut row = Vec::new();
            for letter in 0..self.table.classes() {
                let cells = members.iter().map(|&state| self.table.rows[state][letter]);
                let leads_on = cells.clone().any(|cell| cell.next.is_some());
                let taken = self.next[class][letter]
                    .iter()
                    .position(|&literal| is_true(literal));
                row.push(Cell {
                    allowed: cells.fold(OutputSet::ALL, |set, cell| sets.and(set, cell.allowed)),
                    next: taken.filter(|_| leads_on).map(|target| target as u32),
                });
            }
            rows.push(row);
        }
        self.table.with_rows(&rows, 0, sets)
    }
}
