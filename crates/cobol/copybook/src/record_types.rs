//! The layout of a record among those of its file.

use ebcdic::CodePage;

use crate::convert::to_program;
use crate::layout::{Kind, Layout};
use crate::text::value_text_of;

/// Several layouts of the records of one file, told apart by the value of a field.
#[derive(Clone, Debug, Default)]
pub struct RecordTypes {
    types: Vec<(Layout, Option<(String, String)>)>,
}

impl RecordTypes {
    /// No layouts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A layout for records in which one of its fields has a value.
    #[must_use]
    pub fn when(mut self, field: &str, value: &str, layout: Layout) -> Self {
        self.types.push((layout, Some((field.to_owned(), value.to_owned()))));
        self
    }

    /// A layout for all records that none before it is for.
    #[must_use]
    pub fn otherwise(mut self, layout: Layout) -> Self {
        self.types.push((layout, None));
        self
    }

    /// The layout of a record in program characters, or in EBCDIC if a code page is given.
    pub fn layout_for(&self, record: &[u8], page: Option<CodePage>) -> Option<&Layout> {
        let holds = |layout: &Layout, field: &str, value: &str| {
            let field = layout.field(field)?;
            let Kind::Elementary(usage) = field.kind else { return None };
            let mut bytes = record.get(field.offset..field.offset + field.length)?.to_vec();
            if let Some(page) = page {
                to_program(usage, page, &mut bytes);
            }
            (value_text_of(layout.form, usage, &bytes) == value).then_some(())
        };
        let found = self.types.iter().find(|(layout, test)| {
            test.as_ref().is_none_or(|(field, value)| holds(layout, field, value).is_some())
        });
        found.map(|(layout, _)| layout)
    }
}
