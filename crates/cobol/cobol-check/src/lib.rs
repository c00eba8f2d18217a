//! Names, types and statement rules of COBOL programs.
//!
//! Every use of a name gets what it stands for, every statement its rules; what is left can be lowered without another
//! question: places are items with offsets, lengths and the tables they stand in, types carry digits, scale, sign and
//! representation.
//!
//! Out of scope: code, storage, and what a command of EXEC CICS means.

#![doc = include_str!("../README.md")]

mod called;
mod checker;
mod conditions;
mod data;
mod files;
mod listing;
mod moves;
mod names;
mod operands;
mod procedures;
mod statements;
mod walk;

use std::sync::Arc;

use cobol_data::{Item, ItemId, Items};
use cobol_source::messages::Messages;
use cobol_source::origin::Frames;
use cobol_source::{At, CompilerOption, Format, Kind, Library, Token};
use cobol_syntax::tree::{Name, Program, UseId};
use cobol_syntax::{Block, Executor};
use diagnostics::{Diagnostic, Severity, Source};

pub use data::{EURO, literal_byte};
pub use files::File;
pub use listing::listing;
pub use names::NameTarget;
pub use procedures::ProcedureDef;
pub use walk::each as each_statement;

/// Options of reading a source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The reference format.
    pub format: Format,
    /// Columns from one tab stop to the next.
    pub tab_width: usize,
    /// The length of a POINTER: 4 as on z/OS, 8 as in GnuCOBOL.
    pub pointer_length: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: Format::Detect, tab_width: 4, pointer_length: 4 }
    }
}

/// A checked source.
#[derive(Debug)]
pub struct Checked {
    /// Its text.
    pub source: Arc<Source>,
    /// Its programs; those that they contain stand in them.
    pub programs: Vec<CheckedProgram>,
    /// Its blocks of EXEC … END-EXEC, in the order of the text: statements name them by their numbers.
    pub blocks: Vec<Block>,
    /// Its text words, with all members in it.
    pub tokens: Vec<Token>,
    /// The options of its cards.
    pub options: Vec<CompilerOption>,
    /// Mistakes and doubts, in the order of the source's stages.
    pub messages: Vec<Diagnostic>,
    frames: Frames,
}

/// A use of a name.
#[derive(Clone, Debug)]
pub struct Use {
    /// Place of the use.
    pub at: At,
    /// Target of the name.
    pub target: NameTarget,
    /// True if the statement may change it.
    pub changes: bool,
}

/// A program with what its names stand for.
#[derive(Debug)]
pub struct CheckedProgram {
    /// Its syntax.
    pub syntax: Program,
    /// Its items: those of its descriptions, and the registers that it uses.
    pub items: Items,
    /// The records among them, in order.
    pub records: Vec<ItemId>,
    /// Its files.
    pub files: Vec<File>,
    /// Its sections and paragraphs.
    pub procedures: Vec<ProcedureDef>,
    /// Target of each use of a name, by its [`UseId`]; those of contained programs are empty here.
    pub targets: Vec<Option<NameTarget>>,
    /// All uses in the order in which they were looked up.
    pub uses: Vec<Use>,
    /// Of each program around it, innermost first, the first of its items among [`Self::items`].
    pub around: Vec<ItemId>,
    /// The programs that it contains.
    pub contained: Vec<Self>,
}

impl CheckedProgram {
    /// Target of a use, if it was found.
    pub fn target(&self, id: UseId) -> Option<NameTarget> {
        self.targets.get(id.0 as usize).copied().flatten()
    }

    /// The item that a use stands for.
    pub fn item(&self, id: UseId) -> Option<(ItemId, &Item)> {
        match self.target(id)? {
            NameTarget::Item(item) => Some((item, self.items.get(item))),
            _ => None,
        }
    }
}

impl Checked {
    /// The line of a place, and the copybook that it stands in.
    pub fn line(&self, at: At) -> (usize, Option<&str>) {
        let member = self.frames.member(at.frame).map(|source| source.name.as_str());
        (at.line as usize, member)
    }

    /// A name in the letters that it was written in; `None` if the text there is another, as behind REPLACING.
    pub fn spelled(&self, name: &Name) -> Option<String> {
        let place = self.frames.origin(name.at).place;
        let line = place.source.text[place.source.line_start(place.line)..].lines().next()?;
        let word: String = line.chars().skip(place.column - 1).take(name.text.chars().count()).collect();
        word.eq_ignore_ascii_case(&name.text).then_some(word)
    }

