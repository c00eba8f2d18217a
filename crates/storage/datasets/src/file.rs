//! Files outside the data sets, cut into records and put together from records.

use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::path::PathBuf;

use copybook::{Converter, Layout, RecordError};
use ebcdic::CodePage;

use crate::replacing::Replacing;

/// Bytes of the word before a record of varying length.
pub const RECORD_WORD: usize = 4;
/// The longest record with its word.
const VARIABLE_MAX: usize = u16::MAX as usize;

/// The division of a file into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Records of one length; without a length, that of the longest record that the data set can have.
    Fixed(Option<usize>),
    /// Before each record a word of four bytes: its length with the word, big-endian, and two zeros.
    Variable,
    /// A line each; short lines are padded with blanks to the longest record that the data set can have.
    Lines,
}

/// The place of a file's bytes.
#[derive(Clone, Debug)]
pub enum Content {
    /// In a file.
    Path(PathBuf),
    /// Here: in-stream data.
    Given(Vec<u8>),
    /// Nowhere (DUMMY): nothing is read, and what is written is gone.
    Nothing,
    /// In several files, which are read one after the other, each in its own shape.
    Several(Vec<File>),
}

/// A file outside the data sets.
#[derive(Clone, Debug)]
pub struct File {
    /// Its bytes.
    pub content: Content,
    /// Its division into records.
    pub shape: Shape,
    /// Its code page; `None`: program characters.
    pub code_page: Option<CodePage>,
    /// Which of its fields are characters; `None`: all bytes are.
    pub layout: Option<Layout>,
    /// It is always written after its end (DISP=MOD).
    pub extends: bool,
}

/// The reason why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system refuses.
    #[error("{name} cannot be used: {error}")]
    System {
        /// The file.
        name: String,
        /// The system's words.
        error: io::Error,
    },
    /// Its length is no multiple of the record length.
    #[error("the file ends within record {number} of {length} bytes")]
    Cut {
        /// Which record, from 1.
        number: u64,
        /// Bytes that it should have.
        length: usize,
    },
    /// The bytes before a record are no length.
    #[error("before record {number} there is no length word")]
    NoLength {
        /// Which record, from 1.
        number: u64,
    },
    /// A record is longer than this file's records.
    #[error("record {number} has {length} bytes, at most {most} fit into the file")]
    TooLong {
        /// Which one, from 1.
        number: u64,
        /// Its length.
        length: usize,
        /// The greatest length that fits.
        most: usize,
    },
    /// A record does not fit its copybook.
    #[error("record {number}: {error}")]
    Record {
        /// Which one, from 1.
        number: u64,
        /// Its error.
        error: RecordError,
    },
    /// In-stream data are written to.
    #[error("lines in the job cannot be written to")]
    ReadOnly,
    /// A concatenation is written to.
    #[error("several data sets under one name are read, not written")]
    Several,
}

impl File {
    /// A file of program characters.
    pub fn plain(path: impl Into<PathBuf>, shape: Shape) -> Self {
        Self { content: Content::Path(path.into()), shape, code_page: None, layout: None, extends: false }
    }

    /// Makes a file of the lines of a job.
    pub fn lines(bytes: Vec<u8>) -> Self {
        Self {
            content: Content::Given(bytes),
            shape: Shape::Lines,
            code_page: None,
            layout: None,
            extends: false,
        }
    }

    /// Files that are read one after the other.
    pub fn several(mut files: Vec<Self>) -> Self {
        if files.len() == 1 {
            return files.remove(0);
        }
        let shape = files.first().map_or(Shape::Lines, |first| first.shape);
        Self { content: Content::Several(files), shape, code_page: None, layout: None, extends: false }
    }

    /// Nothing at all.
    pub fn dummy() -> Self {
        Self { content: Content::Nothing, shape: Shape::Lines, code_page: None, layout: None, extends: false }
    }

    fn name(&self) -> String {
        match &self.content {
            Content::Path(path) => path.display().to_string(),
            Content::Given(_) => "in-stream data".into(),
            Content::Nothing => "a dummy file".into(),
            Content::Several(_) => "a concatenation".into(),
        }
    }

    fn system(&self) -> impl Fn(io::Error) -> FileError {
        let name = self.name();
        move |error| FileError::System { name: name.clone(), error }
    }

    /// Its records, in program characters. `longest`: the longest that the data set can have.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn read(&self, longest: usize) -> Result<Reader, FileError> {
        let mut rest = Vec::new();
        let input: Box<dyn BufRead> = match &self.content {
            Content::Path(path) => Box::new(BufReader::new(sealed::File::open(path).map_err(self.system())?)),
            Content::Given(bytes) => Box::new(Cursor::new(bytes.clone())),
            Content::Nothing => Box::new(io::empty()),
            Content::Several(files) => {
                rest = files.iter().rev().cloned().collect();
                Box::new(io::empty())
            }
        };
        Ok(Reader { file: self.clone(), input, longest, number: 0, rest })
    }

    /// Opens it to be written from its start, or after its end. `longest`: as for [`File::read`]. Its contents stay until
    /// [`Writer::finish`].
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn write(&self, longest: usize, extend: bool) -> Result<Writer, FileError> {
        let mut replacing = None;
        let output: Box<dyn Write> = match &self.content {
            Content::Path(path) => {
                let (handle, whole) = Replacing::open(path, extend || self.extends).map_err(self.system())?;
                replacing = whole;
                Box::new(BufWriter::new(handle))
            }
            Content::Given(_) => return Err(FileError::ReadOnly),
            Content::Several(_) => return Err(FileError::Several),
            Content::Nothing => Box::new(io::sink()),
        };
        Ok(Writer { file: self.clone(), output, longest, number: 0, replacing })
    }

    fn fixed_length(&self, longest: usize) -> usize {
        match self.shape {
            Shape::Fixed(length) => length.unwrap_or(longest),
            Shape::Variable | Shape::Lines => longest,
        }
        .max(1)
    }
}

