//! Declarations outside of processes: messages, records, global variables, and the kinds of channels.

use super::Lowering;
use super::expression::Where;
use super::symbols::Symbol;
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Cell, CellType, ChannelType, Expression, Initial, Origin};
use rustc_hash::FxHashSet;

impl Lowering {
    /// Messages, records and global variables.
    pub(super) fn declarations(&mut self, units: &[Unit]) -> Result<(), Fail> {
        for unit in units {
            if let Unit::Messages(names) = unit {
                // The last name of a declaration has the smallest number.
                for (name, at) in names.iter().rev() {
                    let number = self.program.message_names.len() as i32;
                    if number > 255 {
                        return Err(wrong(
                            *at,
                            "promela::too-many-messages",
                            "there are more than 255 names of messages",
                            "here",
                            "use numbers instead",
                        ));
                    }
                    self.symbols.messages.insert(name.clone(), number);
                    self.program.message_names.push(name.to_string());
                }
            }
        }
        for unit in units {
            match unit {
                Unit::Record(name, fields, at) => {
                    let mut initials = Vec::new();
                    for field in fields {
                        initials.push(match &field.initializer {
                            None => None,
                            Some(Initializer::Value(value)) => {
                                match self.expression(value, Where::default())? {
                                    Expression::Constant(value) => Some(value),
                                    _ => {
                                        return Err(wrong(
                                            field.at,
                                            "promela::field",
                                            "a field begins with a constant only",
                                            "here",
                                            "use a number or the name of a message",
                                        ));
                                    }
                                }
                            }
                            Some(_) => {
                                return Err(wrong(
                                    field.at,
                                    "promela::field",
                                    "a field of a record begins with a number only",
                                    "here",
                                    "initialize the variables of this type",
                                ));
                            }
                        });
                    }
                    self.symbols.declare_record(name, fields, &initials, *at)?;
                }
                Unit::Variable(declared) => self.global(declared)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn global(&mut self, declared: &Declared) -> Result<(), Fail> {
        let mut cells: Vec<Cell> = std::mem::take(&mut self.program.globals);
        let base = self.symbols.make_cells(declared, &mut cells)?;
        match &declared.initializer {
            None => {}
            Some(Initializer::Channel(capacity, fields)) => {
                let kind = self.channel_type(*capacity, fields, declared.at)?;
                for cell in &mut cells[base as usize..] {
                    cell.initial = Initial::Channel(kind);
                }
            }
            Some(Initializer::Value(value)) => {
                let value = self.expression(value, Where::default())?;
                for cell in &mut cells[base as usize..] {
                    cell.initial = initial(value.clone());
                }
            }
            Some(Initializer::List(values)) => {
                for (cell, value) in cells[base as usize..].iter_mut().zip(values) {
                    cell.initial = initial(self.expression(value, Where::default())?);
                }
            }
        }
        self.program.globals = cells;
        let symbol = Symbol {
            name: declared.name.clone(),
            kind: declared.kind.clone(),
            length: declared.length,
            base,
            is_global: true,
            is_private: declared.local,
            one_receiver: false.into(),
            one_sender: false.into(),
            at: declared.at,
        };
        self.symbols.declare(symbol, None)?;
        Ok(())
    }

    /// Global variables that nobody reads, other than for printing, are no part of the state, and are not shown.
    pub(super) fn hide_written_only(&mut self, read: &FxHashSet<Name>) {
        for symbol in &self.symbols.all {
            if let TypeName::Basic(kind) = symbol.kind
                && kind != CellType::Channel
                && !read.contains(&symbol.name)
            {
                for cell in symbol.base..symbol.base + symbol.length.unwrap_or(1) {
                    self.program.globals[cell as usize].shown = false;
                }
                self.written_only.insert(symbol.base);
                self.program.has_unseen = true;
            }
        }
    }

    /// The number of a kind of channel.
    pub fn channel_type(
        &mut self,
        capacity: i32,
        fields: &[(TypeName, Origin)],
        at: Origin,
    ) -> Result<usize, Fail> {
        let capacity = capacity as u32;
        let kinds = fields.iter().map(|(kind, _)| kind);
        let Some(fields) = self.symbols.fields(kinds, capacity) else {
            return Err(wrong(
                at,
                "promela::too-large",
                "the messages of this channel are too large",
                "here",
                "use fewer or smaller ones",
            ));
        };
        let fresh = self.program.channels.len();
        let number = *self
            .channel_types
            .entry((capacity, fields.clone()))
            .or_insert(fresh);
        if number == fresh {
            self.program.channels.push(ChannelType { capacity, fields });
        }
        Ok(number)
    }
}

/// What a cell begins with.
pub(super) fn initial(value: Expression) -> Initial {
    match value {
        Expression::Constant(value) => Initial::Value(value),
        value => Initial::Computed(value),
    }
}
