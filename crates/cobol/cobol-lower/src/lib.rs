//! Checked programs to the intermediate form.
//!
//! Here lives one walk over the procedure division: a file for each family of statements. Whatever is not built is refused by
//! name and line; a program of which anything was refused has no intermediate form.
//!
//! Out of scope: names and messages of the language (`cobol-check`), the form (`cobol-ir`), the meaning of an operation (`cobol-run`).

#![doc = include_str!("../README.md")]

mod aids;
mod alter;
mod anatomy;
mod arithmetic;
mod borrowed;
mod collating;
mod commands;
mod conditions;
mod dynamic;
mod editings;
mod entries;
mod evaluate;
mod exits;
mod file_control;
mod files;
mod function_numbers;
mod function_texts;
mod function_unicode;
mod functions;
mod heap;
mod host;
mod initialize;
mod inspect;
mod json;
mod kinds;
mod lasting;
mod literals;
mod markup;
mod markup_phrases;
mod moves;
mod national;
mod national_edited;
mod numbers;
mod older;
mod passed;
mod perform;
mod places;
mod procedures;
mod reals;
mod registers;
mod routines;
mod search;
mod set;
mod shapes;
mod sort;
mod sql;
mod storage;
mod strings;
mod switches;
mod texts;
mod utf8;
mod utf8_strings;
mod value;
mod xml;

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use cobol_check::{Checked, CheckedProgram};
use cobol_data::Item;
use cobol_exec::Asked;
use cobol_runtime::moments::Moment;
use cobol_source::At;
use cobol_syntax::tree::{Allocated, Exit, Operand, Statement, StatementKind, Use, UseId};
use diagnostics::{Diagnostic, Severity};

use borrowed::Around;
use cobol_ir::program::{
    Anatomy, Block, BlockId, BytePlace, End, Held, Leave, Lender, Line, Number, Operation, Program, Signs,
    Slot, Step, Template,
};
use file_control::FileUse;
use initialize::Scope;
use procedures::Procedures;
use storage::Storage;

/// Blocks of one program, at most.
const BLOCKS_MAX: usize = 1 << 20;

/// The words around a construct that is not built.
const UNKNOWN: &str = "the compiler does not know ";
const YET: &str = " yet";

/// Options of a source's cards that concern code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// TRUNC(BIN): binary items hold what their bytes hold.
    pub(crate) full_binary: bool,
    /// Digits of an intermediate result: 30 of ARITH(COMPAT), 31 of EXTEND.
    pub(crate) digits_max: i32,
    /// SSRANGE.
    pub(crate) ranges: bool,
    /// INTDATE(LILIAN).
    pub(crate) lilian: bool,
    /// Character of the figurative constant QUOTE: APOST or QUOTE.
    pub(crate) quote: u8,
    /// DISPSIGN(SEP).
    pub(crate) signs: Signs,
}

/// Lowers every program of a checked source, each in front of those that it contains; what is not built of them comes back as messages.
/// `compiled` is what WHEN-COMPILED says.
///
/// # Errors
/// Statements that are not built, each with its place. A source with errors of its own is not lowered.
pub fn lower_at(checked: &Checked, compiled: Moment) -> Result<Vec<Program>, Vec<Diagnostic>> {
    lower_asked(checked, compiled, &cobol_exec::read(checked, Severity::Warning).asked)
}

/// The same of a source whose EXEC blocks have been read: their requests, by the numbers of the blocks.
///
/// # Errors
/// As of [`lower`].
pub fn lower_asked(
    checked: &Checked,
    compiled: Moment,
    asked: &[Option<Asked>],
) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let mut programs = Vec::new();
    let mut messages = Vec::new();
    let options = Options::of(checked);
    let mut open: Vec<(&CheckedProgram, Around<'_>)> =
        checked.programs.iter().rev().map(|program| (program, Around::default())).collect();
    let mut place = 0_u32;
    while let Some((program, around)) = open.pop() {
        let mut lowering = Lowering::new(checked, program, options, compiled, asked);
        lowering.around = around;
        lowering.program();
        let around = lowering.around.with(lowering.lends(place));
        match lowering.messages.is_empty() {
            true => programs.push(lowering.out),
            false => messages.extend(lowering.messages),
        }
        open.extend(program.contained.iter().rev().map(|contained| (contained, around.clone())));
        place += 1;
    }
    if messages.is_empty() { Ok(programs) } else { Err(messages) }
}

