//! Explicit graphs as files: Aldebaran's `.aut`, Kripke structures in JSON, DOT.
//!
//! **Here:** readers with places in their errors, and writers.
//!
//! **Not here:** what is done with the graphs (engines).
