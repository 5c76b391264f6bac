//! Several files that are read as one text: which file and which line of it a line of the text is.

use crate::error::Error;
use std::sync::Arc;

/// The files of a text, in the order in which they stand there. No files: the text is not joined.
#[derive(Clone, Default, Debug)]
pub struct Joined {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: Arc<str>,
    /// The number of lines of the text before the file.
    before: usize,
}

impl Joined {
    /// Joins files, given by name and content. Each begins in a line of its own.
    #[must_use]
    pub fn new<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> (Self, String) {
        let (mut joined, mut text, mut before) = (Self::default(), String::new(), 0);
        for (name, content) in files {
            if !text.is_empty() {
                text.push('\n');
                before += 1;
            }
            joined.files.push(File { name: name.into(), before });
            before += content.matches('\n').count();
            text.push_str(content);
        }
        (joined, text)
    }

    /// Returns the file of a line of the text, and the line in this file, both from 1. `None` if the text is not
    /// joined.
    #[must_use]
    pub fn place(&self, line: usize) -> Option<(&Arc<str>, usize)> {
        let file = &self.files[self.files.partition_point(|file| file.before < line).checked_sub(1)?];
        Some((&file.name, line - file.before))
    }

    /// Corrects the places of an error, and of its further errors: from lines of the text to lines of the files.
    #[must_use]
    pub fn located(&self, mut error: Box<Error>) -> Box<Error> {
        self.locate(&mut error);
        error
    }

    /// Corrects the places of an error, like [`Joined::located`].
    pub fn locate(&self, error: &mut Error) {
        let located = |line| self.place(line).map(|(name, line)| (&**name, line));
        error.others.iter_mut().for_each(|other| other.locate(located));
        error.locate(located);
    }
}

#[cfg(test)]
mod tests {
    use super::Joined;

    #[test]
    fn lines_belong_to_files() {
        let (joined, text) = Joined::new([("a", "1\n2"), ("b", ""), ("c", "4\n")]);
        assert_eq!(text, "1\n2\n\n4\n");
        let place = |line| joined.place(line).map(|(file, line)| (file.to_string(), line)).expect("a file");
        assert_eq!(
            [1, 2, 3, 4, 5].map(place),
            [("a", 1), ("a", 2), ("b", 1), ("c", 1), ("c", 2)].map(|(f, l)| (f.to_owned(), l))
        );
        assert_eq!(Joined::default().place(1), None);
    }
}
