//! The operators and functions of expressions.

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    Invert,
    /// `&`
    And,
    /// `~&`
    Nand,
    /// `|`
    Or,
    /// `~|`
    Nor,
    /// `^`
    Xor,
    /// `~^`
    Xnor,
}

impl Unary {
    pub(crate) fn of(sign: &str) -> Option<Unary> {
        Some(match sign {
            "+" => Unary::Plus,
            "-" => Unary::Minus,
            "!" => Unary::Not,
            "~" => Unary::Invert,
            "&" => Unary::And,
            "~&" => Unary::Nand,
            "|" => Unary::Or,
            "~|" => Unary::Nor,
            "^" => Unary::Xor,
            "~^" | "^~" => Unary::Xnor,
            _ => return None,
        })
    }
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `**`
    Power,
    /// `*`
    Times,
    /// `/`
    Over,
    /// `%`
    Modulo,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `<<`, `<<<`
    Left,
    /// `>>`
    Right,
    /// `>>>`
    SignedRight,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `===`
    Same,
    /// `!==`
    NotSame,
    /// `==?`
    Matches,
    /// `!=?`
    MatchesNot,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `~^`
    Xnor,
    /// `|`
    Or,
    /// `&&`
    Both,
    /// `||`
    Either,
    /// `->`
    Implies,
    /// `<->`
    Equivalent,
}

impl Binary {
    /// The operator of a sign and how tight it binds.
    pub(crate) fn of(sign: &str) -> Option<(Binary, u8)> {
        Some(match sign {
            "**" => (Binary::Power, 11),
            "*" => (Binary::Times, 10),
            "/" => (Binary::Over, 10),
            "%" => (Binary::Modulo, 10),
            "+" => (Binary::Plus, 9),
            "-" => (Binary::Minus, 9),
            "<<" | "<<<" => (Binary::Left, 8),
            ">>" => (Binary::Right, 8),
            ">>>" => (Binary::SignedRight, 8),
            "<" => (Binary::Less, 7),
            "<=" => (Binary::AtMost, 7),
            ">" => (Binary::Greater, 7),
            ">=" => (Binary::AtLeast, 7),
            "==" => (Binary::Equal, 6),
            "!=" => (Binary::Unequal, 6),
            "===" => (Binary::Same, 6),
            "!==" => (Binary::NotSame, 6),
            "==?" => (Binary::Matches, 6),
            "!=?" => (Binary::MatchesNot, 6),
            "&" => (Binary::And, 5),
            "^" => (Binary::Xor, 4),
            "~^" | "^~" => (Binary::Xnor, 4),
            "|" => (Binary::Or, 3),
            "&&" => (Binary::Both, 2),
            "||" => (Binary::Either, 1),
            _ => return None,
        })
    }

    /// Whether it is true or false of its operands.
    pub fn is_truth(self) -> bool {
        self.is_comparison() || self.is_logical()
    }

    /// Whether its operands are brought to one width and sign.
    pub(crate) fn is_comparison(self) -> bool {
        use Binary::{AtLeast, AtMost, Equal, Greater, Less, Matches, MatchesNot, NotSame, Same, Unequal};
        matches!(
            self,
            Less | AtMost | Greater | AtLeast | Equal | Unequal | Same | NotSame | Matches | MatchesNot
        )
    }

    /// Whether its operands are truth values.
    pub fn is_logical(self) -> bool {
        matches!(
            self,
            Binary::Both | Binary::Either | Binary::Implies | Binary::Equivalent
        )
    }

    /// Whether the right operand stands by itself.
    pub(crate) fn is_shift(self) -> bool {
        matches!(
            self,
            Binary::Left | Binary::Right | Binary::SignedRight | Binary::Power
        )
    }
}

/// A function of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `$signed`
    Signed,
    /// `$unsigned`
    Unsigned,
    /// `$bits`
    Bits,
    /// How many bits are 1.
    CountOnes,
    /// Whether one bit is 1.
    OneHot,
    /// Whether at most one bit is 1.
    OneHot0,
    /// Whether some bit is not known.
    IsUnknown,
    /// The lowest bit.
    Lowest,
}

impl Function {
    pub(crate) fn of(name: &str) -> Option<Function> {
        Some(match name {
            "$signed" => Function::Signed,
            "$unsigned" => Function::Unsigned,
            "$bits" => Function::Bits,
            "countones" | "$countones" => Function::CountOnes,
            "onehot" | "$onehot" => Function::OneHot,
            "onehot0" | "$onehot0" => Function::OneHot0,
            "isunknown" | "$isunknown" => Function::IsUnknown,
            _ => return None,
        })
    }
}
