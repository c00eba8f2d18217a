//! The state of a check: the program's names, what each use of one stands for, and its messages.

use std::collections::HashSet;

use cobol_data::{Area, Built, Item, ItemId, Items, Severity};
use cobol_source::{At, Messages};
use cobol_syntax::tree::{Program, Reference};
use diagnostics::Diagnostic;

use crate::data;
use crate::files::File;
use crate::names::{NameTarget, Names};
use crate::procedures::{self, ProcedureDef};
use crate::{Context, Use};

/// A name that is no paragraph's and no section's.
pub(crate) const NO_PROCEDURE: &str = "SPCK044";
/// Messages of names and rules in one program, at most.
const MESSAGES_MAX: usize = 500;

/// The state of a walk: what has been declared, and what uses of names have come to.
pub(crate) struct Checker<'a> {
    pub(crate) program: &'a Program,
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
    pub(crate) targets: Vec<Option<NameTarget>>,
    uses: Vec<Use>,
    /// The section that statements stand in.
    pub(crate) section: Option<usize>,
    /// Place where the statement begins.
    pub(crate) at: At,
    /// True if the data division was read whole: else names may be missing because of that.
    pub(crate) whole: bool,
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
    pub(crate) targets: Vec<Option<NameTarget>>,
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
    pub(crate) first: ItemId,
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
    pub(crate) fn note(&mut self, reference: &Reference, target: NameTarget, changes: bool) {
        if let Some(slot) = self.targets.get_mut(reference.id.0 as usize) {
            *slot = Some(target);
        }
        self.uses.push(Use { at: reference.at(), target, changes });
    }

    /// All names of the program.
    fn declare(&mut self) {
        self.names.add_items(&self.items);
        for (index, file) in self.files.iter().enumerate() {
            self.names.add(&file.name, NameTarget::File(index));
            let described = file.description.and_then(|(_, at)| self.program.data.files.get(at));
            if described.is_some_and(|file| file.global) {
                self.names.global_files.insert(file.name.text.clone(), index);
            }
        }
        for (index, procedure) in self.procedures.iter().enumerate() {
            self.names.add(&procedure.name, NameTarget::Procedure(index));
        }
        let environment = &self.program.environment;
        for (index, mnemonic) in environment.mnemonics.iter().enumerate() {
            let names = [
                (&mnemonic.name, NameTarget::Mnemonic(index)),
                (&mnemonic.on, NameTarget::Switch(index, true)),
                (&mnemonic.off, NameTarget::Switch(index, false)),
            ];
            for (name, target) in names {
                if let Some(name) = name {
                    self.names.add(name, target);
                }
            }
        }
        for (index, class) in environment.classes.iter().enumerate() {
            self.names.add(&class.name, NameTarget::Class(index));
        }
        for (index, alphabet) in environment.alphabets.iter().enumerate() {
            self.names.add(&alphabet.name, NameTarget::Alphabet(index));
        }
        for (index, (name, _)) in environment.symbolic.iter().enumerate() {
            self.names.add(name, NameTarget::Symbolic(index));
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
                    names.add(name, NameTarget::Item(shifted(id)));
                }
            }
            for (own, other) in self.targets.iter_mut().zip(&outer.parts.targets) {
                if let Some(NameTarget::Item(id)) = other
                    && (id.0 as usize) < described
                {
                    *own = own.or(Some(NameTarget::Item(shifted(*id))));
                }
            }
            self.around.push(Around { first, names });
        }
    }

    /// Area of a file's records.
    pub(crate) fn area_of_file(&self, file: &str) -> Option<Area> {
        let file = self.files.iter().find(|own| &*own.name.text == file)?;
        file.description.map(|(_, at)| Area::File(at))
    }

    /// Returns true if the program has PROCEDURE DIVISION RETURNING.
    pub(crate) fn returns_item(&self) -> bool {
        self.program.procedure.as_ref().is_some_and(|procedure| procedure.returning.is_some())
    }
}
