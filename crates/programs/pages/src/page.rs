//! A page of an application: read, and refused if something in it has no meaning.

use std::fmt;

use crate::document::Document;
use crate::kinds;
use crate::settings::Settings;

/// A page that can be played.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its blocks.
    pub document: Document,
    /// Its settings.
    pub settings: Settings,
}

/// Something in a page that has no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The number of its line; 0: the whole page.
    pub line: usize,
    /// A description of it.
    pub what: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.what)
    }
}

impl Page {
    /// Reads a page; `name` is its path below the folder of pages, without the ending.
    ///
    /// # Errors
    /// All that has no meaning.
    pub fn read(name: &str, text: &str) -> Result<Self, Vec<Unreadable>> {
        let unreadable = |(line, what)| Unreadable { line, what };
        let document = Document::parse(name, text).map_err(|unclosed| {
            vec![unreadable((unclosed.0, String::from("the block that begins here is never closed")))]
        })?;
        let (settings, mut faults) = Settings::read(&document);
        faults.extend(document.blocks.iter().flat_map(kinds::faults));
        if document.blocks.iter().all(|block| block.kind == "text") {
            faults.push((0, String::from("nothing is tested: there is no block")));
        }
        match faults.is_empty() {
            true => Ok(Self { document, settings }),
            false => Err(faults.into_iter().map(unreadable).collect()),
        }
    }

    /// Its title: the first heading, or its name.
    pub fn title(&self) -> &str {
        let heading = self.document.lines().iter().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(&self.document.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let text = "# T\n\nclok: 1\n\n```keys\nENTR\n```\n\n```scren\n```\n";
        let faults = Page::read("t", text).expect_err("faults");
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [3, 6, 9]);
        assert_eq!(Page::read("t", "# T\n\n```keys\n").expect_err("open")[0].line, 3);
        assert_eq!(Page::read("t", "# T\n\nprose\n").expect_err("nothing")[0].line, 0);
    }

    #[test]
    fn a_page_has_a_title() {
        let page = Page::read("a/b", "# Ten lines\n\n```keys\nENTER\n```\n").expect("a page");
        assert_eq!(page.title(), "Ten lines");
    }
}
