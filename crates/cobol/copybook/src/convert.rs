//! Records between EBCDIC and program characters.

use std::ops::Range;

use ebcdic::{CodePage, decimal};

use crate::choice::Choices;
use crate::layout::{Layout, Usage};
use crate::walk::{RecordError, check_length, leaves, walk};

/// The longest record for which a plan is made: a plan for a longer one would not be small.
const PLANNED_RECORD: usize = 1 << 16;

/// Translates the records of a layout.
///
/// Text goes through the code page, DISPLAY numbers through [`CodePage::NUMERIC`]; all other fields stay as they are, for programs
/// have them as z/OS has them.
#[derive(Clone, Debug)]
pub struct Converter<'a> {
    layout: &'a Layout,
    page: CodePage,
    choices: Choices,
    /// The translation of each part of a record of full length, if it is the same for all of them.
    plan: Option<Vec<(Range<usize>, Usage)>>,
}

impl<'a> Converter<'a> {
    /// Translates between a code page and program characters; where bytes are described twice the first description
    /// holds.
    pub fn new(layout: &'a Layout, page: CodePage) -> Self {
        Self { layout, page, choices: Choices::new(), plan: plan(layout, &Choices::new()) }
    }

    /// The same with choices of redefinitions.
    #[must_use]
    pub fn with(mut self, choices: Choices) -> Self {
        self.plan = plan(self.layout, &choices);
        self.choices = choices;
        self
    }

    /// An EBCDIC record in program characters. A record may be shorter than the layout.
    pub fn to_program(&self, record: &[u8]) -> Result<Vec<u8>, RecordError> {
        let mut out = record.to_vec();
        if let Some(plan) = self.plan_for(record) {
            plan.iter().for_each(|(part, usage)| to_program(*usage, self.page, &mut out[part.clone()]));
            return Ok(out);
        }
        let length = walk(self.layout, &self.choices, &mut out, |leaf, record| {
            to_program(leaf.usage, self.page, &mut record[leaf.offset..leaf.offset + leaf.length]);
            Ok(())
        })?;
        check_length(&out, length)?;
        Ok(out)
    }

    /// A record in program characters as EBCDIC.
    pub fn from_program(&self, record: &[u8]) -> Result<Vec<u8>, RecordError> {
        let mut out = record.to_vec();
        if let Some(plan) = self.plan_for(record) {
            plan.iter().for_each(|(part, usage)| from_program(*usage, self.page, &mut out[part.clone()]));
            return Ok(out);
        }
        for leaf in leaves(self.layout, &self.choices, record)? {
            from_program(leaf.usage, self.page, &mut out[leaf.offset..leaf.offset + leaf.length]);
        }
        Ok(out)
    }

    fn plan_for(&self, record: &[u8]) -> Option<&[(Range<usize>, Usage)]> {
        self.plan.as_deref().filter(|_| record.len() == self.layout.length())
    }
}

/// The parts of every record of full length that change in translation; `None` if parts depend on the record.
fn plan(layout: &Layout, choices: &Choices) -> Option<Vec<(Range<usize>, Usage)>> {
    let varies = layout.fields().iter().any(|f| f.occurs.as_ref().is_some_and(|o| o.depending.is_some()));
    if varies || layout.length() > PLANNED_RECORD || choices.deciding().next().is_some() {
        return None;
    }
    let mut plan: Vec<(Range<usize>, Usage)> = Vec::new();
    for leaf in leaves(layout, choices, &vec![0; layout.length()]).ok()? {
        let part = leaf.offset..leaf.offset + leaf.length;
        match (leaf.usage, plan.last_mut()) {
            (usage, _) if !is_translated(usage) => {}
            // Neighbours that are translated byte by byte in the same way become one.
            (Usage::Text, Some((before, Usage::Text))) if before.end == part.start => before.end = part.end,
            (Usage::Zoned { .. }, Some((before, Usage::Zoned { .. }))) if before.end == part.start => {
                before.end = part.end;
            }
            (usage, _) => plan.push((part, usage)),
        }
    }
    Some(plan)
}

/// Returns true if the bytes of a field are others in EBCDIC.
fn is_translated(usage: Usage) -> bool {
    matches!(usage, Usage::Text | Usage::Zoned { .. })
}

/// The bytes of a field of an EBCDIC record, as a program here has them.
pub(crate) fn to_program(usage: Usage, page: CodePage, bytes: &mut [u8]) {
    match usage {
        Usage::Text => page.to_program_in_place(bytes),
        Usage::Zoned { .. } => decimal::zoned_to_program(bytes),
        _ => {}
    }
}

/// The bytes of a field of a program here, as an EBCDIC record has them.
fn from_program(usage: Usage, page: CodePage, bytes: &mut [u8]) {
    match usage {
        Usage::Text => page.from_program_in_place(bytes),
        Usage::Zoned { .. } => decimal::zoned_from_program(bytes),
        _ => {}
    }
}
