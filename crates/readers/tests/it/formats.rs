//! Tests of the choice of a format, and of compressed input.

use impasse_readers::{Limits, Source, by_path, codes, decompress, read};
use std::io::Read;

const TEXT: &[u8] = b"rwb 1\nevent a\nthread T { state s { request a } }\n";

fn gz(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzEncoder::new(content, flate2::Compression::fast()).read_to_end(&mut out).unwrap();
    out
}

fn xz(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    liblzma::read::XzEncoder::new(content, 1).read_to_end(&mut out).unwrap();
    out
}

fn code(name: &str, bytes: &[u8], format: Option<&str>) -> &'static str {
    let source = Source { name: name.to_owned(), bytes: bytes.to_vec() };
    read(source, format, &Limits::default()).map_or_else(|e| e.code(), |_| "")
}

#[test]
fn formats_are_chosen_by_name_or_extension() {
    assert_eq!(by_path("a/b.rwb").map(|f| f.name), Some("rwb"));
    assert_eq!(by_path("b.json.xz").map(|f| f.name), Some("json"));
    assert!(by_path("b.txt").is_none() && by_path("rwb").is_none());
    assert_eq!(code("x.rwb", TEXT, None), "");
    assert_eq!(code("-", TEXT, Some("rwb")), "");
    assert_eq!(code("x.json", TEXT, Some("rwb")), "");
    assert_eq!(code("x.txt", TEXT, None), "input::unknown-format");
    assert_eq!(code("x.rwb", TEXT, Some("rbw")), "input::unknown-format");
    assert_eq!(code("x.dot", b"digraph { }", None), "input::unknown-format");
    assert!(codes::find("input::unknown-format").is_some());
    for (name, format) in [("x.txt", None), ("x.txt", Some("nonsense"))] {
        let source = Source { name: name.to_owned(), bytes: TEXT.to_vec() };
        let error = read(source, format, &Limits::default()).unwrap_err();
        let help = miette::Diagnostic::help(error.as_ref()).unwrap().to_string();
        assert!(help.contains("lola") && !help.contains("dot"), "only what can be read: {help}");
        assert!(error.to_string().starts_with("x.txt: "), "the file is named: {error}");
    }
}

#[test]
fn compressed_input_is_read_by_name_or_by_content() {
    assert_eq!(code("x.rwb.gz", &gz(TEXT), None), "");
    assert_eq!(code("x.rwb.xz", &xz(TEXT), None), "");
    assert_eq!(code("x.rwb", &xz(TEXT), None), "");
    assert_eq!(code("-", &gz(TEXT), Some("rwb")), "");
    assert_eq!(code("x.rwb.xz", &gz(TEXT), None), "input::broken-archive");
    let two_members = [gz(&TEXT[..10]), gz(&TEXT[10..])].concat();
    assert_eq!(decompress("x.rwb.gz", two_members, &Limits::default()).unwrap(), ("x.rwb".to_owned(), TEXT.to_vec()));
    let small = Limits { bytes: TEXT.len() - 1, ..Limits::default() };
    for (name, bytes) in [("x", TEXT.to_vec()), ("x.gz", gz(TEXT)), ("x.xz", xz(TEXT))] {
        assert_eq!(decompress(name, bytes, &small).unwrap_err().code(), "limit::bytes", "{name}");
    }
    let exact = Limits { bytes: TEXT.len(), ..Limits::default() };
    assert!(decompress("x.xz", xz(TEXT), &exact).is_ok());
}
