//! From a COBOL description to a mapping.

use std::collections::BTreeMap;

use copybook::{Field, Kind as Shape, Layout, Usage};
use diagnostics::{Diagnostic, Severity};
use ebcdic::decimal::ZonedSign;

use crate::charset::Charset;
use crate::limits::{NODES_MAX, OCCURRENCES_MAX, RECORD_MAX};
use crate::model::{
    Apart, Choice, Counter, Extra, Form, Kind, Mapping, Mark, Node, Number, Repeat, Store, Varying, tags,
};
use crate::{names, store};

/// Messages of this module.
const CODE: &str = "SPWM001";

/// The part of a text field that belongs to its value: CHAR-VARYING.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharVarying {
    /// NO: all of it.
    No,
    /// COLLAPSE: all but blanks at its end.
    #[default]
    Collapse,
    /// NULL: the characters before the first X'00'.
    Null,
    /// BINARY: its bytes, as base64.
    Binary,
}

/// The way to understand a description, by the options of the published tools.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// CHAR-VARYING.
    pub varying: CharVarying,
    /// CHAR-OCCURS=STRING: a table of single characters is one text.
    pub joins_characters: bool,
    /// TRUNCATE-NULL-ARRAYS: occurrences at the end of a table that hold nothing are not written.
    pub trims_arrays: bool,
    /// DATETIME=PACKED15: S9(15) COMP-3 is a moment.
    pub moments: bool,
    /// Fields `9(8)` that are dates.
    pub dates: Vec<String>,
    /// DATA-TRUNCATION=ENABLED: a record may end early.
    pub may_end_early: bool,
    /// DATA-SCREENING=DISABLED: bytes that are not a number are zero.
    pub takes_bad_numbers: bool,
    /// Elements and members that the description does not have are passed over.
    pub skips_unknown: bool,
    /// Of descriptions of one area, those that hold.
    pub redefinitions: Vec<String>,
    /// The namespace of messages.
    pub namespace: String,
    /// Local elements belong to the namespace.
    pub qualified: bool,
    /// The meaning of program characters.
    pub charset: Charset,
    /// TRUNCATE-NULL-ARRAY-VALUES: characters of which an occurrence that holds nothing may consist.
    pub null_values: Vec<u8>,
    /// Further namespaces, for [`Hint::namespace`].
    pub others: Vec<String>,
    /// Facts that a generated description cannot give of its fields, by their names.
    pub hints: BTreeMap<String, Hint>,
    /// Records of occurrences that are in containers.
    pub apart: Vec<Layout>,
}

/// Facts that a generated description cannot give of a field.
#[derive(Clone, Debug, Default)]
pub struct Hint {
    /// The element's name.
    pub name: Option<String>,
    /// The field that holds how often the element is there.
    pub counter: Option<String>,
    /// The least it may hold.
    pub min: usize,
    /// The element is an array in JSON.
    pub is_array: bool,
    /// The field that holds how many characters the text has.
    pub length: Option<String>,
    /// The kind of content of a `PIC X` field.
    pub holds: Holds,
    /// The place of its value in the message.
    pub form: Form,
    /// Its namespace: 0 none, n the one at n - 1 of [`Options::others`]; without it, by the rule of the message.
    pub namespace: Option<usize>,
    /// The field that says that the element is nil.
    pub nil: Option<String>,
    /// The field that says that the attribute is there.
    pub exists: Option<String>,
    /// It is one of elements that exclude each other.
    pub choice: Option<Chosen>,
    /// It may be anywhere among its neighbours, which may all be anywhere.
    pub is_free: bool,
    /// The field names a container: the record of the occurrences in it, and whether that holds one value.
    pub apart: Option<(String, bool)>,
}

impl Hint {
    /// Fields that describe this one, and are not elements.
    fn own_fields(&self) -> [Option<String>; 5] {
        let choice = self.choice.as_ref().map(|choice| choice.field.clone());
        [self.counter.clone(), self.length.clone(), self.nil.clone(), self.exists.clone(), choice]
    }
}

