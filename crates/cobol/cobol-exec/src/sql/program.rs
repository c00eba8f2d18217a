//! The statements of one program: its package, and its calls.

use db2::call::{ARGUMENTS_MAX, Descriptor};
use db2::package::{Action, Cursor, DescribeWhat, Package, Statement, Using};
use db2::{DeclaredCursor, Embedded, Executable, Letters, Mistake, MistakeKind, Whenever};
use diagnostics::Diagnostic;

use super::handling::Handling;
use super::lookup;
use super::records::Records;
use super::variables::{Arguments, Finder, Resolved};
use super::{Block, Places};
use crate::asked::{Area, Call, Request};
use crate::messages::{Messages, did_you_mean};
use crate::origin::At;
use crate::token::text_of;

/// The EXEC SQL of a program.
#[derive(Debug, Default)]
pub(crate) struct Sql {
    /// `None` for a program that asks for nothing.
    pub(crate) package: Option<Package>,
    /// The requests of the procedure division, each with the number of its block.
    pub(crate) blocks: Vec<(usize, Request)>,
}

/// State of a program when its blocks are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'t> {
    pub(crate) name: &'t str,
    /// It has EXEC CICS.
    pub(crate) is_task: bool,
    /// All descriptions of items were there, and could be read.
    pub(crate) whole: bool,
    /// The rules of decimal numbers in its statements.
    pub(crate) arithmetic: db2::Arithmetic,
}

/// A block that has been read.
struct Read<'b> {
    block: &'b Block<'b>,
    what: What,
}

enum What {
    Nothing,
    Whenever(Whenever),
    /// An executable statement with its variables.
    Statement(Box<Executable>, Resolved),
}

/// A declared cursor with the variables of its query.
struct Declared {
    cursor: DeclaredCursor,
    resolved: Resolved,
}

impl Sql {
    /// Reads the blocks of one program.
    pub(crate) fn read(
        records: Records,
        blocks: &[Block<'_>],
        Told { name, is_task, whole, arithmetic }: Told<'_>,
        messages: &mut Messages,
    ) -> Self {
        if blocks.is_empty() {
            return Self::default();
        }
        let mut program = Program {
            area: area(&records),
            records,
            whole,
            places: Places::default(),
            messages,
            cursors: Vec::new(),
            package: Package { program: name.to_string(), arithmetic, ..Package::default() },
            prepares: false,
            arithmetic,
        };
        let reads: Vec<Read<'_>> = blocks.iter().filter_map(|block| program.read(block)).collect();
        program.note_positioned(&reads);
        let calls: Vec<Option<Arguments>> =
            reads.iter().map(|read| program.statement(read, is_task)).collect();
        program.finish(&reads, calls)
    }
}

/// The place of the program's SQL communication: its SQLCA, or SQLCODE and SQLSTATE as items by themselves, as the standard has it. A
/// program that has forgotten both gets the SQLCA that INCLUDE SQLCA would give it.
fn area(records: &Records) -> Area {
    let has = |name: &str| records.items.iter().any(|item| item.name.as_deref() == Some(name));
    match (lookup::find(records, "SQLCA.SQLCODE"), has("SQLCODE"), has("SQLSTATE")) {
        (Ok(_), ..) | (_, false, false) => Area::Record,
        (_, code, state) => Area::Items { code, state },
    }
}

struct Program<'m> {
    area: Area,
    records: Records,
    whole: bool,
    places: Places,
    messages: &'m mut Messages,
    cursors: Vec<Declared>,
    package: Package,
    /// True if it makes statements at run time, which may be WHERE CURRENT OF a cursor.
    prepares: bool,
    arithmetic: db2::Arithmetic,
}

