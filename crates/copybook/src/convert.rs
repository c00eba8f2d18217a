//! Records between EBCDIC and program characters.

use ebcdic::{CodePage, decimal};

use crate::choice::Choices;
use crate::layout::{Layout, Usage};
use crate::number::{hex_to_ieee, ieee_to_hex};
use crate::walk::{RecordError, check_length, walk};

/// Translates the records of a layout.
///
/// Text goes through the code page, DISPLAY numbers through [`CodePage::NUMERIC`]; packed and big-endian binary numbers
/// stay; COMP-5 changes its byte order and floating point its format, for both are the machine's own; pointers and
/// double-byte text stay.
#[derive(Clone, Debug)]
pub struct Converter<'a> {
    layout: &'a Layout,
    page: CodePage,
    choices: Choices,
}

impl<'a> Converter<'a> {
    /// Translates between a code page and program characters; where bytes are described twice the first description
    /// holds.
    pub fn new(layout: &'a Layout, page: CodePage) -> Self {
        Self { layout, page, choices: Choices::new() }
    }

    /// The same with choices of redefinitions.
    #[must_use]
    pub fn with(mut self, choices: Choices) -> Self {
        self.choices = choices;
        self
    }

    /// An EBCDIC record in program characters. A record may be shorter than the layout.
    pub fn to_program(&self, record: &[u8]) -> Result<Vec<u8>, RecordError> {
        let mut out = record.to_vec();
        let length = walk(self.layout, &self.choices, &mut out, |leaf, record| {
            leaf_to_program(leaf.usage, self.page, &mut record[leaf.offset..leaf.offset + leaf.length]);
            Ok(())
        })?;
        check_length(&out, length)?;
        Ok(out)
    }

    /// A record in program characters as EBCDIC.
    pub fn from_program(&self, record: &[u8]) -> Result<Vec<u8>, RecordError> {
        let mut out = record.to_vec();
        for leaf in crate::leaves(self.layout, &self.choices, record)? {
            let bytes = &mut out[leaf.offset..leaf.offset + leaf.length];
            match leaf.usage {
                Usage::Text => self.page.from_program_in_place(bytes),
                Usage::Zoned { .. } => decimal::zoned_from_program(bytes),
                Usage::Binary { native: true, .. } => bytes.reverse(),
                Usage::Float => ieee_to_hex(bytes),
                Usage::Packed { .. } | Usage::Binary { .. } | Usage::Opaque => {}
            }
        }
        Ok(out)
    }
}

/// The bytes of one elementary field of an EBCDIC record, as a program here has them.
pub(crate) fn leaf_to_program(usage: Usage, page: CodePage, bytes: &mut [u8]) {
    match usage {
        Usage::Text => page.to_program_in_place(bytes),
        Usage::Zoned { .. } => decimal::zoned_to_program(bytes),
        Usage::Binary { native: true, .. } => bytes.reverse(),
        Usage::Float => hex_to_ieee(bytes),
        Usage::Packed { .. } | Usage::Binary { .. } | Usage::Opaque => {}
    }
}
