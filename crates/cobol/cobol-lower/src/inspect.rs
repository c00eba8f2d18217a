//! INSPECT.

use cobol_data::{Numeric, Representation, SignPlace, Type};
use cobol_runtime::national::SPACE;
use cobol_source::At;
use cobol_syntax::tree::{self, Border, InspectItem, Operand, Reference, Scan};

use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Borders, BytePlace, Inspect, Linear, NationalText, Number, Operation, Replacement, Tally, Text, Wanted,
};

impl<'a> Lowering<'a> {
    pub(super) fn inspect(&mut self, inspect: &'a tree::Inspect) -> Lowered<()> {
        let national = self.is_national(&inspect.item);
        if !inspect.tallying.is_empty() {
            let text = self.inspected_text(&inspect.item, national)?;
            let mut counters = Vec::new();
            let mut phrases = Vec::new();
            for item in &inspect.tallying {
                phrases.push(self.tally(item, inspect.item.at(), &mut counters, national)?);
            }
            self.emit_inspect(Inspect::Tally { text, phrases, counters }, national);
        }
        if !inspect.replacing.is_empty() {
            let (place, sign) = self.inspected_place(&inspect.item)?;
            let mut phrases = Vec::new();
            for item in &inspect.replacing {
                phrases.push(self.replacement(item, inspect.item.at(), national)?);
            }
            self.emit_inspect(Inspect::Replace { place, phrases }, national);
            sign.into_iter().for_each(|sign| self.emit(sign));
        }
        if let Some((from, to, borders)) = &inspect.converting {
            let (place, sign) = self.inspected_place(&inspect.item)?;
            let at = to.at();
            let (from, to) = (self.characters_of(from, national)?, self.characters_of(to, national)?);
            self.same_length(&from, &to, at)?;
            let borders = self.borders(borders, national)?;
            self.emit_inspect(Inspect::Convert { place, from, to, borders }, national);
            sign.into_iter().for_each(|sign| self.emit(sign));
        }
        Ok(())
    }

    fn emit_inspect(&mut self, inspect: Inspect, national: bool) {
        self.emit(match national {
            true => Operation::National(Box::new(NationalText::Inspect(inspect))),
            false => Operation::Inspect(Box::new(inspect)),
        });
    }

    fn inspected_text(&mut self, item: &'a Operand, national: bool) -> Lowered<Text> {
        match item {
            Operand::Reference(_) => Ok(Text::Place(self.inspected_place(item)?.0)),
            Operand::Function(_) => self.characters_of(item, national),
            other => self.refuse(other.at(), "INSPECT of this"),
        }
    }

    /// Place that is looked at and changed, and the operation that brings a copy back. A number is looked at as if it
    /// had no sign; it keeps the one that it has.
    fn inspected_place(&mut self, item: &'a Operand) -> Lowered<(BytePlace, Option<Operation>)> {
        let Operand::Reference(reference) = item else { return self.refuse(item.at(), "INSPECT of this") };
        let located = self.locate(reference, Extent::Present)?;
        match located.kind() {
            Type::Group
            | Type::Alphabetic
            | Type::Alphanumeric
            | Type::AlphanumericEdited(_)
            | Type::National
            | Type::NumericEdited(_) => Ok((located.place, None)),
            Type::Numeric(numeric) => {
                let numeric = self.numeric(*numeric);
                self.inspected_number(item.at(), located.place, numeric)
            }
            kind => self.refuse(item.at(), format_args!("INSPECT of {}", kind.name())),
        }
    }

    fn inspected_number(
        &mut self,
        at: At,
        mut place: BytePlace,
        numeric: Numeric,
    ) -> Lowered<(BytePlace, Option<Operation>)> {
        let Representation::Zoned(sign) = numeric.representation else {
            return self.refuse(at, "INSPECT of a number of this form");
        };
        match sign {
            SignPlace::None => Ok((place, None)),
            SignPlace::LeadingSeparate | SignPlace::TrailingSeparate => {
                place.length = place.length.plus(-1, Linear::constant(1));
                if sign == SignPlace::LeadingSeparate {
                    place.at = place.at.plus(1, Linear::constant(1));
                }
                Ok((place, None))
            }
            SignPlace::Leading | SignPlace::Trailing => {
                let copy = self.hidden_storage(numeric.length() as u32);
                let from = Text::Unsigned(place.clone(), numeric);
                self.emit(Operation::Move { from, to: copy.clone(), right: false });
                let back = Operation::KeepSign { from: copy.clone(), to: place, numeric };
                Ok((copy, Some(back)))
            }
        }
    }

