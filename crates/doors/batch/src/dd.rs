//! Meanings of ddnames.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use access::{AccessError, Client, Request};

use datasets::{File, Shape};
use ebcdic::Characters;

/// Meaning of a ddname.
#[derive(Clone, Debug)]
pub enum Dd {
    /// A data set of the region: a cluster or a path.
    DataSet(String),
    /// Files, read one after the other; the first is written.
    Files(Vec<File>),
    /// A sequential data set or a member of a library.
    Sequential(Box<Sequential>),
    /// A library as a whole: nothing reads or writes it without a member.
    Library(String),
    /// SYSOUT: what is written is printed.
    Printed,
}

/// A sequential data set or a member, and what a DD statement says of it.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// Its name in the catalogue: of a member, that of the library. A temporary data set has none.
    pub name: Option<String>,
    /// Its file.
    pub file: File,
    /// RECFM says that records begin with a control character of a printer.
    pub control: bool,
    /// A member that is not there, as messages name it.
    pub absent_member: Option<String>,
    /// The shape of the records by the DD statement, where the catalogue does not know it yet.
    pub said: Option<Shape>,
    /// The shape of its records that the first writer has set, where nothing else had.
    pub settled: Arc<OnceLock<Shape>>,
}

impl Sequential {
    /// Makes one of a file without a name of its own.
    pub fn unnamed(file: File) -> Self {
        Self { name: None, file, control: false, absent_member: None, said: None, settled: Arc::default() }
    }

    /// Returns the file with the shape that its records have by now.
    pub(crate) fn shaped(&self) -> File {
        let shape = match self.file.shape {
            Shape::Fixed(None) => self.settled.get().copied().or(self.said).unwrap_or(self.file.shape),
            known => known,
        };
        File { shape, ..self.file.clone() }
    }

    /// Takes the shape of the written records, where nothing has set one yet; the catalogue keeps it.
    pub(crate) fn settle(&self, shape: Shape, client: &mut Client) -> Result<(), AccessError> {
        let shape = self.said.unwrap_or(shape);
        if self.file.shape != Shape::Fixed(None) || self.settled.set(shape).is_err() {
            return Ok(());
        }
        match &self.name {
            Some(name) => client.done(Request::Reshape { name: name.clone(), shape: shape.into() }),
            None => Ok(()),
        }
    }
}

impl Dd {
    /// Returns the files behind it, if it is made of files.
    pub(crate) fn files(&self) -> Option<Vec<File>> {
        match self {
            Self::Files(files) => Some(files.clone()),
            Self::Sequential(sequential) => Some(vec![sequential.shaped()]),
            Self::DataSet(_) | Self::Library(_) | Self::Printed => None,
        }
    }
}

/// The DD statements of a step, by ddname in upper case.
#[derive(Clone, Debug, Default)]
pub struct Dds(BTreeMap<String, Dd>);

impl Dds {
    /// Adds one; a second one of the same name counts instead of the first.
    pub fn add(&mut self, ddname: &str, dd: Dd) {
        self.0.insert(ddname.to_ascii_uppercase(), dd);
    }

    /// Returns the one that the name of a COBOL file stands for: behind prefixes as in `UT-S-NAME` or `AS-NAME`.
    pub(crate) fn of(&self, assigned: &str) -> Option<&Dd> {
        let name = assigned.rsplit('-').next().unwrap_or(assigned);
        self.0.get(&name.to_ascii_uppercase())
    }

    /// The lines behind SYSIN, for ACCEPT.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn input_lines(&self) -> Result<Vec<String>, String> {
        let files = match self.0.get("SYSIN") {
            Some(dd) => dd.files().unwrap_or_default(),
            None => return Ok(Vec::new()),
        };
        let mut lines = Vec::new();
        for file in files {
            for record in file.read(0).map_err(|error| error.to_string())? {
                let record = record.map_err(|error| error.to_string())?;
                lines.push(Characters::default().text(&record));
            }
        }
        Ok(lines)
    }

    /// Returns the one of a ddname.
    pub(crate) fn get(&self, ddname: &str) -> Option<&Dd> {
        self.0.get(ddname)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Dd)> {
        self.0.iter()
    }
}
