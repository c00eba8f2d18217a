//! Which moves there are: the table of categories.

use cobol_data::{ItemId, Type};
use cobol_syntax::tree::{Operand, Reference};

use crate::checker::Checker;
use crate::operands::{Shape, Wanted};

impl Checker<'_> {
    /// MOVE of a value to some items.
    pub(crate) fn moved(&mut self, from: &Operand, to: &[Reference]) {
        let shape = self.operand(from);
        for receiver in to {
            let Some(id) = self.item(receiver, Wanted::Value, true) else { continue };
            if receiver.modification.is_none() {
                self.move_into(&shape, id, receiver);
            }
        }
    }

    /// Checks a move of a value to an item, and reports one that is not allowed.
    pub(crate) fn move_into(&mut self, from: &Shape, to: ItemId, receiver: &Reference) {
        if let Some(help) = self.move_refused(from, to) {
            let message =
                format!("{} cannot be moved to {}", self.describe(from), self.describe(&Shape::Item(to)));
            self.error(receiver.at(), "SPCK030", message, help);
        }
    }

    /// Reason why there is no such move.
    fn move_refused(&self, from: &Shape, to: ItemId) -> Option<&'static str> {
        const USE_SET: &str = "use SET: indexes and addresses are not moved";
        let receiver = self.items.get(to);
        match &receiver.kind {
            Type::Unknown | Type::Group => return None,
            Type::IndexName
            | Type::Index
            | Type::Pointer
            | Type::ProcedurePointer
            | Type::FunctionPointer => {
                // A group is moved byte by byte wherever it goes.
                return (!self.item_of(from).is_some_and(|id| self.items.get(id).is_group()))
                    .then_some(USE_SET);
            }
            _ => {}
        }
        if self.is_utf8(from) {
            return utf8_move_refused(&receiver.kind);
        }
        if matches!(receiver.kind, Type::Utf8(_)) && self.is_plain_number(from) {
            return Some("UTF-8 takes characters: move the number to an edited item, and that to this one");
        }
        match from {
            Shape::Item(id) => self.item_move_refused(*id, &receiver.kind),
            Shape::Figurative("SPACE") => {
                matches!(receiver.kind, Type::Numeric(_) | Type::FloatShort | Type::FloatLong)
                    .then_some("move ZERO, or move SPACE to the group or to a redefinition")
            }
            Shape::Figurative("ZERO") => matches!(receiver.kind, Type::Alphabetic)
                .then_some("an alphabetic item holds letters and spaces"),
            Shape::Number(Some(numeric)) => match &receiver.kind {
                Type::Alphabetic => Some("an alphabetic item holds letters and spaces"),
                Type::Alphanumeric | Type::AlphanumericEdited(_) if numeric.scale > 0 => {
                    Some("move it to a numeric-edited item, which says where the decimal point goes")
                }
                _ => None,
            },
            Shape::Address => Some(USE_SET),
            Shape::Truth => Some("use SET condition-name TO TRUE"),
            _ => None,
        }
    }

    fn item_move_refused(&self, from: ItemId, to: &Type) -> Option<&'static str> {
        use Type::{
            Alphabetic, Alphanumeric, AlphanumericEdited, FloatLong, FloatShort, National, NationalEdited,
            Numeric, NumericEdited,
        };
        let sender = self.items.get(from);
        let number = matches!(to, Numeric(_) | FloatShort | FloatLong) || to.is_edited_number();
        match &sender.kind {
            Type::Index
            | Type::IndexName
            | Type::Pointer
            | Type::ProcedurePointer
            | Type::FunctionPointer => Some("use SET: indexes and addresses are not moved"),
            Alphabetic if number => Some("an alphabetic item holds no digits"),
            NationalEdited(_) if number && !sender.kind.is_edited_number() => {
                Some("an edited text holds no number")
            }
            AlphanumericEdited(_) if number => Some("an edited text holds no number"),
            Numeric(_) | NumericEdited(_) | FloatShort | FloatLong if matches!(to, Alphabetic) => {
                Some("an alphabetic item holds letters and spaces")
            }
            Numeric(numeric)
                if !numeric.is_integer() && matches!(to, Alphanumeric | AlphanumericEdited(_)) =>
            {
                Some("move it to a numeric-edited item, which says where the decimal point goes")
            }
            FloatShort | FloatLong if matches!(to, Alphanumeric | AlphanumericEdited(_)) => {
                Some("move it to a numeric item first")
            }
            National | NationalEdited(_)
                if matches!(to, Alphanumeric | AlphanumericEdited(_) | Alphabetic) =>
            {
                Some("use FUNCTION DISPLAY-OF: national characters do not all fit into one byte")
            }
            _ => None,
        }
    }

    /// Returns true if a value is a number that no picture edits.
    fn is_plain_number(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Item(id) => {
                matches!(
                    self.items.get(*id).kind,
                    Type::Numeric(_) | Type::FloatShort | Type::FloatLong | Type::FloatEdited(_)
                )
            }
            Shape::Number(_) => true,
            _ => false,
        }
    }

    /// CORRESPONDING: both sides are groups.
    pub(crate) fn corresponding(&mut self, from: &Operand, to: &[Reference]) {
        let sender = match from {
            Operand::Reference(reference) => self.item(reference, Wanted::Whole, false),
            other => {
                self.operand(other);
                None
            }
        };
        for receiver in to {
            let id = self.item(receiver, Wanted::Whole, true);
            for side in [sender, id].into_iter().flatten() {
                if !self.items.get(side).is_group() {
                    let message = format!("{} is no group", self.items.get(side).display_name());
                    self.error(
                        receiver.at(),
                        "SPCK031",
                        message,
                        "CORRESPONDING goes from one group to another",
                    );
                }
            }
        }
    }
}

/// Reason why UTF-8 is not moved to an item: only other UTF-8 and national characters have all of its characters.
fn utf8_move_refused(to: &Type) -> Option<&'static str> {
    match to {
        Type::Utf8(_) | Type::National => None,
        Type::Alphanumeric | Type::Alphabetic | Type::AlphanumericEdited(_) => {
            Some("use FUNCTION DISPLAY-OF: the characters of UTF-8 do not all fit into one byte")
        }
        Type::NationalEdited(_) => Some("move it to a national item first"),
        _ => Some("use FUNCTION NUMVAL of FUNCTION DISPLAY-OF: UTF-8 is moved to UTF-8 and national items"),
    }
}