    fn tally(
        &mut self,
        item: &'a InspectItem,
        at: At,
        counters: &mut Vec<(BytePlace, Numeric)>,
        national: bool,
    ) -> Lowered<Tally> {
        let counter = match &item.counter {
            Some(counter) => self.counter(counter)?,
            None => {
                return self.mistaken(
                    at,
                    "INSPECT TALLYING has no counter",
                    "INSPECT item TALLYING counter FOR …",
                );
            }
        };
        let known = counters.iter().position(|known| *known == counter);
        let counter = known.unwrap_or_else(|| {
            counters.push(counter);
            counters.len() - 1
        }) as u32;
        let (wanted, borders) = (self.wanted(item, at, national)?, self.borders(&item.borders, national)?);
        Ok(Tally { counter, wanted, borders })
    }

    /// A whole number that a statement counts with.
    pub(super) fn counter(&mut self, reference: &'a Reference) -> Lowered<(BytePlace, Numeric)> {
        match self.item_number(reference)? {
            Number::Field(place, numeric) if numeric.scale == 0 => Ok((place, numeric)),
            _ => self.refuse(reference.at(), format_args!("{} as a counter", reference.name.text)),
        }
    }

    fn replacement(&mut self, item: &'a InspectItem, at: At, national: bool) -> Lowered<Replacement> {
        let Some(by) = &item.by else {
            return self.mistaken(at, "INSPECT REPLACING has no BY", "INSPECT item REPLACING ALL x BY y");
        };
        let wanted = self.wanted(item, at, national)?;
        let text = self.characters_of(by, national)?;
        match &wanted {
            Wanted::Characters => {
                let one = self.constant_place(if national { &SPACE } else { b" " });
                self.same_length(&Text::Place(one), &text, by.at())?;
            }
            Wanted::All(own) | Wanted::Leading(own) | Wanted::First(own) => {
                self.same_length(own, &text, by.at())?;
            }
        }
        Ok(Replacement { wanted, by: text, borders: self.borders(&item.borders, national)? })
    }

    fn wanted(&mut self, item: &'a InspectItem, at: At, national: bool) -> Lowered<Wanted> {
        let text = match &item.text {
            Some(text) => Some(self.characters_of(text, national)?),
            None => None,
        };
        match (item.scan, text) {
            (Scan::Characters, None) => Ok(Wanted::Characters),
            (Scan::All, Some(text)) => Ok(Wanted::All(text)),
            (Scan::Leading, Some(text)) => Ok(Wanted::Leading(text)),
            (Scan::First, Some(text)) => Ok(Wanted::First(text)),
            _ => self.refuse(at, "this phrase of INSPECT"),
        }
    }

    /// Checks that a replacement is as long as the replaced text; a figurative constant is so by itself. Lengths that
    /// vary are compared when the program runs.
    fn same_length(&mut self, from: &Text, to: &Text, at: At) -> Lowered<()> {
        let length = |text: &Text| match text {
            Text::Place(place) | Text::Repeated(place) => place.fixed_length(),
            Text::Digits(_, digits) => Some(*digits),
            Text::Unsigned(..) | Text::Function(_) => None,
        };
        match (length(from), length(to)) {
            (Some(one), Some(other)) if one != other && !matches!(to, Text::Repeated(_)) => {
                self.refuse(at, "INSPECT with texts of different lengths")
            }
            _ => Ok(()),
        }
    }

    fn borders(&mut self, borders: &'a [Border], national: bool) -> Lowered<Borders> {
        let mut out = Borders::default();
        for border in borders {
            let text = self.characters_of(&border.text, national)?;
            let place = if border.after { &mut out.after } else { &mut out.before };
            if place.replace(text).is_some() {
                return self.mistaken(
                    border.text.at(),
                    "this border stands here twice",
                    "write BEFORE once and AFTER once",
                );
            }
        }
        Ok(out)
    }
}