/// The records of a file, one after the other.
pub struct Reader {
    file: File,
    input: Box<dyn BufRead>,
    longest: usize,
    number: u64,
    /// The files of a concatenation that come after this one, last first.
    rest: Vec<File>,
}

impl Reader {
    fn cut(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        match self.file.shape {
            Shape::Fixed(_) => self.exactly(self.file.fixed_length(self.longest)),
            Shape::Variable => self.variable(),
            Shape::Lines => self.line(),
        }
    }

    /// As many bytes; none at the end of the file.
    fn exactly(&mut self, length: usize) -> Result<Option<Vec<u8>>, FileError> {
        let mut record = Vec::with_capacity(length);
        let limit = length as u64;
        self.input.by_ref().take(limit).read_to_end(&mut record).map_err(self.file.system())?;
        match record.len() {
            0 => Ok(None),
            read if read == length => Ok(Some(record)),
            _ => Err(FileError::Cut { number: self.number, length }),
        }
    }

    fn variable(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let Some(word) = self.exactly(RECORD_WORD)? else { return Ok(None) };
        let length = usize::from(u16::from_be_bytes([word[0], word[1]]));
        let number = self.number;
        match length.checked_sub(RECORD_WORD) {
            Some(0) => Ok(Some(Vec::new())),
            Some(rest) => self.exactly(rest)?.map(Some).ok_or(FileError::Cut { number, length: rest }),
            None => Err(FileError::NoLength { number }),
        }
    }

    fn line(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line).map_err(self.file.system())? == 0 {
            return Ok(None);
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let length = text.strip_suffix(b"\r").unwrap_or(text).len();
        line.truncate(length);
        if length < self.longest {
            line.resize(self.longest, b' ');
        }
        Ok(Some(line))
    }

    fn converted(&self, record: Vec<u8>) -> Result<Vec<u8>, FileError> {
        let Some(page) = self.file.code_page else { return Ok(record) };
        match &self.file.layout {
            None => Ok(page.to_program(&record)),
            Some(layout) => Converter::new(layout, page)
                .to_program(&record)
                .map_err(|error| FileError::Record { number: self.number, error }),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Vec<u8>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.number += 1;
            if let Some(cut) = self.cut().transpose() {
                return Some(cut.and_then(|record| self.converted(record)));
            }
            let next = self.rest.pop()?;
            match next.read(self.longest) {
                Ok(opened) => {
                    let rest = std::mem::take(&mut self.rest);
                    // A concatenation within one comes before the files after it.
                    *self = Self { rest: rest.into_iter().chain(opened.rest).collect(), ..opened };
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// A file that is being written.
pub struct Writer {
    file: File,
    output: Box<dyn Write>,
    longest: usize,
    number: u64,
    replacing: Option<Replacing>,
}

impl Writer {
    /// Adds a record, given in program characters.
    ///
    /// # Errors
    /// If it does not fit, or the system refuses.
    pub fn write(&mut self, record: &[u8]) -> Result<(), FileError> {
        self.number += 1;
        let (number, length) = (self.number, record.len());
        let record = if self.file.shape == Shape::Lines { record.trim_ascii_end() } else { record };
        let converted = self.converted(record)?;
        let written = match self.file.shape {
            Shape::Fixed(_) => {
                let most = self.file.fixed_length(self.longest);
                if length > most {
                    return Err(FileError::TooLong { number, length, most });
                }
                let blank = self.file.code_page.map_or(b' ', |page| page.from_program(b" ")[0]);
                let padding = vec![blank; most - length];
                self.output.write_all(&converted).and_then(|()| self.output.write_all(&padding))
            }
            Shape::Variable => {
                let most = VARIABLE_MAX - RECORD_WORD;
                if length > most {
                    return Err(FileError::TooLong { number, length, most });
                }
                let [high, low] = ((length + RECORD_WORD) as u16).to_be_bytes();
                self.output.write_all(&[high, low, 0, 0]).and_then(|()| self.output.write_all(&converted))
            }
            Shape::Lines => self.output.write_all(&converted).and_then(|()| self.output.write_all(b"\n")),
        };
        written.map_err(self.file.system())
    }

    /// Makes sure that everything is in the file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn finish(mut self) -> Result<u64, FileError> {
        self.output.flush().map_err(self.file.system())?;
        if let Some(replacing) = self.replacing.take() {
            replacing.finish().map_err(self.file.system())?;
        }
        Ok(self.number)
    }

    fn converted(&self, record: &[u8]) -> Result<Vec<u8>, FileError> {
        let Some(page) = self.file.code_page else { return Ok(record.to_vec()) };
        match &self.file.layout {
            None => Ok(page.from_program(record)),
            Some(layout) => Converter::new(layout, page)
                .from_program(record)
                .map_err(|error| FileError::Record { number: self.number, error }),
        }
    }
}
