//! Rebuilding terms with other leaves: priming, renaming, substitution of terms for variables.
//!
//! One pass over the cone in id order; every rebuilt term goes through the simplifying constructors.

use crate::{Op, SortError, TermId, Terms, VarId};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

impl Terms {
    /// Rebuilds the roots with leaves replaced: `leaf` gives the new term for a variable (`next` tells which
    /// occurrence), or `None` to keep it. The replacement's sort may differ as long as the operators accept it.
    pub fn replace(
        &mut self,
        roots: &[TermId],
        mut leaf: impl FnMut(&mut Terms, VarId, bool) -> Option<TermId>,
    ) -> Result<Vec<TermId>, SortError> {
        let mut rebuilt: HashMap<TermId, TermId, FxBuildHasher> = HashMap::default();
        for term in self.cone(roots) {
            let image = match self.op(term) {
                Op::Current(variable) => {
                    let variable = *variable;
                    leaf(self, variable, false).unwrap_or(term)
                }
                Op::Next(variable) => {
                    let variable = *variable;
                    leaf(self, variable, true).unwrap_or(term)
                }
                _ => {
                    let operands: Vec<TermId> = self
                        .operands(term)
                        .iter()
                        .map(|operand| rebuilt[operand])
                        .collect();
                    if operands == self.operands(term) {
                        term
                    } else {
                        self.rebuild(term, &operands)?
                    }
                }
            };
            rebuilt.insert(term, image);
        }
        Ok(roots.iter().map(|root| rebuilt[root]).collect())
    }

    /// A copy of the roots of another store in this one, variables renamed.
    pub fn import(
        &mut self,
        other: &Terms,
        roots: &[TermId],
        mut rename: impl FnMut(VarId) -> VarId,
    ) -> Vec<TermId> {
        let mut imported: HashMap<TermId, TermId, FxBuildHasher> = HashMap::default();
        for term in other.cone(roots) {
            let operands: Vec<TermId> = other
                .operands(term)
                .iter()
                .map(|operand| imported[operand])
                .collect();
            let op = match other.op(term) {
                Op::Current(variable) => Op::Current(rename(*variable)),
                Op::Next(variable) => Op::Next(rename(*variable)),
                op => op.clone(),
            };
            // Connectives keep their operands in id order, which differs between stores.
            let image = match op {
                Op::And => self.and(operands),
                Op::Or => self.or(operands),
                op => self.intern(op, &operands, other.sort(term).clone()),
            };
            imported.insert(term, image);
        }
        roots.iter().map(|root| imported[root]).collect()
    }

    fn rebuild(&mut self, term: TermId, operands: &[TermId]) -> Result<TermId, SortError> {
        let op = self.op(term).clone();
        let sort = self.sort(term).clone();
        Ok(match (op, operands) {
            (Op::Not, [a]) => self.not(*a),
            (Op::And, all) => self.and(all.iter().copied()),
            (Op::Or, all) => self.or(all.iter().copied()),
            (Op::Ite, [c, a, b]) => self.ite(*c, *a, *b)?,
            (Op::Equal, [a, b]) => self.equal(*a, *b)?,
            (Op::Less, [a, b]) => self.less(*a, *b)?,
            (Op::Add, [a, b]) => self.add(*a, *b)?,
            (Op::Subtract, [a, b]) => self.subtract(*a, *b)?,
            (Op::Negate, [a]) => self.negate(*a)?,
            (Op::Multiply, [a, b]) => self.multiply(*a, *b)?,
            (Op::Divide, [a, b]) => self.divide(*a, *b)?,
            (Op::Remainder, [a, b]) => self.remainder(*a, *b)?,
            (Op::BitNot, [a]) => self.bit_not(*a)?,
            (Op::BitAnd, [a, b]) => self.bit_and(*a, *b)?,
            (Op::BitOr, [a, b]) => self.bit_or(*a, *b)?,
            (Op::BitXor, [a, b]) => self.bit_xor(*a, *b)?,
            (Op::ShiftLeft, [a, b]) => self.shift_left(*a, *b)?,
            (Op::ShiftRight, [a, b]) => self.shift_right(*a, *b)?,
            (Op::Concat, [a, b]) => self.concat(*a, *b)?,
            (Op::Extract { high, low }, [a]) => self.extract(*a, high, low)?,
            (Op::Extend { by }, [a]) => self.extend(*a, by)?,
            (Op::Reinterpret { signed }, [a]) => self.reinterpret(*a, signed)?,
            (Op::BoolToWord, [a]) => self.bool_to_word(*a)?,
            (Op::WordToInt, [a]) => self.word_to_int(*a)?,
            (Op::IntToWord { width, signed }, [a]) => self.int_to_word(*a, width, signed)?,
            (Op::AsInteger, [a]) => self.integral(*a),
            (Op::Read, [a, i]) => self.read(*a, *i)?,
            (Op::Write, [a, i, e]) => self.write(*a, *i, *e)?,
            (Op::ConstantArray, [e]) => self.constant_array(sort, *e)?,
            (op, operands) => unreachable!("{op:?} with {} operands", operands.len()),
        })
    }
}
