//! Sequential files: read from their start, written to their end; rewritten in place where they are open I-O (`update`).

use datasets::{Content, File, Reader, Shape, Writer};
use ebcdic::Characters;

use crate::control::{FileControl, OpenMode};
use crate::status::Status;
use crate::update::Updating;

/// Flags of WRITE ADVANCING as libcob has them, and the bits of the number of lines.
pub(crate) const AFTER: u32 = 0x0010_0000;
pub(crate) const BEFORE: u32 = 0x0020_0000;
pub(crate) const PAGE: u32 = 0x0002_0000;
pub(crate) const LINES: u32 = 0xFFFF;
/// Begins a page.
const FORM_FEED: &str = "\u{c}";

/// The way in which a file that is written takes lines of a printer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    /// As lines of text: ADVANCING becomes empty lines and form feeds.
    Lines,
    /// Each record begins with a control character, which the program need not give: it has so many bytes less then.
    Control(Option<usize>),
    /// As records without anything of the kind; those of this length have room for a control character.
    Records(Option<usize>),
}

/// Takes printed lines.
pub(crate) type Printer<'p> = &'p mut dyn FnMut(&str);

/// An open sequential file.
pub(crate) enum Plain {
    Reading {
        reader: Option<Box<Reader>>,
        /// The files of a concatenation that come after this one, last first.
        rest: Vec<File>,
        at_end: bool,
        longest: usize,
    },
    Writing(Box<Writer>, Paper),
    Updating(Box<Updating>),
    Printing,
}

impl Plain {
    /// Opens files for a program.
    pub fn open(
        files: &[File],
        mode: OpenMode,
        control: &FileControl,
        has_control: bool,
    ) -> Result<Self, (Status, String)> {
        let longest = control.lengths.1;
        let Some(first) = files.first() else {
            return Ok(Self::Reading { reader: None, rest: Vec::new(), at_end: false, longest });
        };
        let refused = |error: datasets::FileError| {
            let status = match &error {
                datasets::FileError::System { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
                    Status::ABSENT
                }
                datasets::FileError::System { .. } => Status::PERMANENT,
                _ => Status::MODE,
            };
            (status, error.to_string())
        };
        match mode {
            OpenMode::Input => {
                let reader = first.read(longest).map_err(refused)?;
                let rest = files[1..].iter().rev().cloned().collect();
                Ok(Self::Reading { reader: Some(Box::new(reader)), rest, at_end: false, longest })
            }
            OpenMode::Output | OpenMode::Extend => {
                let paper = match first.shape {
                    Shape::Lines => Paper::Lines,
                    Shape::Fixed(length) if has_control => Paper::Control(length),
                    Shape::Variable if has_control => Paper::Control(None),
                    Shape::Fixed(length) => Paper::Records(length),
                    Shape::Variable => Paper::Records(None),
                };
                let room = longest + usize::from(has_control);
                let writer = first.write(room, mode == OpenMode::Extend).map_err(refused)?;
                Ok(Self::Writing(Box::new(writer), paper))
            }
            OpenMode::InputOutput => {
                Updating::open(first, longest).map(|file| Self::Updating(Box::new(file)))
            }
        }
    }

    /// The next record.
    pub fn read(&mut self) -> Result<Vec<u8>, (Status, String)> {
        if let Self::Updating(file) = self {
            return file.read();
        }
        let Self::Reading { reader, rest, at_end, longest } = self else {
            return Err((Status::NOT_INPUT, String::new()));
        };
        if *at_end {
            return Err((Status::NO_PLACE, String::new()));
        }
        loop {
            match reader.as_mut().and_then(Iterator::next) {
                Some(Ok(record)) => return Ok(record),
                Some(Err(error)) => return Err((Status::PERMANENT, error.to_string())),
                None => {}
            }
            let Some(next) = rest.pop() else {
                *at_end = true;
                return Err((Status::AT_END, String::new()));
            };
            let opened = next.read(*longest).map_err(|error| (Status::PERMANENT, error.to_string()))?;
            *reader = Some(Box::new(opened));
        }
    }

