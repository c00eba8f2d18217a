//! COMMAREAs that the application's programs share with this domain. Their layouts are the members that those programs COPY.

use std::sync::LazyLock;

use areas::Area;
use copybook::{Field, Form, Kind, Layout, Usage, parse_as};
use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::storage::{POINTER_LENGTH, StorageAddress};

use crate::trouble::{Trouble, link};

/// A member that describes a COMMAREA: as the region sees it, with addresses of its own, and as programs do.
pub(crate) struct Member {
    region: Layout,
    /// Pointers have four bytes.
    own: Layout,
}

/// That of analyzers, of converters, and of DFHWBEP.
pub(crate) static ANALYZER: LazyLock<Member> = LazyLock::new(|| member("DFHWBTDO"));
pub(crate) static CONVERTER: LazyLock<Member> = LazyLock::new(|| member("DFHWBCDO"));
pub(crate) static ERROR: LazyLock<Member> = LazyLock::new(|| member("DFHWBEPO"));

/// Reason why a supplied member and its fields are there: the tests show that every region has them.
const SUPPLIED: &str = "a supplied member, and a field of it";
/// Bytes of a pointer of programs.
const OWN_POINTER: usize = size_of::<u32>();

fn member(name: &str) -> Member {
    let source = cobol_source::supplied(name).expect(SUPPLIED);
    let layout = |form| parse_as(&source, form).layouts.pop().expect(SUPPLIED);
    Member { region: layout(Form::Gnucobol), own: layout(Form::Zos) }
}

/// The elementary fields below a field, those of a redefinition not among them: it has the same places.
fn elementary<'f>(field: &'f Field, into: &mut Vec<&'f Field>) {
    match &field.kind {
        _ if field.redefines.is_some() => {}
        Kind::Elementary(_) => into.push(field),
        Kind::Group(parts) => parts.iter().for_each(|part| elementary(part, into)),
    }
}

impl Member {
    /// Each elementary field, as the region and programs see it.
    fn pairs(&self) -> impl Iterator<Item = (&Field, &Field)> {
        let [mut region, mut own] = [Vec::new(), Vec::new()];
        elementary(&self.region.root, &mut region);
        elementary(&self.own.root, &mut own);
        region.into_iter().zip(own)
    }
}

/// A COMMAREA, by the names of its fields.
pub(crate) struct Record {
    member: &'static Member,
    bytes: Vec<u8>,
}

impl Record {
    /// One with blanks and zeros.
    pub fn new(member: &'static Member) -> Self {
        let mut bytes = vec![0; member.region.length()];
        for field in
            member.region.fields().into_iter().filter(|field| field.kind == Kind::Elementary(Usage::Text))
        {
            bytes[field.offset..][..field.length].fill(b' ');
        }
        Self { member, bytes }
    }

    /// A record of the bytes that a program was given; `None` if they are too few.
    pub fn of(member: &'static Member, bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() >= member.region.length()).then_some(Self { member, bytes })
    }

