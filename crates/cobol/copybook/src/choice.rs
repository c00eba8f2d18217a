//! Which of several descriptions of the same bytes holds.

use crate::layout::Field;

/// Which redefinition of an area of storage is read. Without a choice the first description holds: the one that
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
