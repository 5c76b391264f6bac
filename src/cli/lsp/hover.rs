//! Hover: what a name is, the comment above its declaration, its value, and for events which threads take part in them.

use super::outline;
use super::spot::{NamedPlace, Reply};
use impasse::formats::index::{Kind, Role};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use std::collections::BTreeMap;

/// The largest number of threads that are listed, of lines of each thread, and of lines of a comment.
const THREADS: usize = 8;
const LINES: usize = 4;
const COMMENT: usize = 20;

pub(super) fn hover(spot: &NamedPlace<'_>) -> Reply<Option<Hover>> {
    let symbol = spot.mention.symbol;
    let mut parts = Vec::new();
    let declared = (0..spot.index.declarations.len()).filter(|at| spot.index.declarations[*at].symbol == symbol);
    let declared: Vec<usize> = declared.collect();
    let heads: Vec<String> =
        declared.iter().take(LINES).map(|at| outline::head(spot.document, spot.index, *at)).collect();
    parts.push(code(spot, &heads.join("\n")));
    if let Some(value) = &spot.index.symbols[symbol].value {
        let what = if spot.index.symbols[symbol].kind == Kind::Constant { "value" } else { "values" };
        parts.push(format!("{what}: {}", quoted(spot, value)));
    }
    if let Some(comment) = declared.first().and_then(|at| comment(spot, spot.index.declarations[*at].name.start)) {
        parts.push(comment);
    }
    if matches!(spot.index.symbols[symbol].kind, Kind::Event | Kind::Set) {
        parts.extend(threads(spot));
    }
    let kind = if spot.has_markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    let contents = HoverContents::Markup(MarkupContent { kind, value: parts.join("\n\n") });
    Ok(Some(Hover { contents, range: Some(spot.region(spot.mention.place)) }))
}

fn code(spot: &NamedPlace<'_>, text: &str) -> String {
    if spot.has_markdown { format!("```rwb\n{text}\n```") } else { text.to_owned() }
}

fn quoted(spot: &NamedPlace<'_>, text: &str) -> String {
    if spot.has_markdown { format!("`{text}`") } else { text.to_owned() }
}

/// Returns the lines of comments directly above a declaration.
fn comment(spot: &NamedPlace<'_>, declaration: usize) -> Option<String> {
    let first = spot.document.lines.number(declaration) - 1;
    let line = |at: usize| spot.document.lines.line(&spot.document.text, at).map(str::trim);
    let is_comment = |at: &usize| line(*at).is_some_and(|line| line.starts_with('#'));
    let count = (0..first).rev().take_while(is_comment).count();
    let lines = (first - count..first).take(COMMENT).filter_map(line);
    let text: Vec<&str> = lines.map(|line| line.trim_start_matches('#').trim()).collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

/// Returns for each role the threads that take part in the event, with lines.
fn threads(spot: &NamedPlace<'_>) -> Vec<String> {
    let mut roles: BTreeMap<Role, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for part in spot.index.parts(spot.mention.symbol) {
        let place = part.place.map(|place| spot.document.lines.number(place.start).to_string());
        let lines = roles.entry(part.role).or_default().entry(part.thread).or_default();
        let place = place.unwrap_or_else(|| quoted(spot, "*"));
        if !lines.contains(&place) {
            lines.push(place);
        }
    }
    let told = roles.into_iter().filter_map(|(role, threads)| {
        let what = match role {
            Role::Request => "requested by",
            Role::Wait => "awaited by",
            Role::Block => "blocked by",
            Role::Interrupt => "interrupts",
            _ => return None,
        };
        let more = threads.len().saturating_sub(THREADS);
        let mut names: Vec<String> = threads
            .into_iter()
            .take(THREADS)
            .map(|(thread, lines)| {
                let cut = if lines.len() > LINES { ", .." } else { "" };
                let shown: Vec<String> = lines.into_iter().take(LINES).collect();
                let name = quoted(spot, &spot.index.symbols[thread].name);
                let word = if shown.len() > 1 || !cut.is_empty() { "lines" } else { "line" };
                let is_star = shown.iter().all(|line| line.contains('*'));
                if is_star {
                    format!("{name} ({})", shown.join(", "))
                } else {
                    format!("{name} ({word} {}{cut})", shown.join(", "))
                }
            })
            .collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        Some(format!("{what} {}", names.join(", ")))
    });
    told.collect()
}
