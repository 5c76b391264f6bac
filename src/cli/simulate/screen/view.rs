//! Draws the stepper. Each pane draws only the lines that fit, so models with thousands of places cost no more.

use super::app::{App, Mode, Pane};
use super::keys::KEYS;
use super::rows;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};
use view::text::{count, plural};

/// Below this size, nothing useful can be drawn.
const LEAST: (u16, u16) = (24, 8);

/// Below this width, only the current pane is drawn.
const NARROW: u16 = 70;

/// Draws everything.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        frame.render_widget(Paragraph::new("the terminal is too small"), area);
        return;
    }
    let rows = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(1), Constraint::Length(1)];
    let [top, middle, told, keys] = Layout::vertical(rows).areas(area);
    frame.render_widget(header(app), top);
    panes(app, frame, middle);
    frame.render_widget(bottom(app), told);
    let help = "Enter take  Left back  Tab pane  / filter  s search  r random  g go to  ? all keys  q end";
    frame.render_widget(Paragraph::new(help).style(Style::new().add_modifier(Modifier::DIM)), keys);
    if matches!(app.mode, Mode::Helping) {
        help_over(frame, area);
    }
}

fn header(app: &App) -> Paragraph<'static> {
    let steps = match app.length() {
        all if all == app.at => format!("step {}", count(all as u64)),
        all => format!("step {} of {}", count(app.at as u64), count(all as u64)),
    };
    let mut spans = vec![Span::raw(format!(" {}   {steps}", app.model.file))];
    if !app.state.reached.is_empty() {
        let style = coloured(app, Color::Red).add_modifier(Modifier::BOLD);
        spans.push(Span::styled(format!("   reaches {}", app.state.reached.join(", ")), style));
    } else if app.state.enabled == 0 {
        spans.push(Span::raw("   the run ends here"));
    }
    Paragraph::new(Line::from(spans)).style(Style::new().add_modifier(Modifier::REVERSED))
}

fn coloured(app: &App, colour: Color) -> Style {
    if app.has_colours { Style::new().fg(colour) } else { Style::new() }
}

/// The message, the prompt, or the progress of a search.
fn bottom(app: &App) -> Paragraph<'static> {
    if let Mode::Asking(prompt) = &app.mode {
        let cursor = Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED));
        return Paragraph::new(Line::from(vec![Span::raw(format!("{}: {}", prompt.question(), prompt.text)), cursor]));
    }
    if let Some(search) = &app.search {
        let states = plural(search.states(), "state");
        return Paragraph::new(format!("searching {}: {states} (Esc ends it)", search.text));
    }
    match &app.message {
        Some(message) if message.is_complaint => {
            Paragraph::new(message.text.clone()).style(coloured(app, Color::Red).add_modifier(Modifier::BOLD))
        }
        Some(message) => Paragraph::new(message.text.clone()),
        None => Paragraph::new(whole_line(app)).style(Style::new().add_modifier(Modifier::DIM)),
    }
}

/// Returns the chosen step in full, because its line may be cut.
fn whole_line(app: &App) -> String {
    let row = if app.pane == Pane::Choices { app.rows.get(app.line(Pane::Choices)) } else { None };
    row.map_or_else(String::new, |row| format!("{}  {}", row.event, row.more))
}

fn panes(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    for pane in Pane::ALL {
        app.view(pane).area = Rect::ZERO;
    }
    if area.width < NARROW {
        return pane(app, frame, app.pane, area);
    }
    let [left, right] = Layout::horizontal([Constraint::Percentage(55), Constraint::Percentage(45)]).areas(area);
    let halves = [Constraint::Percentage(55), Constraint::Percentage(45)];
    let [choices, path] = Layout::vertical(halves).areas(left);
    let [state, refused] = Layout::vertical(halves).areas(right);
    for (of, area) in Pane::ALL.into_iter().zip([choices, path, state, refused]) {
        pane(app, frame, of, area);
    }
}

