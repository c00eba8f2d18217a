//! Messages about what a user wrote: a COBOL source, a map, a CSD text, an IDCAMS input, `region.toml`.
//!
//! Every such message shows the user's own line and the place in it, says what was expected and what to do. The crates
//! that read text return [`Diagnostic`]s; only the command line and the region's log print them.
//!
//! Out of scope: conditions and abends (outcomes of a running task), and engine errors.

mod nearest;

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

pub use nearest::nearest;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing to mend.
    Note,
    /// Accepted, perhaps not as meant.
    Warning,
    /// Not accepted.
    Error,
}

/// A text with the name under which the user knows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Path or member name, as the user would write it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The mark with which some editors begin a text in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl Source {
    /// A text under its name; the byte order mark that some editors put before it is none of it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let mut text = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        Arc::new(Self { name: name.into(), text })
    }

    /// The byte offset at which a line starts (lines from 1); the text's end for lines beyond it.
    pub fn line_start(&self, line: usize) -> usize {
        self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
    }
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The text.
    pub source: Arc<Source>,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The number of characters that are meant; 0 for a whole line.
    pub length: usize,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The message's number, as in `SPTR012`: it never changes its meaning.
    pub code: &'static str,
    /// The error, in one line.
    pub message: String,
    /// Its place, if it has one.
    pub place: Option<TextPlace>,
    /// The label of the place: printed beside the mark.
    pub label: String,
    /// The way to the place: the COPY statements, outermost first.
    pub through: Vec<TextPlace>,
    /// The remedy.
    pub help: String,
}

impl Diagnostic {
    /// A message that says nothing yet but what is wrong.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            place: None,
            label: String::new(),
            through: Vec::new(),
            help: String::new(),
        }
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, place: TextPlace) -> Self {
        self.place = Some(place);
        self
    }

    /// The same with words beside the mark.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// The message as text, with the user's line; coloured for a terminal if asked.
    pub fn render(&self, coloured: bool) -> String {
        self.render_named(coloured, &str::to_owned)
    }

    /// The same with each source under the name that `shown` gives it: the path from where a reader stands.
    pub fn render_named(&self, coloured: bool, shown: &dyn Fn(&str) -> String) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&self.report(shown))
    }

    fn report(&self, shown: &dyn Fn(&str) -> String) -> Vec<Group<'_>> {
        let level = match self.severity {
            Severity::Note => Level::NOTE,
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let mut group = match &self.place {
            None => Group::with_title(title),
            Some(place) => title.element(
                Snippet::source(place.source.text.as_str())
                    .path(shown(&place.source.name))
                    .annotation(AnnotationKind::Primary.span(place.span()).label(self.label.as_str())),
            ),
        };
        for place in self.through.iter().rev() {
            group = group.element(
                Snippet::source(place.source.text.as_str())
                    .path(shown(&place.source.name))
                    .annotation(AnnotationKind::Context.span(place.span()).label("copied from here")),
            );
        }
        if !self.help.is_empty() {
            group = group.element(Level::HELP.message(self.help.as_str()));
        }
        vec![group]
    }
}

impl TextPlace {
    /// A place in a source.
    pub fn new(source: &Arc<Source>, line: usize, column: usize, length: usize) -> Self {
        Self { source: Arc::clone(source), line, column, length }
    }

    /// The place as a range of bytes of the source; never beyond its line.
    fn span(&self) -> std::ops::Range<usize> {
        let start = self.source.line_start(self.line);
        let line = self.source.text[start..].lines().next().unwrap_or("");
        let offset = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(at, _)| at);
        let from = offset(self.column.saturating_sub(1));
        let to =
            if self.length == 0 { line.len() } else { offset(self.column.saturating_sub(1) + self.length) };
        start + from..start + to
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Returns true if any message is an error.
pub fn any_error(messages: &[Diagnostic]) -> bool {
    messages.iter().any(|m| m.severity == Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        assert_eq!(Source::new("bank.csd", "\u{feff}* comment\n").text, "* comment\n");
    }

    #[test]
    fn a_message_shows_the_line_the_place_and_what_to_do() {
        let source = Source::new("ACCT.cbl", "       MAIN.\n           EXEC CICS RAED FILE('A') END-EXEC.\n");
        let message = Diagnostic::error("SPTR001", "RAED is not an EXEC CICS command")
            .at(TextPlace::new(&source, 2, 22, 4))
            .label("no command starts with this word")
            .help("did you mean READ?");
        expect![[r#"
            error[SPTR001]: RAED is not an EXEC CICS command
             --> ACCT.cbl:2:22
              |
            2 |            EXEC CICS RAED FILE('A') END-EXEC.
              |                      ^^^^ no command starts with this word
              |
              = help: did you mean READ?"#]]
        .assert_eq(&message.render(false));
    }

    #[test]
    fn a_place_beyond_the_text_is_not_a_panic() {
        let source = Source::new("x", "short\n");
        for (line, column, length) in [(9, 9, 9), (1, 99, 1), (0, 0, 0)] {
            Diagnostic::error("SPTR001", "m").at(TextPlace::new(&source, line, column, length)).render(false);
        }
    }
}