/// The same, compiled at this moment in UTC.
///
/// # Errors
/// As of [`lower_at`].
pub fn lower(checked: &Checked) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    lower_at(checked, Moment { unix_ms: since.as_millis() as i64, offset_s: 0 })
}

/// The construct that is not built, from a message of [`lower`].
pub fn refused_construct(message: &str) -> Option<&str> {
    message.strip_prefix(UNKNOWN)?.strip_suffix(YET)
}

impl Options {
    fn of(checked: &Checked) -> Self {
        let last = |names: &[&str]| {
            let card = checked.options.iter().rev().find(|card| names.contains(&card.name.as_str()));
            card.map(|card| card.value.trim_start_matches('(').to_owned())
        };
        let value = |names: &[&str]| last(names).unwrap_or_default();
        let arithmetic = value(&["ARITH", "AR"]);
        Self {
            full_binary: value(&["TRUNC"]).starts_with("BIN"),
            digits_max: if arithmetic.starts_with(['E', 'F']) { 31 } else { 30 },
            quote: if is_apost(checked) { b'\'' } else { b'"' },
            signs: if value(&["DISPSIGN", "DS"]).starts_with('S') { Signs::Separate } else { Signs::Within },
            lilian: value(&["INTDATE"]).starts_with("LIL"),
            ranges: last(&["SSRANGE", "SSR", "NOSSRANGE"]).is_some()
                && !checked.options.iter().rev().any(|card| card.name == "NOSSRANGE"),
        }
    }
}

/// Returns true if the last card about it wants the apostrophe.
fn is_apost(checked: &Checked) -> bool {
    let last =
        checked.options.iter().rev().find(|card| ["APOST", "QUOTE", "Q"].contains(&card.name.as_str()));
    last.is_some_and(|card| card.name == "APOST")
}

/// Refused construct; its message is in the list already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused;

/// The outcome of a part: refused parts have told why.
pub(crate) type Lowered<T> = Result<T, Refused>;

