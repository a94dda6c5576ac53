//! Playing against a strategy.

/// A contest in which the user takes the side that loses and the program plays as the evidence says. It may go on for ever.
pub trait Contest {
    /// Who the user is, and when a play is won; in sentences.
    fn rules(&self) -> Vec<String>;

    /// Where the play is, and what can be said about how it went so far; a line each.
    fn position(&self) -> Vec<String>;

    /// The moves that the user has now, a line each; none when it is not the user's turn.
    fn choices(&self) -> Vec<String>;

    /// Makes one of the user's moves.
    fn choose(&mut self, choice: usize);

    /// Makes the program's move if it is its turn, and says which.
    fn reply(&mut self) -> Option<String>;

    /// What is said when the play has ended, or the user gives up.
    fn ending(&self) -> String;
}
