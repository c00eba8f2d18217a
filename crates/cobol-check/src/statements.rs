//! The walk over a program: every use of a name looked up, every statement by its rules.

mod heap;
mod markup;
mod rules;

use std::collections::HashSet;

use cobol_data::{Area, Built, Item, ItemId, Items, Severity, Type};
use cobol_source::{At, Messages, did_you_mean};
use cobol_syntax::tree::{
    FileKind, Linage, Procedure, Program, Reference, Section, Statement, StatementKind, Statements,
};
use diagnostics::Diagnostic;

use crate::data;
use crate::files::File;
use crate::names::{Missing, Names, Target};
use crate::operands::Wanted;
use crate::procedures::{self, ProcedureDef};
use crate::{Context, Use};

/// A name that is no paragraph's and no section's.
const NO_PROCEDURE: &str = "SPCK044";
/// Messages of names and rules in one program, at most.
const MESSAGES_MAX: usize = 500;

pub(crate) struct Checker<'a> {
    program: &'a Program,
    messages: &'a mut Messages,
    told: usize,
    pub(crate) outer: &'a [Outer<'a>],
    /// The GLOBAL items of the programs around this one, innermost first.
    pub(crate) around: Vec<Around>,
    pub(crate) names: Names,
    pub(crate) items: Items,
    records: Vec<ItemId>,
    pub(crate) files: Vec<File>,
    pub(crate) procedures: Vec<ProcedureDef>,
    targets: Vec<Option<Target>>,
    uses: Vec<Use>,
    /// The section that statements stand in.
    section: Option<usize>,
    /// Place where the statement begins.
    pub(crate) at: At,
    /// True if the data division was read whole: else names may be missing because of that.
    whole: bool,
    /// The same of the procedure division.
    parsed: bool,
    /// Names of tables may stand without subscripts.
    pub(crate) subscripts_optional: bool,
    /// Names that have been reported.
    pub(crate) reported: HashSet<String>,
}

/// Results of the walk.
pub(crate) struct Parts {
    pub(crate) items: Items,
    pub(crate) records: Vec<ItemId>,
    pub(crate) files: Vec<File>,
    pub(crate) procedures: Vec<ProcedureDef>,
    pub(crate) targets: Vec<Option<Target>>,
    pub(crate) uses: Vec<Use>,
    pub(crate) around: Vec<ItemId>,
}

/// A program around the one that is checked.
#[derive(Clone, Copy)]
pub(crate) struct Outer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) names: &'a Names,
    pub(crate) parts: &'a Parts,
}

/// Items that a program sees of one around it.
#[derive(Debug)]
pub(crate) struct Around {
    /// The first of its items among those of the program.
    first: ItemId,
    /// The names of what is GLOBAL.
    pub(crate) names: Names,
}

