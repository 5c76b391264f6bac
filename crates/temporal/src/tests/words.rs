//! Random infinite words that repeat.

use super::formulas::any_letter;
use model::Letter;
use proptest::prelude::*;
pub(super) use testkit::reactive::Word;

/// Returns a word that a run may spell: it starts with an input, and an input follows each output.
pub(super) fn any_word() -> impl Strategy<Value = Word> {
    (prop::collection::vec(any_letter(), 1..9), any::<prop::sample::Index>()).prop_map(|(letters, back)| {
        let mut word: Vec<Letter> = Vec::new();
        for letter in letters {
            let after_input = matches!(word.last(), Some(Letter::Input(_)));
            if matches!(letter, Letter::Output(_)) && !after_input {
                word.push(Letter::Input(1));
            }
            word.push(letter);
        }
        // The loop returns to an input, because an input may follow any letter.
        let starts: Vec<usize> = (0..word.len()).filter(|&i| matches!(word[i], Letter::Input(_))).collect();
        let back = starts[back.index(starts.len())];
        Word { letters: word, back }
    })
}
