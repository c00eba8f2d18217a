//! Which of several descriptions of the same bytes holds.

use ebcdic::CodePage;

use crate::convert::to_program;
use crate::layout::{Field, Kind, Layout};
use crate::value::value_text_of;

/// Which redefinition of an area of storage is read. Where no choice is made the first description holds: the one that
/// the others redefine.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    description: String,
    /// The field whose value decides, and the value; `None` for a rule that always holds.
    test: Option<(String, String)>,
}

impl Choices {
    /// No choice: the first description of every area.
    pub fn new() -> Self {
        Self::default()
    }

    /// A description holds, wherever nothing more special does.
    #[must_use]
    pub fn always(mut self, description: &str) -> Self {
        self.rules.push(Rule { description: description.to_owned(), test: None });
        self
    }

    /// A description holds if a field, which must be before the area, has a value: written as [`crate::decode`] writes
    /// it.
    #[must_use]
    pub fn when(mut self, field: &str, value: &str, description: &str) -> Self {
        let test = Some((field.to_owned(), value.to_owned()));
        self.rules.push(Rule { description: description.to_owned(), test });
        self
    }

    /// The names of the fields that decide.
    pub(crate) fn deciding(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|rule| rule.test.as_ref()).map(|(field, _)| field.as_str())
    }

    /// The description that holds for an area.
    pub(crate) fn pick<'a>(
        &self,
        area: &[&'a Field],
        value_of: impl Fn(&str) -> Option<String>,
    ) -> &'a Field {
        let named = |rule: &Rule| area.iter().copied().find(|field| field.is_named(&rule.description));
        let (tested, always): (Vec<&Rule>, Vec<&Rule>) =
            self.rules.iter().partition(|rule| rule.test.is_some());
        let holds = |rule: &&Rule| {
            rule.test
                .as_ref()
                .is_none_or(|(field, value)| value_of(field).is_some_and(|found| found == *value))
        };
        let candidates = tested.into_iter().filter(|rule| named(rule).is_some()).filter(holds);
        candidates.chain(always).find_map(named).unwrap_or(area[0])
    }
}

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
