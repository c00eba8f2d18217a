//! Enterprise COBOL to a typed syntax tree.
//!
//! Hand-written descent over the words of `cobol-source`: four divisions, all statements with their phrases, EXEC
//! blocks among them. A mistake is reported once, at the user's line, with what to do; the rest of the text is read on.
//!
//! Out of scope: what a name stands for, layouts, rules between statements. Those are `cobol-data` and
//! `cobol-check`.

mod dimensions;
mod functions;
mod parse;
mod parser;
mod reserved;
mod statements;
pub mod tree;
mod words;

use cobol_source::{CompilerOption, Messages, Text, Token};
use diagnostics::Diagnostic;

pub use cobol_source::exec::Executor;
pub use functions::{Arguments, FunctionRecord, Texts, ValueClass, function, functions};
pub use reserved::{REGISTERS, is_reserved};
pub use statements::{Begins, StatementRecord, StatementState, statement, statements};
pub use words::Block;

use parser::Parser;
use tree::{DataEntry, Program};

/// A parsed source.
#[derive(Debug)]
pub struct Tree {
    /// Its programs, in order.
    pub programs: Vec<Program>,
    /// Number of numbered uses of names: [`tree::UseId`] counts up to it.
    pub uses: usize,
    /// Its blocks of EXEC … END-EXEC, in the order of the text.
    pub blocks: Vec<Block>,
    /// Its text words.
    pub tokens: Vec<Token>,
    /// The options of its cards.
    pub options: Vec<CompilerOption>,
    /// Mistakes so far, and the maker of origins of places.
    pub messages: Messages,
}

/// Parses a source that has been read.
pub fn parse(text: Text) -> Tree {
    let Text { tokens, free, options, mut messages } = text;
    let (words, blocks) = words::words(&tokens, free, &mut messages);
    if words.is_empty() {
        let help = "a program begins with IDENTIFICATION DIVISION and PROGRAM-ID";
        messages.list.push(Diagnostic::error("SPSY003", "the source holds no program").help(help));
        return Tree { programs: Vec::new(), uses: 0, blocks, tokens, options, messages };
    }
    let mut parser = Parser::new(&words, &blocks, &mut messages);
    let programs = parse::programs(&mut parser);
    let (uses, exhausted) = (parser.uses(), parser.is_exhausted());
    if exhausted {
        let help = "cut the source in two; and tell us of it, for this is a mistake of the compiler";
        let message = Diagnostic::error("SPSY099", "this source takes too many steps to read");
        messages.list.push(message.help(help));
    }
    Tree { programs, uses, blocks, tokens, options, messages }
}

/// The data descriptions of a text that is no program: a copybook.
#[derive(Debug)]
pub struct Descriptions {
    /// The descriptions, in order.
    pub entries: Vec<DataEntry>,
    /// Errors and warnings so far, and the frames that make origins of places.
    pub messages: Messages,
}

/// Parses the data descriptions of a copybook that has been read.
pub fn parse_descriptions(text: Text) -> Descriptions {
    let Text { tokens, free, mut messages, .. } = text;
    let (mut words, blocks) = words::words(&tokens, free, &mut messages);
    parse::free_names(&mut words);
    if words.is_empty() {
        return Descriptions { entries: Vec::new(), messages };
    }
    let entries = Parser::new(&words, &blocks, &mut messages).descriptions();
    Descriptions { entries, messages }
}
