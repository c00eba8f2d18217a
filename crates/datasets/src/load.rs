//! Files of other systems into data sets.

use std::sync::Arc;

use copybook::{Converter, Layout, RecordError};
use ebcdic::CodePage;
use vsam::{Copied, Dataset, Replace, Search, Vsam};

/// How a file is cut into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Records of one length; without a length, the data set's largest.
    Fixed(Option<usize>),
    /// A line each; short lines are padded with blanks to the data set's largest record.
    Lines,
}

/// A file to be loaded.
pub struct Load<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// How it is cut.
    pub shape: Shape,
    /// Its code page; `None`: program characters.
    pub code_page: Option<CodePage>,
    /// Which of its fields are characters; `None`: all bytes are.
    pub layout: Option<&'a Layout>,
}

/// Why a file is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The data set.
    #[error(transparent)]
    DataSet(#[from] vsam::Error),
    /// Its length is no multiple of the record length.
    #[error("the file has {bytes} bytes, which is no multiple of its record length {length}")]
    Uneven {
        /// Bytes of the file.
        bytes: usize,
        /// Bytes of a record.
        length: usize,
    },
    /// A record does not fit its copybook; counted from 1.
    #[error("record {number}: {error}")]
    Record {
        /// Which one.
        number: usize,
        /// What is wrong with it.
        error: RecordError,
    },
}

impl Load<'_> {
    /// Adds the file's records to a data set; `replace`: a record of the same key gives way.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn into(
        &self,
        vsam: &Arc<Vsam>,
        name: &vsam::Name,
        replace: Replace,
    ) -> Result<Copied, LoadError> {
        let maximum = vsam.dataset(name).await?.cluster().maximum;
        let mut records = self.records(maximum)?.into_iter().map(Ok);
        Ok(vsam.load(name, &mut records, replace, &mut |_| {}).await?)
    }

    /// Loads the file if the data set is empty: how many records, or `None` if it has some already.
    ///
    /// # Errors
    /// See [`LoadError`]; the data set is left as it was.
    pub async fn into_empty(&self, vsam: &Arc<Vsam>, name: &vsam::Name) -> Result<Option<u64>, LoadError> {
        let dataset = vsam.dataset(name).await?;
        if has_records(vsam, &dataset).await? {
            return Ok(None);
        }
        let mut records = self.records(dataset.cluster().maximum)?;
        if let vsam::Organization::Keyed(field) = dataset.cluster().organization {
            records.sort_by(|a, b| field.of(a).cmp(&field.of(b)));
        }
        drop(dataset);
        let mut records = records.into_iter().map(Ok);
        let copied = vsam.load(name, &mut records, Replace::No, &mut |_| {}).await?;
        Ok(Some(copied.written))
    }

    /// The records, in program characters.
    fn records(&self, maximum: usize) -> Result<Vec<Vec<u8>>, LoadError> {
        let cut: Vec<Vec<u8>> = match self.shape {
            Shape::Lines => lines(self.bytes, maximum),
            Shape::Fixed(length) => {
                let length = length.unwrap_or(maximum);
                if length == 0 || !self.bytes.len().is_multiple_of(length) {
                    return Err(LoadError::Uneven { bytes: self.bytes.len(), length });
                }
                self.bytes.chunks(length).map(<[u8]>::to_vec).collect()
            }
        };
        let Some(page) = self.code_page else { return Ok(cut) };
        let Some(layout) = self.layout else {
            return Ok(cut.iter().map(|record| page.to_program(record)).collect());
        };
        let converter = Converter::new(layout, page);
        let convert = |(index, record): (usize, &Vec<u8>)| {
            converter.to_program(record).map_err(|error| LoadError::Record { number: index + 1, error })
        };
        cut.iter().enumerate().map(convert).collect()
    }
}

/// Whether any record is there: one whose key begins with nothing.
async fn has_records(vsam: &Vsam, dataset: &Dataset) -> vsam::Result<bool> {
    let mut unit = vsam.engine().begin(vsam.engine().locks().new_owner());
    match dataset.read(&mut *unit, Search::generic(&[]), &mut Vec::new()).await {
        Ok(_) => Ok(true),
        Err(vsam::Error::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

fn lines(bytes: &[u8], maximum: usize) -> Vec<Vec<u8>> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if whole.is_empty() {
        return Vec::new();
    }
    whole
        .split(|byte| *byte == b'\n')
        .map(|line| {
            let mut record = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
            if record.len() < maximum {
                record.resize(maximum, b' ');
            }
            record
        })
        .collect()
}
