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
    /// How many records are inside each other.
    depth: u32,
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

/// A declaration in a block.
struct Link {
    symbol: SymbolId,
    block: u32,
    /// The first declaration from which on it is not known any more, because its block is closed.
    until: u32,
}

/// All names.
#[derive(Default)]
pub struct Symbols {
    pub all: Vec<Symbol>,
    pub records: FxHashMap<Name, Record>,
    pub messages: FxHashMap<Name, i32>,
    /// Declarations in blocks, in the order of the text.
    links: Vec<Link>,
    /// Positions of the declarations that are in scope where the last one stands.
    open: Vec<u32>,
    /// Positions of the declarations by name, each list in the order of the text.
    named: FxHashMap<Name, Vec<u32>>,
    /// The block around each block.
    pub blocks: Vec<Option<u32>>,
    pub globals: FxHashMap<Name, SymbolId>,
    /// Cells made so far.
    cells: u64,
}

/// The variables of a program, those of all its kinds of processes counted, and the fields of a message have no more cells than this.
const MOST_CELLS: u32 = 1 << 20;

/// More records inside each other are refused, so that no walk over them overflows the stack.
const DEEPEST_RECORD: u32 = 100;

/// The messages of a channel have no more fields together.
const MOST_FIELDS: usize = 1 << 20;

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
        let local = scope
            .and_then(|scope| scope.last)
            .and_then(|last| self.known(name, last));
        match local {
            Some(link) => Some(self.links[link as usize].symbol),
            None => self.globals.get(name).copied(),
        }
    }

    /// The innermost declaration of a name that is known where the declaration `last` is the last one: it comes no later, and its block is
    /// not closed yet.
    fn known(&self, name: &str, last: u32) -> Option<u32> {
        let links = self.named.get(name)?;
        let earlier = links.partition_point(|&link| link <= last);
        let is_known = |link: &&u32| last < self.links[**link as usize].until;
        links[..earlier].iter().rev().find(is_known).copied()
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
                let known = scope.last.and_then(|last| self.known(&symbol.name, last));
                if known.is_some_and(|link| self.links[link as usize].block == scope.block) {
                    return Err(twice(&symbol, symbol.at));
                }
                // What was declared since the last declaration that is known here stands in blocks that are closed.
                let link = self.links.len() as u32;
                while let Some(&last) = self.open.last()
                    && scope.last.is_none_or(|known| known < last)
                {
                    self.links[last as usize].until = link;
                    self.open.pop();
                }
                self.open.push(link);
                self.links.push(Link {
                    symbol: id,
                    block: scope.block,
                    until: u32::MAX,
                });
                self.named.entry(symbol.name.clone()).or_default().push(link);
                scope.last = Some(link);
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
        if self.records.contains_key(name) {
            return Err(wrong(
                at,
                "promela::declared-twice",
                format!("there are two types `{name}`"),
                "the second",
                "give one of them another name",
            ));
        }
        let too_large = |message: &str| {
            Err(wrong(
                at,
                "promela::too-large",
                message,
                "here",
                "use smaller arrays",
            ))
        };
        let mut record = Record::default();
        for (field, initial) in fields.iter().zip(initials) {
            if let TypeName::Record(inner) = &field.kind {
                let inner = self.records.get(inner).map_or(0, |inner| inner.depth);
                record.depth = record.depth.max(inner + 1);
                if record.depth > DEEPEST_RECORD {
                    return too_large("there are too many records inside each other");
                }
            }
            let length = field.length.unwrap_or(1);
            let size = self
                .cells_of(&field.kind)
                .checked_mul(length)
                .filter(|&size| size < MOST_CELLS);
            let Some(cells) = size
                .and_then(|size| size.checked_add(record.cells))
                .filter(|&cells| cells < MOST_CELLS)
            else {
                return too_large("this record is too large");
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
    pub fn make_cells(&mut self, declared: &Declared, cells: &mut Vec<Cell>) -> Result<u32, Fail> {
        let base = cells.len() as u32;
        let total = u64::from(self.cells_of(&declared.kind)) * u64::from(declared.length.unwrap_or(1));
        self.cells += total;
        if self.cells > u64::from(MOST_CELLS) {
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
                    kind: stored(*kind, length),
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

    /// The types of the fields of messages, records taken apart, or nothing if so many messages are too large. A field of type `bit` that is
    /// the only one is kept in a byte: SPIN's verifier does so, and values beyond 1 are found in it again.
    pub fn fields<'k>(
        &self,
        kinds: impl Iterator<Item = &'k TypeName>,
        messages: u32,
    ) -> Option<Vec<CellType>> {
        let mut types = Vec::new();
        for kind in kinds {
            let fields = types.len() + self.cells_of(kind) as usize;
            if fields * messages.max(1) as usize > MOST_FIELDS {
                return None;
            }
            self.flatten(kind, None, &mut types);
        }
        if let [only @ CellType::Bit] = &mut types[..] {
            *only = CellType::Byte;
        }
        Some(types)
    }

    /// The types of the cells of a type, records taken apart.
    fn flatten(&self, kind: &TypeName, length: Option<u32>, types: &mut Vec<CellType>) {
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

/// How the elements of an array of this type are stored. C has no arrays of bits, so that SPIN's verifier keeps each in a byte, and values
/// beyond 1 are found in it again.
pub fn stored(kind: CellType, length: Option<u32>) -> CellType {
    match (kind, length) {
        (CellType::Bit, Some(_)) => CellType::Byte,
        _ => kind,
    }
}
