//! Conditions: abbreviations, condition-names, and what may be compared.

use cobol_data::{ItemId, Numeric, Representation, SignPlace, Type};
use cobol_source::At;
use cobol_syntax::tree::{Branch, Class, Condition, Expression, Operand, Reference, WhenItem};

use crate::checker::Checker;
use crate::names::NameTarget;
use crate::operands::{Shape, Wanted};

/// The comparison that an abbreviation takes its subject from.
type Carried = Option<Shape>;

impl Checker<'_> {
    /// A condition of a statement.
    pub(crate) fn condition(&mut self, condition: &Condition) {
        self.within(condition, &mut None);
    }

    fn within(&mut self, condition: &Condition, carried: &mut Carried) {
        match condition {
            Condition::Or(list) | Condition::And(list) => {
                for part in list {
                    self.within(part, carried);
                }
            }
            Condition::Not(inner, _) => self.within(inner, carried),
            Condition::Group(inner) => {
                let mut own = carried.clone();
                self.within(inner, &mut own);
                if carried.is_none() {
                    *carried = own;
                }
            }
            Condition::Relation { subject, object, at, .. } => {
                let subject = match subject {
                    Some(subject) => Some(self.expression(subject)),
                    None => carried.clone(),
                };
                let object = self.expression(object);
                match &subject {
                    Some(subject) => self.compared(subject, &object, *at),
                    None => {
                        let message = "nothing stands here to compare with".to_owned();
                        self.error(*at, "SPCK020", message, "write the item in front of the operator");
                    }
                }
                *carried = subject;
            }
            Condition::Class { subject, class, .. } => self.class(subject, class),
            Condition::Sign { subject, .. } => self.number(subject),
            Condition::Bare(expression) => self.bare(expression, carried),
        }
    }

    /// A condition-name, a switch, or one more object of the comparison before.
    fn bare(&mut self, expression: &Expression, carried: &mut Carried) {
        if let Some(Operand::Reference(reference)) = expression.operand()
            && self.condition_name(reference)
        {
            return;
        }
        if let Some(Operand::Truth(..)) = expression.operand() {
            return;
        }
        let shape = self.expression(expression);
        match carried {
            Some(subject) => {
                let subject = subject.clone();
                self.compared(&subject, &shape, expression.at());
            }
            None if matches!(shape, Shape::Unknown) => {}
            None => {
                let message = format!("{} is no condition", self.describe(&shape));
                self.error(
                    expression.at(),
                    "SPCK021",
                    message,
                    "compare it with something, as in IF item = value",
                );
            }
        }
    }

    /// Returns true if a reference is a condition-name or a switch, and looks it up.
    pub(crate) fn condition_name(&mut self, reference: &Reference) -> bool {
        let all = self.all(&reference.name.text);
        let condition = |target: &NameTarget| match target {
            NameTarget::Item(id) => self.items.get(*id).kind == Type::Condition,
            NameTarget::Switch(..) => true,
            _ => false,
        };
        if !all.iter().any(condition) {
            return false;
        }
        if let Some(switch) = all.iter().copied().find(|target| matches!(target, NameTarget::Switch(..))) {
            self.note(reference, switch, false);
            return true;
        }
        self.item(reference, Wanted::Condition, false);
        true
    }

    fn class(&mut self, subject: &Expression, class: &Class) {
        let shape = self.expression(subject);
        if let Class::Named(reference) = class {
            let target = self
                .names
                .all(&reference.name.text)
                .iter()
                .copied()
                .find(|t| matches!(t, NameTarget::Class(_)));
            match target {
                Some(target) => self.note(reference, target, false),
                None => {
                    let message = format!("{} is no class", reference.name.text);
                    self.error(
                        reference.at(),
                        "SPCK022",
                        message,
                        "NUMERIC, ALPHABETIC, or a CLASS of SPECIAL-NAMES",
                    );
                }
            }
        }
        if self.is_utf8(&shape) {
            let message = format!("{} is never tested for a class", self.describe(&shape));
            let help = "move it to a national item, or use FUNCTION UVALID";
            self.error(subject.at(), "SPCK023", message, help);
        }
        if let (Class::Numeric, Shape::Item(id)) = (class, &shape) {
            let kind = &self.items.get(*id).kind;
            if matches!(kind, Type::Alphabetic | Type::FloatShort | Type::FloatLong | Type::Pointer) {
                let message = format!("{} is never tested for NUMERIC", self.describe(&shape));
                self.error(
                    subject.at(),
                    "SPCK023",
                    message,
                    "the test is for DISPLAY, PACKED-DECIMAL and characters",
                );
            }
        }
    }

    /// Refuses a comparison of two values that may not be compared.
    pub(crate) fn compared(&mut self, left: &Shape, right: &Shape, at: At) {
        let pointer = |shape: &Shape| match shape {
            Shape::Item(id) => matches!(
                self.items.get(*id).kind,
                Type::Pointer | Type::ProcedurePointer | Type::FunctionPointer | Type::Object
            ),
            Shape::Address => true,
            _ => false,
        };
        let null = |shape: &Shape| matches!(shape, Shape::Figurative("NULL"));
        let unknown = |shape: &Shape| match shape {
            Shape::Unknown => true,
            Shape::Item(id) => matches!(self.items.get(*id).kind, Type::Unknown | Type::Constant),
            _ => false,
        };
        if unknown(left) || unknown(right) {
            return;
        }
        let fits = match (pointer(left) || null(left), pointer(right) || null(right)) {
            (true, true) | (false, false) => true,
            // A group may hold an address; ZERO and LOW-VALUE are often written for NULL.
            _ => {
                self.is_group(left)
                    || self.is_group(right)
                    || matches!((left, right), (_, Shape::Figurative(_)))
            }
        };
        let utf8 = self.is_utf8(left) || self.is_utf8(right);
        let counts = |shape: &Shape| {
            let zero = matches!(shape, Shape::Figurative("ZERO"));
            !self.is_group(shape) && !zero && self.is_number(shape)
        };
        if utf8 && (counts(left) || counts(right)) {
            let message = format!("{} is compared with {}", self.describe(left), self.describe(right));
            let help = "UTF-8 is compared with characters: use FUNCTION NUMVAL of FUNCTION DISPLAY-OF";
            self.error(at, "SPCK027", message, help);
        }
        if !fits {
            let message = format!("{} is compared with {}", self.describe(left), self.describe(right));
            self.error(at, "SPCK024", message, "an address is compared with an address or with NULL");
        }
        if (self.has_decimals(left) && self.is_text(right))
            || (self.is_text(left) && self.has_decimals(right))
        {
            let message = format!("{} is compared with {}", self.describe(left), self.describe(right));
            let help =
                "only whole numbers are compared with characters: FUNCTION NUMVAL makes a number of them";
            self.error(at, "SPCK028", message, help);
        }
    }

    /// Returns true for a number with decimals. An unsigned zoned one is characters as it lies.
    fn has_decimals(&self, shape: &Shape) -> bool {
        let fraction = |numeric: &Numeric| numeric.scale > 0;
        match shape {
            Shape::Item(id) => matches!(&self.items.get(*id).kind, Type::Numeric(numeric)
                if fraction(numeric) && numeric.representation != Representation::Zoned(SignPlace::None)),
            Shape::Number(numeric) => numeric.as_ref().is_some_and(fraction),
            _ => false,
        }
    }

    /// Returns true for characters that are neither a group nor a figurative constant.
    fn is_text(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Item(id) => matches!(
                self.items.get(*id).kind,
                Type::Alphabetic | Type::Alphanumeric | Type::AlphanumericEdited(_) | Type::NumericEdited(_)
            ),
            Shape::Characters | Shape::Text => true,
            _ => false,
        }
    }

    fn is_group(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Item(id) => self.items.get(*id).is_group(),
            _ => false,
        }
    }

    /// A subject of EVALUATE: a value or a condition.
    pub(crate) fn subject(&mut self, subject: &Condition) -> Option<Shape> {
        match subject {
            Condition::Bare(expression) => {
                if let Some(Operand::Reference(reference)) = expression.operand()
                    && self.condition_name(reference)
                {
                    return Some(Shape::Truth);
                }
                Some(self.expression(expression))
            }
            other => {
                self.condition(other);
                Some(Shape::Truth)
            }
        }
    }

    /// One WHEN and its items.
    pub(crate) fn branch(&mut self, branch: &Branch, subjects: &[Option<Shape>]) {
        for items in &branch.whens {
            for (index, item) in items.iter().enumerate() {
                match subjects.get(index) {
                    Some(subject) => self.when_item(item, subject.as_ref()),
                    None => {
                        let at = when_at(item).unwrap_or(self.at);
                        let message = format!(
                            "this WHEN has {} values, and EVALUATE {} subjects",
                            items.len(),
                            subjects.len()
                        );
                        self.error(
                            at,
                            "SPCK025",
                            message,
                            "one value for each subject, with ALSO between them",
                        );
                        return;
                    }
                }
            }
        }
    }

    fn when_item(&mut self, item: &WhenItem, subject: Option<&Shape>) {
        let truth = matches!(subject, Some(Shape::Truth));
        match item {
            WhenItem::Any => {}
            WhenItem::Range { from, to, .. } => {
                for end in [from, to] {
                    let shape = self.expression(end);
                    if let Some(subject) = subject {
                        self.compared(subject, &shape, end.at());
                    }
                }
            }
            WhenItem::Value(condition) => match bare(condition) {
                Some(expression) if !truth => {
                    let shape = self.expression(expression);
                    if let Some(subject) = subject {
                        self.compared(subject, &shape, expression.at());
                    }
                }
                _ if truth => self.condition(condition),
                _ => {
                    self.within(condition, &mut subject.cloned());
                    let has_subject = matches!(condition, Condition::Relation { subject: Some(_), .. });
                    if has_subject {
                        let message = "a value is compared with a condition".to_owned();
                        let at = when_at(item).unwrap_or(self.at);
                        self.error(
                            at,
                            "SPCK026",
                            message,
                            "write EVALUATE TRUE, or the value alone behind WHEN",
                        );
                    }
                }
            },
        }
    }

    /// The item of a shape.
    pub(crate) fn item_of(&self, shape: &Shape) -> Option<ItemId> {
        match shape {
            Shape::Item(id) => Some(*id),
            _ => None,
        }
    }
}

/// The operand of a condition that is nothing else, perhaps behind NOT or in parentheses.
fn bare(condition: &Condition) -> Option<&Expression> {
    match condition {
        Condition::Bare(expression) => Some(expression),
        Condition::Not(inner, _) | Condition::Group(inner) => bare(inner),
        _ => None,
    }
}

fn when_at(item: &WhenItem) -> Option<At> {
    match item {
        WhenItem::Any => None,
        WhenItem::Range { from, .. } => Some(from.at()),
        WhenItem::Value(condition) => first_at(condition),
    }
}

fn first_at(condition: &Condition) -> Option<At> {
    match condition {
        Condition::Or(list) | Condition::And(list) => list.first().and_then(first_at),
        Condition::Not(_, at) | Condition::Relation { at, .. } => Some(*at),
        Condition::Group(inner) => first_at(inner),
        Condition::Class { subject, .. } | Condition::Sign { subject, .. } | Condition::Bare(subject) => {
            Some(subject.at())
        }
    }
}
