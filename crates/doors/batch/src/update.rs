//! A sequential file that is opened I-O: records are read in order, and the one that was read last may be rewritten in its place.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use datasets::{Content, File, RECORD_WORD, Shape};

use crate::status::Status;

type Outcome<T> = Result<T, (Status, String)>;

/// The file.
pub(crate) struct Updating {
    input: BufReader<sealed::File>,
    /// The length of every record; `None` if a word in front of each has it.
    fixed: Option<usize>,
    /// Start of the next record.
    at: u64,
    /// Start and length of the record that was read last.
    last: Option<(u64, usize)>,
    at_end: bool,
}

fn failed(error: &io::Error) -> (Status, String) {
    let absent = error.kind() == io::ErrorKind::NotFound;
    (if absent { Status::ABSENT } else { Status::PERMANENT }, error.to_string())
}

fn plain<T>(status: Status) -> Outcome<T> {
    Err((status, String::new()))
}

impl Updating {
    /// Opens it; `longest` is the program's longest record.
    pub fn open(file: &File, longest: usize) -> Outcome<Self> {
        let refused = |text: &str| Err((Status::MODE, text.to_owned()));
        let Content::Path(path) = &file.content else {
            return refused("what stands in the job, or nowhere, cannot be rewritten");
        };
        if file.code_page.is_some() {
            return refused("a file that is converted while it is read cannot be rewritten");
        }
        let fixed = match file.shape {
            Shape::Fixed(length) => Some(length.unwrap_or(longest).max(1)),
            Shape::Variable => None,
            Shape::Lines => return refused("lines cannot be rewritten in their places"),
        };
        let handle = sealed::File::update(path).map_err(|error| failed(&error))?;
        Ok(Self { input: BufReader::new(handle), fixed, at: 0, last: None, at_end: false })
    }

    /// The next record.
    pub fn read(&mut self) -> Outcome<Vec<u8>> {
        self.last = None;
        if self.at_end {
            return plain(Status::NO_PLACE);
        }
        match self.next() {
            Ok(Some(record)) => Ok(record),
            Ok(None) => {
                self.at_end = true;
                plain(Status::AT_END)
            }
            Err(error) => Err((Status::PERMANENT, error.to_string())),
        }
    }

    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.input.stream_position()? != self.at {
            self.input.seek(SeekFrom::Start(self.at))?;
        }
        let mut word = [0; RECORD_WORD];
        let (front, length) = match self.fixed {
            Some(length) => (0, length),
            None => match self.input.read_exact(&mut word) {
                Ok(()) => {
                    let whole = usize::from(u16::from_be_bytes([word[0], word[1]]));
                    let length = whole.checked_sub(RECORD_WORD).ok_or(io::ErrorKind::InvalidData)?;
                    (RECORD_WORD, length)
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let mut record = Vec::with_capacity(length);
        self.input.by_ref().take(length as u64).read_to_end(&mut record)?;
        if record.is_empty() && length > 0 && front == 0 {
            return Ok(None);
        }
        if record.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let begins = self.at + front as u64;
        (self.at, self.last) = (begins + length as u64, Some((begins, length)));
        Ok(Some(record))
    }

    /// Rewrites the record that was read last: with as many bytes.
    pub fn rewrite(&mut self, record: &[u8]) -> Outcome<Status> {
        let Some((begins, length)) = self.last.take() else { return plain(Status::NO_READ) };
        if record.len() != length {
            return plain(Status::LENGTH);
        }
        let handle = self.input.get_mut();
        let written = handle.seek(SeekFrom::Start(begins)).and_then(|_| handle.write_all(record));
        written.map_err(|error| failed(&error))?;
        // What was read ahead may be old by now.
        self.input.seek(SeekFrom::Start(self.at)).map_err(|error| failed(&error))?;
        Ok(Status::DONE)
    }
}
