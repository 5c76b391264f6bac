//! Writes graphs as SVG. The file is self-contained: it loads no fonts and runs no script. Its colours follow the
//! setting of the reader for light or dark pages, and marks differ by more than colours.

use crate::draw::graph::{Graph, Group, Head, Line, Mark, Node, Shape};
use crate::draw::layout::{self, Extent, Link, Placed, Point, Route};
use crate::draw::text::{columns, xml};
use std::fmt::{self, Write as _};

/// Width of a character, and height of a line, in pixels.
const CHARACTER: f64 = 7.4;
const LINE: f64 = 15.0;
/// The radius of a place.
const PLACE: f64 = 15.0;
/// The distance from the edge of the picture, and between graphs.
const MARGIN: f64 = 16.0;
/// The width up to which graphs are put beside each other.
const WIDTH: f64 = 1000.0;

/// Colours, and what they are for: text, soft text, background, fill, line, border of groups, bad, hot and now (line
/// and fill each).
const LIGHT: [&str; 12] = [
    "#1d1b16", "#5f5a4e", "#fbfaf7", "#ffffff", "#5f7f8f", "#d8d3c8", "#b3261e", "#fbe4e1", "#8a6100", "#fdf1d2",
    "#0b57c0", "#ddeafc",
];
const DARK: [&str; 12] = [
    "#ece8df", "#b0a999", "#17181a", "#24272b", "#8fb0c0", "#45494f", "#ff8a80", "#4a1f1d", "#e2b04a", "#40330f",
    "#7fb5ff", "#17365c",
];

/// A graph with its positions.
struct Drawn<'g> {
    group: &'g Group,
    placed: Placed,
    rooms: Vec<Extent>,
    at: Point,
}

/// Returns the SVG text of the graph.
pub fn svg(graph: &Graph) -> String {
    let mut out = String::new();
    let mut drawn: Vec<Drawn<'_>> = graph.groups.iter().map(placed).collect();
    let (width, height) = pack(&mut drawn);
    let longest = graph.notes.iter().chain([&graph.title]).map(|note| columns(note)).max().unwrap_or(0);
    let width = width.max(longest as f64 * CHARACTER + 2.0 * MARGIN);
    let size = (width, height + LINE * graph.notes.len() as f64 + MARGIN);
    // Writing into a string cannot fail.
    let _ = document(&mut out, graph, &drawn, size, height);
    out
}

fn document(out: &mut String, graph: &Graph, drawn: &[Drawn<'_>], size: Point, below: f64) -> fmt::Result {
    let (width, height) = (size.0.ceil(), size.1.ceil());
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"impasse\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"12\">",
        xml(&graph.title)
    )?;
    writeln!(out, "<title>{}</title>", xml(&graph.title))?;
    writeln!(out, "<desc>{}</desc>", xml(&description(graph)))?;
    writeln!(out, "<style>{}@media (prefers-color-scheme: dark) {{{}}}</style>", rules(&LIGHT), rules(&DARK))?;
    writeln!(out, "<rect class=\"page\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>")?;
    writeln!(out, "<text class=\"head\" x=\"{MARGIN}\" y=\"24\">{}</text>", xml(&graph.title))?;
    drawn.iter().try_for_each(|drawn| group(out, drawn))?;
    for (i, note) in graph.notes.iter().enumerate() {
        let y = below + LINE * (i as f64 + 0.7);
        writeln!(out, "<text class=\"soft\" x=\"{MARGIN}\" y=\"{y:.1}\">{}</text>", xml(note))?;
    }
    out.write_str("</svg>\n")
}

/// Returns what the picture shows, in words.
fn description(graph: &Graph) -> String {
    let mut text = graph.about.clone();
    for note in &graph.notes {
        text.push(' ');
        text.push_str(note);
    }
    text
}

/// Returns the style sheet for these colours. All rules hold only inside pictures of the tool.
fn rules(colours: &[&str; 12]) -> String {
    let [text, soft, page, fill, line, border, bad, bad_fill, hot, hot_fill, now, now_fill] = colours;
    let mut out = String::new();
    let mut rule = |name: &str, body: String| {
        let _ = write!(out, ".impasse {name}{{{body}}}");
    };
    rule("text", format!("fill:{text};stroke:none"));
    rule("text.head", "font-weight:bold;font-size:14px".to_owned());
    rule("text.name", "font-weight:bold".to_owned());
    rule("text.soft", format!("fill:{soft}"));
    rule("text.over", format!("stroke:{page};stroke-width:3px;paint-order:stroke;stroke-linejoin:round"));
    rule(".page", format!("fill:{page};stroke:{border}"));
    rule(".frame", format!("fill:none;stroke:{border}"));
    rule(".node", format!("fill:{fill};stroke:{line};stroke-width:1.4"));
    rule(".ring", format!("fill:none;stroke:{line};stroke-width:1"));
    rule(".open", "stroke-dasharray:4 3".to_owned());
    rule(".bad", format!("stroke:{bad};fill:{bad_fill}"));
    rule(".hot", format!("stroke:{hot};fill:{hot_fill}"));
    rule(".now", format!("stroke:{now};fill:{now_fill};stroke-width:3"));
    rule(".edge", format!("fill:none;stroke:{line};stroke-width:1.3"));
    rule(".dashed", "stroke-dasharray:6 4".to_owned());
    rule(".dotted", "stroke-dasharray:2 3".to_owned());
    rule(".bold", "stroke-width:2.6".to_owned());
    rule(".tip", format!("fill:{line};stroke:{line};stroke-linejoin:round"));
    rule(".hole", format!("fill:{page};stroke:{line};stroke-width:1.4"));
    out
}