/// Draws a pane: its title, and the lines that fit.
fn pane(app: &mut App, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    let is_current = app.pane == pane;
    let inner = Block::new().borders(Borders::ALL).inner(area);
    let height = usize::from(inner.height);
    let (lines, line) = (app.lines(pane), app.line(pane));
    let top = top_of(line, lines, height);
    let view = app.view(pane);
    (view.area, view.top) = (inner, top);
    let filter = view.filter.clone();
    let (title, shown) = match pane {
        Pane::Choices => (format!("enabled: {}", count(app.state.enabled as u64)), choices(app, top, height)),
        Pane::Path => ("path".to_owned(), path(app, top, height)),
        Pane::State => ("state".to_owned(), state(app, top, height)),
        Pane::Refused => refused(app, top, height),
    };
    let title = if filter.is_empty() { format!(" {title} ") } else { format!(" {title}, with `{filter}` ") };
    let border = match is_current {
        true => coloured(app, Color::Cyan).add_modifier(Modifier::BOLD),
        false => Style::new().add_modifier(Modifier::DIM),
    };
    let block = Block::new().borders(Borders::ALL).title(title).border_style(border);
    let marked = shown.into_iter().enumerate().map(|(i, shown)| match is_current && top + i == line {
        true => shown.style(Style::new().add_modifier(Modifier::REVERSED)),
        false => shown,
    });
    frame.render_widget(Paragraph::new(marked.collect::<Vec<Line<'_>>>()).block(block), area);
}

/// Returns the number of the first line that is drawn, so that the chosen one is in the middle as far as possible.
fn top_of(line: usize, lines: usize, height: usize) -> usize {
    line.saturating_sub(height / 2).min(lines.saturating_sub(height))
}

fn choices(app: &App, top: usize, height: usize) -> Vec<Line<'static>> {
    if app.rows.is_empty() {
        let why = if app.state.enabled == 0 { "nothing is enabled" } else { "no enabled step fits the filter" };
        return vec![Line::raw(why)];
    }
    let dim = Style::new().add_modifier(Modifier::DIM);
    let line =
        |row: &rows::Row| Line::from(vec![Span::raw(format!("{}  ", row.event)), Span::styled(row.more.clone(), dim)]);
    app.rows.iter().skip(top).take(height).map(line).collect()
}

fn path(app: &App, top: usize, height: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    if top == 0 {
        lines.push(Line::raw("    0  start"));
    }
    let steps = app.steps(top.saturating_sub(1), (top + height).saturating_sub(1));
    lines.extend(steps.iter().map(|step| {
        let style = match step.step.cmp(&(app.at as u64)) {
            std::cmp::Ordering::Greater => Style::new().add_modifier(Modifier::DIM),
            std::cmp::Ordering::Equal => Style::new().add_modifier(Modifier::BOLD),
            std::cmp::Ordering::Less => Style::new(),
        };
        Line::styled(rows::of_step(step), style)
    }));
    lines
}

fn state(app: &App, top: usize, height: usize) -> Vec<Line<'static>> {
    let changed = coloured(app, Color::Yellow).add_modifier(Modifier::BOLD);
    let line = |part: &rows::Part| {
        let (mark, style) = if part.changed { ("* ", changed) } else { ("  ", Style::new()) };
        Line::styled(format!("{mark}{}: {}", part.name, part.value), style)
    };
    if app.parts.is_empty() {
        return vec![Line::raw("  nothing is marked")];
    }
    app.parts.iter().skip(top).take(height).map(line).collect()
}

fn refused(app: &mut App, top: usize, height: usize) -> (String, Vec<Line<'static>>) {
    let page = app.refused(top, height);
    app.refused_lines = page.total;
    let line = |item: &view::machine::views::RefusedView| Line::raw(format!("{}: {}", item.name, item.why.sentence()));
    (format!("not enabled: {}", count(page.total as u64)), page.items.iter().map(line).collect())
}

/// Draws the help over everything.
fn help_over(frame: &mut Frame<'_>, area: Rect) {
    let lines = KEYS.iter().map(|key| Line::raw(format!(" {:<19} {}", key.shown, key.about)));
    let lines: Vec<Line<'_>> = lines.collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let width = 84.min(area.width);
    let over = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    frame.render_widget(Clear, over);
    let block = Block::new().borders(Borders::ALL).title(" keys (any key ends the help) ");
    frame.render_widget(Paragraph::new(lines).block(block), over);
}