    /// All uses of sources: what makes origins of places.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The programs, each in front of those that it contains.
    pub fn all_programs(&self) -> Vec<&CheckedProgram> {
        fn add<'a>(programs: &'a [CheckedProgram], all: &mut Vec<&'a CheckedProgram>) {
            for program in programs {
                all.push(program);
                add(&program.contained, all);
            }
        }
        let mut all = Vec::new();
        add(&self.programs, &mut all);
        all
    }

    /// A message at a place, for what later stages have to say.
    pub fn at(&self, at: At, message: Diagnostic) -> Diagnostic {
        self.frames.origin(at).mark(message)
    }
}

/// Reads, parses and checks a source.
pub fn check(source: &Arc<Source>, library: &dyn Library, options: &Options) -> Checked {
    let text = cobol_source::read(source, library, options.format, options.tab_width);
    let tree = cobol_syntax::parse(text);
    let mut messages = tree.messages;
    if tree.programs.is_empty() && !diagnostics::any_error(&messages.list) {
        let message = Diagnostic::error("SPCK001", format!("{} holds no program", source.name));
        messages.list.push(message.help("a program begins with IDENTIFICATION DIVISION and PROGRAM-ID"));
    }
    // Where a member is missing or text could not be read, some names were never seen.
    let of_source =
        |message: &Diagnostic| message.severity == Severity::Error && message.code.starts_with("SPTR");
    let whole = !messages.list.iter().any(of_source);
    let parsed = !diagnostics::any_error(&messages.list);
    euro(&tree.tokens, &tree.blocks, &mut messages);
    let context = Context { options, cards: &tree.options, uses: tree.uses, whole, parsed };
    let programs =
        tree.programs.into_iter().map(|program| checked(program, &context, &[], &mut messages)).collect();
    let list = std::mem::take(&mut messages.list);
    let (blocks, tokens) = (tree.blocks, tree.tokens);
    let source = Arc::clone(source);
    Checked {
        source,
        programs,
        blocks,
        tokens,
        options: tree.options,
        messages: list,
        frames: messages.frames,
    }
}

/// Says of the first literal with a euro what stands for it. National and UTF-8 literals have the character itself, and so has SQL.
fn euro(tokens: &[Token], blocks: &[Block], messages: &mut Messages) {
    let is_sql =
        |at: usize| blocks.iter().any(|block| block.executor == Executor::Sql && block.range.contains(&at));
    let is_of_bytes = |text: &str| !text.starts_with(['N', 'n', 'U', 'u']);
    let found = tokens.iter().enumerate().find(|(at, token)| {
        token.kind == Kind::Literal && token.text.contains(EURO) && is_of_bytes(&token.text) && !is_sql(*at)
    });
    if let Some((_, token)) = found {
        let message = "the euro is X'A4' here, the place that code page 1140 has for it";
        let help = "terminals and data of code page 1140 show a euro, all others \u{a4}; a national literal has the character itself";
        messages.add(token.at, Diagnostic::warning("SPCK068", message).help(help));
    }
}

/// Parts that are the same for all programs of a source.
struct Context<'a> {
    options: &'a Options,
    cards: &'a [CompilerOption],
    uses: usize,
    /// All members were there and every word could be read.
    whole: bool,
    /// No mistake of syntax was told.
    parsed: bool,
}

impl Context<'_> {
    /// Returns true if the option INITIAL makes all programs initial ones.
    fn is_initial(&self) -> bool {
        let last =
            self.cards.iter().rev().find(|card| ["INITIAL", "NOINITIAL"].contains(&card.name.as_str()));
        last.is_some_and(|card| card.name == "INITIAL")
    }

    /// Returns true if a card has an option, in one of its spellings, with a value that begins so.
    fn has(&self, names: &[&str], value: &str) -> bool {
        self.cards.iter().any(|card| names.contains(&card.name.as_str()) && card.value.starts_with(value))
    }
}

fn checked(
    mut program: Program,
    context: &Context<'_>,
    outer: &[checker::Outer<'_>],
    messages: &mut Messages,
) -> CheckedProgram {
    data::supply_areas(&mut program);
    program.initial |= context.is_initial();
    let mut contained = std::mem::take(&mut program.contained);
    contained.iter_mut().for_each(|inner| data::inherit(&program.environment, &mut inner.environment));
    let mut checker = checker::Checker::new(&program, context, outer, messages);
    checker.program();
    let (names, parts) = checker.into_parts();
    let mut around: Vec<_> = outer.to_vec();
    around.push(checker::Outer { program: &program, names: &names, parts: &parts });
    let contained =
        contained.into_iter().map(|program| checked(program, context, &around, messages)).collect();
    CheckedProgram {
        syntax: program,
        items: parts.items,
        records: parts.records,
        files: parts.files,
        procedures: parts.procedures,
        targets: parts.targets,
        uses: parts.uses,
        around: parts.around,
        contained,
    }
}
