//! The walk over a program: every use of a name looked up, every statement by its rules.

mod heap;
mod markup;
mod rules;

use std::collections::HashSet;

use cobol_data::{Area, ItemId, Type};
use cobol_source::did_you_mean;
use cobol_syntax::tree::{
    FileKind, Linage, Procedure, Reference, Section, Statement, StatementKind, Statements,
};

use crate::checker::{Checker, NO_PROCEDURE};
use crate::data;
use crate::files::File;
use crate::names::{Missing, NameTarget};
use crate::operands::Wanted;
use crate::walk::{bodies, each_of};

impl<'a> Checker<'a> {
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
        let own = candidates.into_iter().find(|target| matches!(target, NameTarget::Item(id) if within(id)));
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

    /// A key of a file is looked for in its records first.
    fn file_key(&mut self, key: &Reference, file: &str) {
        let area = self.area_of_file(file);
        let candidates = self.names.all(&key.name.text).iter().copied();
        let own = candidates.into_iter().find(|target| match target {
            NameTarget::Item(id) => Some(self.items.get(*id).area) == area,
            _ => false,
        });
        match own {
            Some(target) if key.qualifiers.is_empty() => self.note(key, target, false),
            _ => {
                self.item(key, Wanted::Value, false);
            }
        }
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
                        let names =
                            checker.names.matching(|target| matches!(target, NameTarget::Procedure(_)));
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
        let target = found.into_iter().find(|target| matches!(target, NameTarget::File(_)));
        if let Some(target @ NameTarget::File(index)) = target {
            self.note(reference, target, false);
            return Some(index);
        }
        let outer = self.outer.iter().rev().enumerate();
        let global = outer.into_iter().find_map(|(level, outer)| {
            Some(NameTarget::GlobalFile(level + 1, *outer.names.global_files.get(&reference.name.text)?))
        });
        if let Some(target) = global {
            self.note(reference, target, false);
            return None;
        }
        let message = format!("there is no file {}", reference.name.text);
        self.error_once(reference, "SPCK045", message, |checker| {
            let names = checker.names.matching(|target| matches!(target, NameTarget::File(_)));
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
