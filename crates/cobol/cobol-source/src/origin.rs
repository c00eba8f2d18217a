//! The origin of text: a place in a source, and the COPY statements through which that source was reached.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, TextPlace};

use crate::reference_format::MARGIN;

/// One use of a source: the program itself, or a member at one COPY statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u32);

/// A place: small and free to copy, since every token has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The use of a source.
    pub frame: FrameId,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u16,
    /// In characters.
    pub width: u16,
}

/// A place in the user's text with the COPY statements that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The place itself: in the program or in a copybook.
    pub place: TextPlace,
    /// The COPY statements, outermost first.
    pub through: Vec<TextPlace>,
}

impl Origin {
    /// The same message at this place.
    #[must_use]
    pub fn mark(self, mut message: Diagnostic) -> Diagnostic {
        message.place = Some(self.place);
        message.through = self.through;
        message
    }
}

/// All uses of sources in one translation.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    list: Vec<Frame>,
    /// Lines with text after the margin, in order.
    cut: Vec<(FrameId, u32)>,
}

#[derive(Clone, Debug)]
struct Frame {
    source: Arc<Source>,
    copied_at: Option<At>,
    /// Columns from one tab stop to the next, if the source has tabs.
    tabs: Option<usize>,
}

impl Frames {
    /// Notes one more use of a source.
    pub fn enter(&mut self, source: &Arc<Source>, copied_at: Option<At>, tab_width: usize) -> FrameId {
        let tabs = source.text.contains('\t').then_some(tab_width);
        self.list.push(Frame { source: Arc::clone(source), copied_at, tabs });
        FrameId((self.list.len() - 1) as u32)
    }

    /// Notes that a line has text after its margin.
    pub fn note_cut(&mut self, frame: FrameId, line: u32) {
        self.cut.push((frame, line));
    }

    /// Returns the first line with text after its margin, from one place to another of the same source.
    pub fn cut_line(&self, from: At, to: At) -> Option<u32> {
        let lines = from.line..=to.line;
        self.cut
            .iter()
            .find(|(frame, line)| *frame == from.frame && lines.contains(line))
            .map(|(_, line)| *line)
    }

    /// Returns the text after the margin of a place's line, or of the line before it, with that line's number: if the
    /// text runs over the margin, or not every line has text there, as an identification would be.
    pub fn cut_off(&self, at: At) -> Option<(u32, String)> {
        let frame = &self.list[at.frame.0 as usize];
        let cut = |line: u32| self.cut.contains(&(at.frame, line));
        let line = [at.line, at.line.saturating_sub(1)].into_iter().find(|line| cut(*line))?;
        let text = frame.source.text[frame.source.line_start(line as usize)..].lines().next()?;
        let behind: String = text.chars().skip(MARGIN).collect();
        let runs_over = !text.chars().nth(MARGIN - 1)?.is_whitespace() && !behind.starts_with(' ');
        let all = self.cut.iter().filter(|(id, _)| *id == at.frame).count();
        let usual = all * 2 > frame.source.text.lines().count();
        (runs_over || !usual).then(|| (line, behind.trim().to_owned()))
    }

    /// Returns true if the place was reached through a COPY of this source.
    pub fn is_within(&self, frame: FrameId, source: &Source) -> bool {
        self.chain(frame).any(|f| *f.source == *source)
    }

    /// The member that a place is in, if it is in one.
    pub fn member(&self, frame: FrameId) -> Option<&Arc<Source>> {
        let frame = &self.list[frame.0 as usize];
        frame.copied_at.is_some().then_some(&frame.source)
    }

    /// The name of a use's source, as messages show it.
    pub fn source_name(&self, frame: FrameId) -> String {
        self.list[frame.0 as usize].source.name.clone()
    }

    /// The place in the user's terms.
    pub fn origin(&self, at: At) -> Origin {
        let place = |at: At| self.list[at.frame.0 as usize].place(at);
        let mut through: Vec<TextPlace> =
            self.chain(at.frame).filter_map(|f| f.copied_at).map(place).collect();
        through.reverse();
        Origin { place: place(at), through }
    }

    /// The frame, the frame of the COPY that led to it, and so on outwards.
    fn chain(&self, frame: FrameId) -> impl Iterator<Item = &Frame> {
        let get = |id: FrameId| &self.list[id.0 as usize];
        std::iter::successors(Some(get(frame)), move |f| f.copied_at.map(|at| get(at.frame)))
    }
}

impl Frame {
    fn place(&self, at: At) -> TextPlace {
        let (line, column) = (at.line as usize, usize::from(at.column));
        let column = match self.tabs {
            Some(width) => characters_before(&self.source, line, column, width) + 1,
            None => column,
        };
        TextPlace::new(&self.source, line, column, usize::from(at.width))
    }
}

/// Returns the number of characters of a line with tabs before a column.
fn characters_before(source: &Source, line: usize, column: usize, tab_width: usize) -> usize {
    let text = source.text[source.line_start(line)..].lines().next().unwrap_or("");
    let mut next = 0;
    let starts = text.chars().map(|c| {
        let start = next;
        next += if c == '\t' { tab_width - next % tab_width } else { 1 };
        start
    });
    starts.take_while(|start| start + 1 < column).count()
}

impl At {
    /// From here to the end of `other`, if that is on the same line; else just here.
    pub fn to(self, other: At) -> At {
        let same = self.frame == other.frame && self.line == other.line && other.column >= self.column;
        if same { At { width: other.column - self.column + other.width, ..self } } else { self }
    }
}
