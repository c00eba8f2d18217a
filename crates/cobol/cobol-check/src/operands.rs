//! Operands and expressions: names, subscripts, reference modification, functions.

use std::collections::BTreeSet;

use cobol_data::{ItemId, Numeric, Representation, SignPlace, Type, Utf8Length};
use cobol_source::{At, did_you_mean};
use cobol_syntax::tree::{
    Expression, Figurative, FunctionCall, Literal, LiteralKind, Name, Operand, Reference, Subscript,
};
use cobol_syntax::{REGISTERS, ValueClass, function, functions};

use crate::checker::Checker;
use crate::names::{Missing, NameTarget};

/// Bytes that a register of XML PARSE has room for; how many it has, each event says.
const XML_TEXT: usize = 16 << 10;

/// Shapes of values, as far as the rules of statements ask.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// An item with its type.
    Item(ItemId),
    /// Part of an item: characters.
    Characters,
    /// UTF-8: a literal, part of an item, the value of a function.
    Utf8,
    /// A number: a literal, a function, an expression.
    Number(Option<Numeric>),
    /// Text in quotes.
    Text,
    /// A figurative constant.
    Figurative(&'static str),
    /// An address.
    Address,
    /// TRUE, FALSE.
    Truth,
    /// Something that was complained about, or that nothing is known of.
    Unknown,
}

/// Targets that a name may have in its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// An item that holds a value.
    Value,
    /// Any item; subscripts may be left out.
    Whole,
    /// A table that is sorted: its own subscript may be left out.
    Table,
    /// An item or a condition-name.
    Condition,
}

