//! Writes a page with a picture, the source of the model and the verdict. The page is one file: it loads nothing, and
//! has no script.

use crate::draw::text::{xml, xml_lines};
use std::fmt::{self, Write as _};

/// The largest number of bytes of a source or a text that a page has.
const BYTES: usize = 200_000;

/// What a page shows.
pub struct Page<'a> {
    /// The title.
    pub title: &'a str,
    /// What is known about the properties.
    pub verdict: &'a str,
    /// Pictures as SVG, each with its heading.
    pub pictures: Vec<(String, String)>,
    /// A run as text. Empty if there is none.
    pub run: &'a str,
    /// The text of the model; `None` if there is none.
    pub source: Option<&'a str>,
}

/// The style of pages, for light and dark screens.
const STYLE: &str = "\
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:80rem;color:#1d1b16;background:#fff}
pre{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;overflow-x:auto;padding:.8rem;border:1px solid #d8d3c8;\
border-radius:8px;background:#fbfaf7}
figure{margin:0;overflow-x:auto}
.verdict{font-weight:600;white-space:pre-line;border-left:5px solid #5f7f8f;padding-left:.8rem}
.source{counter-reset:line}
.source span{counter-increment:line}
.source span::before{content:counter(line);display:inline-block;width:4ch;margin-right:2ch;text-align:right;\
color:#5f5a4e}
@media (prefers-color-scheme: dark){body{color:#ece8df;background:#101112}pre{background:#17181a;\
border-color:#45494f}.source span::before{color:#b0a999}}
@media print{pre{white-space:pre-wrap}}";

/// Returns the text of the page. It is also XML.
pub fn html(page: &Page<'_>) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = document(&mut out, page);
    out
}

fn document(out: &mut String, page: &Page<'_>) -> fmt::Result {
    let title = xml(page.title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n\
         <meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>"
    )?;
    writeln!(out, "<h2>Verdict</h2>\n<p class=\"verdict\">{}</p>", xml_lines(page.verdict))?;
    for (heading, svg) in &page.pictures {
        writeln!(out, "<h2>{}</h2>\n<figure tabindex=\"0\" role=\"group\" aria-label=\"{0}\">", xml(heading))?;
        writeln!(out, "{}</figure>", svg)?;
    }
    if !page.run.is_empty() {
        let (run, note) = limited(page.run);
        writeln!(out, "<h2>The run</h2>\n<pre tabindex=\"0\">{}</pre>{note}", xml_lines(run))?;
    }
    if let Some(source) = page.source {
        let (source, note) = limited(source);
        write!(out, "<h2>Source</h2>\n<pre class=\"source\" tabindex=\"0\">")?;
        for line in source.lines() {
            writeln!(out, "<span>{}</span>", xml(&line.trim_end_matches('\r').replace('\t', "    ")))?;
        }
        writeln!(out, "</pre>{note}")?;
    }
    writeln!(out, "</main>\n</body>\n</html>")
}

/// Returns the beginning of the text, and a paragraph that says what is left out.
fn limited(text: &str) -> (&str, String) {
    if text.len() <= BYTES {
        return (text, String::new());
    }
    let end = (0..=BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let note = format!("\n<p>Left out: the last {} of {} bytes.</p>", text.len() - end, text.len());
    (&text[..end], note)
}
