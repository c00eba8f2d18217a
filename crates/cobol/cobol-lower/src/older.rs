//! Statements of OS/VS COBOL, as statements of today: EXAMINE, TRANSFORM, EXHIBIT, STOP with a literal.

use cobol_data::Type;
use cobol_source::At;
use cobol_syntax::tree::{Inspect, Operand, Reference};

use super::places::Extent;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Borders, Exhibit, Exhibited, Form, Inspect as Inspecting, Number, Operation, Receiver, Shown,
};

impl<'a> Lowering<'a> {
    /// EXAMINE counts from zero; INSPECT goes on.
    pub(super) fn examine(&mut self, inspect: &'a Inspect) -> Lowered<()> {
        if let Some(counter) = inspect.tallying.first().and_then(|item| item.counter.as_ref()) {
            let (place, numeric) = self.counter(counter)?;
            let form = Form::Number(numeric);
            self.store_one(Number::whole(0), Receiver { place, form, rounded: false });
        }
        self.inspect(inspect)
    }

    /// TRANSFORM is INSPECT CONVERTING, in which one character stands for as many as are needed.
    pub(super) fn transform(
        &mut self,
        item: &'a Reference,
        from: &'a Operand,
        to: &'a Operand,
    ) -> Lowered<()> {
        let located = self.locate(item, Extent::Present)?;
        if !matches!(located.kind(), Type::Group | Type::Alphabetic | Type::Alphanumeric) {
            return self.refuse(item.at(), format_args!("TRANSFORM of {}", located.kind().name()));
        }
        let length = |operand: &Operand| match operand {
            Operand::Literal(literal) => Some(literal.text.chars().count()),
            Operand::Figurative(..) => Some(1),
            _ => None,
        };
        if !matches!((length(from), length(to)), (Some(from), Some(to)) if from == to) {
            return self.refuse(from.at(), "TRANSFORM of these characters");
        }
        let (from, to) = (self.single(from)?, self.single(to)?);
        let place = located.place;
        let borders = Borders::default();
        self.emit(Operation::Inspect(Box::new(Inspecting::Convert { place, from, to, borders })));
        Ok(())
    }

    /// A literal, or one character of a figurative constant.
    fn single(&mut self, operand: &'a Operand) -> Lowered<cobol_ir::program::Text> {
        use cobol_ir::program::Text;
        Ok(match self.text(operand)? {
            Text::Repeated(place) => Text::Place(place),
            text => text,
        })
    }

    /// EXHIBIT is DISPLAY with names.
    pub(super) fn exhibit(
        &mut self,
        at: At,
        named: bool,
        changed: bool,
        items: &'a [Operand],
    ) -> Lowered<()> {
        if changed {
            return self.exhibit_changed(at, named, items);
        }
        let mut shown = Vec::new();
        for item in items {
            if !shown.is_empty() {
                shown.push(Shown::Text(self.constant_place(b" ")));
            }
            if let (true, Operand::Reference(reference)) = (named, item) {
                let name = format!("{} = ", reference.name.text);
                shown.push(Shown::Text(self.constant_place(name.as_bytes())));
            }
            shown.push(self.shown(item)?);
        }
        self.emit(Operation::Display { items: shown, advancing: true });
        Ok(())
    }

    /// EXHIBIT CHANGED keeps what it has shown.
    fn exhibit_changed(&mut self, at: At, named: bool, items: &'a [Operand]) -> Lowered<()> {
        let mut all = Vec::new();
        for item in items {
            let shown = self.shown(item)?;
            let (mut name, mut watched) = (None, None);
            if let Operand::Reference(reference) = item {
                let located = self.locate(reference, Extent::Present)?;
                let Some(length) = located.place.fixed_length() else {
                    return self.refuse(at, "EXHIBIT CHANGED of an item whose length varies");
                };
                watched = Some((located.place, self.hidden_storage(length)));
                let text = format!("{} = ", reference.name.text);
                name = named.then(|| self.constant_place(text.as_bytes()));
            }
            all.push(Exhibited { name, shown, watched });
        }
        let again = self.hidden_storage(1);
        self.emit(Operation::Exhibit(Box::new(Exhibit { items: all, columns: !named, again })));
        Ok(())
    }

    /// STOP with a literal tells it, and goes on: no operator answers here.
    pub(super) fn stop_with(&mut self, text: &'a Operand) -> Lowered<()> {
        let items = vec![self.shown(text)?];
        self.emit(Operation::Display { items, advancing: true });
        Ok(())
    }
}