impl Checker<'_> {
    /// Looks an item up, its subscripts and its reference modification too.
    pub(crate) fn item(&mut self, reference: &Reference, wanted: Wanted, changes: bool) -> Option<ItemId> {
        for subscript in &reference.subscripts {
            if let Subscript::Value(value) = subscript {
                self.expression(value);
            }
        }
        if let Some(modification) = &reference.modification {
            self.expression(&modification.start);
            modification.length.iter().for_each(|length| {
                self.expression(length);
            });
        }
        let id = match self.look_up(reference, changes)? {
            NameTarget::Item(id) => id,
            _ => return None,
        };
        self.check_subscripts(reference, id, wanted);
        self.check_modification(reference, id);
        if wanted == Wanted::Value && self.items.get(id).kind == Type::Condition {
            let message = format!("{} is a condition-name, and holds no value", reference.name.text);
            self.error(
                reference.at(),
                "SPCK010",
                message,
                "name its item, or test it with IF and set it with SET … TO TRUE",
            );
            return None;
        }
        Some(id)
    }

    /// Target of a reference to an item.
    pub(crate) fn look_up(&mut self, reference: &Reference, changes: bool) -> Option<NameTarget> {
        if REGISTERS.contains(&&*reference.name.text) {
            return Some(self.register(reference, changes));
        }
        match self.names.item(reference, &self.items, &self.files) {
            Ok(target) => {
                self.note(reference, target, changes);
                Some(target)
            }
            Err(missing) => {
                let hidden = matches!(missing, Missing::Ambiguous(_));
                if let Some(target) = self.global(reference).filter(|_| !hidden) {
                    self.note(reference, target, changes);
                    return Some(target);
                }
                if let Some(target) = self.old_register(reference, changes) {
                    return Some(target);
                }
                self.missing_item(reference, &missing);
                None
            }
        }
    }

    fn global(&self, reference: &Reference) -> Option<NameTarget> {
        self.around.iter().find_map(|around| around.names.item(reference, &self.items, &[]).ok())
    }

    /// All that a name stands for: in the program, else in the nearest one around it that has it GLOBAL.
    pub(crate) fn all(&self, name: &str) -> &[NameTarget] {
        let around = self.around.iter().map(|around| around.names.all(name));
        [self.names.all(name)].into_iter().chain(around).find(|all| !all.is_empty()).unwrap_or_default()
    }

    fn missing_item(&mut self, reference: &Reference, missing: &Missing) {
        let name = &reference.name.text;
        let message = match missing {
            Missing::Unknown => format!("there is no item {name}"),
            Missing::Qualifier => {
                let written: Vec<&str> = reference.qualifiers.iter().map(|q| &*q.text).collect();
                format!("there is an item {name}, but none of {}", written.join(" OF "))
            }
            Missing::Ambiguous(targets) => format!("{} items have the name {name}", targets.len()),
        };
        self.error_once(reference, "SPCK011", message, |checker| match missing {
            Missing::Unknown => {
                let names = checker.names.matching(|target| matches!(target, NameTarget::Item(_)));
                did_you_mean(name, names, "describe it in the data division, or copy its description")
            }
            Missing::Qualifier => "qualify it with the groups it stands in, from the inside out".to_owned(),
            Missing::Ambiguous(targets) => match checker.groups_of(targets) {
                groups if groups.is_empty() => String::from("give one of them another name"),
                groups => format!("qualify it with OF and a group: {groups}"),
            },
        });
    }

    /// The records of some items, for a message.
    fn groups_of(&self, targets: &[NameTarget]) -> String {
        let records = targets.iter().filter_map(|target| match target {
            NameTarget::Item(id) => {
                let group = self.items.groups(*id).find(|group| self.items.get(*group).name.is_some())?;
                Some(format!("OF {}", self.items.get(group).display_name()))
            }
            _ => None,
        });
        let list: Vec<String> = records.take(4).collect();
        list.join(", ")
    }

    /// A register, which becomes an item when it is first used.
    fn register(&mut self, reference: &Reference, changes: bool) -> NameTarget {
        let name = &reference.name;
        let existing = self.names.all(&name.text).iter().copied().find(|t| matches!(t, NameTarget::Item(_)));
        let target = existing.unwrap_or_else(|| self.add_register(name));
        self.note(reference, target, changes);
        target
    }

    fn add_register(&mut self, name: &Name) -> NameTarget {
        let number = |digits, representation| {
            Type::Numeric(Numeric { digits, scale: 0, signed: true, representation })
        };
        let (kind, length) = match &*name.text {
            "RETURN-CODE" | "SORT-RETURN" => (number(4, Representation::Binary), 2),
            "TALLY" => (
                Type::Numeric(Numeric {
                    digits: 5,
                    scale: 0,
                    signed: false,
                    representation: Representation::Binary,
                }),
                4,
            ),
            "XML-CODE" | "JSON-CODE" | "JSON-STATUS" | "XML-INFORMATION" | "SORT-CORE-SIZE"
            | "SORT-FILE-SIZE" | "SORT-MODE-SIZE" | "LINAGE-COUNTER" => {
                (number(9, Representation::Binary), 4)
            }
            "WHEN-COMPILED" => (Type::Alphanumeric, 16),
            "SORT-CONTROL" | "SORT-MESSAGE" => (Type::Alphanumeric, 8),
            "XML-EVENT" => (Type::Alphanumeric, 30),
            "XML-TEXT" | "XML-NAMESPACE" | "XML-NAMESPACE-PREFIX" => (Type::Alphanumeric, XML_TEXT),
            "XML-NTEXT" | "XML-NNAMESPACE" | "XML-NNAMESPACE-PREFIX" => (Type::National, 2 * XML_TEXT),
            "JNIENVPTR" => (Type::Pointer, 4),
            _ => (Type::Alphanumeric, 1),
        };
        let id = self.items.register(name.clone(), kind, length);
        let target = NameTarget::Item(id);
        self.names.add(name, target);
        target
    }

    /// CURRENT-DATE, TIME-OF-DAY and others of OS/VS COBOL, and the address registers of DFHEIBLK's program.
    fn old_register(&mut self, reference: &Reference, changes: bool) -> Option<NameTarget> {
        let (kind, length) = match &*reference.name.text {
            "CURRENT-DATE" => (Type::Alphanumeric, 8),
            "TIME-OF-DAY" => (
                Type::Numeric(Numeric {
                    digits: 6,
                    scale: 0,
                    signed: false,
                    representation: Representation::Zoned(SignPlace::None),
                }),
                6,
            ),
            _ => return None,
        };
        let id = self.items.register(reference.name.clone(), kind, length);
        self.names.add(&reference.name, NameTarget::Item(id));
        self.note(reference, NameTarget::Item(id), changes);
        Some(NameTarget::Item(id))
    }

    fn check_subscripts(&mut self, reference: &Reference, id: ItemId, wanted: Wanted) {
        let item = self.items.get(id);
        let (given, needed) = (reference.subscripts.len(), item.dimensions.len());
        if given == needed || item.kind == Type::IndexName || item.kind == Type::Unknown {
            return;
        }
        if given == 0 && (wanted == Wanted::Whole || self.subscripts_optional) {
            return;
        }
        if wanted == Wanted::Table && given + 1 == needed {
            return;
        }
        let name = &reference.name.text;
        let message = match (given, needed) {
            (_, 0) => format!("{name} is in no table, and takes no subscript"),
            (0, 1) => format!("{name} is in a table, and needs a subscript"),
            (_, 1) => format!("{name} takes one subscript"),
            (_, _) => format!("{name} takes {needed} subscripts, not {given}"),
        };
        self.error(
            reference.at(),
            "SPCK012",
            message,
            "one subscript for each OCCURS that it stands in, outermost first",
        );
    }

    fn check_modification(&mut self, reference: &Reference, id: ItemId) {
        if reference.modification.is_none() {
            return;
        }
        let fits = match &self.items.get(id).kind {
            Type::Numeric(numeric) => {
                matches!(numeric.representation, Representation::Zoned(_) | Representation::National(_))
            }
            Type::FloatShort | Type::FloatLong | Type::Index | Type::IndexName | Type::Pointer => false,
            Type::ProcedurePointer | Type::FunctionPointer | Type::Object | Type::Condition => false,
            _ => true,
        };
        if !fits {
            let message = format!(
                "{} is {}, and has no characters",
                reference.name.text,
                self.items.get(id).kind.name()
            );
            self.error(
                reference.at(),
                "SPCK013",
                message,
                "reference modification is for items of USAGE DISPLAY, NATIONAL or UTF-8",
            );
            return;
        }
        self.check_modification_bounds(reference, id);
    }

    /// `X (10:5)` of an item of twelve characters.
    fn check_modification_bounds(&mut self, reference: &Reference, id: ItemId) {
        let Some(modification) = &reference.modification else { return };
        let item = self.items.get(id);
        let width = match &item.kind {
            Type::National | Type::NationalEdited(_) | Type::DoubleByte => 2,
            Type::Numeric(numeric) if matches!(numeric.representation, Representation::National(_)) => 2,
            // A character has room for four bytes.
            Type::Utf8(Utf8Length::Characters(_)) => 4,
            Type::Utf8(_) | Type::Unknown => return,
            _ => 1,
        };
        let length = item.length / width;
        let (Some(start), size) = (integer(&modification.start), modification.length.as_ref().map(integer))
        else {
            return;
        };
        let end = match size {
            Some(Some(size)) => start.saturating_add(size).saturating_sub(1),
            Some(None) => return,
            None => start,
        };
        // A linkage record is often longer than what it declares.
        let open = item.linkage && item.parent.is_none();
        if start < 1 || size == Some(Some(0)) || (end > length as i64 && !open && length > 0) {
            let message = format!(
                "{} has {length} characters, and this goes from {start} to {end}",
                reference.name.text
            );
            self.warning(reference.at(), "SPCK014", message, "stay inside of the item");
        }
    }

    /// An operand that is only read.
    pub(crate) fn operand(&mut self, operand: &Operand) -> Shape {
        match operand {
            Operand::Literal(literal) => literal_shape(literal),
            Operand::Figurative(Figurative::All(literal), _) => match literal_shape(literal) {
                Shape::Utf8 => Shape::Utf8,
                _ => Shape::Figurative("ALL"),
            },
            Operand::Figurative(constant, _) => Shape::Figurative(constant.name()),
            Operand::Reference(reference) => self.value_of(reference),
            Operand::Function(call) => self.function(call),
            Operand::LengthOf(what, _) => {
                match &**what {
                    Operand::Reference(reference) => {
                        self.item(reference, Wanted::Whole, false);
                    }
                    other => {
                        self.operand(other);
                    }
                }
                Shape::Number(Some(Numeric {
                    digits: 9,
                    scale: 0,
                    signed: false,
                    representation: Representation::Native,
                }))
            }
            Operand::AddressOf(reference, _) => {
                self.item(reference, Wanted::Whole, false);
                Shape::Address
            }
            Operand::Cics { table, name } => self.cics_value(table, name),
            Operand::Truth(..) => Shape::Truth,
        }
    }

    fn value_of(&mut self, reference: &Reference) -> Shape {
        // A symbolic character, or something that holds a value.
        let only = match self.names.all(&reference.name.text) {
            [one] => Some(*one),
            _ => None,
        };
        if let Some(target @ (NameTarget::Symbolic(_) | NameTarget::Mnemonic(_))) = only {
            self.note(reference, target, false);
            return Shape::Figurative("a symbolic character");
        }
        let item = self.item(reference, Wanted::Value, false);
        match item {
            Some(id) if reference.modification.is_some() => match self.items.get(id).kind {
                Type::Utf8(_) => Shape::Utf8,
                _ => Shape::Characters,
            },
            Some(id) => Shape::Item(id),
            None => Shape::Unknown,
        }
    }

    fn cics_value(&mut self, table: &Name, name: &Name) -> Shape {
        let known = match &*table.text {
            "DFHRESP" => spec::condition_named(&name.text).is_some(),
            _ => spec::cvda(&name.text).is_some(),
        };
        if !known {
            let message = format!("{} ({}) is no value of the interface", table.text, name.text);
            self.error(
                name.at,
                "SPCK015",
                message,
                "look for its spelling in the list of conditions or of CVDA values",
            );
        }
        Shape::Number(None)
    }

    fn function(&mut self, call: &FunctionCall) -> Shape {
        let whole = matches!(&*call.name.text, "LENGTH" | "BYTE-LENGTH");
        let before = self.subscripts_optional;
        self.subscripts_optional |= whole;
        let shapes: Vec<Shape> = call.arguments.iter().map(|argument| self.expression(argument)).collect();
        self.subscripts_optional = before;
        if let Some(modification) = &call.modification {
            self.expression(&modification.start);
            modification.length.iter().for_each(|length| {
                self.expression(length);
            });
        }
        let name = &*call.name.text;
        let Some(record) = function(name) else {
            let help = did_you_mean(
                name,
                functions().iter().map(|record| record.name).collect::<BTreeSet<_>>(),
                "the compiler refuses what it does not know",
            );
            let help = other_function(name).map_or(help, str::to_owned);
            self.error(call.name.at, "SPCK016", format!("there is no function {name}"), &help);
            return Shape::Unknown;
        };
        if !record.arguments.takes(call.arguments.len()) {
            let help = format!("FUNCTION {name} takes {}: {}", record.arguments.words(), record.meaning);
            self.error(call.name.at, "SPCK065", format!("FUNCTION {name} has {}", counted(call)), &help);
            return Shape::Unknown;
        }
        if record.is_of_kind_of_argument() && shapes.first().is_some_and(|first| self.is_utf8(first)) {
            return Shape::Utf8;
        }
        match record.value {
            ValueClass::Characters | ValueClass::National => Shape::Characters,
            ValueClass::Argument => shapes.into_iter().next().unwrap_or(Shape::Unknown),
            ValueClass::Whole(_) | ValueClass::Number | ValueClass::Floating => Shape::Number(None),
        }
    }

    /// An expression; a number unless it is an operand alone.
    pub(crate) fn expression(&mut self, expression: &Expression) -> Shape {
        match expression {
            Expression::Operand(operand) => self.operand(operand),
            Expression::Negative(inner) => {
                self.number(inner);
                Shape::Number(None)
            }
            Expression::Binary(_, left, right) => {
                self.number(left);
                self.number(right);
                Shape::Number(None)
            }
        }
    }

    /// An expression that must be a number.
    pub(crate) fn number(&mut self, expression: &Expression) {
        let shape = self.expression(expression);
        if !self.is_number(&shape) {
            let message = format!("{} is no number", self.describe(&shape));
            self.error(
                expression.at(),
                "SPCK017",
                message,
                "arithmetic takes numeric items, numeric literals and numeric functions",
            );
        }
    }

    /// An operand that must be a number.
    pub(crate) fn number_operand(&mut self, operand: &Operand) {
        let shape = self.operand(operand);
        if !self.is_number(&shape) {
            let message = format!("{} is no number", self.describe(&shape));
            self.error(
                operand.at(),
                "SPCK017",
                message,
                "arithmetic takes numeric items, numeric literals and numeric functions",
            );
        }
    }

    /// Tells where a statement that does not take UTF-8 names such a value.
    pub(crate) fn no_utf8(&mut self, shape: Option<Shape>, statement: &str, at: At) {
        if let Some(shape) = shape.filter(|shape| self.is_utf8(shape)) {
            let message = format!("{statement} does not take {}", self.describe(&shape));
            self.error(at, "SPCK063", message, "move it to a national item, and that back");
        }
    }

    /// Returns true if a value is UTF-8.
    pub(crate) fn is_utf8(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Utf8 => true,
            Shape::Item(id) => matches!(self.items.get(*id).kind, Type::Utf8(_)),
            _ => false,
        }
    }

    pub(crate) fn is_number(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Item(id) => {
                let kind = &self.items.get(*id).kind;
                kind.is_numeric()
                    || matches!(kind, Type::Index | Type::IndexName | Type::Constant | Type::Pointer)
            }
            Shape::Number(_) | Shape::Unknown => true,
            Shape::Figurative(name) => *name == "ZERO",
            _ => false,
        }
    }

    /// Words for a value in a message.
    pub(crate) fn describe(&self, shape: &Shape) -> String {
        match shape {
            Shape::Item(id) => {
                let item = self.items.get(*id);
                format!("{} ({})", item.display_name(), item.kind.name())
            }
            Shape::Characters => "this text".to_owned(),
            Shape::Utf8 => "this UTF-8".to_owned(),
            Shape::Number(_) => "this number".to_owned(),
            Shape::Text => "a literal in quotes".to_owned(),
            Shape::Figurative(name) => (*name).to_owned(),
            Shape::Address => "an address".to_owned(),
            Shape::Truth => "TRUE or FALSE".to_owned(),
            Shape::Unknown => "this".to_owned(),
        }
    }
}

