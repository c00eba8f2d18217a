//! Phrases of JSON GENERATE and XML GENERATE: SUPPRESS, TYPE, NAMESPACE, ENCODING.

use cobol_data::{Item, ItemId, Type, Utf8Length};
use cobol_syntax::tree::{Figurative, LiteralKind, Markup, MarkupType, Operand, SuppressedWhat};

use super::{Lowered, Lowering};
use cobol_ir::program::{Content, DocumentForm, Number, Relation, Test, Text, Written, XmlOptions};

/// Numbers of code pages: UTF-16 and UTF-8, …
const UTF_16: u32 = 1200;
const UTF_8: u32 = 1208;
/// … and those that stand for the program's own characters, as in the option CODEPAGE.
const PROGRAM: [u32; 4] = [819, 37, 1047, 1140];

/// Form in which XML has an item that TYPE names.
fn written_as(own: MarkupType) -> Written {
    match own {
        MarkupType::Attribute => Written::Attribute,
        MarkupType::Element => Written::Element,
        MarkupType::Content => Written::Content,
    }
}

/// Returns true if an item holds the bytes of a text in UTF-8 as they come: one with BYTE-LENGTH.
pub(super) fn is_bytes_of_utf8(kind: &Type) -> bool {
    matches!(kind, Type::Utf8(Utf8Length::Bytes(_)))
}

impl<'a> Lowering<'a> {
    /// The characters of a document as ENCODING says; `None` without it, and beside national items that are so by themselves.
    pub(super) fn document_form(
        &mut self,
        markup: &'a Markup,
        national: bool,
    ) -> Lowered<Option<DocumentForm>> {
        let own = national.then_some(DocumentForm::National);
        let Some(encoding) = &markup.encoding else { return Ok(own) };
        let Operand::Literal(literal) = encoding else {
            return self.refuse(encoding.at(), "an ENCODING that is no literal");
        };
        match literal.text.parse() {
            Ok(UTF_16) if national => Ok(own),
            _ if national => self.refuse(literal.at, "an ENCODING other than 1200 beside a national item"),
            Ok(UTF_8) => Ok(Some(DocumentForm::Utf8)),
            Ok(page) if PROGRAM.contains(&page) => Ok(Some(DocumentForm::Program)),
            _ => self.refuse(literal.at, "an ENCODING other than 1208, 819, 37, 1047 and 1140"),
        }
    }

    /// Refuses an ENCODING other than 1208 beside a UTF-8 item.
    pub(super) fn no_other_encoding(&mut self, markup: &'a Markup) -> Lowered<()> {
        match &markup.encoding {
            Some(Operand::Literal(literal)) if literal.text.parse() != Ok(UTF_8) => {
                self.refuse(literal.at, "an ENCODING other than 1208 beside a UTF-8 item")
            }
            _ => Ok(()),
        }
    }

    /// The wishes of phrases about a document.
    pub(super) fn xml_options(&mut self, markup: &'a Markup, national: bool) -> Lowered<XmlOptions> {
        let form = self.document_form(markup, national)?;
        // Without ENCODING JSON is UTF-8, and XML has the program's own characters.
        let utf8 = form.map_or(!markup.xml, |form| form == DocumentForm::Utf8);
        let mut texts = [&markup.namespace, &markup.prefix].into_iter().map(|text| match text {
            Some(Operand::Literal(literal)) if literal.kind == LiteralKind::Number => {
                self.refuse(literal.at, "a namespace that is a number").map(Some)
            }
            Some(text) => self.text(text).map(Some),
            None => Ok(None),
        });
        let namespace = texts.next().transpose()?.flatten();
        let prefix = texts.next().transpose()?.flatten();
        Ok(XmlOptions { declaration: markup.declaration, utf8, namespace, prefix })
    }

    /// Form in which XML has an item: that of TYPE, or an attribute if WITH ATTRIBUTES stands there and it can be
    /// one.
    pub(super) fn written_as(&mut self, markup: &'a Markup, id: ItemId, item: &Item) -> Lowered<Written> {
        let may_be_other = !item.is_group() && item.occurs.is_none();
        match markup.types.iter().find(|(reference, _)| self.is_it(reference, id)) {
            Some((_, own)) if *own == MarkupType::Element || may_be_other => Ok(written_as(*own)),
            Some((reference, _)) => self.refuse(reference.at(), "this TYPE of a table or a group"),
            None if markup.attributes && may_be_other => Ok(Written::Attribute),
            None => Ok(Written::Element),
        }
    }

    /// SUPPRESS of an item without WHEN.
    pub(super) fn is_always_left_out(&self, markup: &Markup, id: ItemId) -> bool {
        markup.suppressed.iter().any(|one| match &one.what {
            SuppressedWhat::Item(reference) => one.when.is_empty() && self.is_it(reference, id),
            SuppressedWhat::Every { .. } => false,
        })
    }

    /// When an elementary item is left out.
    pub(super) fn left_out(
        &mut self,
        markup: &'a Markup,
        id: ItemId,
        item: &Item,
        written: Written,
        content: &Content,
    ) -> Vec<Test> {
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        let is_numeric = matches!(content, Content::Number(_));
        for one in &markup.suppressed {
            let is_meant = match &one.what {
                SuppressedWhat::Item(reference) => self.is_it(reference, id),
                SuppressedWhat::Every { numeric, written: own } => {
                    numeric.is_none_or(|numeric| numeric == is_numeric)
                        && own.is_none_or(|own| written_as(own) == written)
                }
            };
            for value in one.when.iter().filter(|_| is_meant) {
                match (content, value) {
                    (Content::Number(number), Figurative::Zero) => {
                        let zero = Number::whole(0);
                        numbers.push(Test::Numbers(Relation::Equal, number.clone(), zero));
                    }
                    (content, value) => texts.extend(self.is_nothing_but(content, &item.kind, value)),
                }
            }
        }
        // What is no number is looked at first.
        texts.append(&mut numbers);
        texts
    }

    /// Test for an item that is one character over and over.
    fn is_nothing_but(&mut self, content: &Content, kind: &Type, value: &Figurative) -> Option<Test> {
        let byte = match value {
            Figurative::Zero => b'0',
            Figurative::Space => b' ',
            Figurative::LowValue => 0,
            Figurative::HighValue => 0xFF,
            _ => return None,
        };
        let text = match content {
            Content::Characters { text, .. } | Content::Edited(text) => text.clone(),
            Content::National(text) => {
                let unit: &[u8] = match (kind, byte) {
                    // U+10FFFF has two units.
                    (Type::Utf8(_), 0xFF) => &[0xDB, 0xFF, 0xDF, 0xFF],
                    (_, 0xFF) => &[0xFF; 2],
                    _ => &[0, byte],
                };
                let repeated = Text::Repeated(self.constant_place(unit));
                return Some(Test::Nationals(Relation::Equal, text.clone(), repeated));
            }
            Content::Number(Number::Field(place, numeric)) => {
                let is_zoned = matches!(numeric.representation, cobol_data::Representation::Zoned(_));
                (is_zoned && matches!(kind, Type::Numeric(_))).then(|| Text::Place(place.clone()))?
            }
            _ => return None,
        };
        let repeated = Text::Repeated(self.constant_place(&[byte]));
        Some(Test::Texts(Relation::Equal, text, repeated))
    }
}
