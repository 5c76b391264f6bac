//! JUnit XML, as continuous integration servers read it: a suite for each file, a case for each property.
//!
//! There is no standard. The elements and attributes are those that servers have in common, without host and
//! date. A violated property is a failure. An unknown property is an error, not a skipped case: servers show
//! skipped cases in green, although nothing is proven. A file that cannot be read is a case of its own, with
//! an error.

use super::{Format, Standing, last_answers, standing, verdict};
use crate::cli::board::Filed;
use crate::cli::json::{PropertyReport, Summary};
use crate::cli::notes::{Note, Notes};
use quick_xml::events::{BytesText, Event};
use quick_xml::writer::Writer;
use std::io;

/// A case of a suite.
struct Case {
    name: String,
    seconds: f64,
    /// What went wrong: `failure` or `error`, its type, a sentence about it, and all details.
    trouble: Option<(&'static str, String, String, String)>,
}

/// The cases of a file.
struct Suite {
    file: String,
    seconds: f64,
    cases: Vec<Case>,
    /// The warnings, one per line.
    remarks: String,
}

impl Suite {
    fn count(&self, kind: &str) -> usize {
        self.cases.iter().filter(|c| c.trouble.as_ref().is_some_and(|t| t.0 == kind)).count()
    }
}

/// All suites so far. They are written at the end, because the document begins with their counts.
#[derive(Default)]
pub(super) struct Junit {
    suites: Vec<Suite>,
}

impl Format for Junit {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
        let read = last_answers(filed).into_iter().map(|(property, body)| answered(property, body));
        let Notes { errors, warnings } = &filed.report.notes;
        // If a file asks nothing, its warnings become its cases, because it has no other case.
        let unasked = warnings.iter().filter(|_| filed.report.asks_nothing());
        let unread = errors.iter().chain(unasked).map(refused);
        self.suites.push(Suite {
            file: filed.report.file.clone(),
            seconds: filed.report.seconds,
            cases: unread.chain(read).collect(),
            remarks: filed.report.notes.warnings.iter().map(|note| sentence(note) + "\n").collect(),
        });
        String::new()
    }

    fn end(&mut self, summary: &Summary) -> String {
        let written = self.write(summary).expect("memory takes everything");
        String::from_utf8(written).expect("only text was written")
    }
}

fn answered(property: &PropertyReport, body: &str) -> Case {
    let trouble = match standing(property) {
        Standing::Holds => None,
        Standing::Violated => Some(("failure", property.kind.unwrap_or("property").to_owned())),
        Standing::Unknown => Some(("error", format!("unknown.{}", property.reason.unwrap_or("gave_up")))),
    };
    let trouble = trouble.map(|(kind, class)| (kind, class, verdict(property), body.to_owned()));
    Case { name: property.id.clone(), seconds: property.seconds, trouble }
}

/// Returns the case of an error in a file.
fn refused(note: &Note) -> Case {
    let details = note.help.iter().fold(sentence(note), |text, help| text + "\nhelp: " + help);
    let trouble = Some(("error", note.code.to_owned(), note.message.clone(), details));
    Case { name: "read".to_owned(), seconds: 0.0, trouble }
}

/// Returns `FILE:LINE:COLUMN: MESSAGE (CODE)`.
fn sentence(note: &Note) -> String {
    let place = note.place.map_or(String::new(), |p| format!(":{}:{}", p.line, p.column));
    format!("{}{place}: {} ({})", note.file, note.message, note.code)
}

type Xml = Writer<Vec<u8>>;

impl Junit {
    fn write(&self, summary: &Summary) -> io::Result<Vec<u8>> {
        let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
        xml.write_event(Event::Decl(quick_xml::events::BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let total = |count: &dyn Fn(&Suite) -> usize| self.suites.iter().map(count).sum::<usize>().to_string();
        let attributes = [
            ("name", "impasse".to_owned()),
            ("tests", total(&|s| s.cases.len())),
            ("failures", total(&|s| s.count("failure"))),
            ("errors", total(&|s| s.count("error"))),
            ("time", seconds(summary.seconds)),
        ];
        let element = xml.create_element("testsuites").with_attributes(borrowed(&attributes));
        if self.suites.is_empty() {
            element.write_empty()?;
        } else {
            element.write_inner_content(|xml| self.suites.iter().try_for_each(|suite| write_suite(xml, suite)))?;
        }
        let mut written = xml.into_inner();
        written.push(b'\n');
        Ok(written)
    }
}

fn write_suite(xml: &mut Xml, suite: &Suite) -> io::Result<()> {
    let attributes = [
        ("name", legal(&suite.file)),
        ("tests", suite.cases.len().to_string()),
        ("failures", suite.count("failure").to_string()),
        ("errors", suite.count("error").to_string()),
        ("skipped", "0".to_owned()),
        ("time", seconds(suite.seconds)),
    ];
    let element = xml.create_element("testsuite").with_attributes(borrowed(&attributes));
    if suite.cases.is_empty() && suite.remarks.is_empty() {
        return element.write_empty().map(drop);
    }
    element.write_inner_content(|xml| {
        suite.cases.iter().try_for_each(|case| write_case(xml, &suite.file, case))?;
        if !suite.remarks.is_empty() {
            xml.create_element("system-err").write_text_content(BytesText::new(&legal(&suite.remarks)))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_case(xml: &mut Xml, file: &str, case: &Case) -> io::Result<()> {
    let file = legal(file);
    let attributes =
        [("name", legal(&case.name)), ("classname", file.clone()), ("file", file), ("time", seconds(case.seconds))];
    let element = xml.create_element("testcase").with_attributes(borrowed(&attributes));
    let Some((kind, class, message, details)) = &case.trouble else { return element.write_empty().map(drop) };
    element.write_inner_content(|xml| {
        let attributes = [("type", legal(class)), ("message", legal(message))];
        let element = xml.create_element(*kind).with_attributes(borrowed(&attributes));
        match legal(details).trim_end_matches('\n') {
            "" => element.write_empty().map(drop),
            details => element.write_text_content(BytesText::new(details)).map(drop),
        }
    })?;
    Ok(())
}

fn borrowed<'a>(attributes: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    attributes.iter().map(|(key, value)| (*key, value.as_str()))
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}

/// Replaces the characters of the text that XML cannot contain.
fn legal(text: &str) -> String {
    let is_legal = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if is_legal(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_the_document() {
        let trouble = Some(("failure", "bad".to_owned(), "<&\"'\u{1b}".to_owned(), "]]> \u{0}<x>".to_owned()));
        let case = Case { name: "a\"b".to_owned(), seconds: 0.0, trouble };
        let suite = Suite { file: "<f>".to_owned(), seconds: 0.0, cases: vec![case], remarks: "&amp;".to_owned() };
        let text = Junit { suites: vec![suite] }.end(&Summary::default());
        assert!(!text.contains(['\u{0}', '\u{1b}']) && !text.contains("]]>") && !text.contains("<x>"), "{text}");
        assert!(text.contains("name=\"&lt;f&gt;\"") && text.contains("&amp;amp;"), "{text}");
        let mut reader = quick_xml::Reader::from_str(&text);
        while !matches!(reader.read_event().expect("it is well formed"), Event::Eof) {}
    }
}
