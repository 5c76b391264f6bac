//! Reader for `.prop` files, which contain the target of a thread-transition system.

use super::lex::Tok;
use super::parse::{Parser, Size, ask};
use formats::error::{Error, Text};
use formats::source::{Limits, Source};
use formats::{codes, comments};
use model::Problem;

pub(super) fn read(source: &Source, problem: &mut Problem, _limits: &Limits) -> Result<Vec<Error>, Box<Error>> {
    let Some(system) = problem.system().as_threads() else {
        let error =
            Error::whole(&codes::GOALS_SYSTEM, &source.name, "a .prop file is about a thread-transition system");
        return Err(error.hint("expected a model in a .tts file"));
    };
    let size = Size { shared: system.shared(), locals: system.locals() };
    let text = comments::text(source, &comments::HASH)?;
    let mut parser = Parser::new(Text { name: &source.name, text: &text })?;
    parser.skip_lines()?;
    if parser.tok == Tok::Eof {
        let error = parser.error(&codes::INPUT_EMPTY, parser.span, "the file is empty");
        return Err(error.label("expected a target like `0|1,1`"));
    }
    let target = parser.target(size)?;
    if parser.tok != Tok::Eof {
        let error = parser.error(&codes::TTS_REPEATED_TARGET, parser.span, "something follows the target");
        return Err(error.label("expected the end of the file"));
    }
    ask(problem, &target, &source.name)?;
    Ok(parser.warnings)
}
