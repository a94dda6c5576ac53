//! placeholder
use entail_model::*;
use entail_logic::Property;
/// x
pub fn print(_s: &TransitionSystem, _p: &[Property<TermId>]) -> String { String::new() }
/// x
pub fn print_term(_s: &TransitionSystem, _t: TermId) -> String { String::new() }
