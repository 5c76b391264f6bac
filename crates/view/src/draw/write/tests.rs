//! Random names in pictures of every format.

use super::super::graph::{Edge, Graph, Group, Mark, Node, Shape, short};
use super::super::text::xml;
use super::{dot, html, mermaid, svg};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Returns a picture in which all names are from this list, cyclically.
fn picture(names: &[String]) -> Graph {
    let name = |i: usize| names[i % names.len()].clone();
    let shapes = [Shape::Box, Shape::Circle, Shape::Bar];
    let marks = [Mark::Plain, Mark::Open, Mark::Final, Mark::Hot, Mark::Bad, Mark::Now];
    let node = |i: usize| Node {
        lines: (0..i % 4).map(|k| name(i + k)).collect(),
        shape: shapes[i % 3],
        mark: marks[i % 6],
        initial: i.is_multiple_of(5),
        ..Node::named(name(i))
    };
    let edge = |i: usize| Edge { from: i, to: (i * 5 + 1) % 7, label: vec![name(i), name(i + 1)], ..Edge::default() };
    let nodes = (0..7).map(node).collect();
    let group = Group { name: name(3), nodes, edges: (0..7).map(edge).collect() };
    Graph { title: name(0), about: name(1), groups: vec![group], notes: vec![name(2)] }
}

/// Returns the names of the elements and the texts of an XML text, with references replaced.
fn read(text: &str) -> Result<Vec<String>, quick_xml::Error> {
    let mut reader = Reader::from_str(text);
    let mut found = vec![String::new()];
    let mut open = 0;
    loop {
        match reader.read_event()? {
            Event::Eof => break,
            Event::Start(tag) => {
                open += 1;
                found.push(format!("<{}>", tag.local_name().as_ref()));
                found.push(String::new());
            }
            Event::Empty(tag) => found.extend([format!("<{}>", tag.local_name().as_ref()), String::new()]),
            Event::End(_) => {
                open -= 1;
                found.push(String::new());
            }
            Event::Text(text) => found.last_mut().expect("text is in an element").push_str(&text),
            Event::GeneralRef(name) => {
                found.last_mut().expect("text is in an element").push_str(&format!("&{};", name.as_ref()));
            }
            _ => {}
        }
    }
    assert_eq!(open, 0);
    Ok(found)
}

fn elements(text: &str) -> Vec<String> {
    read(text).expect("it is well-formed").into_iter().filter(|part| part.starts_with('<')).collect()
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let special = prop::sample::select(vec![
        "<", ">", "&", "\"", "'", "\n", "\\", "]]>", "<!--", "-->", "%%", "#", ";", "|", "`", "$", "{", "}", "\u{0}",
        "\u{fffe}", "\u{202e}", "end", "a", "é", "漢", " ", "&amp;", "</text>",
    ]);
    let name = prop::collection::vec(special, 0..12).prop_map(|parts| parts.concat());
    prop::collection::vec(name, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn names_change_no_structure(names in names()) {
        let plain: Vec<String> = names.iter().map(|name| "x".repeat(name.chars().count())).collect();
        let (graph, other) = (picture(&names), picture(&plain));
        let drawn = svg::svg(&graph);
        let count = |text: &str, element: &str| elements(text).iter().filter(|e| *e == element).count();
        for element in ["<text>", "<rect>", "<circle>", "<path>", "<title>", "<desc>", "<style>", "<g>"] {
            // Only empty names have no label.
            if names.iter().all(|name| !name.is_empty()) {
                prop_assert_eq!(count(&drawn, element), count(&svg::svg(&other), element), "{}", element);
            }
        }
        let texts = read(&drawn).expect("it is well-formed");
        for name in names.iter().filter(|name| !name.trim().is_empty()) {
            let expected = xml(&short(name));
            prop_assert!(texts.contains(&expected), "{:?} in {:?}", expected, texts);
        }
        let page = html::html(&html::Page {
            title: &names[0], verdict: &names[0], pictures: vec![(names[0].clone(), drawn)], run: &names[0],
            source: Some(&names[0]),
        });
        prop_assert!(read(&page).is_ok());
        prop_assert_eq!(dot::dot_text(&graph).lines().count(), dot::dot_text(&other).lines().count());
        // Blank titles are left out.
        let lines = |graph| mermaid::mermaid_text(graph).lines().filter(|line| !line.starts_with("  acc")).count();
        prop_assert_eq!(lines(&graph), lines(&other));
        for text in [dot::dot_text(&graph), mermaid::mermaid_text(&graph)] {
            for line in text.lines() {
                let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
                prop_assert!(quotes % 2 == 0, "{}", line);
            }
        }
    }
}
