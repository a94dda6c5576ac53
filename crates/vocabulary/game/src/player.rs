//! The two players.

/// One of two players. Even is the one who wants the highest priority seen again and again to be even: the system, Eve, player 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Player {
    /// Player 0.
    Even = 0,
    /// Player 1.
    Odd = 1,
}

impl Player {
    /// Both, Even first.
    pub const BOTH: [Player; 2] = [Player::Even, Player::Odd];

    /// The opponent.
    pub fn other(self) -> Player {
        match self {
            Player::Even => Player::Odd,
            Player::Odd => Player::Even,
        }
    }

    /// 0 for Even, 1 for Odd.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Who is number 0 or 1.
    pub fn numbered(number: u64) -> Option<Player> {
        match number {
            0 => Some(Player::Even),
            1 => Some(Player::Odd),
            _ => None,
        }
    }
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Player::Even => "even",
            Player::Odd => "odd",
        })
    }
}
