//! The wanted events, and the parts of them that are written.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use copybook::{Choices, Layout, decode};
use kernel::task::Task;
use serde_json::{Map, Value};

use crate::file::EventFile;

/// The form in which captured bytes are read: as text, or as a record of a copybook.
pub type Shape = Option<Layout>;

/// A capture specification.
pub struct Specification {
    /// The beginning of the names of the events that it wants, or a whole name.
    name: Vec<u8>,
    is_generic: bool,
    /// Emitted when the unit of work commits; else at once.
    transactional: bool,
    from: Shape,
    containers: BTreeMap<String, Layout>,
    pub(crate) file: Arc<EventFile>,
}

impl Specification {
    /// Events of this name, or of all names that begin so if it ends in `*`, go to a file.
    pub fn new(name: &str, transactional: bool, file: PathBuf) -> Self {
        let generic = name.strip_suffix('*');
        Self {
            name: generic.unwrap_or(name).as_bytes().to_vec(),
            is_generic: generic.is_some(),
            transactional,
            from: None,
            containers: BTreeMap::new(),
            file: Arc::new(EventFile::new(file)),
        }
    }

    /// FROM is a record of this layout.
    #[must_use]
    pub fn from(mut self, shape: Shape) -> Self {
        self.from = shape;
        self
    }

    /// A container is a record of this layout.
    #[must_use]
    pub fn container(mut self, name: &str, layout: Layout) -> Self {
        self.containers.insert(name.to_owned(), layout);
        self
    }

    /// Returns true if it wants an event.
    pub(crate) fn wants(&self, event: &[u8]) -> bool {
        if self.is_generic { event.starts_with(&self.name) } else { event == self.name }
    }

    /// Writes a line: when the unit of work commits, or at once.
    pub(crate) fn passes_on(&self, task: &mut Task, line: String) {
        if !self.transactional {
            self.file.emit(&line);
        } else if let Some(waiting) = EventFile::keep(&self.file, line) {
            task.work.at_commit(Box::new(move |_| waiting.emit()));
        }
    }

    /// The bytes of FROM as a value.
    pub(crate) fn data(&self, bytes: &[u8]) -> Value {
        value(self.from.as_ref(), bytes)
    }

    /// The bytes of a container as a value.
    pub(crate) fn contained(&self, container: &str, bytes: &[u8]) -> Value {
        value(self.containers.get(container), bytes)
    }
}

/// A record as its fields. Bytes that are not a record of the layout become text.
fn value(layout: Option<&Layout>, bytes: &[u8]) -> Value {
    let fields = layout.and_then(|layout| decode(layout, &Choices::new(), bytes).ok());
    match fields {
        Some(fields) => {
            fields.into_iter().map(|(name, text)| (name, Value::String(text))).collect::<Map<_, _>>().into()
        }
        None => text(bytes).into(),
    }
}

/// Program characters as text, without the blanks at their end.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    text.trim_end_matches([' ', '\0']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specification(name: &str) -> Specification {
        Specification::new(name, true, PathBuf::from("events"))
    }

    #[test]
    fn a_name_is_whole_or_a_beginning() {
        let cases = [
            ("ORDER.PLACED", "ORDER.PLACED", true),
            ("ORDER.PLACED", "ORDER.PLACED.TWICE", false),
            ("ORDER.*", "ORDER.PLACED", true),
            ("ORDER.*", "ORDERS", false),
            ("*", "ANYTHING", true),
        ];
        for (name, event, wanted) in cases {
            assert_eq!(specification(name).wants(event.as_bytes()), wanted, "{name}: {event}");
        }
    }

    #[test]
    fn captured_bytes_are_fields_or_text() {
        let source = "       01 O.\n          05 ID PIC 9(3).\n          05 TOTAL PIC S9(3)V99.\n";
        let layout = copybook::parse(&diagnostics::Source::new("order.cpy", source)).layouts.remove(0);
        let specification = specification("*").from(Some(layout));
        assert_eq!(specification.data(b"00712345").to_string(), r#"{"ID":"7","TOTAL":"123.45"}"#);
        assert_eq!(specification.data(b"007").to_string(), r#"{"ID":"7"}"#, "cut short");
        assert_eq!(specification.contained("NOTE", b"two \"of\" them  ").to_string(), r#""two \"of\" them""#);
    }
}
