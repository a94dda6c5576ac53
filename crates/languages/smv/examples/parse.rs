use entail_source::Source;
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let source = Source::new(&path, String::from_utf8_lossy(&bytes));
        let start = std::time::Instant::now();
        match entail_smv::parse_model(&source) {
            Ok(parsed) => println!("ok {path} {} {:?}", parsed.modules.len(), start.elapsed()),
            Err(errors) => {
                for error in errors.0 {
                    let place = source.place(error.span().start);
                    println!(
                        "ERR {path}:{}:{}: {} {}",
                        place.line,
                        place.column,
                        error.message,
                        error.help.unwrap_or_default()
                    );
                }
            }
        }
    }
}
