//! Printing systems as mCRL2 does.

use crate::read::EquationFile;
use entail_game::{BooleanEquations, BooleanNode};

/// A system as it is read.
pub fn print(file: &EquationFile) -> String {
    let system = &file.system;
    let mut text = String::from("bes\n");
    for equation in system.equations() {
        text += if equation.is_greatest { "nu " } else { "mu " };
        text += &equation.name;
        text += " = ";
        body(system, equation.body, &mut text);
        text += ";\n";
    }
    text += &format!("init {};\n", system.equations()[file.start as usize].name);
    text
}

/// What is still to be written.
enum Rest {
    Text(&'static str),
    /// A node, in parentheses if it has operands.
    Node(u32, bool),
}

fn body(system: &BooleanEquations, root: u32, text: &mut String) {
    let mut rest = vec![Rest::Node(root, false)];
    while let Some(next) = rest.pop() {
        let (node, enclosed) = match next {
            Rest::Text(piece) => {
                *text += piece;
                continue;
            }
            Rest::Node(node, enclosed) => (&system.nodes()[node as usize], enclosed),
        };
        let (operands, sign) = match node {
            BooleanNode::Constant(value) => {
                *text += if *value { "true" } else { "false" };
                continue;
            }
            BooleanNode::Variable(number) => {
                *text += &system.equations()[*number as usize].name;
                continue;
            }
            BooleanNode::All(operands) => (operands, " && "),
            BooleanNode::Any(operands) => (operands, " || "),
        };
        if enclosed {
            *text += "(";
            rest.push(Rest::Text(")"));
        }
        for (place, &operand) in operands.iter().enumerate().rev() {
            rest.push(Rest::Node(operand, true));
            if place > 0 {
                rest.push(Rest::Text(sign));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::print;
    use crate::read;

    const SYSTEM: &str = "bes\nnu X = Y && (X || Z && W);\nmu Y = X;\nmu Z = Y || true;\nnu W = (X && Y || Z) && false;\ninit Y;\n";

    #[test]
    fn a_system_is_read_as_it_was_printed() {
        let file = read(SYSTEM).expect("correct");
        let printed = print(&file);
        assert_eq!(
            printed,
            SYSTEM
                .replace("Z && W", "(Z && W)")
                .replace("X && Y ||", "(X && Y) ||")
        );
        assert_eq!(print(&read(&printed).expect("its own print")), printed);
    }

    #[test]
    fn blocks_and_other_spellings_mean_the_same() {
        let file = read(
            "nu X = Y and (X or Z & W); mu { Y = X; Z = Y | val(true); } % a block\nnu W = ((X & Y | Z) & false); init Y;",
        );
        assert_eq!(
            print(&file.expect("correct")),
            print(&read(SYSTEM).expect("correct"))
        );
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        for (wrong, message) in [
            ("", "there is no equation"),
            ("mu X = Y;", "there is no equation for `Y`"),
            ("mu X = X; nu X = X;", "`X` is defined twice"),
            ("mu X = !X;", "`!` means nothing here"),
            ("mu X = (X;", "expected `)`, `&&` or `||`, found `;`"),
            ("mu X = X X;", "expected `;`, found `X`"),
            ("mu X = X && ;", "expected the name of a variable, found `;`"),
            ("X = X;", "expected `mu`, `nu` or `init`, found `X`"),
            ("mu X = X; init Y;", "there is no equation for `Y`"),
            ("mu X = X; init X; init X;", "there is a second `init`"),
        ] {
            let problems = read(wrong).expect_err(wrong);
            assert_eq!(problems.0[0].message, message, "{wrong}");
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!(
            "mu X = {}X{};",
            "(X || X && ".repeat(100_000),
            ")".repeat(100_000)
        );
        let file = read(&deep).expect("correct");
        assert!(read(&print(&file)).is_ok());
    }
}