    /// Writes a record; on paper and in lines, with the advance that WRITE asks for.
    pub fn write(
        &mut self,
        record: &[u8],
        advancing: u32,
        print: Printer<'_>,
    ) -> Result<(), (Status, String)> {
        if let Self::Writing(_, Paper::Control(_) | Paper::Records(_)) = self {
            return self.write_record(record, advancing);
        }
        let lines = (advancing & LINES).max(1) as usize;
        let before = advancing & AFTER != 0;
        let mut put = |bytes: &[u8], kind: &mut Self| match kind {
            Self::Printing => {
                print(&Characters::default().text(bytes));
                Ok(())
            }
            Self::Writing(writer, _) => {
                writer.write(bytes).map_err(|error| (Status::from(&error), error.to_string()))
            }
            Self::Reading { .. } | Self::Updating(_) => Err((Status::NOT_OUTPUT, String::new())),
        };
        let on_paper = matches!(self, Self::Printing | Self::Writing(_, Paper::Lines));
        if !on_paper || advancing & (AFTER | BEFORE) == 0 {
            let shown = if on_paper { record.trim_ascii_end() } else { record };
            return put(shown, self);
        }
        let text = record.trim_ascii_end();
        let paged = [FORM_FEED.as_bytes(), text].concat();
        match (before, advancing & PAGE != 0) {
            (true, true) => put(&paged, self),
            (true, false) => {
                (1..lines).try_for_each(|_| put(b"", self))?;
                put(text, self)
            }
            (false, true) => {
                put(text, self)?;
                put(FORM_FEED.as_bytes(), self)
            }
            (false, false) => {
                put(text, self)?;
                (1..lines).try_for_each(|_| put(b"", self))
            }
        }
    }

    /// Writes a record to a data set: behind a control character, where the data set has them or WRITE ADVANCING needs one and
    /// there is room for it.
    fn write_record(&mut self, record: &[u8], advancing: u32) -> Result<(), (Status, String)> {
        let Self::Writing(writer, paper) = self else { return Err((Status::NOT_OUTPUT, String::new())) };
        let advances = advancing & (AFTER | BEFORE) != 0;
        let adds = match *paper {
            // A record of the whole length has its own character.
            Paper::Control(Some(length)) => record.len() < length,
            Paper::Control(None) => advances,
            Paper::Records(Some(length)) => advances && record.len() + 1 == length,
            Paper::Lines | Paper::Records(None) => false,
        };
        let mut put =
            |bytes: &[u8]| writer.write(bytes).map_err(|error| (Status::from(&error), error.to_string()));
        if !adds {
            return put(record);
        }
        let mut with = |character: u8, text: &[u8]| put(&[&[character], text].concat());
        if advancing & BEFORE != 0 {
            // The line is printed where the paper stands, which moves behind it.
            with(b'+', record)?;
            return match advancing & PAGE != 0 {
                true => with(b'1', b""),
                false => spaced(advancing & LINES, b"", &mut with),
            };
        }
        match advancing & PAGE != 0 {
            true => with(b'1', record),
            false if advances => spaced(advancing & LINES, record, &mut with),
            false => with(b' ', record),
        }
    }

    /// REWRITE.
    pub fn rewrite(&mut self, record: &[u8]) -> Result<Status, (Status, String)> {
        match self {
            Self::Updating(file) => file.rewrite(record),
            _ => Err((Status::NOT_CHANGE, String::new())),
        }
    }

    /// Returns true if the first of these files is not there yet.
    pub fn is_absent(files: &[File]) -> bool {
        matches!(files.first().map(|file| &file.content), Some(Content::Path(path)) if !path.exists())
    }

    /// Makes sure that everything is written.
    pub fn close(self) -> Result<(), (Status, String)> {
        match self {
            Self::Writing(writer, _) => {
                writer.finish().map(drop).map_err(|error| (Status::from(&error), error.to_string()))
            }
            Self::Reading { .. } | Self::Updating(_) | Self::Printing => Ok(()),
        }
    }
}

/// Writes a record behind a control character.
type Controlled<'c> = &'c mut dyn FnMut(u8, &[u8]) -> Result<(), (Status, String)>;

/// Writes a record behind so many lines: a control character moves by three at most.
fn spaced(lines: u32, record: &[u8], with: Controlled<'_>) -> Result<(), (Status, String)> {
    let mut left = lines;
    while left > 3 {
        with(b'-', b"")?;
        left -= 3;
    }
    with(
        match left {
            0 => b'+',
            1 => b' ',
            2 => b'0',
            _ => b'-',
        },
        record,
    )
}
