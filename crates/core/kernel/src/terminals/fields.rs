//! State of a screen since it was erased: the attributes of its fields, and how it is drawn again.
//!
//! A program may change a field's colour and nothing else: an order MF without the field attribute. Not every client
//! keeps the attribute then (Galasa's terminal takes the order for a new field), so such an order is given the
//! attribute that the field has, its modified data tag included.
//!
//! To know it costs next to nothing: what was written since the screen was erased is kept as it is, and what came in,
//! and read only when such an order is about to be sent, or when the screen is to be drawn again after another one.

use std::collections::BTreeMap;

use ebcdic::CodePage;
use tn3270::datastream::{
    Address, Aid, Capabilities, Command, Field, FieldAttribute, Inbound, Input, Order, Outbound, Wcc,
    attribute, code, orders,
};
use tn3270::screen::Screen;

use crate::limits::SCREEN_HISTORY_BYTES_MAX;

/// State of a screen since it was erased.
#[derive(Default)]
pub(super) struct Fields {
    events: Vec<Event>,
    bytes: usize,
    /// Nothing is known until the screen is erased.
    unknown: bool,
}

enum Event {
    Written(Vec<u8>),
    /// Place of the cursor, and the fields that came in.
    Keyed(Address, Vec<Field>),
}

/// By the address of the attribute.
type Known = BTreeMap<u16, FieldAttribute>;

impl Fields {
    /// Notes a data stream that is to be sent; gives the form in which it is sent.
    pub fn write(&mut self, stream: Vec<u8>, positions: u16) -> Vec<u8> {
        let stream = if changes_less_than_the_attribute(&stream) {
            self.known(positions).and_then(|known| completed(&stream, known, positions)).unwrap_or(stream)
        } else {
            stream
        };
        match command(&stream) {
            Some(Command::EraseWrite | Command::EraseWriteAlternate) => *self = Self::default(),
            Some(Command::WriteStructuredField) => self.forget(),
            _ => {}
        }
        self.keep(stream.len(), || Event::Written(stream.clone()));
        stream
    }

    /// Notes what a terminal has sent.
    pub fn keyed(&mut self, input: &Inbound) {
        match &input.input {
            Input::Fields { cursor, fields } if !fields.is_empty() => {
                let bytes = fields.iter().map(|field| size_of_val(field) + field.data.len()).sum();
                self.keep(bytes, || Event::Keyed(*cursor, fields.clone()));
            }
            Input::None if input.aid == Aid::Clear => *self = Self::default(),
            _ => {}
        }
    }

    /// The screen as its user sees it; `None` where that is not known.
    pub fn screen(&self, capabilities: Capabilities, code_page: CodePage) -> Option<Screen> {
        let mut screen = Screen::new(capabilities, code_page);
        for event in (!self.unknown).then_some(&self.events)? {
            match event {
                // What a terminal refuses leaves it with what stands before the error.
                Event::Written(stream) => drop(screen.apply(stream)),
                Event::Keyed(cursor, fields) => screen.typed(*cursor, fields),
            }
        }
        Some(screen)
    }

    fn keep(&mut self, bytes: usize, event: impl FnOnce() -> Event) {
        self.bytes += bytes;
        if self.bytes > SCREEN_HISTORY_BYTES_MAX {
            self.forget();
        } else if !self.unknown {
            self.events.push(event());
        }
    }

    /// Nothing is known of it until it is erased.
    pub fn forget(&mut self) {
        *self = Self { unknown: true, ..Self::default() };
    }

    fn known(&self, positions: u16) -> Option<Known> {
        let mut known = Known::new();
        for event in (!self.unknown).then_some(&self.events)? {
            match event {
                Event::Written(stream) => known = after(stream, known, positions)?,
                Event::Keyed(_, fields) => {
                    for field in fields {
                        let at = (field.address.0 + positions - 1) % positions;
                        known.entry(at).and_modify(|field| *field = field.modified(true));
                    }
                }
            }
        }
        Some(known)
    }
}

fn command(stream: &[u8]) -> Option<Command> {
    stream.first().copied().and_then(Command::of)
}

/// The orders of a stream that has some.
fn orders_of(stream: &[u8]) -> Option<impl Iterator<Item = Option<Order<'_>>>> {
    command(stream).filter(|command| command.has_orders())?;
    Some(orders(stream, 2).map(Result::ok))
}

/// The field attribute among the pairs of an order.
fn attribute_of(pairs: &[(u8, u8)]) -> Option<FieldAttribute> {
    pairs.iter().find(|(kind, _)| *kind == attribute::FIELD).map(|(_, value)| FieldAttribute::of(*value))
}

