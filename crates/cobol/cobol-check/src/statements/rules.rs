//! The rules of each statement.

use cobol_data::Type;
use cobol_syntax::tree::{
    Argument, Arithmetic, FileKind, Inspect, InspectItem, Name, Operand, Perform, Performed, Receiver,
    Reference, Repeat, Search, SetKind, Sort, StatementKind, Use,
};

use crate::checker::Checker;
use crate::names::NameTarget;
use crate::operands::{Shape, Wanted};

/// Devices that ACCEPT and DISPLAY know without SPECIAL-NAMES.
const DEVICES: [&str; 14] = [
    "CONSOLE",
    "SYSIN",
    "SYSIPT",
    "SYSOUT",
    "SYSLIST",
    "SYSLST",
    "SYSPUNCH",
    "SYSPCH",
    "DATE",
    "DAY",
    "DAY-OF-WEEK",
    "TIME",
    "SYSERR",
    "SYSPRINT",
];

impl Checker<'_> {
    pub(super) fn rules(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Move { corresponding: true, from, to } => self.corresponding(from, to),
            StatementKind::Move { from, to, .. } => self.moved(from, to),
            StatementKind::Giving { code, register, .. } => self.giving(code, register),
            StatementKind::If { condition, .. } => self.condition(condition),
            StatementKind::Perform(perform) => self.perform(perform),
            StatementKind::Exec(exec) => self.exec(exec),
            StatementKind::Evaluate { subjects, branches, .. } => {
                let shapes: Vec<_> = subjects.iter().map(|subject| self.subject(subject)).collect();
                branches.iter().for_each(|branch| self.branch(branch, &shapes));
            }
            StatementKind::GoTo { targets, depending } => {
                targets.iter().for_each(|target| self.procedure(target));
                depending.iter().for_each(|item| self.integer_item(item));
            }
            StatementKind::Alter(pairs) => pairs.iter().for_each(|(from, to)| {
                self.procedure(from);
                self.procedure(to);
            }),
            StatementKind::Set(list) => list.iter().for_each(|set| self.set(set)),
            StatementKind::Arithmetic(statement) => self.arithmetic(statement),
            StatementKind::Compute { receivers, value, .. } => {
                self.number(value);
                receivers.iter().for_each(|receiver| self.receiver(receiver, true));
            }
            StatementKind::Display { items, upon, .. } => {
                items.iter().for_each(|item| {
                    self.operand(item);
                });
                self.device(upon.as_ref());
            }
            StatementKind::Accept { item, from, .. } => {
                let id = self.item(item, Wanted::Value, true);
                self.no_utf8(id.map(Shape::Item), "ACCEPT", item.at());
                self.device(from.as_ref());
            }
            StatementKind::Exhibit { items, .. } | StatementKind::Cancel(items) => {
                items.iter().for_each(|item| {
                    self.operand(item);
                })
            }
            StatementKind::Initialize { items, replacing, .. } => {
                items.iter().for_each(|item| {
                    self.item(item, Wanted::Value, true);
                });
                replacing.iter().for_each(|replacing| {
                    self.operand(&replacing.by);
                });
            }
            StatementKind::Call { program, using, returning, .. } => {
                self.call(program, using, returning.as_ref())
            }
            StatementKind::Entry { using, .. } => using.iter().for_each(|parameter| {
                if let Some(id) = self.item(&parameter.item, Wanted::Value, true) {
                    self.parameter(id, &parameter.item);
                }
            }),
            StatementKind::Search(search) => self.search(search),
            StatementKind::Sort(sort) => self.sort(sort),
            StatementKind::Inspect(inspect) | StatementKind::Examine(inspect) => self.inspect(inspect),
            StatementKind::Markup(markup) => self.markup(markup),
            StatementKind::Use(what) => self.use_statement(what),
            StatementKind::NoEffect(items) => items.iter().for_each(|item| {
                self.item(item, Wanted::Whole, false);
            }),
            StatementKind::Allocate { what, returning, .. } => self.allocate(what, returning.as_ref()),
            StatementKind::Free(items) => items.iter().for_each(|item| self.free(item)),
            StatementKind::Transform { item, from, to } => {
                self.item(item, Wanted::Value, true);
                self.operand(from);
                self.operand(to);
            }
            StatementKind::String { .. } | StatementKind::Unstring { .. } => self.string_rules(kind),
            StatementKind::Open(_)
            | StatementKind::Close(_)
            | StatementKind::Read { .. }
            | StatementKind::Return { .. }
            | StatementKind::Delete { .. }
            | StatementKind::Start { .. }
            | StatementKind::Write { .. }
            | StatementKind::Rewrite { .. }
            | StatementKind::Release { .. } => self.file_rules(kind),
            StatementKind::Continue
            | StatementKind::Exit(_)
            | StatementKind::Goback
            | StatementKind::NextSentence
            | StatementKind::Stop(_) => {}
        }
    }

    /// GOBACK GIVING: a program gives one thing.
    fn giving(&mut self, code: &Operand, register: &Reference) {
        self.moved(code, std::slice::from_ref(register));
        if self.returns_item() {
            let message = "GIVING and RETURNING stand beside PROCEDURE DIVISION RETURNING".to_owned();
            let help = "move the value to the item that the procedure division names, and take GIVING away";
            self.error(register.at(), "SPCK066", message, help);
        }
    }

    fn file_rules(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Open(files) => files.iter().for_each(|(_, file)| {
                self.file(file);
            }),
            StatementKind::Close(files) => files.iter().for_each(|(_, file)| {
                self.file(file);
            }),
            StatementKind::Read { file, into, key, .. } => {
                self.file(file);
                key.iter().for_each(|key| {
                    self.item(key, Wanted::Value, false);
                });
                self.into(into.as_ref());
            }
            StatementKind::Return { file, into, .. } => {
                self.file(file);
                self.into(into.as_ref());
            }
            StatementKind::Delete { file, .. } => {
                self.file(file);
            }
            StatementKind::Start { file, key, .. } => {
                self.file(file);
                key.iter().for_each(|(_, key)| {
                    self.item(key, Wanted::Value, false);
                });
            }
            StatementKind::Write { record, from, advancing, .. } => {
                self.record(record, FileKind::File);
                self.from(from.as_ref());
                if let Some(lines) = advancing.as_ref().and_then(|advancing| advancing.lines.as_ref()) {
                    self.operand(lines);
                }
            }
            StatementKind::Rewrite { record, from, .. } => {
                self.record(record, FileKind::File);
                self.from(from.as_ref());
            }
            StatementKind::Release { record, from } => {
                self.record(record, FileKind::Sort);
                self.from(from.as_ref());
            }
            _ => {}
        }
    }

    fn string_rules(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::String { sources, into, pointer, .. } => {
                for source in sources {
                    source.pieces.iter().chain(&source.delimiter).for_each(|piece| {
                        self.operand(piece);
                    });
                }
                self.item(into, Wanted::Value, true);
                pointer.iter().for_each(|pointer| self.counter(pointer));
            }
            StatementKind::Unstring { item, delimiters, into, pointer, tallying, .. } => {
                self.operand(item);
                delimiters.iter().for_each(|(delimiter, _)| {
                    self.operand(delimiter);
                });
                for target in into {
                    self.item(&target.item, Wanted::Value, true);
                    target.delimiter.iter().for_each(|delimiter| {
                        self.item(delimiter, Wanted::Value, true);
                    });
                    target.count.iter().for_each(|count| self.counter(count));
                }
                pointer.iter().chain(tallying).for_each(|counter| self.counter(counter));
            }
            _ => {}
        }
    }

    fn into(&mut self, into: Option<&Reference>) {
        into.into_iter().for_each(|item| {
            self.item(item, Wanted::Value, true);
        });
    }

    fn from(&mut self, from: Option<&Operand>) {
        from.into_iter().for_each(|value| {
            self.operand(value);
        });
    }

    fn integer_item(&mut self, reference: &Reference) {
        let Some(id) = self.item(reference, Wanted::Value, false) else { return };
        let fits = match &self.items.get(id).kind {
            Type::Numeric(numeric) => numeric.is_integer(),
            Type::Unknown => true,
            _ => false,
        };
        if !fits {
            let message = format!("{} is no whole number", reference.name.text);
            self.error(reference.at(), "SPCK047", message, "a numeric item without decimals stands here");
        }
    }

    fn device(&mut self, name: Option<&Name>) {
        let Some(name) = name else { return };
        let known = self.names.all(&name.text).iter().any(|target| matches!(target, NameTarget::Mnemonic(_)));
        if !known && !DEVICES.contains(&&*name.text) {
            let message = format!("{} is no device", name.text);
            self.error(name.at, "SPCK050", message, other_device(&name.text));
        }
    }

    fn perform(&mut self, perform: &Perform) {
        if let Performed::Procedures { from, through } = &perform.what {
            self.procedure(from);
            through.iter().for_each(|through| self.procedure(through));
        }
        match &perform.repeat {
            Repeat::Once | Repeat::Forever => {}
            Repeat::Times(times) => self.number_operand(times),
            Repeat::Until(condition) => self.condition(condition),
            Repeat::Varying(list) => {
                for varying in list {
                    self.item(&varying.item, Wanted::Value, true);
                    self.number(&varying.from);
                    self.number(&varying.by);
                    self.condition(&varying.until);
                }
            }
        }
    }

    fn arithmetic(&mut self, statement: &Arithmetic) {
        if statement.corresponding {
            let from = statement.operands.first();
            let to: Vec<Reference> =
                statement.receivers.iter().map(|receiver| receiver.item.clone()).collect();
            from.into_iter().for_each(|from| self.corresponding(from, &to));
            return;
        }
        statement.operands.iter().chain(&statement.base).for_each(|operand| self.number_operand(operand));
        statement.receivers.iter().for_each(|receiver| self.receiver(receiver, statement.giving));
        statement.remainder.iter().for_each(|receiver| self.receiver(receiver, true));
    }

    /// A receiver of a result; with `edited`, one that is not computed with.
    fn receiver(&mut self, receiver: &Receiver, edited: bool) {
        let Some(id) = self.item(&receiver.item, Wanted::Value, true) else { return };
        let kind = &self.items.get(id).kind;
        let takes = kind.is_numeric() || (edited && kind.is_edited_number());
        if !takes || receiver.item.modification.is_some() {
            let message = format!("{} takes no number", self.describe(&Shape::Item(id)));
            let help =
                "a result goes to a numeric item, or behind GIVING and in COMPUTE to a numeric-edited one";
            self.error(receiver.item.at(), "SPCK051", message, help);
        }
    }

    fn set(&mut self, set: &SetKind) {
        match set {
            SetKind::Switch { targets, .. } => {
                for target in targets {
                    let found = self.all(&target.name.text).iter().copied();
                    match found.into_iter().find(|t| matches!(t, NameTarget::Mnemonic(_))) {
                        Some(found) => self.note(target, found, true),
                        None => {
                            let message = format!("{} is no switch", target.name.text);
                            self.error(
                                target.at(),
                                "SPCK052",
                                message,
                                "ON and OFF are for switches of SPECIAL-NAMES; use TRUE",
                            );
                        }
                    }
                }
            }
            SetKind::By { targets, value, .. } => {
                self.number(value);
                targets.iter().for_each(|target| self.set_target(target, false));
            }
            SetKind::To { targets, value } => {
                let shape = self.expression(value);
                let truth = matches!(shape, Shape::Truth);
                targets.iter().for_each(|target| self.set_target(target, truth));
                self.set_value(targets, &shape, value.at());
            }
        }
    }

    fn set_target(&mut self, target: &Operand, truth: bool) {
        match target {
            Operand::AddressOf(reference, _) => {
                let Some(id) = self.item(reference, Wanted::Whole, true) else { return };
                let item = self.items.get(id);
                if !item.linkage || item.parent.is_some() {
                    let message = format!("{} has an address that cannot be set", reference.name.text);
                    self.error(
                        reference.at(),
                        "SPCK053",
                        message,
                        "SET ADDRESS OF takes a record of the linkage section",
                    );
                }
            }
            Operand::LengthOf(what, _) if self.is_dynamic(what) => {}
            Operand::Reference(reference) if truth => {
                if !self.condition_name(reference) && self.item(reference, Wanted::Condition, true).is_some()
                {
                    let message = format!("{} is no condition-name", reference.name.text);
                    self.error(
                        reference.at(),
                        "SPCK054",
                        message,
                        "TRUE and FALSE are for items of level 88; use MOVE",
                    );
                }
            }
            Operand::Reference(reference) => {
                self.item(reference, Wanted::Value, true);
            }
            other => {
                let at = other.at();
                self.error(
                    at,
                    "SPCK055",
                    "this cannot be set".to_owned(),
                    "SET takes indexes, pointers and condition-names",
                );
            }
        }
    }

    /// An item of DYNAMIC LENGTH, all of it: its length can be set.
    fn is_dynamic(&mut self, what: &Operand) -> bool {
        let Operand::Reference(reference) = what else { return false };
        let item = self.item(reference, Wanted::Whole, true);
        item.is_some_and(|id| self.items.get(id).dynamic) && reference.modification.is_none()
    }

    /// An address goes into a pointer only.
    fn set_value(&mut self, targets: &[Operand], shape: &Shape, at: cobol_source::At) {
        if !matches!(shape, Shape::Address | Shape::Figurative("NULL")) {
            return;
        }
        for target in targets {
            let Operand::Reference(reference) = target else { continue };
            let Some(NameTarget::Item(id)) = self.targets.get(reference.id.0 as usize).copied().flatten()
            else {
                continue;
            };
            let kind = &self.items.get(id).kind;
            let pointer = matches!(
                kind,
                Type::Pointer | Type::ProcedurePointer | Type::FunctionPointer | Type::Object | Type::Unknown
            );
            if !pointer {
                let message = format!("{} holds no address", self.describe(&Shape::Item(id)));
                self.error(at, "SPCK056", message, "an address goes into an item of USAGE POINTER");
            }
        }
    }

    fn call(&mut self, program: &Operand, using: &[Argument], returning: Option<&Reference>) {
        let shape = self.operand(program);
        if matches!(shape, Shape::Number(_) | Shape::Figurative(_) | Shape::Truth) {
            let message = format!("{} names no program", self.describe(&shape));
            self.error(
                program.at(),
                "SPCK057",
                message,
                "CALL takes a name in quotes, an item with a name, or a pointer",
            );
        }
        for argument in using {
            // The name of a file may be an argument, too.
            if let Some(Operand::Reference(reference)) = &argument.value {
                let all = self.all(&reference.name.text);
                if all.iter().any(|target| matches!(target, NameTarget::File(_))) {
                    self.file(reference);
                    continue;
                }
                self.item(reference, Wanted::Value, true);
                continue;
            }
            argument.value.iter().for_each(|value| {
                self.operand(value);
            });
        }
        returning.into_iter().for_each(|item| {
            self.item(item, Wanted::Value, true);
        });
    }

    fn search(&mut self, search: &Search) {
        self.subscripts_optional = true;
        let table = self.item(&search.table, Wanted::Whole, false);
        self.subscripts_optional = false;
        if let Some(id) = table {
            let item = self.items.get(id);
            let name = &search.table.name.text;
            match &item.occurs {
                None => {
                    let message = format!("{name} is no table");
                    self.error(
                        search.table.at(),
                        "SPCK058",
                        message,
                        "SEARCH names the item that has the OCCURS",
                    );
                }
                Some(occurs) if occurs.indexes.is_empty() => {
                    let message = format!("{name} has no index");
                    self.error(
                        search.table.at(),
                        "SPCK059",
                        message,
                        "write INDEXED BY and a name behind its OCCURS",
                    );
                }
                Some(occurs) if search.all && occurs.keys.is_empty() => {
                    let message = format!("{name} has no key");
                    let help = "SEARCH ALL halves a table that is sorted by ASCENDING or DESCENDING KEY";
                    self.error(search.table.at(), "SPCK060", message, help);
                }
                Some(_) => {}
            }
        }
        search.varying.iter().for_each(|item| {
            self.item(item, Wanted::Value, true);
        });
        search.whens.iter().for_each(|(condition, _)| self.condition(condition));
    }

    fn sort(&mut self, sort: &Sort) {
        let is_file =
            self.names.all(&sort.file.name.text).iter().any(|target| matches!(target, NameTarget::File(_)));
        self.subscripts_optional = true;
        if is_file {
            self.file(&sort.file);
        } else {
            self.item(&sort.file, Wanted::Table, true);
        }
        let area = self.area_of_file(&sort.file.name.text);
        for (key, _) in &sort.keys {
            let own = self.item(key, Wanted::Whole, false);
            if let (Some(own), Some(area)) = (own, area)
                && self.items.get(own).area != area
            {
                let message = format!("{} is no item of {}", key.name.text, sort.file.name.text);
                self.error(key.at(), "SPCK048", message, "a key lies in a record of the file that is sorted");
            }
        }
        self.subscripts_optional = false;
        sort.using.iter().chain(&sort.giving).for_each(|file| {
            self.file(file);
        });
        for (from, through) in sort.input.iter().chain(&sort.output) {
            self.procedure(from);
            through.iter().for_each(|through| self.procedure(through));
        }
    }

    fn inspect(&mut self, inspect: &Inspect) {
        let shape = match &inspect.item {
            Operand::Reference(reference) => {
                let changes = !inspect.replacing.is_empty() || inspect.converting.is_some();
                self.item(reference, Wanted::Value, changes).map(Shape::Item)
            }
            other => Some(self.operand(other)),
        };
        self.no_utf8(shape, "INSPECT", inspect.item.at());
        inspect.tallying.iter().chain(&inspect.replacing).for_each(|item| self.inspected(item));
        if let Some((from, to, borders)) = &inspect.converting {
            self.operand(from);
            self.operand(to);
            borders.iter().for_each(|border| {
                self.operand(&border.text);
            });
        }
    }

    fn inspected(&mut self, item: &InspectItem) {
        item.counter.iter().for_each(|counter| self.counter(counter));
        item.text.iter().chain(&item.by).for_each(|text| {
            self.operand(text);
        });
        item.borders.iter().for_each(|border| {
            self.operand(&border.text);
        });
    }

    fn use_statement(&mut self, what: &Use) {
        if let Use::Exception { files, .. } = what {
            files.iter().for_each(|file| {
                self.file(file);
            });
        }
    }

    fn exec(&mut self, exec: &cobol_syntax::tree::Exec) {
        self.subscripts_optional = true;
        for (_, value) in &exec.operands {
            self.expression(value);
        }
        self.subscripts_optional = false;
        exec.labels.iter().for_each(|(_, label)| self.procedure(label));
    }
}

/// The replacement for something that is no device: of other compilers, where that is known.
fn other_device(name: &str) -> &'static str {
    match name {
        "COMMAND-LINE" | "ARGUMENT-NUMBER" | "ARGUMENT-VALUE" => {
            "neither a task nor a job has a command line: PARM of a step is the parameter of PROCEDURE DIVISION"
        }
        "ENVIRONMENT-NAME" | "ENVIRONMENT-VALUE" => {
            "neither a task nor a job has an environment: give values by PARM of a job, a record, a COMMAREA"
        }
        "LINES" | "COLUMNS" | "COLS" | "CRT" => {
            "neither a task nor a job has a console: EXEC CICS ASSIGN says how large a terminal is"
        }
        "PRINTER" => "write to a file: DISPLAY goes to the log of a region or to SYSOUT of a job",
        _ => "DATE, DAY, DAY-OF-WEEK, TIME, CONSOLE, SYSIN, SYSOUT, or a mnemonic name of SPECIAL-NAMES",
    }
}
