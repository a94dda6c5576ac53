//! yosys' internal cells: what each does, as a cover of its ports.

/// A gate: its name, its inputs in the order of the rows' entries, the rows for which the output `Y` is 1.
const GATES: &[(&str, &[&str], &[&str])] = &[
    ("$_BUF_", &["A"], &["1"]),
    ("$_NOT_", &["A"], &["0"]),
    ("$_AND_", &["A", "B"], &["11"]),
    ("$_NAND_", &["A", "B"], &["0-", "-0"]),
    ("$_OR_", &["A", "B"], &["1-", "-1"]),
    ("$_NOR_", &["A", "B"], &["00"]),
    ("$_XOR_", &["A", "B"], &["10", "01"]),
    ("$_XNOR_", &["A", "B"], &["11", "00"]),
    ("$_ANDNOT_", &["A", "B"], &["10"]),
    ("$_ORNOT_", &["A", "B"], &["1-", "-0"]),
    ("$_MUX_", &["A", "B", "S"], &["1-0", "-11"]),
    ("$_NMUX_", &["A", "B", "S"], &["0-0", "-01"]),
    ("$_AOI3_", &["A", "B", "C"], &["0-0", "-00"]),
    ("$_OAI3_", &["A", "B", "C"], &["00-", "--0"]),
    (
        "$_AOI4_",
        &["A", "B", "C", "D"],
        &["0-0-", "0--0", "-00-", "-0-0"],
    ),
    ("$_OAI4_", &["A", "B", "C", "D"], &["00--", "--00"]),
];

/// Flip-flops: the name, and whether the rising edge counts.
const FLIP_FLOPS: &[(&str, bool)] = &[("$_DFF_P_", true), ("$_DFF_N_", false)];

/// What a cell is.
pub(crate) enum Cell {
    /// Inputs, and the rows for which `Y` is 1.
    Gate(&'static [&'static str], &'static [&'static str]),
    /// `Q` takes `D` at an edge of `C`; whether that is the rising one.
    FlipFlop(bool),
}

/// The cell of a name.
pub(crate) fn cell(name: &str) -> Option<Cell> {
    let gate = GATES.iter().find(|(known, _, _)| *known == name);
    if let Some((_, inputs, rows)) = gate {
        return Some(Cell::Gate(inputs, rows));
    }
    let flip_flop = FLIP_FLOPS.iter().find(|(known, _)| *known == name);
    flip_flop.map(|(_, rises)| Cell::FlipFlop(*rises))
}
