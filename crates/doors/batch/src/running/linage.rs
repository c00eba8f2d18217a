//! LINAGE: the pages of a printed file, and where on them the next line goes.

use cobol_ir::program::files::Advance;

/// The lines of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Those that are written.
    pub lines: i64,
    /// The line that the footing begins at.
    pub footing: Option<i64>,
    /// Lines above.
    pub top: i64,
    /// Lines below.
    pub bottom: i64,
}

/// A file with pages, while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pages {
    page: Page,
    /// LINAGE-COUNTER.
    pub counter: i64,
    /// Lines above the first page that are not written yet.
    above: i64,
}

/// Result of a WRITE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turned {
    /// Before or behind this many lines.
    pub after: bool,
    pub lines: i64,
    /// AT END-OF-PAGE.
    pub is_end: bool,
}

impl Pages {
    /// A file that is opened: on the first line of a page.
    pub fn new(page: Page) -> Self {
        Self { page, counter: 1, above: page.top }
    }

    /// Goes on by the lines that a WRITE asks for; the next page is as `page` says by then.
    pub fn write(&mut self, advance: Option<Advance>, lines: i64, page: Page) -> Turned {
        let Advance { after, page: next_page } = advance.unwrap_or(Advance { after: true, page: false });
        let lines = if advance.is_none() { 1 } else { lines.max(0) };
        let above = if after { std::mem::take(&mut self.above) } else { 0 };
        let reached = self.counter + lines;
        if next_page || reached > self.page.lines {
            let rest = self.page.lines - self.counter + self.page.bottom;
            self.page = page;
            self.counter = 1;
            return Turned { after, lines: above + rest + page.top + 1, is_end: !next_page };
        }
        self.counter = reached;
        let is_end = self.page.footing.is_some_and(|footing| reached >= footing);
        Turned { after, lines: above + lines, is_end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_turn_where_their_lines_end() {
        let page = Page { lines: 5, footing: Some(4), top: 2, bottom: 1 };
        let mut pages = Pages::new(page);
        let after = |lines| (Some(Advance { after: true, page: false }), lines);
        for ((advance, lines), expected) in [
            // Advance; lines that are gone on, LINAGE-COUNTER behind it, whether the page ends.
            ((None, 9), (2 + 1, 2, false)),
            (after(1), (1, 3, false)),
            (after(1), (1, 4, true)),
            (after(2), (1 + 1 + 2 + 1, 1, true)),
            (after(0), (0, 1, false)),
            ((Some(Advance { after: false, page: true }), 0), (4 + 1 + 2 + 1, 1, false)),
            (after(4), (4, 5, true)),
            (after(1), (1 + 2 + 1, 1, true)),
        ] {
            let turned = pages.write(advance, lines, page);
            assert_eq!((turned.lines, pages.counter, turned.is_end), expected, "{advance:?} {lines}");
        }
    }
}
