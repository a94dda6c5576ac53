use entail_source::Source;
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let source = Source::new(&path, String::from_utf8_lossy(&bytes));
        let start = std::time::Instant::now();
        match entail_smv::read(&source) {
            Ok(model) => { println!("ok {path} vars {} terms {} props {} hazards {} warnings {} {:?}", model.system.variables().len(), model.system.terms.len(), model.properties.len(), model.system.hazards.len(), model.warnings.len(), start.elapsed()); if std::env::var("HAZ").is_ok() { for h in model.system.hazards.iter().take(4) { println!("   {} {:?}", h.message, h.place.map(|p| source.place(p.0))); } }
            }
            Err(errors) => {
                for error in errors.0 {
                    let place = source.place(error.span().start);
                    println!("ERR {path}:{}:{}: {} {}", place.line, place.column, error.message, error.help.unwrap_or_default());
                }
            }
        }
    }
}