/// One of elements that exclude each other.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The field that says which.
    pub field: String,
    /// The value of that field for this element.
    pub value: u8,
    /// One of them must be there, and this is the last.
    pub is_required: bool,
    /// This is the last.
    pub is_last: bool,
}

/// The content of a field of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// Text.
    #[default]
    Text,
    /// Bytes, base64 in the message.
    Bytes,
    /// One byte: X'01' for true, X'00' for false.
    Flag,
    /// The name of a container with elements as they are written.
    Raw,
    /// One byte that says something of another field.
    Mark,
}

/// Compiles the mapping of a record, whose messages have a root of such a name.
///
/// # Errors
/// All fields that have no place in a message, each with the remedy.
pub fn compile(layout: &Layout, root: &str, options: &Options) -> Result<Mapping, Vec<Diagnostic>> {
    let length = layout.length();
    if length > RECORD_MAX {
        let problem = format!("the record has {length} bytes, more than {RECORD_MAX}");
        return Err(vec![Diagnostic::error(CODE, problem).at(layout.root.place.clone())]);
    }
    let mut compiler = Compiler::new(layout, options);
    let (open, close) = tags(root);
    compiler.nodes.push(Node {
        name: root.to_owned(),
        open,
        close,
        offset: 0,
        length,
        kind: Kind::Group,
        repeat: None,
        end: 0,
        extra: None,
    });
    compiler.refuse_behind_varying();
    compiler.group(&layout.root, &mut Vec::new());
    if compiler.nodes.len() > NODES_MAX {
        compiler.complain(
            &layout.root,
            format!("the record has more than {NODES_MAX} fields"),
            "describe a part of it",
        );
    }
    compiler.nodes[0].end = compiler.nodes.len();
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }
    let mut initial = vec![0; length];
    compiler.fill(&layout.root, 0, &mut initial);
    let is_plain = compiler
        .nodes
        .iter()
        .all(|node| node.extra.is_none() && !matches!(node.kind, Kind::Raw | Kind::Apart(_)));
    Ok(Mapping {
        nodes: compiler.nodes,
        initial,
        others: options.others.clone(),
        is_plain,
        null_values: options.null_values.clone(),
        charset: options.charset,
        namespace: options.namespace.clone(),
        qualified: options.qualified,
        skips_unknown: options.skips_unknown,
        screens: !options.takes_bad_numbers,
        may_end_early: options.may_end_early,
        root_type: None,
    })
}

