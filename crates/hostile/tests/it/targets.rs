//! The fuzz targets of `fuzz/`: one for each parser, by the parser's name.

use hostile::parser::PARSERS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_parser_has_a_fuzz_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let parsers: BTreeSet<String> = PARSERS.iter().map(|parser| parser.name.to_owned()).collect();
    let entries = fs::read_dir(fuzz.join("fuzz_targets")).unwrap();
    let files =
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    assert_eq!(files.collect::<BTreeSet<String>>(), parsers);
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in parsers {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in fuzz/Cargo.toml");
        let target = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(target.contains(&format!("\"{name}\"")), "{name}: {target}");
    }
}
