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

/// What a cell is.
pub(crate) enum Cell {
    /// Inputs, and the rows for which `Y` is 1.
    Gate(&'static [&'static str], &'static [&'static str]),
    /// `Q` takes `D` at an edge of `C`.
    FlipFlop(FlipFlop),
}

/// A flip-flop of yosys: `$_DFF_P_`, `$_DFFE_PP_`, `$_SDFF_PP0_`, `$_SDFFE_PP0P_`, `$_SDFFCE_PP0P_` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlipFlop {
    /// The rising edge counts.
    pub(crate) rises: bool,
    /// The value of `E` at which it takes a new value, if it has that port.
    pub(crate) enable: Option<bool>,
    /// The value of `R` at which it takes the value behind, if it has that port.
    pub(crate) reset: Option<(bool, bool)>,
    /// The reset waits for the enable.
    pub(crate) reset_is_enabled: bool,
}

impl FlipFlop {
    /// The ports that the next value depends on, in the order of the rows' entries.
    pub(crate) fn inputs(self) -> Vec<&'static str> {
        let enable = self.enable.map(|_| ["E", "Q"]).into_iter().flatten();
        let reset = self.reset.map(|_| "R");
        std::iter::once("D").chain(enable).chain(reset).collect()
    }

    /// The rows for which the next value is 1, found by trying all values.
    pub(crate) fn rows(self) -> Vec<Vec<Option<bool>>> {
        let inputs = self.inputs();
        let row = |code: usize| -> Vec<bool> { (0..inputs.len()).map(|bit| code >> bit & 1 == 1).collect() };
        let next = |row: &[bool]| {
            let of = |port: &str| inputs.iter().position(|known| *known == port).map(|at| row[at]);
            let enabled = self.enable.is_none_or(|active| of("E") == Some(active));
            let taken = match enabled {
                true => of("D"),
                false => of("Q"),
            };
            match self.reset {
                Some((active, value)) if of("R") == Some(active) && (enabled || !self.reset_is_enabled) => {
                    value
                }
                _ => taken == Some(true),
            }
        };
        let rows = (0..1 << inputs.len()).map(row).filter(|row| next(row));
        rows.map(|row| row.into_iter().map(Some).collect()).collect()
    }
}

fn flip_flop(name: &str) -> Option<FlipFlop> {
    let (kind, letters) = name.strip_prefix("$_")?.strip_suffix('_')?.split_once('_')?;
    let is_high = |letter: u8| match letter {
        b'P' | b'1' => Some(true),
        b'N' | b'0' => Some(false),
        _ => None,
    };
    let levels = letters.bytes().map(is_high).collect::<Option<Vec<bool>>>()?;
    let plain = FlipFlop {
        rises: *levels.first()?,
        enable: None,
        reset: None,
        reset_is_enabled: kind == "SDFFCE",
    };
    match (kind, &levels[1..]) {
        ("DFF", []) => Some(plain),
        ("DFFE", &[enable]) => Some(FlipFlop {
            enable: Some(enable),
            ..plain
        }),
        ("SDFF", &[reset, value]) => Some(FlipFlop {
            reset: Some((reset, value)),
            ..plain
        }),
        ("SDFFE" | "SDFFCE", &[reset, value, enable]) => Some(FlipFlop {
            enable: Some(enable),
            reset: Some((reset, value)),
            ..plain
        }),
        _ => None,
    }
}

/// The cell of a name.
pub(crate) fn cell(name: &str) -> Option<Cell> {
    let gate = GATES.iter().find(|(known, _, _)| *known == name);
    match gate {
        Some((_, inputs, rows)) => Some(Cell::Gate(inputs, rows)),
        None => flip_flop(name).map(Cell::FlipFlop),
    }
}
