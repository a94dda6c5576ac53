//! Values for constants, as users give them: `--const N=3,p=0.5`.

use entail_family::{Options, Usage};
use entail_prism::{Constants, constant_value};

/// The constants that the options give.
pub(crate) fn given(options: &Options) -> Result<Constants, Usage> {
    let mut constants = Constants::new();
    for part in options.parts("const") {
        let Some((name, value)) = part.split_once('=') else {
            return Err(Usage(format!(
                "--const {part}: NAME=VALUE is needed, such as N=3"
            )));
        };
        if value.contains(':') {
            return Err(Usage(format!(
                "--const {part}: ranges of values are not supported yet; give one value"
            )));
        }
        let Some(parsed) = constant_value(value) else {
            return Err(Usage(format!(
                "--const {part}: `{value}` is no value; give true, false, 3, 0.5 or 1/3"
            )));
        };
        if constants.insert(name.trim().to_owned(), parsed).is_some() {
            return Err(Usage(format!("--const gives {name} twice")));
        }
    }
    Ok(constants)
}