fn changes_less_than_the_attribute(stream: &[u8]) -> bool {
    // Most streams are seen not to without reading them.
    stream.contains(&code::MF)
        && orders_of(stream).is_some_and(|mut orders| {
            orders.any(
                |order| matches!(order, Some(Order::ModifyField(pairs)) if attribute_of(&pairs).is_none()),
            )
        })
}

/// The fields as they are behind a stream; `None` if that cannot be told.
fn after(stream: &[u8], mut known: Known, positions: u16) -> Option<Known> {
    match command(stream)? {
        Command::EraseAllUnprotected => {
            known.values_mut().filter(|f| !f.is_protected()).for_each(|f| *f = f.modified(false));
            return Some(known);
        }
        Command::EraseWrite | Command::EraseWriteAlternate => known.clear(),
        Command::Write => {}
        _ => return Some(known),
    }
    let mut writer = Writer::new(stream, known, positions)?;
    orders_of(stream)?.try_for_each(|order| writer.obey(&order?))?;
    Some(writer.known)
}

/// The stream with the field attribute in each order that changes a field.
fn completed(stream: &[u8], known: Known, positions: u16) -> Option<Vec<u8>> {
    let mut writer = Writer::new(stream, known, positions)?;
    let mut out = Outbound::write(command(stream)?, Wcc::of(*stream.get(1)?));
    for order in orders_of(stream)? {
        let order = order?;
        let present = writer.at.and_then(|at| writer.known.get(&at).copied());
        writer.obey(&order)?;
        match &order {
            Order::ModifyField(pairs) => {
                let missing = present.filter(|_| attribute_of(pairs).is_none());
                let first = missing.map(|field| (attribute::FIELD, field.code()));
                out.modify_field(first.into_iter().chain(pairs.iter().copied()));
            }
            other => copy(&mut out, other)?,
        }
    }
    let mut sent = out.finish();
    // A printer's line width is no part of what was taken apart.
    sent.get_mut(..2)?.copy_from_slice(stream.get(..2)?);
    Some(sent)
}

/// Place of a terminal in a stream that it obeys.
struct Writer {
    known: Known,
    positions: u16,
    /// Not known behind a command that does not erase.
    at: Option<u16>,
}

impl Writer {
    fn new(stream: &[u8], mut known: Known, positions: u16) -> Option<Self> {
        if Wcc::of(*stream.get(1)?).reset_modified {
            known.values_mut().for_each(|field| *field = field.modified(false));
        }
        let erases = command(stream)? != Command::Write;
        Some(Self { known, positions, at: erases.then_some(0) })
    }

    /// `None` where it cannot be told what a terminal makes of the order.
    fn obey(&mut self, order: &Order<'_>) -> Option<()> {
        match order {
            Order::SetBufferAddress(address) | Order::EraseUnprotectedToAddress(address) => {
                self.at = Some(address.0);
            }
            Order::SetAttribute(..) | Order::InsertCursor => {}
            Order::ProgramTab => self.at = None,
            placed => self.obey_at(self.at?, placed)?,
        }
        Some(())
    }

    fn obey_at(&mut self, at: u16, order: &Order<'_>) -> Option<()> {
        match order {
            Order::StartField(field) => self.starts(at, *field),
            Order::StartFieldExtended(pairs) => {
                self.starts(at, attribute_of(pairs).unwrap_or(FieldAttribute::of(0)));
            }
            Order::ModifyField(pairs) => {
                if let Some(field) = attribute_of(pairs) {
                    self.known.entry(at).and_modify(|present| *present = field);
                }
                self.advance(1);
            }
            Order::Text(text) => self.covers(u16::try_from(text.len()).ok()?),
            Order::GraphicEscape(_) => self.covers(1),
            Order::RepeatToAddress { stop, .. } => {
                let length = (stop.0 + self.positions - at) % self.positions;
                self.covers(if length == 0 { self.positions } else { length });
            }
            _ => {}
        }
        Some(())
    }

    fn starts(&mut self, at: u16, field: FieldAttribute) {
        self.known.insert(at, field);
        self.advance(1);
    }

    /// Characters take the place of fields.
    fn covers(&mut self, count: u16) {
        if let Some(at) = self.at {
            for offset in 0..count {
                self.known.remove(&((at + offset) % self.positions));
            }
        }
        self.advance(count);
    }

    fn advance(&mut self, count: u16) {
        self.at = self.at.map(|at| (at + count) % self.positions);
    }
}

