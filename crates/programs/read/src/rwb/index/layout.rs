//! The words and braces of a text, for the extents of declarations. The syntax tree has the places of names and
//! expressions only.

use super::super::lex::Tok;
use logos::Logos;
use std::ops::Range;

pub(super) struct Layout {
    /// The first bytes of all tokens.
    starts: Vec<usize>,
    /// The blocks in braces, in the order of their opening braces.
    pub(super) blocks: Vec<Range<usize>>,
}

impl Layout {
    pub(super) fn new(text: &str) -> Self {
        let (mut starts, mut blocks, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (token, span) in Tok::lexer(text).spanned() {
            match token {
                Ok(Tok::Open) => {
                    open.push(blocks.len());
                    blocks.push(span.start..text.len());
                }
                Ok(Tok::Close) => {
                    if let Some(block) = open.pop() {
                        let block: &mut Range<usize> = &mut blocks[block];
                        block.end = span.end;
                    }
                }
                _ => {}
            }
            starts.push(span.start);
        }
        Self { starts, blocks }
    }

    /// Returns the first block that begins at `position` or later.
    pub(super) fn block(&self, position: usize) -> Option<Range<usize>> {
        self.blocks.get(self.blocks.partition_point(|block| block.start < position)).cloned()
    }

    /// Returns the start of the token before the one at `position`.
    pub(super) fn before(&self, position: usize) -> usize {
        let at = self.starts.partition_point(|start| *start < position);
        at.checked_sub(1).map_or(position, |before| self.starts[before])
    }
}