/// The value of an integer literal.
pub(crate) fn integer(expression: &Expression) -> Option<i64> {
    match expression.operand()? {
        Operand::Literal(literal) if literal.kind == LiteralKind::Number => literal.text.parse().ok(),
        _ => None,
    }
}

/// Shape of a literal.
pub(crate) fn literal_shape(literal: &Literal) -> Shape {
    if matches!(literal.kind, LiteralKind::Utf8 | LiteralKind::Utf8Hexadecimal) {
        return Shape::Utf8;
    }
    if literal.kind != LiteralKind::Number {
        return if literal.kind == LiteralKind::Float { Shape::Number(None) } else { Shape::Text };
    }
    let digits = literal.text.bytes().filter(u8::is_ascii_digit).count();
    let scale = literal.text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    Shape::Number(Some(Numeric {
        digits: digits.min(99) as u16,
        scale: scale.min(99) as i16,
        signed: literal.text.starts_with('-'),
        representation: Representation::Zoned(SignPlace::Trailing),
    }))
}

/// The arguments of a function, counted in words.
fn counted(call: &FunctionCall) -> String {
    match call.arguments.len() {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

/// The replacement for a function of other compilers; `None` for other names.
fn other_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "LOCALE-DATE" => {
            "there are no locales: FORMATTED-DATE writes a date in a form that the program names"
        }
        "LOCALE-TIME" | "LOCALE-TIME-FROM-SECONDS" => {
            "there are no locales: FORMATTED-TIME writes a time in a form that the program names"
        }
        "LOCALE-COMPARE" | "STANDARD-COMPARE" => {
            "there are no locales: PROGRAM COLLATING SEQUENCE says in which order characters are compared"
        }
        "CONCATENATE" | "CONCAT" => "a function of other compilers: write STRING",
        "SUBSTITUTE" | "SUBSTITUTE-CASE" => "a function of other compilers: write INSPECT REPLACING",
        "STORED-CHAR-LENGTH" => "a function of other compilers: LENGTH of TRIM of the item is the same",
        "EXCEPTION-STATUS" | "EXCEPTION-STATEMENT" | "EXCEPTION-FILE" | "EXCEPTION-LOCATION" => {
            "a function of other compilers: FILE STATUS and the phrases of a statement say what has happened"
        }
        _ => return None,
    })
}