impl Outer<'_> {
    /// Returns true if contained programs see an item: it, its record or its file is GLOBAL.
    fn shows(&self, item: &Item) -> bool {
        let record = self.parts.items.get(item.record);
        let file = match record.area {
            Area::File(at) => self.program.data.files.get(at),
            Area::Around(_) => return false,
            _ => None,
        };
        item.global || record.global || file.is_some_and(|file| file.global)
    }
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        program: &'a Program,
        context: &Context<'_>,
        outer: &'a [Outer<'a>],
        messages: &'a mut Messages,
    ) -> Self {
        let options = data::options(&program.environment, context);
        let built = data::items(program, &options);
        let files = data::files(program, &built);
        let procedures = program.procedure.as_ref().map_or_else(Vec::new, procedures::definitions);
        let Built { items, complaints, records } = built;
        let mut checker = Self {
            program,
            messages,
            told: 0,
            outer,
            around: Vec::new(),
            names: Names::default(),
            items,
            records,
            files,
            procedures,
            targets: vec![None; context.uses],
            uses: Vec::new(),
            section: None,
            at: program.name.at,
            whole: context.whole && !program.data.damaged,
            parsed: context.parsed,
            subscripts_optional: false,
            reported: HashSet::new(),
        };
        let told = complaints.into_iter().filter(|_| context.whole && !program.data.damaged);
        for complaint in told {
            let message =
                Diagnostic::new(complaint.severity, complaint.code, complaint.message).help(complaint.help);
            checker.tell(complaint.at, message);
        }
        checker.declare();
        checker.adopt();
        checker
    }

    pub(crate) fn into_parts(self) -> (Names, Parts) {
        let Self { names, items, records, files, procedures, targets, uses, around, .. } = self;
        let around = around.into_iter().map(|around| around.first).collect();
        (names, Parts { items, records, files, procedures, targets, uses, around })
    }

    fn tell(&mut self, at: At, message: Diagnostic) {
        self.told += 1;
        if self.told <= MESSAGES_MAX {
            self.messages.add(at, message);
        }
    }

    pub(crate) fn error(&mut self, at: At, code: &'static str, message: String, help: &str) {
        let help = match self.messages.frames.cut_off(at) {
            Some((line, behind)) => format!(
                "columns 73 to 80 are not read, and line {line} has \"{behind}\" there; otherwise: {help}"
            ),
            None => help.to_owned(),
        };
        self.tell(at, Diagnostic::error(code, message).help(help));
    }

    /// The same of a name that is missing, unless what declares it may not have been read; once for each name, because
    /// it is missing wherever it stands. Help is looked for only if the message is given: it compares all names.
    pub(crate) fn error_once(
        &mut self,
        reference: &Reference,
        code: &'static str,
        message: String,
        help: impl FnOnce(&Self) -> String,
    ) {
        let read = self.whole && (self.parsed || code != NO_PROCEDURE);
        if read && self.reported.insert(format!("{code}{message}")) {
            let help = help(self);
            self.error(reference.at(), code, message, &help);
        }
    }

    pub(crate) fn warning(&mut self, at: At, code: &'static str, message: String, help: &str) {
        self.tell(at, Diagnostic::new(Severity::Warning, code, message).help(help));
    }

    /// Notes what a use stands for.
    pub(crate) fn note(&mut self, reference: &Reference, target: Target, changes: bool) {
        if let Some(slot) = self.targets.get_mut(reference.id.0 as usize) {
            *slot = Some(target);
        }
        self.uses.push(Use { at: reference.at(), target, changes });
    }

    /// All names of the program.
    fn declare(&mut self) {
        self.names.add_items(&self.items);
        for (index, file) in self.files.iter().enumerate() {
            self.names.add(&file.name, Target::File(index));
            let described = file.description.and_then(|(_, at)| self.program.data.files.get(at));
            if described.is_some_and(|file| file.global) {
                self.names.global_files.insert(file.name.text.clone(), index);
            }
        }
        for (index, procedure) in self.procedures.iter().enumerate() {
            self.names.add(&procedure.name, Target::Procedure(index));
        }
        let environment = &self.program.environment;
        for (index, mnemonic) in environment.mnemonics.iter().enumerate() {
            let names = [
                (&mnemonic.name, Target::Mnemonic(index)),
                (&mnemonic.on, Target::Switch(index, true)),
                (&mnemonic.off, Target::Switch(index, false)),
            ];
            for (name, target) in names {
                if let Some(name) = name {
                    self.names.add(name, target);
                }
            }
        }
        for (index, class) in environment.classes.iter().enumerate() {
            self.names.add(&class.name, Target::Class(index));
        }
        for (index, alphabet) in environment.alphabets.iter().enumerate() {
            self.names.add(&alphabet.name, Target::Alphabet(index));
        }
        for (index, (name, _)) in environment.symbolic.iter().enumerate() {
            self.names.add(name, Target::Symbolic(index));
        }
    }

    /// Takes over what is GLOBAL in the programs around this one.
    fn adopt(&mut self) {
        for (index, outer) in self.outer.iter().rev().enumerate() {
            // What it has of programs around itself comes from those.
            let described = outer.parts.around.first().map_or(outer.parts.items.len(), |id| id.0 as usize);
            let first = self.items.adopt(&outer.parts.items, described, index + 1);
            let shifted = |id: ItemId| ItemId(id.0 + first.0);
            let mut names = Names::default();
            for (id, item) in outer.parts.items.all().take(described).filter(|(_, item)| outer.shows(item)) {
                if let Some(name) = &item.name {
                    names.add(name, Target::Item(shifted(id)));
                }
            }
            for (own, other) in self.targets.iter_mut().zip(&outer.parts.targets) {
                if let Some(Target::Item(id)) = other
                    && (id.0 as usize) < described
                {
                    *own = own.or(Some(Target::Item(shifted(*id))));
                }
            }
            self.around.push(Around { first, names });
        }
    }

    /// Checks everything.
    pub(crate) fn program(&mut self) {
        self.check_data();
        if self.whole {
            self.check_files();
        }
        let program = self.program;
        if let Some(procedure) = &program.procedure {
            self.check_procedures(procedure);
        }
    }

    fn check_data(&mut self) {
        for index in 0..self.items.all().count() {
            let id = ItemId(index as u32);
            let item = self.items.get(id);
            if matches!(item.area, Area::Around(_)) {
                continue;
            }
            if let Some((at, message, help)) = data::value_complaint(item) {
                self.warning(at, "SPCK040", message, help);
            }
            let item = self.items.get(id);
            let Some(occurs) = &item.occurs else { continue };
            let references: Vec<Reference> = occurs.depending.iter().cloned().collect();
            let keys: Vec<Reference> = occurs.keys.iter().map(|(key, _)| key.clone()).collect();
            for reference in references {
                self.item(&reference, Wanted::Value, false);
            }
            self.subscripts_optional = true;
            for key in keys {
                self.table_key(&key, id);
            }
            self.subscripts_optional = false;
        }
    }

    /// A key of a table is looked for in the table first: names need no qualification there.
    fn table_key(&mut self, key: &Reference, table: ItemId) {
        let within = |id: &ItemId| *id == table || self.items.groups(*id).any(|group| group == table);
        let candidates = self.names.all(&key.name.text).iter().copied();
        let own = candidates.into_iter().find(|target| matches!(target, Target::Item(id) if within(id)));
        match own {
            Some(target) => self.note(key, target, false),
            None => {
                self.item(key, Wanted::Whole, false);
            }
        }
    }

    fn check_files(&mut self) {
        let program = self.program;
        for (at, message) in data::currency_complaints(&program.environment) {
            self.warning(at, "SPCK064", message, "z/OS refuses it: take another character");
        }
        for file in self.files.clone() {
            if let Some((message, help)) = data::file_complaint(&file) {
                self.error(file.name.at, "SPCK041", message, help);
            }
        }
        for select in &program.environment.files {
            let keys = select.alternate_keys.iter().map(|(key, _)| key).chain(&select.record_key);
            for key in keys {
                self.file_key(key, &select.name.text);
            }
            for reference in select.status.iter().chain(&select.relative_key).chain(&select.passwords) {
                self.item(reference, Wanted::Value, true);
            }
        }
        for file in &program.data.files {
            if let Some(depending) = &file.record.depending {
                self.item(depending, Wanted::Value, true);
            }
            for operand in file.linage.iter().flat_map(Linage::operands) {
                self.operand(operand);
            }
        }
    }

    /// Area of a file's records.
    pub(crate) fn area_of_file(&self, file: &str) -> Option<Area> {
        let file = self.files.iter().find(|own| &*own.name.text == file)?;
        file.description.map(|(_, at)| Area::File(at))
    }

    /// A key of a file is looked for in its records first.
    fn file_key(&mut self, key: &Reference, file: &str) {
        let area = self.area_of_file(file);
        let candidates = self.names.all(&key.name.text).iter().copied();
        let own = candidates.into_iter().find(|target| match target {
            Target::Item(id) => Some(self.items.get(*id).area) == area,
            _ => false,
        });
        match own {
            Some(target) if key.qualifiers.is_empty() => self.note(key, target, false),
            _ => {
                self.item(key, Wanted::Value, false);
            }
        }
    }

    /// Returns true if the program has PROCEDURE DIVISION RETURNING.
    pub(crate) fn returns_item(&self) -> bool {
        self.program.procedure.as_ref().is_some_and(|procedure| procedure.returning.is_some())
    }

    fn check_procedures(&mut self, procedure: &'a Procedure) {
        self.check_names_of_procedures();
        for parameter in &procedure.using {
            let Some(id) = self.item(&parameter.item, Wanted::Value, true) else { continue };
            self.parameter(id, &parameter.item);
        }
        if let Some(returning) = &procedure.returning {
            self.item(returning, Wanted::Value, true);
        }
        procedure.declaratives.iter().for_each(|section| self.check_uses(section, true));
        procedure.sections.iter().for_each(|section| self.check_uses(section, false));
        let mut next = 0;
        for section in procedure.declaratives.iter().chain(&procedure.sections) {
            self.section(section, &mut next);
        }
    }

    /// A section of declaratives begins with its USE, and no other statement is one.
    fn check_uses(&mut self, section: &Section, declarative: bool) {
        const HELP: &str =
            "USE stands behind the header of a section of DECLARATIVES, and each of them begins with one";
        let without = |checker: &mut Self, at| {
            let message = "this section of declaratives does not begin with USE".to_owned();
            checker.error(at, "SPCK067", message, HELP);
        };
        let mut at_head = declarative;
        let sentences = section.paragraphs.iter().flat_map(|paragraph| &paragraph.sentences);
        for sentence in sentences {
            each_of(&sentence.statements, &mut |statement| {
                let is_use = matches!(statement.kind, StatementKind::Use(_));
                let head = std::mem::take(&mut at_head);
                if is_use && !head {
                    let message = "this USE is not at the head of a section of declaratives".to_owned();
                    self.error(statement.at, "SPCK067", message, HELP);
                } else if head && !is_use {
                    without(self, statement.at);
                }
            });
        }
        if let Some(name) = section.name.as_ref().filter(|_| at_head) {
            without(self, name.at);
        }
    }

    fn parameter(&mut self, id: ItemId, reference: &Reference) {
        let item = self.items.get(id);
        if item.area != Area::Linkage || !matches!(item.level, 1 | 77) {
            let message = format!("{} is no record of the linkage section", reference.name.text);
            self.error(
                reference.at(),
                "SPCK042",
                message,
                "USING takes items of level 01 or 77 of the linkage section",
            );
        }
    }

    /// Two paragraphs of one name in one section cannot be told apart.
    fn check_names_of_procedures(&mut self) {
        let mut seen = HashSet::new();
        let doubled: Vec<_> = self
            .procedures
            .iter()
            .filter(|procedure| {
                !seen.insert((procedure.section, procedure.is_section, &*procedure.name.text))
            })
            .map(|procedure| procedure.name.clone())
            .collect();
        for name in doubled {
            let message = format!("there is a paragraph {} before this one", name.text);
            self.warning(
                name.at,
                "SPCK043",
                message,
                "give one of them another name; what names it cannot be told",
            );
        }
    }

    fn section(&mut self, section: &'a Section, next: &mut usize) {
        self.section = None;
        if section.name.is_some() {
            self.section = Some(*next);
            *next += 1;
        }
        for paragraph in &section.paragraphs {
            *next += usize::from(paragraph.name.is_some());
            for sentence in &paragraph.sentences {
                self.statements(&sentence.statements);
            }
        }
    }

    pub(crate) fn statements(&mut self, statements: &Statements) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.at = statement.at;
        self.rules(&statement.kind);
        bodies(&statement.kind, &mut |body| self.statements(body));
    }

    /// A section or paragraph that is gone to or performed.
    pub(crate) fn procedure(&mut self, reference: &Reference) {
        match self.names.procedure(reference, self.section, &self.procedures) {
            Ok(target) => self.note(reference, target, false),
            Err(missing) => {
                let name = &reference.name.text;
                let message = match &missing {
                    Missing::Unknown => format!("there is no paragraph or section {name}"),
                    Missing::Qualifier => format!("{name} does not stand in that section"),
                    Missing::Ambiguous(targets) => {
                        format!("{} paragraphs have the name {name}", targets.len())
                    }
                };
                self.error_once(reference, NO_PROCEDURE, message, |checker| match &missing {
                    Missing::Unknown => {
                        let names = checker.names.matching(|target| matches!(target, Target::Procedure(_)));
                        did_you_mean(name, names, "write a paragraph of that name")
                    }
                    Missing::Qualifier => "name the section that it stands in".to_owned(),
                    Missing::Ambiguous(_) => "qualify it with OF and its section".to_owned(),
                });
            }
        }
    }

    /// A file of a statement: its place in the list.
    pub(crate) fn file(&mut self, reference: &Reference) -> Option<usize> {
        let found = self.names.all(&reference.name.text).iter().copied();
        let target = found.into_iter().find(|target| matches!(target, Target::File(_)));
        if let Some(target @ Target::File(index)) = target {
            self.note(reference, target, false);
            return Some(index);
        }
        let outer = self.outer.iter().rev().enumerate();
        let global = outer.into_iter().find_map(|(level, outer)| {
            Some(Target::GlobalFile(level + 1, *outer.names.global_files.get(&reference.name.text)?))
        });
        if let Some(target) = global {
            self.note(reference, target, false);
            return None;
        }
        let message = format!("there is no file {}", reference.name.text);
        self.error_once(reference, "SPCK045", message, |checker| {
            let names = checker.names.matching(|target| matches!(target, Target::File(_)));
            did_you_mean(&reference.name.text, names, "describe it with SELECT and FD")
        });
        None
    }

    /// A record of a file, for WRITE, REWRITE and RELEASE.
    pub(crate) fn record(&mut self, reference: &Reference, kind: FileKind) {
        let Some(id) = self.item(reference, Wanted::Value, true) else { return };
        let item = self.items.get(id);
        let file = match item.area {
            Area::File(at) => {
                self.files.iter().find(|file| file.description.is_some_and(|(_, own)| own == at))
            }
            Area::Around(level) => self.file_around(level, id),
            _ => None,
        };
        let fits = file.is_some_and(|file| file.description.is_some_and(|(own, _)| own == kind));
        if !fits || item.level != 1 {
            let message = format!("{} is no record of such a file", reference.name.text);
            let help = match kind {
                FileKind::File => {
                    "WRITE and REWRITE take a record of level 01 behind an FD; READ takes the file"
                }
                FileKind::Sort => "RELEASE takes a record of level 01 behind an SD",
            };
            self.error(reference.at(), "SPCK046", message, help);
        }
    }

    /// The file of a program around this one that a record belongs to.
    fn file_around(&self, level: usize, record: ItemId) -> Option<&File> {
        let outer = self.outer.iter().rev().nth(level - 1)?;
        let first = self.around.get(level - 1)?.first;
        outer.parts.files.iter().find(|file| file.records.iter().any(|id| id.0 + first.0 == record.0))
    }

    /// A whole number to be counted in.
    pub(crate) fn counter(&mut self, reference: &Reference) {
        let Some(id) = self.item(reference, Wanted::Value, true) else { return };
        let fits = match &self.items.get(id).kind {
            Type::Numeric(numeric) => numeric.is_integer(),
            Type::Unknown => true,
            _ => false,
        };
        if !fits {
            let message = format!("{} is no whole number", reference.name.text);
            self.error(reference.at(), "SPCK047", message, "a counter is a numeric item without decimals");
        }
    }
}