impl Program<'_> {
    fn read<'b>(&mut self, block: &'b Block<'b>) -> Option<Read<'b>> {
        let mut letters = Letters::default();
        for (at, token) in block.tokens.iter().enumerate() {
            letters.add(&token.text, self.places.spot(token.at), at > 0 && token.is_glued());
        }
        let mut finder = Finder {
            records: &self.records,
            whole: self.whole,
            places: &self.places,
            messages: self.messages,
            otherwise: block.at,
            resolved: Resolved::default(),
            failed: false,
        };
        let read = db2::read(&letters, self.arithmetic, &mut |token, role| finder.numbers(token, role));
        let Finder { resolved, failed, .. } = finder;
        let embedded = match read {
            Ok(embedded) => embedded,
            Err(mistake) => {
                self.report(&mistake, block.at);
                return None;
            }
        };
        if failed {
            return None;
        }
        let what = match embedded {
            Embedded::Nothing => What::Nothing,
            Embedded::Whenever(whenever) => What::Whenever(whenever),
            Embedded::Table(declared) => {
                self.package.tables.push(declared.table);
                What::Nothing
            }
            Embedded::Cursor(cursor) => {
                self.declare(Declared { cursor, resolved }, block.at);
                What::Nothing
            }
            Embedded::Executable(statement) => What::Statement(statement, resolved),
        };
        Some(Read { block, what })
    }

    fn report(&mut self, mistake: &Mistake, otherwise: At) {
        let code = if mistake.fault == MistakeKind::Unsupported { "SPTR062" } else { "SPTR060" };
        let message = Diagnostic::error(code, mistake.message.clone()).help(mistake.help.clone());
        self.messages.add(self.places.at(mistake.spot, otherwise), message);
    }

    fn declare(&mut self, declared: Declared, at: At) {
        let name = &declared.cursor.cursor.name;
        if self.cursors.iter().any(|known| known.cursor.cursor.name == *name) {
            let message = format!("the cursor {name} is declared twice");
            let at = self.places.at(declared.cursor.cursor.at, at);
            return self
                .messages
                .add(at, Diagnostic::error("SPTR066", message).help("give one of them another name"));
        }
        self.cursors.push(declared);
    }

    /// Finds out which cursors rows are changed through: their queries lock their rows.
    fn note_positioned(&mut self, reads: &[Read<'_>]) {
        for read in reads {
            let What::Statement(statement, _) = &read.what else { continue };
            match &statement.action {
                Action::Prepare { .. } | Action::ExecuteImmediate => self.prepares = true,
                Action::Positioned { .. } => {
                    let named = statement.cursor.as_ref().map(|(name, _)| name);
                    let found =
                        self.cursors.iter_mut().find(|known| Some(&known.cursor.cursor.name) == named);
                    let Some(declared) = found else { continue };
                    let cursor = &mut declared.cursor;
                    if !cursor.cursor.for_update
                        && !cursor.cursor.read_only
                        && cursor.cursor.prepared.is_none()
                    {
                        cursor.text = cursor.changing.clone();
                    }
                    cursor.cursor.for_update |= !cursor.cursor.read_only;
                }
                _ => {}
            }
        }
        let prepares = self.prepares;
        for declared in &mut self.cursors {
            let Cursor { read_only, for_update, prepared, scroll, .. } = &mut declared.cursor.cursor;
            // No statement changes a row through it.
            *read_only |= !*for_update && !prepares && prepared.is_none() && !*scroll;
        }
        self.package.cursors = self.cursors.iter().map(|declared| declared.cursor.cursor.clone()).collect();
    }

    /// Puts a statement into the package; answers what its CALL passes.
    fn statement(&mut self, read: &Read<'_>, is_task: bool) -> Option<Arguments> {
        let What::Statement(executable, resolved) = &read.what else { return None };
        let at = read.block.at;
        self.doubts(executable, at, is_task);
        let mut action = executable.action.clone();
        if let Some((name, spot)) = &executable.cursor {
            let number = self.cursor(name, self.places.at(*spot, at))?;
            set_cursor(&mut action, number);
        }
        let mut arguments = Arguments::default();
        let mut inputs = variables(&executable.inputs, resolved, &mut arguments);
        let (mut text, mut isolation) = (executable.text.clone(), executable.isolation);
        if let Action::Open { cursor, using: Using::Nothing } = action
            && let Some(declared) = self.cursors.get(usize::from(cursor))
        {
            text = declared.cursor.text.clone();
            isolation = declared.cursor.isolation;
            inputs = variables(&declared.cursor.inputs, &declared.resolved, &mut arguments);
        }
        let targets = variables(&executable.targets, resolved, &mut arguments);
        let areas = executable.descriptors.iter().filter_map(|number| resolved.get(*number));
        let areas: Vec<u16> = areas.map(|host| arguments.area(host)).collect();
        set_areas(&mut action, &areas);
        if arguments.items.len() > ARGUMENTS_MAX {
            let message = format!("this statement passes more than {ARGUMENTS_MAX} items");
            let help = "put them into a group, and name the group as the host variable";
            self.messages.add(at, Diagnostic::error("SPTR067", message).help(help));
            return None;
        }
        self.package.statements.push(Statement {
            action,
            sql: text,
            inputs,
            targets,
            isolation,
            has_effects: executable.has_effects,
            at: self.places.spot(at),
            text: text_of(read.block.tokens),
        });
        Some(arguments)
    }

    /// Warns of what is refused when it is executed.
    fn doubts(&mut self, executable: &Executable, at: At, is_task: bool) {
        let (verb, code, instead) = match executable.action {
            Action::Commit if is_task => ("COMMIT", -925, "EXEC CICS SYNCPOINT"),
            Action::Rollback if is_task => ("ROLLBACK", -926, "EXEC CICS SYNCPOINT ROLLBACK"),
            _ => return,
        };
        let message = format!("{verb} in a program with EXEC CICS does nothing");
        let message = Diagnostic::warning("SPTR068", message).label(format!("SQLCODE will be {code}"));
        self.messages.add(at, message.help(format!("write {instead}")));
    }

    fn cursor(&mut self, name: &str, at: At) -> Option<u16> {
        let names = self.package.cursors.iter().map(|cursor| cursor.name.as_str());
        let found = names.clone().position(|known| known == name);
        if found.is_none() {
            let help = did_you_mean(name, names, "write EXEC SQL DECLARE name CURSOR FOR SELECT … END-EXEC");
            let message = format!("no cursor has the name {name}");
            self.messages.add(at, Diagnostic::error("SPTR066", message).label("not declared").help(help));
        }
        found.map(|number| number as u16)
    }

    /// The requests, now that the package has all its content.
    fn finish(mut self, reads: &[Read<'_>], calls: Vec<Option<Arguments>>) -> Sql {
        self.name_sources();
        let token = self.package.token();
        let mut handling = Handling::default();
        let mut all = Vec::new();
        let mut statement = 0;
        for (read, arguments) in reads.iter().zip(&calls) {
            let mut block = Request { call: None, go_to: Vec::new(), area: self.area };
            match (&read.what, arguments) {
                (What::Whenever(whenever), _) => handling.note(whenever.clone()),
                (What::Statement(..), Some(arguments)) => {
                    statement += 1;
                    let descriptor = Descriptor { token, statement };
                    let arguments = arguments.items.iter().map(|item| self.records.items[*item].id).collect();
                    block.call = Some(Call { descriptor, arguments });
                    block.go_to = handling.labels();
                }
                _ => {}
            }
            if read.block.in_procedure {
                all.push((read.block.number, block));
            }
        }
        let nothing = self.package.statements.is_empty() && self.package.tables.is_empty();
        Sql { package: (!nothing).then_some(self.package), blocks: all }
    }

    /// Sources get their names, and places the numbers of these.
    fn name_sources(&mut self) {
        let mut numbers = Vec::new();
        for source in 0..u16::MAX {
            let Some(frame) = self.places.frame(source) else { break };
            let name = self.messages.frames.source_name(frame);
            let sources = &mut self.package.sources;
            let known = sources.iter().position(|known| *known == name).unwrap_or_else(|| {
                sources.push(name);
                sources.len() - 1
            });
            numbers.push(known as u16);
        }
        self.package.each_spot(|spot| {
            spot.source = numbers.get(usize::from(spot.source)).copied().unwrap_or_default();
        });
    }
}

fn variables(numbers: &[u32], resolved: &Resolved, arguments: &mut Arguments) -> Vec<db2::package::Variable> {
    let hosts = numbers.iter().filter_map(|number| resolved.get(*number));
    hosts.filter_map(|host| arguments.variable(host)).collect()
}

fn set_cursor(action: &mut Action, number: u16) {
    match action {
        Action::Open { cursor, .. }
        | Action::Fetch { cursor, .. }
        | Action::Close { cursor }
        | Action::Positioned { cursor, .. }
        | Action::Describe { what: DescribeWhat::Cursor(cursor), .. } => *cursor = number,
        _ => {}
    }
}

/// Descriptor areas get the numbers of the parameters.
fn set_areas(action: &mut Action, areas: &[u16]) {
    let number = |place: &mut u16| *place = areas.get(usize::from(*place)).copied().unwrap_or_default();
    match action {
        Action::Open { using: Using::Descriptor(area), .. }
        | Action::Fetch { into: Using::Descriptor(area), .. }
        | Action::Execute { using: Using::Descriptor(area), .. }
        | Action::Prepare { into: Some(area), .. }
        | Action::Describe { into: area, .. } => number(area),
        _ => {}
    }
}
