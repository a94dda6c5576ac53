//! Constructors of terms about words and arrays, like those of [`crate::build`].

use crate::build::Built;
use crate::{Op, Sort, SortError, TermId, Terms};

impl Terms {
    // ----- words -----

    fn word_shape(&self, name: &'static str, a: TermId) -> Result<(u32, bool), SortError> {
        self.sort(a).word_shape().ok_or_else(|| self.mismatch(name, &[a]))
    }

    /// `~a` on words
    pub fn bit_not(&mut self, a: TermId) -> Built {
        self.word_shape("bitwise complement", a)?;
        let sort = self.sort(a).clone();
        Ok(self.operation(Op::BitNot, &[a], sort))
    }

    fn bitwise(&mut self, op: Op, a: TermId, b: TermId) -> Built {
        if self.sort(a).word_shape().is_none() || self.sort(a) != self.sort(b) {
            return Err(self.mismatch("a bitwise operation", &[a, b]));
        }
        let sort = self.sort(a).clone();
        Ok(self.operation(op, &[a, b], sort))
    }

    /// Bitwise and
    pub fn bit_and(&mut self, a: TermId, b: TermId) -> Built {
        self.bitwise(Op::BitAnd, a, b)
    }

    /// Bitwise or
    pub fn bit_or(&mut self, a: TermId, b: TermId) -> Built {
        self.bitwise(Op::BitOr, a, b)
    }

    /// Bitwise exclusive or
    pub fn bit_xor(&mut self, a: TermId, b: TermId) -> Built {
        self.bitwise(Op::BitXor, a, b)
    }

    fn shift(&mut self, op: Op, a: TermId, by: TermId) -> Built {
        self.word_shape("a shift", a)?;
        let by = self.integral(by);
        match self.sort(by) {
            Sort::Range { low, .. } if *low >= 0 => {}
            Sort::Word { signed: false, .. } => {}
            _ => return Err(self.mismatch("a shift", &[a, by])),
        }
        let sort = self.sort(a).clone();
        Ok(self.operation(op, &[a, by], sort))
    }

    /// `a << by`; `by` is a non-negative integer or an unsigned word
    pub fn shift_left(&mut self, a: TermId, by: TermId) -> Built {
        self.shift(Op::ShiftLeft, a, by)
    }

    /// `a >> by`; arithmetic if `a` is signed
    pub fn shift_right(&mut self, a: TermId, by: TermId) -> Built {
        self.shift(Op::ShiftRight, a, by)
    }

    /// `a :: b`, `a` above
    pub fn concat(&mut self, a: TermId, b: TermId) -> Built {
        let (high, _) = self.word_shape("concatenation", a)?;
        let (low, _) = self.word_shape("concatenation", b)?;
        let Some(width) = high.checked_add(low) else {
            return Err(self.mismatch("concatenation", &[a, b]));
        };
        Ok(self.operation(Op::Concat, &[a, b], Sort::word(width)))
    }

    /// `a[high:low]`
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> Built {
        let (width, signed) = self.word_shape("bit selection", a)?;
        if low > high || high >= width {
            let operands = format!("{} with bits {high} to {low}", self.sort(a));
            return Err(SortError {
                operation: "bit selection",
                operands,
            });
        }
        if !signed && low == 0 && high + 1 == width {
            return Ok(a);
        }
        Ok(self.operation(Op::Extract { high, low }, &[a], Sort::word(high - low + 1)))
    }

    /// `a` wider by so many bits, the number unchanged
    pub fn extend(&mut self, a: TermId, by: u32) -> Built {
        let (width, signed) = self.word_shape("extension", a)?;
        if by == 0 {
            return Ok(a);
        }
        let Some(width) = width.checked_add(by) else {
            return Err(self.mismatch("extension", &[a]));
        };
        Ok(self.operation(Op::Extend { by }, &[a], Sort::Word { width, signed }))
    }

    /// The same bits read as signed or unsigned
    pub fn reinterpret(&mut self, a: TermId, signed: bool) -> Built {
        let (width, was_signed) = self.word_shape("a change of sign", a)?;
        if was_signed == signed {
            return Ok(a);
        }
        Ok(self.operation(Op::Reinterpret { signed }, &[a], Sort::Word { width, signed }))
    }

    /// A truth value as a word of one bit
    pub fn bool_to_word(&mut self, a: TermId) -> Built {
        if !self.is_bool(a) {
            return Err(self.mismatch("word1", &[a]));
        }
        Ok(self.operation(Op::BoolToWord, &[a], Sort::word(1)))
    }

    /// The number a word stands for
    pub fn word_to_int(&mut self, a: TermId) -> Built {
        let (width, signed) = self.word_shape("toint", a)?;
        if width > 62 {
            return Err(self.mismatch("toint", &[a]));
        }
        let sort = match signed {
            true => Sort::Range {
                low: -(1 << (width - 1)),
                high: (1 << (width - 1)) - 1,
            },
            false => Sort::Range {
                low: 0,
                high: (1 << width) - 1,
            },
        };
        Ok(self.operation(Op::WordToInt, &[a], sort))
    }

    /// An integer as a word, wrapping
    pub fn int_to_word(&mut self, a: TermId, width: u32, signed: bool) -> Built {
        let a = self.integral(a);
        if !matches!(self.sort(a), Sort::Range { .. }) || width == 0 {
            return Err(self.mismatch("a conversion to word", &[a]));
        }
        Ok(self.operation(
            Op::IntToWord { width, signed },
            &[a],
            Sort::Word { width, signed },
        ))
    }

    // ----- arrays -----

    fn array_parts(&self, name: &'static str, a: TermId) -> Result<(Sort, Sort), SortError> {
        match self.sort(a) {
            Sort::Array { index, element } => Ok(((**index).clone(), (**element).clone())),
            _ => Err(self.mismatch(name, &[a])),
        }
    }

    /// `array[index]`
    pub fn read(&mut self, array: TermId, index: TermId) -> Built {
        let (index_sort, element) = self.array_parts("reading an element", array)?;
        if !index_sort.comparable(self.sort(index)) {
            return Err(self.mismatch("reading an element", &[array, index]));
        }
        Ok(self.operation(Op::Read, &[array, index], element))
    }

    /// `array` with `element` at `index`
    pub fn write(&mut self, array: TermId, index: TermId, element: TermId) -> Built {
        let (index_sort, element_sort) = self.array_parts("writing an element", array)?;
        let joined = element_sort.join(self.sort(element));
        match joined {
            Ok(joined) if joined == element_sort && index_sort.comparable(self.sort(index)) => {
                let sort = self.sort(array).clone();
                Ok(self.operation(Op::Write, &[array, index, element], sort))
            }
            _ => Err(self.mismatch("writing an element", &[array, index, element])),
        }
    }

    /// The array of the given sort that has `element` everywhere
    pub fn constant_array(&mut self, sort: Sort, element: TermId) -> Built {
        match &sort {
            Sort::Array {
                element: expected, ..
            } if expected.join(self.sort(element)).as_ref() == Ok(expected) => {
                // Not folded: a constant array may have 2^32 elements.
                Ok(self.intern(Op::ConstantArray, &[element], sort))
            }
            _ => Err(self.mismatch("a constant array", &[element])),
        }
    }
}
