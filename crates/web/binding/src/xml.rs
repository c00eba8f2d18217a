//! A writer of XML for people: an element a line, indented.

use mapping::xml::escape_attribute;

/// A document that grows.
pub(crate) struct Document {
    text: Vec<u8>,
    open: Vec<String>,
}

impl Document {
    pub fn new() -> Self {
        Self { text: b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_vec(), open: Vec::new() }
    }

    /// Begins an element that has others.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">\n");
        self.open.push(name.to_owned());
    }

    /// An element without content.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    /// Ends the element that was begun last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.extend_from_slice(format!("</{name}>\n").as_bytes());
        }
    }

    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.indent();
        self.text.push(b'<');
        self.text.extend_from_slice(name.as_bytes());
        for (name, value) in attributes {
            self.text.extend_from_slice(format!(" {name}=\"").as_bytes());
            escape_attribute(value, &mut self.text);
            self.text.push(b'"');
        }
        self.text.extend_from_slice(end.as_bytes());
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n(b' ', 2 * self.open.len()));
    }
}
