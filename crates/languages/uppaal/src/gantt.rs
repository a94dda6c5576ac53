//! `gantt { … }`: the rows of a Gantt chart, each with the colours that it has in states.
//!
//! `Row(i : T): condition -> colour, for (j : U) condition -> colour;` is a row for each value of `i`; the first condition that holds in a state, over all values of `j`, gives its colour.

use crate::compiler::Compiler;
use crate::names::ScopeId;
use crate::parser::{Parser, Read};
use entail_clocks::GanttRow;
use entail_uppaal_tree::{GanttBar, GanttEntry};

impl Parser<'_> {
    /// The entries of a `gantt` block.
    pub fn gantt(&mut self) -> Read<Vec<GanttEntry>> {
        self.expect("gantt")?;
        self.expect("{")?;
        let mut entries = Vec::new();
        while !self.take("}") {
            let (name, span) = self.name("a name")?;
            let selects = match self.take("(") {
                true => {
                    let selects = self.selects()?;
                    self.expect(")")?;
                    selects
                }
                false => Vec::new(),
            };
            self.expect(":")?;
            let mut bars = vec![self.gantt_bar()?];
            while self.take(",") {
                bars.push(self.gantt_bar()?);
            }
            self.expect(";")?;
            entries.push(GanttEntry {
                name,
                span,
                selects,
                bars,
            });
        }
        Ok(entries)
    }

    fn gantt_bar(&mut self) -> Read<GanttBar> {
        let mut selects = Vec::new();
        if self.take("for") {
            self.expect("(")?;
            selects = self.selects()?;
            self.expect(")")?;
        }
        let condition = self.expression()?;
        self.expect("->")?;
        Ok(GanttBar {
            selects,
            condition,
            colour: self.expression()?,
        })
    }
}

impl Compiler<'_> {
    /// The rows of an entry.
    pub fn gantt_rows(&mut self, entry: &GanttEntry, scope: ScopeId) -> Read<()> {
        for (scope, chosen) in self.chosen(&entry.selects, scope, entry.span)? {
            let mut bars = Vec::new();
            for bar in &entry.bars {
                for (scope, _) in self.chosen(&bar.selects, scope, entry.span)? {
                    bars.push((
                        self.formula(&bar.condition, scope)?,
                        self.integer(&bar.colour, scope)?,
                    ));
                }
            }
            self.network.gantt.push(GanttRow {
                name: format!("{}{chosen}", entry.name),
                bars,
            });
        }
        Ok(())
    }
}