pub(crate) struct Lowering<'a> {
    checked: &'a Checked,
    pub(crate) program: &'a CheckedProgram,
    pub(crate) options: Options,
    /// When the program is compiled.
    pub(crate) compiled: Moment,
    messages: Vec<Diagnostic>,
    pub(crate) out: Program,
    pub(crate) storage: Storage,
    pub(crate) procedures: Procedures,
    /// The block that is being written.
    block: BlockId,
    /// Its statement.
    pub(crate) line: u32,
    at: At,
    /// Operands whose digits were asked for before they are used: an operand is lowered once.
    prepared: HashMap<*const Operand, Number>,
    /// True if the present expression is computed in floating point.
    pub(crate) floating: bool,
    /// True if the statement asks for size errors.
    pub(crate) strict: bool,
    /// Place of RANDOM's state, if that is used.
    pub(crate) random: Option<BytePlace>,
    /// Target of NEXT SENTENCE.
    sentence_end: BlockId,
    /// PERFORMs in line around the statement: where they go on, and where they end.
    pub(crate) loops: Vec<(BlockId, BlockId)>,
    constants: HashMap<Vec<u8>, u32>,
    lines: HashMap<(usize, Option<String>), u32>,
    /// The blocks at which the entries besides the beginning go on.
    entry_blocks: Vec<BlockId>,
    /// The files that were used so far, by how many levels out they stand, and their places among their program's.
    files: HashMap<(usize, usize), FileUse<'a>>,
    /// The programs around this one.
    around: Around<'a>,
    /// The records of the linkage section that others lend, by where they lie.
    lenders: HashMap<Lender, u32>,
    /// The records of the linkage section whose addresses stand in words, for programs within.
    passed: Vec<passed::Passed>,
    /// USE AFTER EXCEPTION: each with its section.
    declaratives: Vec<(&'a Use, usize)>,
    /// The requests of the source's EXEC blocks.
    pub(crate) asked: &'a [Option<Asked>],
    /// The area of a program with EXEC SQL that has only items of it.
    pub(crate) sql_area: Option<BytePlace>,
    /// LOCAL-STORAGE that lies in WORKING-STORAGE.
    lasting: Option<lasting::Lasting>,
    /// Those of the declaratives that are GLOBAL, each with its entry.
    global_uses: Vec<(&'a Use, u32)>,
    /// XML PARSE statements so far.
    pub(crate) parsers: u32,
    /// Number of bytes in each register of XML PARSE that was met so far, by its name.
    pub(crate) register_lengths: HashMap<std::rc::Rc<str>, Slot>,
    /// The switches, if one is used.
    pub(crate) switches: Option<BytePlace>,
    /// The word that says that the program was CALLed, if EXIT PROGRAM asks.
    is_called: Option<BytePlace>,
    /// Each EXIT PROGRAM that asks: the block that ends with it, and what comes behind it.
    exits: Vec<(BlockId, BlockId)>,
}

impl<'a> Lowering<'a> {
    fn new(
        checked: &'a Checked,
        program: &'a CheckedProgram,
        options: Options,
        compiled: Moment,
        asked: &'a [Option<Asked>],
    ) -> Self {
        let name = program.syntax.name.text.to_string();
        let out = Program {
            name,
            initial: program.syntax.initial,
            recursive: program.syntax.recursive,
            container: None,
            common: program.syntax.common,
            working: Template::default(),
            local: Template::default(),
            linkage: Vec::new(),
            borrowed: Vec::new(),
            parameters: Vec::new(),
            returning: None,
            returned: Vec::new(),
            entries: Vec::new(),
            constants: Vec::new(),
            decimal_comma: program.syntax.environment.decimal_comma,
            collating: None,
            pictures: Vec::new(),
            editings: Vec::new(),
            slots: 0,
            held: 0,
            blocks: Vec::new(),
            labels: Vec::new(),
            sites: Vec::new(),
            files: Vec::new(),
            lines: Vec::new(),
            return_code: None,
            records: Vec::new(),
            anatomy: Anatomy::default(),
        };
        let mut lowering = Self {
            checked,
            program,
            options,
            compiled,
            messages: Vec::new(),
            out,
            storage: Storage::default(),
            procedures: Procedures::default(),
            block: BlockId(0),
            line: 0,
            at: program.syntax.name.at,
            prepared: HashMap::new(),
            floating: false,
            strict: false,
            random: None,
            sentence_end: BlockId(0),
            loops: Vec::new(),
            constants: HashMap::new(),
            lines: HashMap::new(),
            entry_blocks: Vec::new(),
            files: HashMap::new(),
            around: Around::default(),
            lenders: HashMap::new(),
            passed: Vec::new(),
            declaratives: Vec::new(),
            global_uses: Vec::new(),
            asked,
            sql_area: None,
            parsers: 0,
            register_lengths: HashMap::new(),
            switches: None,
            is_called: None,
            exits: Vec::new(),
            lasting: None,
        };
        lowering.block = lowering.new_block();
        lowering
    }

    fn program(&mut self) {
        self.note_line(self.program.syntax.name.at);
        self.out.container = self.around.innermost();
        // Told for each; its statements are not looked at.
        let _: Lowered<()> = self.collating_sequence();
        self.lay_out_storage();
        self.describe_global_files();
        let entry = self.new_slot();
        self.begin_lasting();
        self.lower_procedures();
        self.settle_exits();
        self.pass_addresses();
        self.begin_at_entries(entry);
        self.keep_return_code();
        if self.messages.is_empty() {
            self.make_editings();
            self.describe_items();
            self.fill_storage();
        }
    }

    /// Says that something is not built.
    pub(crate) fn refuse<T>(&mut self, at: At, what: impl std::fmt::Display) -> Lowered<T> {
        let message = Diagnostic::error("SPIR001", format!("{UNKNOWN}{what}{YET}"));
        self.messages.push(self.checked.at(at, message.help("write it in another way")));
        Err(Refused)
    }

    /// Says that the program has a mistake, which no compiler takes.
    pub(crate) fn mistaken<T>(&mut self, at: At, message: impl Into<String>, help: &str) -> Lowered<T> {
        let message = Diagnostic::error("SPIR002", message).help(help);
        self.messages.push(self.checked.at(at, message));
        Err(Refused)
    }

    /// The item that a use stands for.
    pub(crate) fn item(&self, id: UseId) -> Option<(cobol_data::ItemId, &'a Item)> {
        self.program.item(id)
    }

    // Blocks.

    pub(crate) fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.out.blocks.len().min(BLOCKS_MAX) as u32);
        self.out.blocks.push(Block { steps: Vec::new(), line: self.line, end: End::Leave(Leave::Return) });
        id
    }

    /// Ends the block, and goes on with another.
    pub(crate) fn end(&mut self, end: End, next: BlockId) {
        let block = &mut self.out.blocks[self.block.0 as usize];
        (block.end, block.line) = (end, self.line);
        self.block = next;
    }

    /// Writes another block from here on.
    fn go_on_in(&mut self, block: BlockId) {
        self.block = block;
    }

    /// The block that is being written.
    pub(crate) fn present_block(&self) -> BlockId {
        self.block
    }

    pub(crate) fn jump(&mut self, to: BlockId, next: BlockId) {
        self.end(End::Jump(to), next);
    }

    /// Goes on in a block to which nothing else need lead.
    pub(crate) fn fall_into(&mut self, next: BlockId) {
        self.jump(next, next);
    }

    pub(crate) fn emit(&mut self, operation: Operation) {
        let line = self.line;
        self.out.blocks[self.block.0 as usize].steps.push(Step { line, operation });
    }

    pub(crate) fn new_slot(&mut self) -> Slot {
        self.out.slots += 1;
        Slot(self.out.slots - 1)
    }

    pub(crate) fn new_held(&mut self) -> Held {
        self.out.held += 1;
        Held(self.out.held - 1)
    }

    /// A literal's bytes.
    pub(crate) fn constant(&mut self, bytes: &[u8]) -> u32 {
        if let Some(at) = self.constants.get(bytes) {
            return *at;
        }
        let at = self.out.constants.len() as u32;
        self.out.constants.extend_from_slice(bytes);
        self.constants.insert(bytes.to_vec(), at);
        at
    }

    /// Notes the statement that what follows belongs to.
    pub(crate) fn note_line(&mut self, at: At) {
        self.at = at;
        let (line, member) = self.checked.line(at);
        let key = (line, member.map(str::to_owned));
        if let Some(known) = self.lines.get(&key) {
            self.line = *known;
            return;
        }
        self.line = self.out.lines.len() as u32;
        self.out.lines.push(Line { line: line as u32, member: key.1.clone() });
        self.lines.insert(key, self.line);
    }

    // Statements.

    /// Statements in a row; what is refused of them has been told.
    pub(crate) fn statements(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            if !matches!(statement.kind, StatementKind::GoTo { .. }) {
                self.procedures.beginning = None;
            }
            self.note_line(statement.at);
            let _: Lowered<()> = self.statement(statement.at, &statement.kind);
        }
    }

    fn statement(&mut self, at: At, kind: &'a StatementKind) -> Lowered<()> {
        match kind {
            StatementKind::Move { corresponding, from, to } => self.move_statement(*corresponding, from, to),
            StatementKind::If { condition, then, otherwise } => {
                let [yes, no, end] = [self.new_block(), self.new_block(), self.new_block()];
                let lowered = self.condition(condition, yes, no);
                self.block = yes;
                self.statements(then);
                self.jump(end, no);
                self.statements(otherwise.as_deref().unwrap_or_default());
                self.fall_into(end);
                lowered
            }
            StatementKind::Perform(perform) => self.perform(perform),
            StatementKind::Evaluate { subjects, branches, other } => {
                self.evaluate(subjects, branches, other.as_deref().unwrap_or_default())
            }
            StatementKind::Arithmetic(arithmetic) => self.arithmetic(at, arithmetic),
            StatementKind::Compute { receivers, value, handlers } => self.compute(receivers, value, handlers),
            StatementKind::GoTo { targets, depending } => self.go_to(at, targets, depending.as_ref()),
            StatementKind::Set(list) => self.set(list),
            StatementKind::Initialize { items, filler, value, replacing, default } => {
                let others = *default || (replacing.is_empty() && value.is_none());
                let value = value.as_deref();
                self.initialize(at, items, Scope { filler: *filler, value, replacing, others })
            }
            StatementKind::Display { items, upon, no_advancing } => {
                self.display(items, upon.as_ref(), !no_advancing)
            }
            StatementKind::Call { program, using, returning, handlers } => {
                self.call(at, program, using, returning.as_ref(), handlers)
            }
            StatementKind::Exec(exec) => self.exec(at, exec),
            StatementKind::Accept { item, from, form } => self.accept(at, item, from.as_ref(), form.as_ref()),
            StatementKind::String { sources, into, pointer, handlers } => {
                self.string(sources, into, pointer.as_ref(), handlers)
            }
            StatementKind::Unstring { item, delimiters, into, pointer, tallying, handlers } => {
                let counters = [pointer.as_ref(), tallying.as_ref()];
                self.unstring(item, delimiters, into, counters, handlers)
            }
            StatementKind::Cancel(programs) => {
                programs.iter().try_for_each(|program| self.cancel(at, program))
            }
            StatementKind::Allocate { what: Allocated::Characters(characters), returning, .. } => {
                self.allocate_characters(at, characters, returning.as_ref())
            }
            StatementKind::Allocate { what: Allocated::Item(item), initialized, returning } => {
                self.allocate_item(at, item, *initialized, returning.as_ref())
            }
            StatementKind::Free(pointers) => self.free(pointers),
            StatementKind::Search(search) => self.search(at, search),
            StatementKind::Entry { name, using } => self.entry(name, using),
            StatementKind::Inspect(inspect) => self.inspect(inspect),
            StatementKind::Markup(markup) if !markup.parse => self.generate(at, markup),
            StatementKind::Markup(markup) if markup.xml => self.xml_parse(at, markup),
            StatementKind::Markup(markup) => self.json_parse(at, markup),
            StatementKind::Giving { code, register, leave } => {
                self.move_statement(false, code, std::slice::from_ref(register))?;
                self.statement(at, leave)
            }
            StatementKind::Goback => {
                self.leave(Leave::Return);
                Ok(())
            }
            StatementKind::Exit(Exit::Program) => {
                self.exit_program();
                Ok(())
            }
            StatementKind::Stop(Some(text)) => self.stop_with(text),
            StatementKind::Examine(inspect) => self.examine(inspect),
            StatementKind::Transform { item, from, to } => self.transform(item, from, to),
            StatementKind::Exhibit { named, changed, items } => self.exhibit(at, *named, *changed, items),
            StatementKind::Alter(pairs) => self.alter(pairs),
            StatementKind::Stop(None) => {
                self.leave(Leave::StopRun);
                Ok(())
            }
            StatementKind::Continue | StatementKind::Exit(Exit::Point) | StatementKind::NoEffect(_) => Ok(()),
            StatementKind::Exit(exit) => self.exit(at, *exit),
            StatementKind::NextSentence => {
                let next = self.new_block();
                self.jump(self.sentence_end, next);
                Ok(())
            }
            StatementKind::Open(_)
            | StatementKind::Close(_)
            | StatementKind::Read { .. }
            | StatementKind::Write { .. }
            | StatementKind::Rewrite { .. }
            | StatementKind::Delete { .. }
            | StatementKind::Start { .. } => self.file_statement(at, kind),
            StatementKind::Sort(sort) => self.sort(at, sort),
            StatementKind::Release { record, from } => self.release(record, from.as_ref()),
            StatementKind::Return { file, into, handlers } => {
                self.return_statement(file, into.as_ref(), handlers)
            }
            // What a section of declaratives is for was looked at before.
            StatementKind::Use(_) => Ok(()),
        }
    }

    /// Target of NEXT SENTENCE.
    pub(crate) fn next_sentence(&self) -> BlockId {
        self.sentence_end
    }

    fn leave(&mut self, how: Leave) {
        let next = self.new_block();
        self.end(End::Leave(how), next);
    }

    fn exit(&mut self, at: At, exit: Exit) -> Lowered<()> {
        let to = match exit {
            Exit::Paragraph => self.procedures.paragraph_end,
            Exit::Section => self.procedures.section_end,
            Exit::PerformCycle => self.loops.last().map(|(again, _)| *again),
            Exit::Perform => self.loops.last().map(|(_, end)| *end),
            _ => None,
        };
        let Some(to) = to else {
            let (what, around) = match exit {
                Exit::PerformCycle => ("EXIT PERFORM CYCLE", "PERFORM … END-PERFORM"),
                Exit::Perform => ("EXIT PERFORM", "PERFORM … END-PERFORM"),
                Exit::Paragraph => ("EXIT PARAGRAPH", "a paragraph"),
                Exit::Section => ("EXIT SECTION", "a section"),
                _ => return self.refuse(at, "this form of EXIT"),
            };
            return self.mistaken(at, format!("{what} stands in none"), &format!("write it within {around}"));
        };
        let next = self.new_block();
        self.jump(to, next);
        Ok(())
    }
}

/// Name of a statement about JSON or XML.
fn markup_name(markup: &cobol_syntax::tree::Markup) -> &'static str {
    match (markup.xml, markup.parse) {
        (true, true) => "XML PARSE",
        (true, false) => "XML GENERATE",
        (false, true) => "JSON PARSE",
        (false, false) => "JSON GENERATE",
    }
}
