//! Names: variables with their cells, records, messages, and the scopes in which they are known.

use crate::syntax::ast::{Declared, Name, TypeName};
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Cell, CellType, Initial, Origin};
use rustc_hash::FxHashMap;
use std::cell::Cell as Flag;

/// A field of a record.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    pub kind: TypeName,
    pub length: Option<u32>,
    /// Its first cell within the record.
    pub offset: u32,
    /// What it holds first.
    pub initial: i32,
}

/// A record type.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub fields: Vec<Field>,
    pub cells: u32,
}

/// A declared variable.
#[derive(Debug)]
pub struct Symbol {
    pub name: Name,
    pub kind: TypeName,
    pub length: Option<u32>,
    /// Its first cell.
    pub base: u32,
    pub is_global: bool,
    /// Declared `local`: a global that only one process uses.
    pub is_private: bool,
    /// Only one process receives from it (`xr`).
    pub one_receiver: Flag<bool>,
    /// Only one process sends to it (`xs`).
    pub one_sender: Flag<bool>,
    pub at: Origin,
}

/// Position in [`Symbols::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// What is known at a point of the text: the last declaration before it, and the block it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeId {
    pub last: Option<u32>,
    pub block: u32,
}

/// A declaration, with the one before it that is still known.
struct Link {
    symbol: SymbolId,
    before: Option<u32>,
    block: u32,
}

/// All names.
#[derive(Default)]
pub struct Symbols {
    pub all: Vec<Symbol>,
    pub records: FxHashMap<Name, Record>,
    pub messages: FxHashMap<Name, i32>,
    links: Vec<Link>,
    /// The block around each block.
    pub blocks: Vec<Option<u32>>,
    pub globals: FxHashMap<Name, SymbolId>,
}

/// More cells than this a state cannot have.
const MOST_CELLS: u32 = 1 << 20;

impl Symbols {
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0 as usize]
    }

    /// A block inside another.
    pub fn open_block(&mut self, around: Option<u32>) -> u32 {
        self.blocks.push(around);
        self.blocks.len() as u32 - 1
    }

    /// What a name means at a point of the text.
    pub fn find(&self, name: &str, scope: Option<ScopeId>) -> Option<SymbolId> {
        let mut at = scope.and_then(|scope| scope.last);
        while let Some(position) = at {
            let link = &self.links[position as usize];
            if *self.symbol(link.symbol).name == *name {
                return Some(link.symbol);
            }
            at = link.before;
        }
        self.globals.get(name).copied()
    }

    /// Makes a variable known from here on.
    pub fn declare(&mut self, symbol: Symbol, scope: Option<&mut ScopeId>) -> Result<SymbolId, Fail> {
        let id = SymbolId(self.all.len() as u32);
        let twice = |symbol: &Symbol, at: Origin| {
            let message = format!("`{}` is declared twice", symbol.name);
            wrong(
                at,
                "promela::declared-twice",
                message,
                "the second time",
                "give one of them another name",
            )
        };
        match scope {
            None => {
                if self.globals.contains_key(&symbol.name) {
                    return Err(twice(&symbol, symbol.at));
                }
                self.globals.insert(symbol.name.clone(), id);
            }
            Some(scope) => {
                let mut at = scope.last;
                while let Some(position) = at {
                    let link = &self.links[position as usize];
                    if link.block == scope.block && self.symbol(link.symbol).name == symbol.name {
                        return Err(twice(&symbol, symbol.at));
                    }
                    at = link.before;
                }
                self.links.push(Link {
                    symbol: id,
                    before: scope.last,
                    block: scope.block,
                });
                scope.last = Some(self.links.len() as u32 - 1);
            }
        }
        self.all.push(symbol);
        Ok(id)
    }

    /// Cells a variable of this type has.
    pub fn cells_of(&self, kind: &TypeName) -> u32 {
        match kind {
            TypeName::Basic(_) => 1,
            TypeName::Record(name) => self.records.get(name).map_or(0, |record| record.cells),
        }
    }

    /// Declares a record type.
    pub fn declare_record(
        &mut self,
        name: &Name,
        fields: &[Declared],
        initials: &[Option<i32>],
        at: Origin,
    ) -> Result<(), Fail> {
        let mut record = Record::default();
        for (field, initial) in fields.iter().zip(initials) {
            let length = field.length.unwrap_or(1);
            let size = self
                .cells_of(&field.kind)
                .checked_mul(length)
                .filter(|&size| size < MOST_CELLS);
            let Some(cells) = size
                .and_then(|size| size.checked_add(record.cells))
                .filter(|&cells| cells < MOST_CELLS)
            else {
                return Err(wrong(
                    at,
                    "promela::too-large",
                    "this record is too large",
                    "here",
                    "use smaller arrays",
                ));
            };
            record.fields.push(Field {
                name: field.name.clone(),
                kind: field.kind.clone(),
                length: field.length,
                offset: record.cells,
                initial: initial.unwrap_or(0),
            });
            record.cells = cells;
        }
        self.records.insert(name.clone(), record);
        Ok(())
    }

    /// The cells of a variable, with their names.
    pub fn make_cells(&self, declared: &Declared, cells: &mut Vec<Cell>) -> Result<u32, Fail> {
        let base = cells.len() as u32;
        let total = u64::from(self.cells_of(&declared.kind)) * u64::from(declared.length.unwrap_or(1));
        if total + u64::from(base) > u64::from(MOST_CELLS) {
            return Err(wrong(
                declared.at,
                "promela::too-large",
                "there are too many variables",
                "here",
                "use smaller arrays",
            ));
        }
        self.add_cells(
            &declared.name,
            &declared.kind,
            declared.length,
            (!declared.hidden, 0),
            cells,
        );
        Ok(base)
    }

    fn add_cells(
        &self,
        name: &str,
        kind: &TypeName,
        length: Option<u32>,
        (shown, initial): (bool, i32),
        cells: &mut Vec<Cell>,
    ) {
        for position in 0..length.unwrap_or(1) {
            let name = match length {
                Some(_) => format!("{name}[{position}]"),
                None => name.to_owned(),
            };
            match kind {
                TypeName::Basic(kind) => cells.push(Cell {
                    name,
                    kind: *kind,
                    initial: Initial::Value(initial),
                    shown,
                }),
                TypeName::Record(record) => {
                    for field in self.records.get(record).map_or(&[][..], |record| &record.fields) {
                        self.add_cells(
                            &format!("{name}.{}", field.name),
                            &field.kind,
                            field.length,
                            (shown, field.initial),
                            cells,
                        );
                    }
                }
            }
        }
    }

    /// The types of the cells of a type, records taken apart.
    pub fn flatten(&self, kind: &TypeName, length: Option<u32>, types: &mut Vec<CellType>) {
        for _ in 0..length.unwrap_or(1) {
            match kind {
                TypeName::Basic(kind) => types.push(*kind),
                TypeName::Record(record) => {
                    for field in self.records.get(record).map_or(&[][..], |record| &record.fields) {
                        self.flatten(&field.kind, field.length, types);
                    }
                }
            }
        }
    }
}
