//! Texts in the languages of pictures: what a name may contain must not change the structure of a file.

/// Returns the text for XML, in elements and in attributes. Characters that XML does not have become spaces.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Returns the text for XML, in elements. Line breaks remain.
pub fn xml_lines(text: &str) -> String {
    text.split('\n').map(|line| xml(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

/// Returns the lines as a quoted text of Graphviz.
pub fn dot(lines: &[String]) -> String {
    let mut out = String::from("\"");
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push_str("\\n");
        }
        for c in line.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                // Graphviz reads entities of HTML in every text.
                '&' => out.push_str("&amp;"),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
        }
    }
    out.push('"');
    out
}

/// Returns the lines as a text of Mermaid. Mermaid's own entities (`#35;`) stand for the characters that mean
/// something in Mermaid, in Markdown or in HTML.
pub fn mermaid(lines: &[String]) -> String {
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i > 0 {
            out.push_str("<br/>");
        }
        for c in line.chars() {
            match c {
                c if c.is_control() => out.push(' '),
                c if c.is_alphanumeric() || " .,()[]=+-/|@!?".contains(c) => out.push(c),
                c => out.push_str(&format!("#{};", u32::from(c))),
            }
        }
    }
    out
}

/// Returns the width of a text in columns. Letters from Hangul on, and pictures, take two.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_texts() {
        let name = "a<b>&\"c\"'\\\n;#--\u{1}".to_owned();
        assert_eq!(xml(&name), "a&lt;b&gt;&amp;&quot;c&quot;&#39;\\ ;#-- ");
        assert_eq!(dot(&[name.clone(), "x".to_owned()]), "\"a<b>&amp;\\\"c\\\"'\\\\ ;#-- \\nx\"");
        assert_eq!(mermaid(&[name]), "a#60;b#62;#38;#34;c#34;#39;#92; #59;#35;-- ");
        assert_eq!(xml_lines("a\r\nb<"), "a\nb&lt;");
    }
}