    fn field(&self, name: &str) -> &'static Field {
        self.member.region.field(name).expect(SUPPLIED)
    }

    fn put(&mut self, name: &str, value: &[u8]) {
        let field = self.field(name);
        self.bytes[field.offset..][..field.length].copy_from_slice(value);
    }

    fn get(&self, name: &str) -> &[u8] {
        let field = self.field(name);
        &self.bytes[field.offset..][..field.length]
    }

    /// Puts a text, cut or filled up with blanks.
    pub fn put_text(&mut self, name: &str, value: impl AsRef<[u8]>) {
        let mut text = value.as_ref().to_vec();
        text.resize(self.field(name).length, b' ');
        self.put(name, &text);
    }

    /// Puts bytes as they are, which are as long as the field.
    pub fn put_bytes(&mut self, name: &str, value: &[u8]) {
        self.put(name, value);
    }

    /// Puts a number of two or four bytes; of a greater one the greatest that they hold.
    pub fn put_number(&mut self, name: &str, value: i64) {
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        if self.field(name).length == size_of::<i16>() {
            self.put(name, &i16::try_from(value).unwrap_or(i16::MAX).to_be_bytes());
        } else {
            self.put(name, &value.to_be_bytes());
        }
    }

    /// Puts a pointer.
    pub fn put_pointer(&mut self, name: &str, value: StorageAddress) {
        self.put(name, &value.to_pointer());
    }

    /// Puts data into storage of the task, and where they are and how long.
    pub fn put_data(
        &mut self,
        context: &mut Context<'_>,
        (pointer, length): (&str, &str),
        data: &[u8],
    ) -> Outcome {
        let address = context.hold(data)?;
        self.put_pointer(pointer, address);
        self.put_number(length, data.len() as i64);
        Ok(())
    }

    /// A text without the blanks and zeros at its end.
    pub fn text(&self, name: &str) -> &[u8] {
        let text = self.get(name);
        let end = text.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |at| at + 1);
        &text[..end]
    }

    /// The bytes of a field.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.get(name)
    }

    /// A name; `None` if the field is blank.
    pub fn name(&self, name: &str) -> Option<Name8> {
        Some(Name8::new(self.text(name))).filter(|name| !name.is_blank())
    }

    /// A number.
    pub fn number(&self, name: &str) -> i64 {
        match *self.get(name) {
            [high, low] => i16::from_be_bytes([high, low]).into(),
            [a, b, c, d] => i32::from_be_bytes([a, b, c, d]).into(),
            _ => 0,
        }
    }

    /// A pointer.
    pub fn pointer(&self, name: &str) -> StorageAddress {
        let pointer: Option<[u8; POINTER_LENGTH]> = self.get(name).try_into().ok();
        pointer.map_or(StorageAddress::NULL, StorageAddress::from_pointer)
    }

    /// Data that a pointer and a length lead to.
    ///
    /// # Errors
    /// ASRA where there is no such storage.
    pub fn data(
        &self,
        context: &Context<'_>,
        (pointer, length): (&str, &str),
        most: usize,
    ) -> Outcome<Vec<u8>> {
        let length = usize::try_from(self.number(length)).unwrap_or(0).min(most);
        if length == 0 { Ok(Vec::new()) } else { context.bytes_at(self.pointer(pointer), length) }
    }

    /// All its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// LINKs to a program with it, which then has what that has left.
    ///
    /// # Errors
    /// The fault in it.
    pub async fn link(&mut self, context: &mut Context<'_>, program: Name8) -> Result<(), Trouble> {
        let unable = |why: Raise| Trouble::abended(program, why.into());
        if !context.is_cobol(program) {
            let area = Area::with(&self.bytes);
            link(context, program, Some(&area)).await?;
            area.read(0, &mut self.bytes);
            return Ok(());
        }
        let area = Area::with(&self.as_own(context).map_err(unable)?);
        link(context, program, Some(&area)).await?;
        self.take_own(&area.to_vec());
        Ok(())
    }

    /// It as a program sees it; what it points to is in the task's window from now on.
    fn as_own(&self, context: &mut Context<'_>) -> Outcome<Vec<u8>> {
        let mut bytes = vec![0; self.member.own.length()];
        for (region, own) in self.member.pairs() {
            let from = &self.bytes[region.offset..][..region.length];
            let into = &mut bytes[own.offset..][..own.length];
            match <[u8; POINTER_LENGTH]>::try_from(from) {
                Ok(pointer) if own.length == OWN_POINTER => {
                    let pointer = context.own_pointer(StorageAddress::from_pointer(pointer))?;
                    into.copy_from_slice(&pointer.to_be_bytes());
                }
                _ => into.copy_from_slice(from),
            }
        }
        Ok(bytes)
    }

    /// Takes what a program has left.
    fn take_own(&mut self, bytes: &[u8]) {
        for (region, own) in self.member.pairs() {
            let from = &bytes[own.offset..][..own.length];
            let into = &mut self.bytes[region.offset..][..region.length];
            match <[u8; OWN_POINTER]>::try_from(from) {
                Ok(pointer) if region.length == POINTER_LENGTH => {
                    let address = StorageAddress::of_window(u32::from_be_bytes(pointer));
                    into.copy_from_slice(&address.to_pointer());
                }
                _ => into.copy_from_slice(from),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_describe_what_they_say() {
        for (member, pointer) in
            [(&ANALYZER, "WBRA-METHOD-PTR"), (&CONVERTER, "DECODE-DATA-PTR"), (&ERROR, "WBEP-RESPONSE-PTR")]
        {
            let field = member.region.field(pointer).expect(pointer);
            assert_eq!((field.length, field.offset % POINTER_LENGTH), (POINTER_LENGTH, 0), "{pointer}");
            assert_eq!(member.own.field(pointer).map(|field| field.length), Some(OWN_POINTER));
            assert!(member.pairs().all(|(region, own)| region.name == own.name));
        }
        for layout in [&CONVERTER.region, &CONVERTER.own] {
            let places =
                ["DECODE-DATA-PTR", "ENCODE-DATA-PTR"].map(|name| layout.field(name).map(|it| it.offset));
            assert_eq!(places[0], places[1]);
        }
    }

    #[test]
    fn fields_hold_what_was_put() {
        let mut record = Record::new(&ERROR);
        record.put_number("WBEP-HTTP-RESPONSE-CODE", 404);
        record.put_number("WBEP-MESSAGE-NUMBER", 523);
        record.put_text("WBEP-TARGET-PROGRAM", "SHOP");
        assert_eq!(record.number("WBEP-HTTP-RESPONSE-CODE"), 404);
        assert_eq!(record.number("WBEP-MESSAGE-NUMBER"), 523);
        assert_eq!(record.text("WBEP-TARGET-PROGRAM"), b"SHOP");
        assert_eq!(record.name("WBEP-FAILING-PROGRAM"), None);
        assert_eq!(record.pointer("WBEP-RESPONSE-PTR"), StorageAddress::NULL);
    }
}
