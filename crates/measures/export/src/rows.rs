//! Rows on their way into a file: of Parquet, or of CSV.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::Format;
use crate::shape::{Cell, Column, Form};

/// Rows of a group of a Parquet file: they are in memory together.
const GROUP_ROWS: usize = 16_384;
/// Only the owner may read an export: it is in clear.
const OWNERS: u32 = 0o600;

/// A file that takes rows.
pub(crate) enum Rows {
    /// Of Parquet.
    Parquet(Box<Groups>),
    /// Of CSV.
    Csv(Box<csv::Writer<BufWriter<File>>>, Vec<Form>),
}

/// A Parquet file, and the rows of the group that is being filled.
pub(crate) struct Groups {
    writer: SerializedFileWriter<File>,
    held: Vec<Held>,
    rows: usize,
}

/// The cells of a column: those that are there, and for each row 1 if it has one.
enum Held {
    Numbers(Vec<i64>, Vec<i16>),
    Texts(Vec<ByteArray>, Vec<i16>),
}

impl Rows {
    /// Creates a file with these columns.
    pub(crate) fn create(path: &Path, columns: &[Column], format: Format) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(OWNERS).open(path)?;
        match format {
            Format::Parquet => {
                Ok(Self::Parquet(Box::new(Groups::new(file, columns).map_err(io::Error::other)?)))
            }
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(BufWriter::new(file));
                writer.write_record(columns.iter().map(|column| column.name.as_str()))?;
                Ok(Self::Csv(Box::new(writer), columns.iter().map(|column| column.form).collect()))
            }
        }
    }

    /// Adds a row: as many cells as there are columns.
    pub(crate) fn add(&mut self, cells: &[Cell]) -> io::Result<()> {
        match self {
            Self::Parquet(groups) => groups.add(cells).map_err(io::Error::other),
            Self::Csv(writer, forms) => {
                writer.write_record(cells.iter().zip(forms).map(|(cell, form)| written(cell, *form)))?;
                Ok(())
            }
        }
    }

    /// Ends the file: it is on the disk.
    pub(crate) fn end(self) -> io::Result<()> {
        let file = match self {
            Self::Parquet(groups) => groups.end().map_err(io::Error::other)?,
            Self::Csv(writer, _) => {
                let buffer = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
                buffer.into_inner().map_err(io::IntoInnerError::into_error)?
            }
        };
        file.sync_all()
    }
}

/// A cell as CSV has it: a point in time as ISO 8601 in UTC.
fn written(cell: &Cell, form: Form) -> String {
    match (cell, form) {
        (Cell::Nothing, _) => String::new(),
        (Cell::Text(text), _) => text.clone(),
        (Cell::Number(us), Form::Moment) => {
            Timestamp::from_microsecond(*us).map_or_else(|_| us.to_string(), |at| format!("{at:.6}"))
        }
        (Cell::Number(number), _) => number.to_string(),
    }
}

impl Groups {
    fn new(file: File, columns: &[Column]) -> Result<Self, ParquetError> {
        let fields = columns.iter().map(|column| Ok(Arc::new(column_type(column)?)));
        let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
        let schema = Type::group_type_builder("record").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("syncpoint-export ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, held: columns.iter().map(|column| Held::new(column.form)).collect(), rows: 0 })
    }

    fn add(&mut self, cells: &[Cell]) -> Result<(), ParquetError> {
        for (held, cell) in self.held.iter_mut().zip(cells) {
            match (held, cell) {
                (Held::Numbers(_, there) | Held::Texts(_, there), Cell::Nothing) => there.push(0),
                (Held::Numbers(numbers, there), Cell::Number(number)) => {
                    numbers.push(*number);
                    there.push(1);
                }
                (Held::Texts(texts, there), Cell::Text(text)) => {
                    texts.push(ByteArray::from(text.as_str()));
                    there.push(1);
                }
                (Held::Numbers(..), Cell::Text(_)) | (Held::Texts(..), Cell::Number(_)) => {
                    return Err(ParquetError::General("a cell has not the form of its column".to_owned()));
                }
            }
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for held in &mut self.held {
            let Some(mut column) = group.next_column()? else { break };
            match held {
                Held::Numbers(numbers, there) => {
                    column.typed::<Int64Type>().write_batch(numbers, Some(there), None)?;
                    numbers.clear();
                    there.clear();
                }
                Held::Texts(texts, there) => {
                    column.typed::<ByteArrayType>().write_batch(texts, Some(there), None)?;
                    texts.clear();
                    there.clear();
                }
            }
            column.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    fn end(mut self) -> Result<File, ParquetError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.into_inner()
    }
}

impl Held {
    fn new(form: Form) -> Self {
        match form {
            Form::Text => Self::Texts(Vec::new(), Vec::new()),
            Form::Integer | Form::Moment => Self::Numbers(Vec::new(), Vec::new()),
        }
    }
}

fn column_type(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.form {
        Form::Text => (Physical::BYTE_ARRAY, LogicalType::String),
        Form::Integer => (Physical::INT64, LogicalType::integer(64, true)),
        Form::Moment => (Physical::INT64, LogicalType::timestamp(true, TimeUnit::MICROS)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(Some(logical))
        .with_repetition(Repetition::OPTIONAL)
        .build()
}