/// Places a graph: as the file does if it has all positions, otherwise in layers.
fn placed(group: &Group) -> Drawn<'_> {
    let rooms: Vec<Extent> = group.nodes.iter().map(room).collect();
    let links: Vec<Link> =
        group.edges.iter().map(|edge| Link { from: edge.from, to: edge.to, label: size(&edge.shown()) }).collect();
    let spots: Option<Vec<Point>> = group.nodes.iter().map(|node| node.spot).collect();
    let given = spots.filter(|spots| !spots.is_empty()).and_then(|spots| layout::given(&rooms, &links, &spots));
    let first: Vec<usize> = (0..group.nodes.len()).filter(|i| group.nodes[*i].initial).collect();
    let placed = given.unwrap_or_else(|| layout::layered(&rooms, &links, &first));
    Drawn { group, placed, rooms, at: (0.0, 0.0) }
}

/// Returns the size of these lines. Zero if there are none.
fn size(lines: &[String]) -> Point {
    let width = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
    if width == 0 { (0.0, 0.0) } else { (width as f64 * CHARACTER, lines.len() as f64 * LINE) }
}

fn room(node: &Node) -> Extent {
    let (width, height) = size(&node.shown());
    match node.shape {
        Shape::Box => {
            let half = ((width / 2.0 + 10.0).max(20.0), height / 2.0 + 6.0);
            // An initial node has an arrow from the left.
            let left = if node.initial { half.0 + 20.0 } else { half.0 };
            Extent { left, right: half.0, up: half.1, down: half.1, half, is_round: false }
        }
        Shape::Circle | Shape::Bar => {
            let is_round = node.shape == Shape::Circle;
            let half = if is_round { (PLACE, PLACE) } else { (20.0, 5.0) };
            let (width, height) = size(&beside(node));
            let high = half.1.max(height / 2.0);
            Extent { left: half.0, right: half.0 + width + 10.0, up: high, down: high, half, is_round }
        }
    }
}

/// Returns the lines beside a place or a transition: all but the tokens of a place.
fn beside(node: &Node) -> Vec<String> {
    let from = usize::from(node.shape == Shape::Circle && !node.lines.is_empty());
    Node { lines: node.lines[from..].to_vec(), ..node.clone() }.shown()
}