struct Compiler<'a> {
    layout: &'a Layout,
    options: &'a Options,
    nodes: Vec<Node>,
    problems: Vec<Diagnostic>,
    /// Names of fields that count others and are not elements themselves.
    counters: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(layout: &'a Layout, options: &'a Options) -> Self {
        let depending =
            layout.fields().into_iter().filter_map(|field| field.occurs.as_ref()?.depending.clone());
        let hinted = options.hints.values().flat_map(Hint::own_fields).flatten();
        let counters = depending.chain(hinted).map(|name| name.to_ascii_uppercase()).collect();
        Self { layout, options, nodes: Vec::new(), problems: Vec::new(), counters }
    }

    fn complain(&mut self, field: &Field, what: impl Into<String>, help: &str) {
        self.problems.push(Diagnostic::error(CODE, what).at(field.place.clone()).help(help));
    }

    /// Refuses a field after a table of varying size: it moves with the number of occurrences, and a message's fields
    /// have fixed places.
    fn refuse_behind_varying(&mut self) {
        let mut varying: Option<&Field> = None;
        for field in self.layout.fields() {
            let inside = |table: &&Field| field.offset < table.offset + table.extent();
            if let Some(table) = varying.filter(|table| !inside(table) && field.length > 0) {
                let name = table.name.as_deref().unwrap_or("FILLER");
                let what = format!("a field stands behind {name}, a table of varying size");
                self.complain(field, what, "OCCURS DEPENDING ON is for the last field of a record");
                return;
            }
            let varies = field.occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some());
            if varies && varying.is_none() {
                varying = Some(field);
            }
        }
        for table in self.layout.fields().into_iter().filter(|field| field.occurs.is_some()) {
            let nested = |field: &Field| field.occurs.as_ref().is_some_and(|it| it.depending.is_some());
            if let Some(inner) = inner(table).into_iter().find(|field| nested(field)) {
                let what = "a table of varying size stands in a table: its occurrences have no places";
                self.complain(inner, what, "give the inner table a fixed size");
                return;
            }
        }
    }

    /// The parts of a group that hold, each area once.
    fn parts(&self, group: &'a Field) -> Vec<Area<'a>> {
        let parts = group.parts();
        let bases = parts.iter().enumerate().filter(|(_, part)| part.redefines.is_none());
        let areas = bases.map(|(at, base)| {
            let again = parts[at + 1..].iter().take_while(|part| part.redefines.is_some());
            self.area(std::iter::once(base).chain(again).collect())
        });
        areas.collect()
    }

    /// An area by its descriptions, the first one before those that redefine it.
    fn area(&self, all: Vec<&'a Field>) -> Area<'a> {
        let is_asked = |field: &&&Field| self.options.redefinitions.iter().any(|name| field.is_named(name));
        let asked: Vec<&Field> = all.iter().filter(is_asked).copied().collect();
        // One without a name says nothing of a message.
        let named: Vec<&Field> = all.iter().filter(|field| field.name.is_some()).copied().collect();
        let (field, holds) = match (asked.as_slice(), named.as_slice()) {
            ([asked], _) => (*asked, Holding::Certainly),
            ([first, ..], _) => (*first, Holding::Perhaps),
            ([], [] | [_]) => (named.first().copied().unwrap_or(all[0]), Holding::Certainly),
            ([], [first, ..]) => (*first, Holding::AsFirst),
        };
        let others = named.into_iter().filter(|other| !std::ptr::eq(*other, field)).collect();
        Area { field, holds, others }
    }

    fn note(&self, group: &'a Field, into: &mut Vec<Diagnostic>) {
        for Area { field, holds, others } in self.parts(group) {
            if holds == Holding::AsFirst {
                let name = field.name.as_deref().unwrap_or_default();
                let others: Vec<&str> = others.iter().filter_map(|other| other.name.as_deref()).collect();
                let what = format!("of this area messages have {name}, its first description");
                let help = format!("REDEFINES=NAME names another: {}", others.join(", "));
                into.push(Diagnostic::new(Severity::Note, CODE, what).at(field.place.clone()).help(help));
            }
            self.note(field, into);
        }
    }

    /// Adds the elements of a group. `tables` are those that contain it.
    fn group(&mut self, group: &'a Field, tables: &mut Vec<&'a Field>) {
        let mut names = Vec::new();
        for Area { field, holds, .. } in self.parts(group) {
            if holds == Holding::Perhaps {
                self.complain(
                    field,
                    "REDEFINES names several descriptions of this area, and a message has one",
                    "name one of them",
                );
            }
            let Some(name) = field.name.as_deref() else { continue };
            if self.counters.iter().any(|counter| counter == name) {
                continue;
            }
            let hinted = self.options.hints.get(name).and_then(|hint| hint.name.clone());
            // A name that a description of others gives is that name: an attribute may have that of an element.
            let element = hinted.unwrap_or_else(|| names::distinct(names::element(name), &names));
            names.push(element.clone());
            self.element(field, element, tables);
        }
    }

    fn element(&mut self, field: &'a Field, name: String, tables: &mut Vec<&'a Field>) {
        let joined = self.joined(field);
        let repeat = if joined.is_some() { None } else { self.repeat(field, tables) };
        let length = joined.unwrap_or(field.length);
        let apart = self.hint(field).and_then(|hint| hint.apart.as_ref());
        let kind = match &field.kind {
            _ if apart.is_some() => match self.apart(field, &name, apart) {
                Some(kind) => kind,
                None => return,
            },
            Shape::Group(_) => Kind::Group,
            Shape::Elementary(usage) => match self.scalar(field, *usage, tables) {
                Some(kind) => kind,
                None => return,
            },
        };
        let extra = self.extra(field, tables).map(Box::new);
        let node = self.nodes.len();
        let ((open, close), offset) = (tags(&name), field.offset);
        self.nodes.push(Node { name, open, close, offset, length, kind, repeat, end: node + 1, extra });
        if field.occurs.is_some() {
            tables.push(field);
        }
        self.group(field, tables);
        if field.occurs.is_some() {
            tables.pop();
        }
        self.nodes[node].end = self.nodes.len();
    }

    fn hint(&self, field: &Field) -> Option<&'a Hint> {
        field.name.as_ref().and_then(|name| self.options.hints.get(name))
    }

    /// Returns true if a field only describes other fields, so that no message has it.
    fn is_mark(&self, field: &Field) -> bool {
        field.name.as_ref().is_some_and(|name| self.counters.contains(name))
    }

    /// The part of a hint that goes beyond the field's value.
    fn extra(&mut self, field: &'a Field, tables: &[&'a Field]) -> Option<Extra> {
        let hint = self.hint(field)?;
        let mut inner = tables.to_vec();
        if field.occurs.is_some() {
            inner.push(field);
        }
        let nil = hint.nil.as_ref().and_then(|name| self.mark(field, name, &inner));
        let exists = hint.exists.as_ref().and_then(|name| self.mark(field, name, tables));
        let choice = hint.choice.as_ref().and_then(|choice| {
            let mark = self.mark(field, &choice.field, tables)?;
            Some(Choice {
                mark,
                value: choice.value,
                is_required: choice.is_required,
                is_last: choice.is_last,
            })
        });
        let extra =
            Extra { form: hint.form, namespace: hint.namespace, nil, exists, choice, is_free: hint.is_free };
        let is_any = extra.form != Form::Element
            || extra.namespace.is_some()
            || nil.is_some()
            || exists.is_some()
            || choice.is_some()
            || hint.is_free;
        is_any.then_some(extra)
    }

    /// The byte that marks a field; it is in no table, or in the same occurrence.
    fn mark(&mut self, field: &'a Field, name: &str, tables: &[&'a Field]) -> Option<Mark> {
        let mut around = Vec::new();
        let found = find(&self.layout.root, name, &mut around);
        let same =
            around.len() == tables.len() && around.iter().zip(tables).all(|(a, b)| std::ptr::eq(*a, *b));
        match found {
            Some(mark) if mark.length == 1 && (around.is_empty() || same) => {
                Some(Mark { offset: mark.offset, moves: !around.is_empty() })
            }
            _ => {
                let what = format!("{name} is no single byte in no table, or in the same one");
                self.complain(field, what, "mark a field by a byte that stands beside it");
                None
            }
        }
    }

    /// The mapping of occurrences in a container.
    fn apart(&mut self, field: &'a Field, name: &str, apart: Option<&(String, bool)>) -> Option<Kind> {
        let (record, is_scalar) = apart?;
        let Some(layout) = self.options.apart.iter().find(|layout| layout.root.is_named(record)) else {
            self.complain(field, format!("{record} is not described"), "describe the occurrences");
            return None;
        };
        match compile(layout, name, self.options) {
            Ok(item) => Some(Kind::Apart(Box::new(Apart { item, is_scalar: *is_scalar }))),
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// The length of a table of characters that is one text.
    fn joined(&self, field: &Field) -> Option<usize> {
        let occurs = field.occurs.as_ref().filter(|occurs| occurs.depending.is_none())?;
        let is_character = field.kind == Shape::Elementary(Usage::Text) && field.length == 1;
        (self.options.joins_characters && is_character).then_some(occurs.max)
    }

    fn repeat(&mut self, field: &'a Field, tables: &[&'a Field]) -> Option<Repeat> {
        let hint = field.name.as_ref().and_then(|name| self.options.hints.get(name));
        if let Some(hint) = hint.filter(|hint| hint.holds == Holds::Raw) {
            let max = OCCURRENCES_MAX;
            return Some(Repeat { min: hint.min, max, counter: None, is_array: false, trims: false });
        }
        let (counted, least, array) = match (&field.occurs, hint) {
            (_, Some(hint)) if hint.counter.is_some() => (hint.counter.clone(), hint.min, hint.is_array),
            (Some(occurs), _) => (occurs.depending.clone(), occurs.min, true),
            (None, _) => return None,
        };
        let is_apart = hint.is_some_and(|hint| hint.apart.is_some());
        let max = field.occurs.as_ref().map_or(1, |occurs| occurs.max);
        let max = if is_apart { OCCURRENCES_MAX } else { max };
        let counter = match counted {
            Some(counter) => Some(self.counter(field, &counter, tables)?),
            None => None,
        };
        let trims = counter.is_none() && self.options.trims_arrays;
        let min = if trims {
            0
        } else if counter.is_some() {
            least
        } else {
            max
        };
        Some(Repeat { min, max, counter, is_array: array, trims })
    }

    /// The counter of a field; it is in no table, or in the same occurrence as the field that it counts.
    fn counter(&mut self, field: &'a Field, name: &str, tables: &[&'a Field]) -> Option<Counter> {
        let mut around = Vec::new();
        let found = find(&self.layout.root, name, &mut around);
        let same =
            around.len() == tables.len() && around.iter().zip(tables).all(|(a, b)| std::ptr::eq(*a, *b));
        let number = found.and_then(|counter| match counter.kind {
            Shape::Elementary(usage) => {
                number(usage).filter(|number| number.scale == 0).map(|number| (counter, number))
            }
            Shape::Group(_) => None,
        });
        match number {
            Some((counter, number)) if around.is_empty() || same => Some(Counter {
                offset: counter.offset,
                length: counter.length,
                number,
                moves: !around.is_empty(),
            }),
            _ => {
                let what = format!("{name} is no whole number in no table, or in the same one");
                self.complain(field, what, "count occurrences by a field that stands beside the table");
                None
            }
        }
    }

    fn scalar(&mut self, field: &'a Field, usage: Usage, tables: &[&'a Field]) -> Option<Kind> {
        let options = self.options;
        Some(match usage {
            Usage::Text => {
                let hint = field.name.as_ref().and_then(|name| options.hints.get(name));
                match hint.map(|hint| hint.holds).unwrap_or_default() {
                    Holds::Bytes => return Some(Kind::Bytes),
                    Holds::Flag => return Some(Kind::Flag),
                    Holds::Raw => return Some(Kind::Raw),
                    Holds::Text | Holds::Mark => {}
                }
                match (hint.and_then(|hint| hint.length.clone()), options.varying) {
                    (Some(length), _) => Kind::Text(Varying::Counted(self.counter(field, &length, tables)?)),
                    (None, CharVarying::No) => Kind::Text(Varying::Fixed),
                    (None, CharVarying::Collapse) => Kind::Text(Varying::Collapsed),
                    (None, CharVarying::Null) => Kind::Text(Varying::Terminated),
                    (None, CharVarying::Binary) => Kind::Bytes,
                }
            }
            Usage::Float => Kind::Float,
            Usage::Address | Usage::Index | Usage::Opaque => {
                self.complain(
                    field,
                    "a POINTER, an INDEX and double-byte text have no place in a message",
                    "leave the field out, or describe it as FILLER",
                );
                return None;
            }
            _ => {
                let number = number(usage)?;
                let is_date = options.dates.iter().any(|name| field.is_named(name));
                let is_moment = options.moments
                    && matches!(number, Number { store: Store::Packed, digits: 15, scale: 0, signed: true });
                match (is_date, is_moment) {
                    (true, _) if number.digits == 8 && number.scale == 0 => Kind::Date(number),
                    (true, _) => {
                        self.complain(field, "a date has eight digits, YYYYMMDD", "describe it as PIC 9(8)");
                        return None;
                    }
                    (false, true) => Kind::Moment(number),
                    (false, false) => Kind::Number(number),
                }
            }
        })
    }

    /// Writes blanks and zeros into all fields, FILLERs too.
    fn fill(&self, field: &'a Field, shift: usize, record: &mut [u8]) {
        for occurrence in 0..field.occurs.as_ref().map_or(1, |occurs| occurs.max) {
            let shift = shift + occurrence * field.length;
            match &field.kind {
                Shape::Group(_) => {
                    for area in self.parts(field) {
                        self.fill(area.field, shift, record);
                    }
                }
                Shape::Elementary(usage) => {
                    let from = field.offset + shift;
                    self.empty(field, *usage, &mut record[from..from + field.length]);
                }
            }
        }
    }

    fn empty(&self, field: &Field, usage: Usage, bytes: &mut [u8]) {
        let hint = field.name.as_ref().and_then(|name| self.options.hints.get(name));
        let holds = hint.map(|hint| hint.holds).unwrap_or_default();
        let is_blank = match self.options.varying {
            _ if holds == Holds::Raw || hint.is_some_and(|hint| hint.apart.is_some()) => true,
            CharVarying::No | CharVarying::Collapse => holds == Holds::Text && !self.is_mark(field),
            CharVarying::Null | CharVarying::Binary => field.name.is_none(),
        };
        match (usage, number(usage)) {
            (Usage::Text, _) if is_blank => bytes.fill(b' '),
            (_, Some(number)) => {
                // Zero fits into every field.
                let _ = store::write(0, &number, bytes);
            }
            _ => {}
        }
    }
}

