//! Which sorts operators take, and which they give.

use crate::circuit::BitSort;
use crate::operator::{Operator, Shape};
use crate::reader::{Problem, problem};
use entail_source::Span;

/// Sorts that do not fit.
pub(crate) fn mismatch(message: impl Into<String>, span: Span, label: impl Into<String>) -> Problem {
    problem("btor2::sort", message, span, label)
}

/// A sort as people call it.
pub(crate) fn shown(sort: BitSort) -> String {
    match sort {
        BitSort::Bits(1) => "a bit".into(),
        BitSort::Bits(width) => format!("{width} bits"),
        BitSort::Array { index, element } => {
            format!("an array from {index} bits to {element} bits")
        }
    }
}

/// The sort that an operator gives on arguments of these sorts.
pub(crate) fn result_sort(
    operator: Operator,
    declared: BitSort,
    arguments: &[(BitSort, Span)],
    numbers: &[(u32, Span)],
) -> Result<BitSort, Problem> {
    const BIT: BitSort = BitSort::Bits(1);
    let bits = |at: usize| match arguments[at] {
        (BitSort::Bits(width), _) => Ok(width),
        (other, span) => Err(mismatch(
            format!("`{}` takes bit vectors", operator.name()),
            span,
            format!("this is {}", shown(other)),
        )),
    };
    let is = |at: usize, expected: BitSort| {
        let (sort, span) = arguments[at];
        if sort == expected {
            Ok(())
        } else {
            Err(mismatch(
                format!("expected {}, found {}", shown(expected), shown(sort)),
                span,
                format!("this is {}", shown(sort)),
            ))
        }
    };
    let array = || match arguments[0] {
        (BitSort::Array { index, element }, _) => Ok((index, element)),
        (other, span) => Err(mismatch(
            format!("`{}` takes an array", operator.name()),
            span,
            format!("this is {}", shown(other)),
        )),
    };
    Ok(match operator.shape() {
        Shape::Unary => BitSort::Bits(bits(0)?),
        Shape::Reduction => {
            bits(0)?;
            BIT
        }
        Shape::Logical => {
            is(0, BIT)?;
            is(1, BIT)?;
            BIT
        }
        Shape::Equality => {
            is(1, arguments[0].0)?;
            BIT
        }
        Shape::Predicate => {
            let width = bits(0)?;
            is(1, BitSort::Bits(width))?;
            BIT
        }
        Shape::Binary => {
            // The line's sort decides which argument is the odd one out.
            bits(0)?;
            is(0, declared)?;
            is(1, declared)?;
            declared
        }
        Shape::Concat => {
            let width = bits(0)?.saturating_add(bits(1)?);
            BitSort::Bits(width)
        }
        Shape::Slice => {
            let width = bits(0)?;
            let ((upper, upper_span), (lower, lower_span)) = (numbers[0], numbers[1]);
            if upper >= width {
                return Err(mismatch(
                    format!("bit {upper} of a vector of {width} bits"),
                    upper_span,
                    "there is no such bit",
                ));
            }
            if lower > upper {
                return Err(mismatch(
                    "the lower bit of a slice is above the upper one",
                    lower_span,
                    "larger than the number before",
                ));
            }
            BitSort::Bits(upper - lower + 1)
        }
        Shape::Extension => BitSort::Bits(bits(0)?.saturating_add(numbers[0].0)),
        Shape::Read => {
            let (index, element) = array()?;
            is(1, BitSort::Bits(index))?;
            BitSort::Bits(element)
        }
        Shape::Write => {
            let (index, element) = array()?;
            is(1, BitSort::Bits(index))?;
            is(2, BitSort::Bits(element))?;
            arguments[0].0
        }
        Shape::Choice => {
            is(0, BIT)?;
            is(2, arguments[1].0)?;
            arguments[1].0
        }
    })
}
