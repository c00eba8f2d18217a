//! The listings of utilities and the lines that programs DISPLAY: shown, or written to the data set that a DD statement names.

use access::Client;
use datasets::{Content, File, FileError, Shape, Writer};
use ebcdic::Characters;

use crate::dd::{Dd, Dds};
use crate::ending::StepEnd;
use crate::output::Output;
use crate::utility_records::Failed;

/// An output whose listing goes to a data set, if the step says so.
pub(super) struct Listing<'o> {
    output: &'o mut dyn Output,
    /// The file of the listing; the first line opens it.
    file: Option<File>,
    writer: Option<Box<Writer>>,
    failure: Option<FileError>,
}

impl<'o> Listing<'o> {
    /// Makes the listing behind a ddname.
    pub fn new(ddname: &str, dds: &Dds, output: &'o mut dyn Output) -> Self {
        let file = match dds.get(ddname) {
            Some(Dd::Sequential(sequential)) => {
                let file = sequential.shaped();
                let shape = match file.shape {
                    Shape::Fixed(None) => Shape::Variable,
                    shape => shape,
                };
                Some(File { shape, ..file })
            }
            Some(Dd::Files(files)) => {
                files.first().filter(|file| matches!(file.content, Content::Nothing)).cloned()
            }
            _ => None,
        };
        Self { output, file, writer: None, failure: None }
    }

    /// Makes sure that the listing is written, and that the catalogue knows how.
    pub fn finish(self, ddname: &str, dds: &Dds, client: &mut Client) -> Result<(), Failed> {
        if let Some(error) = self.failure {
            return Err(error.into());
        }
        let Some(writer) = self.writer else { return Ok(()) };
        writer.finish()?;
        match dds.get(ddname) {
            Some(Dd::Sequential(sequential)) => Ok(sequential.settle(Shape::Variable, client)?),
            _ => Ok(()),
        }
    }

    fn write(&mut self, line: &str) -> Result<(), FileError> {
        let Some(file) = &self.file else { return Ok(()) };
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(Box::new(file.write(0, false)?)),
        };
        let mut record = Characters::default().bytes(line);
        if let Shape::Fixed(Some(length)) = file.shape {
            // A listing is as wide as its data set.
            record.truncate(length);
        }
        writer.write(&record)
    }
}

impl Output for Listing<'_> {
    fn print(&mut self, line: &str) {
        self.output.print(line);
    }

    fn display(&mut self, line: &str) {
        if self.file.is_none() {
            return self.output.display(line);
        }
        if let Err(error) = self.write(line) {
            self.failure.get_or_insert(error);
        }
    }

    fn log(&mut self, text: String) {
        self.output.log(text);
    }

    fn step(&mut self, job: &str, step: &str, end: &StepEnd) {
        self.output.step(job, step, end);
    }
}