/// An order as it was; `None`: one that cannot be written so.
fn copy(out: &mut Outbound, order: &Order<'_>) -> Option<()> {
    match order {
        Order::Text(text) => out.raw(text),
        Order::GraphicEscape(character) => out.graphic_escape(*character),
        Order::SetBufferAddress(address) => out.set_buffer_address(*address),
        Order::StartField(field) => out.start_field(*field),
        Order::StartFieldExtended(pairs) => {
            let rest = pairs.iter().copied().filter(|(kind, _)| *kind != attribute::FIELD);
            out.start_field_extended(attribute_of(pairs)?, rest)
        }
        Order::ModifyField(pairs) => out.modify_field(pairs.iter().copied()),
        Order::SetAttribute(kind, value) => out.set_attribute(*kind, *value),
        Order::InsertCursor => out.insert_cursor(),
        Order::ProgramTab => out.program_tab(),
        Order::RepeatToAddress { stop, character, graphic: false } => {
            out.repeat_to_address(*stop, *character)
        }
        Order::RepeatToAddress { graphic: true, .. } => return None,
        Order::EraseUnprotectedToAddress(stop) => out.erase_unprotected_to_address(*stop),
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use tn3270::datastream::{Aid, Field};

    use super::*;

    const POSITIONS: u16 = 80;
    /// A field attribute that is unprotected, and the same with the modified data tag.
    const PLAIN: u8 = 0x40;
    const TAGGED: u8 = 0xC1;
    const FIELD_AT: Address = Address(9);
    const COLOUR: u8 = 0x42;
    const RED: u8 = 0xF2;

    /// A screen with one field.
    fn screen(field: u8) -> Fields {
        let mut fields = Fields::default();
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        stream.set_buffer_address(FIELD_AT).start_field(FieldAttribute::of(field)).text(b"\xC1\xC2");
        let stream = stream.finish();
        assert_eq!(fields.write(stream.clone(), POSITIONS), stream, "nothing is to be added");
        fields
    }

    fn write(change: impl FnOnce(&mut Outbound)) -> Vec<u8> {
        let mut stream = Outbound::write(Command::Write, Wcc::default());
        stream.set_buffer_address(FIELD_AT);
        change(&mut stream);
        stream.finish()
    }

    /// The field becomes red: it is sent with this attribute.
    #[track_caller]
    fn check(mut fields: Fields, attribute: Option<u8>) {
        let red = (COLOUR, RED);
        let sent = fields.write(
            write(|stream| {
                stream.modify_field([red]);
            }),
            POSITIONS,
        );
        let first = attribute.map(|code| (attribute::FIELD, FieldAttribute::of(code).code()));
        assert_eq!(
            sent,
            write(|stream| {
                stream.modify_field(first.into_iter().chain([red]));
            })
        );
    }

    #[test]
    fn a_field_keeps_the_attribute_that_it_was_sent_with() {
        check(screen(TAGGED), Some(TAGGED));
        check(screen(PLAIN), Some(PLAIN));
    }

    #[test]
    fn a_field_that_was_keyed_is_modified() {
        let mut fields = screen(PLAIN);
        let field = Field { address: Address(FIELD_AT.0 + 1), data: vec![0xC1] };
        let input = Input::Fields { cursor: Address(0), fields: vec![field] };
        fields.keyed(&Inbound { aid: Aid::Enter, input });
        check(fields, Some(TAGGED));
    }

    #[test]
    fn a_write_may_take_the_tags_back() {
        let mut fields = screen(TAGGED);
        fields.write(Outbound::write(Command::Write, Wcc::RESTORE).finish(), POSITIONS);
        check(fields, Some(PLAIN));
    }

    #[test]
    fn a_later_attribute_counts() {
        let mut fields = screen(TAGGED);
        let plain = FieldAttribute::of(PLAIN).code();
        fields.write(
            write(|stream| {
                stream.modify_field([(attribute::FIELD, plain)]);
            }),
            POSITIONS,
        );
        check(fields, Some(PLAIN));
    }

    #[test]
    fn characters_take_a_field_s_place() {
        let mut fields = screen(TAGGED);
        fields.write(
            write(|stream| {
                stream.text(b"\xC1");
            }),
            POSITIONS,
        );
        check(fields, None);
    }

    #[test]
    fn nothing_is_added_where_nothing_is_known() {
        let mut fields = screen(TAGGED);
        fields.write(vec![Command::WriteStructuredField.code(), 0, 5, 1, 2, 3], POSITIONS);
        check(fields, None);
        let mut fields = screen(TAGGED);
        fields.write(vec![0x40; SCREEN_HISTORY_BYTES_MAX], POSITIONS);
        check(fields, None);
    }
}
