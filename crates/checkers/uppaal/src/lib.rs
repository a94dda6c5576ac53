//! What UPPAAL models mean.