/// Puts the graphs beside each other, and below. Returns the size.
fn pack(drawn: &mut [Drawn<'_>]) -> Point {
    let widest = drawn.iter().map(|d| d.placed.width).fold(WIDTH, f64::max);
    let (mut x, mut y, mut deep, mut width) = (MARGIN, 38.0, 0.0f64, 0.0f64);
    for drawn in drawn {
        let is_framed = !drawn.group.name.is_empty();
        let named = columns(&drawn.group.name) as f64 * CHARACTER;
        let (around, head) = if is_framed { (12.0, 26.0) } else { (0.0, 4.0) };
        let own = (drawn.placed.width.max(named) + 2.0 * around, drawn.placed.height + around + head);
        if x > MARGIN && x + own.0 > widest {
            (x, y, deep) = (MARGIN, y + deep + MARGIN, 0.0);
        }
        drawn.at = (x + around, y + head);
        x += own.0 + MARGIN;
        (deep, width) = (deep.max(own.1), width.max(x));
    }
    (width, y + deep + MARGIN)
}

fn group(out: &mut String, drawn: &Drawn<'_>) -> fmt::Result {
    let (x, y) = drawn.at;
    if !drawn.group.name.is_empty() {
        let width = drawn.placed.width.max(columns(&drawn.group.name) as f64 * CHARACTER) + 24.0;
        writeln!(
            out,
            "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"6\"/>\n\
             <text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            x - 12.0,
            y - 26.0,
            drawn.placed.height + 38.0,
            y - 10.0,
            xml(&drawn.group.name)
        )?;
    }
    writeln!(out, "<g transform=\"translate({x:.1} {y:.1})\">")?;
    let edges = || drawn.group.edges.iter().zip(&drawn.placed.routes);
    for (edge, route) in edges() {
        line(out, edge.line, edge.head, route)?;
    }
    for ((node, room), at) in drawn.group.nodes.iter().zip(&drawn.rooms).zip(&drawn.placed.nodes) {
        self::node(out, node, room, *at)?;
    }
    // Labels come last, so that no line covers them.
    for (edge, route) in edges() {
        let lines = edge.shown();
        let top = route.label.1 - LINE * lines.len() as f64 / 2.0;
        for (i, line) in lines.iter().enumerate() {
            text(out, "over", "start", (route.label.0, top + LINE * i as f64 + 11.0), line)?;
        }
    }
    writeln!(out, "</g>")
}

/// Draws an edge: a curve between the points of the route, and its head.
fn line(out: &mut String, line: Line, head: Head, route: &Route) -> fmt::Result {
    let points = &route.points;
    let [first, .., last] = points[..] else { return Ok(()) };
    let class = match line {
        Line::Solid => "edge",
        Line::Dashed => "edge dashed",
        Line::Dotted => "edge dotted",
        Line::Bold => "edge bold",
    };
    write!(out, "<path class=\"{class}\" d=\"M{:.1} {:.1}", first.0, first.1)?;
    let inner = &points[1..points.len() - 1];
    for (i, point) in inner.iter().enumerate() {
        let next = points[i + 2];
        // The curve ends at the last point, and otherwise in the middle between two points.
        let to = if i + 1 == inner.len() { next } else { ((point.0 + next.0) / 2.0, (point.1 + next.1) / 2.0) };
        write!(out, " Q{:.1} {:.1} {:.1} {:.1}", point.0, point.1, to.0, to.1)?;
    }
    if inner.is_empty() {
        write!(out, " L{:.1} {:.1}", last.0, last.1)?;
    }
    writeln!(out, "\"/>")?;
    let before = points[points.len() - 2];
    let length = (last.0 - before.0).hypot(last.1 - before.1).max(0.1);
    let (dx, dy) = ((last.0 - before.0) / length, (last.1 - before.1) / length);
    match head {
        Head::Arrow => writeln!(
            out,
            "<path class=\"tip\" d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} Z\"/>",
            last.0,
            last.1,
            last.0 - 8.0 * dx - 3.5 * dy,
            last.1 - 8.0 * dy + 3.5 * dx,
            last.0 - 8.0 * dx + 3.5 * dy,
            last.1 - 8.0 * dy - 3.5 * dx
        ),
        Head::Circle => writeln!(
            out,
            "<circle class=\"hole\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>",
            last.0 - 4.0 * dx,
            last.1 - 4.0 * dy
        ),
        Head::None => Ok(()),
    }
}

fn node(out: &mut String, node: &Node, room: &Extent, (x, y): Point) -> fmt::Result {
    writeln!(out, "<g><title>{}</title>", xml(&node.in_full()))?;
    let class = if node.mark == Mark::Plain { "node".to_owned() } else { format!("node {}", node.mark.class()) };
    let (half_width, half_height) = room.half;
    if node.shape == Shape::Circle {
        writeln!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{half_width:.1}\"/>")?;
    } else {
        let round = if node.shape == Shape::Bar { 1 } else { 6 };
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\"/>",
            x - half_width,
            y - half_height,
            2.0 * half_width,
            2.0 * half_height
        )?;
    }
    if node.mark == Mark::Final {
        writeln!(
            out,
            "<rect class=\"ring\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>",
            x - half_width + 3.0,
            y - half_height + 3.0,
            2.0 * half_width - 6.0,
            2.0 * half_height - 6.0
        )?;
    }
    if node.initial && node.shape == Shape::Box {
        let side = x - half_width;
        line(out, Line::Solid, Head::Arrow, &Route { points: vec![(side - 18.0, y), (side, y)], ..Route::default() })?;
    }
    words(out, node, room, (x, y))?;
    writeln!(out, "</g>")
}

/// Writes the texts of a node: in a box, or beside a place or a transition.
fn words(out: &mut String, node: &Node, room: &Extent, (x, y): Point) -> fmt::Result {
    let lines = if node.shape == Shape::Box { node.shown() } else { beside(node) };
    let top = y - LINE * lines.len() as f64 / 2.0 + 11.5;
    let (at, anchor) = if node.shape == Shape::Box { (x, "middle") } else { (x + room.half.0 + 5.0, "start") };
    for (i, line) in lines.iter().enumerate() {
        let class = if i == 0 { "name" } else { "" };
        text(out, class, anchor, (at, top + LINE * i as f64), line)?;
    }
    match (node.shape, node.lines.first()) {
        (Shape::Circle, Some(tokens)) => text(out, "name", "middle", (x, y + 4.0), tokens),
        _ => Ok(()),
    }
}

fn text(out: &mut String, class: &str, anchor: &str, (x, y): Point, line: &str) -> fmt::Result {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    writeln!(out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", xml(line))
}