/// The description that holds of an area, and the others that have a name.
struct Area<'a> {
    field: &'a Field,
    holds: Holding,
    others: Vec<&'a Field>,
}

/// The reason for which a description of an area holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holding {
    /// It is the only one, or the options name it.
    Certainly,
    /// It is the first of several.
    AsFirst,
    /// The options name several.
    Perhaps,
}

/// Notes for areas with several descriptions of which the options name none: the first one holds there.
pub fn notes(layout: &Layout, options: &Options) -> Vec<Diagnostic> {
    let compiler = Compiler::new(layout, options);
    let mut notes = Vec::new();
    compiler.note(&layout.root, &mut notes);
    notes
}

fn number(usage: Usage) -> Option<Number> {
    Some(match usage {
        Usage::Zoned { digits, scale, sign } => {
            Number { store: Store::Zoned(sign), digits, scale, signed: sign != ZonedSign::None }
        }
        Usage::Packed { digits, scale, signed } => Number { store: Store::Packed, digits, scale, signed },
        Usage::Binary { digits, scale, signed, native, .. } => {
            Number { store: if native { Store::Native } else { Store::Binary }, digits, scale, signed }
        }
        Usage::Text | Usage::Float | Usage::Address | Usage::Index | Usage::Opaque => return None,
    })
}

/// All fields within a field.
fn inner(field: &Field) -> Vec<&Field> {
    field.parts().iter().flat_map(|part| std::iter::once(part).chain(inner(part))).collect()
}

/// A field by its name, and the tables round it.
fn find<'a>(field: &'a Field, name: &str, around: &mut Vec<&'a Field>) -> Option<&'a Field> {
    if field.is_named(name) {
        return Some(field);
    }
    let is_table = field.occurs.is_some();
    if is_table {
        around.push(field);
    }
    let found = field.parts().iter().find_map(|part| find(part, name, around));
    if found.is_none() && is_table {
        around.pop();
    }
    found
}