/// Visits each statement of a program, and those within it; not those of programs that it contains.
pub fn each<'s>(program: &'s Program, visit: &mut dyn FnMut(&'s Statement)) {
    let sections = program.procedure.iter();
    let sections = sections.flat_map(|procedure| procedure.declaratives.iter().chain(&procedure.sections));
    let paragraphs = sections.flat_map(|section| &section.paragraphs);
    for sentence in paragraphs.flat_map(|paragraph| &paragraph.sentences) {
        each_of(&sentence.statements, visit);
    }
}

fn each_of<'s>(statements: &'s Statements, visit: &mut dyn FnMut(&'s Statement)) {
    for statement in statements {
        visit(statement);
        bodies(&statement.kind, &mut |body| each_of(body, visit));
    }
}

/// Every list of statements within a statement.
fn bodies<'s>(kind: &'s StatementKind, visit: &mut dyn FnMut(&'s Statements)) {
    let mut handlers = |handlers: &'s cobol_syntax::tree::Handlers| handlers.bodies().for_each(&mut *visit);
    match kind {
        StatementKind::Arithmetic(statement) => handlers(&statement.handlers),
        StatementKind::Markup(statement) => handlers(&statement.handlers),
        StatementKind::Call { handlers: own, .. }
        | StatementKind::Compute { handlers: own, .. }
        | StatementKind::Delete { handlers: own, .. }
        | StatementKind::Read { handlers: own, .. }
        | StatementKind::Return { handlers: own, .. }
        | StatementKind::Rewrite { handlers: own, .. }
        | StatementKind::Start { handlers: own, .. }
        | StatementKind::String { handlers: own, .. }
        | StatementKind::Unstring { handlers: own, .. }
        | StatementKind::Write { handlers: own, .. } => handlers(own),
        StatementKind::If { then, otherwise, .. } => {
            visit(then);
            otherwise.iter().for_each(visit);
        }
        StatementKind::Evaluate { branches, other, .. } => {
            branches.iter().for_each(|branch| visit(&branch.body));
            other.iter().for_each(visit);
        }
        StatementKind::Perform(perform) => {
            if let cobol_syntax::tree::Performed::InLine(body) = &perform.what {
                visit(body);
            }
        }
        StatementKind::Search(search) => {
            search.at_end.iter().for_each(&mut *visit);
            search.whens.iter().for_each(|(_, body)| visit(body));
        }
        _ => {}
    }
}
