//! The steps of a program between packed states: where things are ([`layout`]), expressions ([`code`]) and actions ([`action`]) compiled,
//! what is done often as machine code ([`machine`]), and what follows a state ([`space`]).

pub mod action;
pub mod code;
pub mod layout;
pub mod machine;
pub mod space;
