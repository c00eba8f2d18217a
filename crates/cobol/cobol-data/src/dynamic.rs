//! DYNAMIC LENGTH: items whose length changes while the program runs.

use cobol_syntax::tree::DataEntry;

use crate::build::Builder;
use crate::item::{Area, ItemId};
use cobol_types::Type;

/// Characters that such an item has room for without LIMIT.
pub const DYNAMIC_LENGTH: usize = 32_768;
/// The greatest LIMIT.
pub const DYNAMIC_LIMIT_MAX: usize = 1 << 20;

impl Builder<'_> {
    /// Nothing else lies where such an item lies.
    pub(crate) fn keep_dynamic(&mut self, id: ItemId, entry: &DataEntry) {
        let items = &self.out.items;
        let redefined = items.get(id).redefines.is_some_and(|first| items.get(first).dynamic);
        if let (true, Some(reference)) = (redefined, &entry.redefines) {
            let help = "describe an item with a length of its own, and MOVE it there";
            self.error(
                "SPDD020",
                reference.at(),
                "an item of DYNAMIC LENGTH is not redefined".to_owned(),
                help,
            );
        }
    }

    /// Number of characters that an item of DYNAMIC LENGTH has room for; `None` for other items, and for one that
    /// cannot have it.
    pub(crate) fn dynamic(&mut self, entry: &DataEntry, area: Area, kind: &Type) -> Option<usize> {
        let (limit, at) = entry.dynamic?;
        let size_is_one =
            entry.picture.as_ref().is_some_and(|picture| picture.text.eq_ignore_ascii_case("X"));
        let stands_alone = entry.redefines.is_none() && entry.occurs.is_none() && !entry.external;
        let not_built = match () {
            () if matches!(kind, Type::Utf8(_)) => Some("DYNAMIC LENGTH of UTF-8 is not built"),
            () if !matches!(entry.level, 1 | 77) => Some("DYNAMIC LENGTH of a part of a group is not built"),
            () if limit.is_some_and(|limit| limit > DYNAMIC_LIMIT_MAX) => {
                Some("DYNAMIC LENGTH with a LIMIT of more than 1048576 is not built")
            }
            () => None,
        };
        let wrong = match () {
            () if *kind == Type::Unknown || not_built.is_some() => None,
            () if *kind != Type::Alphanumeric || !size_is_one => {
                Some("an item of DYNAMIC LENGTH has the picture X")
            }
            () if !matches!(area, Area::WorkingStorage | Area::LocalStorage) => {
                Some("DYNAMIC LENGTH is for WORKING-STORAGE and LOCAL-STORAGE")
            }
            () if !stands_alone || entry.justified => {
                Some("DYNAMIC LENGTH goes without OCCURS, REDEFINES, EXTERNAL and JUSTIFIED")
            }
            () if limit == Some(0) => Some("a LIMIT is a number of characters that is not zero"),
            () => None,
        };
        let help = "write 01 or 77 NAME PICTURE X DYNAMIC LENGTH LIMIT IS n";
        match (not_built, wrong) {
            (Some(message), _) => self.error("SPDD090", at, message.to_owned(), help),
            (None, Some(message)) => self.error("SPDD020", at, message.to_owned(), help),
            (None, None) => return Some(limit.unwrap_or(DYNAMIC_LENGTH)),
        }
        None
    }
}
