//! Records behind ddnames, as utilities read and write them.

use access::{AccessError, Client, Failure, Reply, Request};
use datasets::{File, FileError, Shape, Writer};
use ebcdic::Characters;

use crate::dd::{Dd, Dds};
use crate::output::Output;

/// The length of a line in a job.
pub(crate) const CARD: usize = 80;
/// Records that are read from a data set at once.
const AHEAD: u32 = 500;

/// The reason why records are not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error("{0}")]
    Other(String),
}

/// The things that a utility works with: the ddnames of its step, the data sets, and the place of its messages.
pub(crate) struct Desk<'d> {
    pub dds: &'d Dds,
    pub client: &'d mut Client,
    pub output: &'d mut dyn Output,
}

/// Returns the shape and the length of records behind a ddname, as far as they are known.
pub(crate) fn shape_of(dd: &Dd) -> Shape {
    match dd {
        Dd::Sequential(sequential) => sequential.shaped().shape,
        Dd::Files(files) => match files.first().map(|file| file.shape) {
            Some(Shape::Lines) | None => Shape::Fixed(Some(CARD)),
            Some(shape) => shape,
        },
        Dd::DataSet(_) | Dd::Library(_) => Shape::Variable,
        Dd::Printed => Shape::Lines,
    }
}

/// Takes a record, and says whether more are wanted.
pub(crate) type Each<'e> = &'e mut dyn FnMut(&mut Client, Vec<u8>) -> Result<bool, Failed>;

/// Gives every record behind a ddname to `each`, until that says no.
pub(crate) fn read(dd: &Dd, client: &mut Client, each: Each<'_>) -> Result<(), Failed> {
    match dd {
        Dd::DataSet(name) => return read_data_set(name, client, each),
        Dd::Printed => return Err(Failed::Other("what is printed cannot be read".into())),
        Dd::Library(name) => return Err(Failed::Other(format!("{name} is a library: name a member"))),
        Dd::Sequential(sequential) => {
            let path = match &sequential.file.content {
                datasets::Content::Path(path) => path,
                _ => return Ok(()),
            };
            if let Some(member) = sequential.absent_member.as_ref().filter(|_| !path.exists()) {
                return Err(Failed::Other(format!("the member {member} is not there")));
            }
            // One that was never written has no file, and no records.
            if !path.exists() {
                return Ok(());
            }
        }
        Dd::Files(_) => {}
    }
    for file in dd.files().unwrap_or_default() {
        let file = match file.shape {
            Shape::Fixed(None) => File { shape: Shape::Fixed(Some(CARD)), ..file },
            _ => file,
        };
        for record in file.read(CARD)? {
            if !each(client, record?)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn read_data_set(name: &str, client: &mut Client, each: Each<'_>) -> Result<(), Failed> {
    let Reply::Opened(opened) = client.ask(Request::Open { name: name.to_owned() })? else { return Ok(()) };
    let handle = opened.handle;
    let mut goes_on = Ok(true);
    while matches!(goes_on, Ok(true)) {
        let next = Request::Next { handle, backward: false, count: AHEAD, update: false };
        let records = match client.ask(next) {
            Ok(Reply::Records(records)) => records,
            Ok(_) | Err(AccessError::Failed(Failure::NotFound)) => break,
            Err(error) => {
                goes_on = Err(error.into());
                break;
            }
        };
        if records.is_empty() {
            break;
        }
        for found in records {
            goes_on = each(client, found.record);
            if !matches!(goes_on, Ok(true)) {
                break;
            }
        }
    }
    client.done(Request::Close { handle })?;
    goes_on.map(drop)
}

/// The target to which a utility writes records.
pub(crate) enum Sink {
    File(Box<Writer>),
    DataSet(u32),
    Printed,
}

impl Sink {
    /// Opens a ddname to be written; `shape` is what the records have, where nothing else says it.
    pub fn open(dds: &Dds, ddname: &str, shape: Shape, client: &mut Client) -> Result<Self, Failed> {
        let Some(dd) = dds.get(ddname) else {
            return Err(Failed::Other(format!("there is no DD statement {ddname}")));
        };
        match dd {
            Dd::Printed => Ok(Self::Printed),
            Dd::DataSet(name) => match client.ask(Request::Open { name: name.clone() })? {
                Reply::Opened(opened) => {
                    if !opened.empty && opened.reuse {
                        client.done(Request::Empty { handle: opened.handle })?;
                    }
                    Ok(Self::DataSet(opened.handle))
                }
                _ => Err(Failed::Other(format!("{name} cannot be opened"))),
            },
            Dd::Library(name) => Err(Failed::Other(format!("{name} is a library: name a member"))),
            Dd::Sequential(sequential) => {
                sequential.settle(shape, client)?;
                let writer = sequential.shaped().write(CARD, false)?;
                Ok(Self::File(Box::new(writer)))
            }
            Dd::Files(files) => match files.first() {
                Some(file) => Ok(Self::File(Box::new(file.write(CARD, false)?))),
                None => Err(Failed::Other(format!("{ddname} leads to no data set"))),
            },
        }
    }

    /// Writes a record.
    pub fn write(
        &mut self,
        record: &[u8],
        client: &mut Client,
        output: &mut dyn Output,
    ) -> Result<(), Failed> {
        match self {
            Self::File(writer) => writer.write(record)?,
            Self::DataSet(handle) => {
                client.done(Request::Write { handle: *handle, slot: None, record: record.to_vec() })?;
            }
            Self::Printed => output.print(Characters::default().text(record).trim_end()),
        }
        Ok(())
    }

    /// Makes sure that everything is there.
    pub fn finish(self, client: &mut Client) -> Result<(), Failed> {
        match self {
            Self::File(writer) => drop(writer.finish()?),
            Self::DataSet(handle) => {
                client.done(Request::Close { handle })?;
                client.done(Request::Commit)?;
            }
            Self::Printed => {}
        }
        Ok(())
    }
}

/// Gives a record the length that a file's records have: fills a short one with blanks, cuts blanks off a long one.
pub(crate) fn fitted(mut record: Vec<u8>, shape: Shape) -> Vec<u8> {
    if let Shape::Fixed(Some(length)) = shape
        && record.len() > length
        && record[length..].iter().all(|byte| *byte == b' ')
    {
        record.truncate(length);
    }
    record
}
