//! Records of programs by GnuCOBOL rewritten in the form of those that our compiler makes, and back: all of a data set, or none.

use std::path::PathBuf;

use copybook::{Recast, RecordError};
use vsam::{Changed, Error, Name};

use crate::file::{Content, File, FileError, Shape};
use crate::locate::{DataSets, Located};
use crate::run::Progress;
use crate::sequential::Generations;

/// Records between two reports.
const STEP: u64 = 1000;

/// The reason for which a data set is not converted; it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The data set.
    #[error(transparent)]
    DataSet(#[from] Error),
    /// Its file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A record.
    #[error("record {number}: {why}")]
    Record {
        /// Its number, from 1.
        number: u64,
        /// The mistake.
        why: RecordError,
    },
    /// A record that would have another length than programs would find in the data set.
    #[error(
        "record {number}: it would have {length} bytes instead of {required}: define a data set for such records, and name it by --into"
    )]
    Length {
        /// Its number, from 1.
        number: u64,
        /// Its new length.
        length: usize,
        /// Its old length.
        required: usize,
    },
    /// Something that has no such records.
    #[error("{0} is {1}")]
    Kind(String, &'static str),
    /// A data set for converted records that has records already.
    #[error("{0} is not empty")]
    NotEmpty(String),
    /// Nothing of that name.
    #[error("{0} is not in the catalogue")]
    NoEntry(String),
    /// A data set that a job has.
    #[error("{0} is in use")]
    InUse(String),
}

/// A place of records.
enum Place {
    DataSet(Name),
    File(PathBuf, Shape),
}

async fn locate(site: &DataSets, name: &str) -> Result<Place, ConvertError> {
    let kind = |what| Err(ConvertError::Kind(name.to_owned(), what));
    let (path, shape) = match site.locate(name, &mut Generations::default()).await? {
        Located::Vsam(name) => return Ok(Place::DataSet(name)),
        Located::Sequential(name, shape) => (site.sequential.path(&name), shape),
        Located::Member(library, member, shape) => (site.sequential.member_path(&library, &member), shape),
        Located::Library(..) => return kind("a library: name a member, A.B(MEMBER)"),
        Located::Generations(..) => return kind("a group of generations: name one of them, A.B(0)"),
        Located::NoLibrary(..) | Located::NewGeneration(..) | Located::Unknown(_) => {
            return Err(ConvertError::NoEntry(name.to_owned()));
        }
    };
    if shape == Shape::Lines { kind("a file of lines") } else { Ok(Place::File(path, shape)) }
}

/// Converts the records of a data set, in their place or into another data set that has none yet; without `keep` it only tells what
/// would be.
///
/// # Errors
/// See [`ConvertError`].
pub async fn convert(
    site: &DataSets,
    name: &str,
    into: Option<&str>,
    recast: &Recast,
    keep: bool,
    progress: Progress<'_>,
) -> Result<Changed, ConvertError> {
    let from = locate(site, name).await?;
    let target = match into {
        Some(into) => Some(locate(site, into).await?),
        None => None,
    };
    let names = [Some(name), into].into_iter().flatten();
    let alone: Vec<(String, bool)> = names.map(|name| (name.to_ascii_uppercase(), true)).collect();
    let _alone = site.reserve(&alone).await?.map_err(ConvertError::InUse)?;
    let in_place = into.is_none();
    match (from, target) {
        (Place::DataSet(from), None) => {
            let change = &mut |number, record: &[u8]| changed(recast, number, record, in_place);
            site.vsam.change_all(&from, None, keep, change, &mut |count| progress("records", count)).await
        }
        (Place::DataSet(from), Some(Place::DataSet(to))) => {
            let change = &mut |number, record: &[u8]| changed(recast, number, record, in_place);
            site.vsam
                .change_all(&from, Some(&to), keep, change, &mut |count| progress("records", count))
                .await
        }
        (Place::File(path, shape), None) => {
            let file = File::plain(path, shape);
            convert_file(&file, &file, recast, in_place, keep, progress)
        }
        (Place::File(path, shape), Some(Place::File(to, to_shape))) => {
            if std::fs::metadata(&to).is_ok_and(|file| file.len() > 0) {
                return Err(ConvertError::NotEmpty(into.unwrap_or(name).to_owned()));
            }
            let (from, to) = (File::plain(path, shape), File::plain(to, to_shape));
            convert_file(&from, &to, recast, in_place, keep, progress)
        }
        _ => Err(ConvertError::Kind(into.unwrap_or(name).to_owned(), "a data set of another organization")),
    }
}

/// Converts the records of a file: nothing is written before all of them are known to fit.
fn convert_file(
    from: &File,
    to: &File,
    recast: &Recast,
    in_place: bool,
    keep: bool,
    progress: Progress<'_>,
) -> Result<Changed, ConvertError> {
    if matches!(&from.content, Content::Path(path) if !path.exists()) {
        return Ok(Changed::default());
    }
    let done = each(from, recast, in_place, progress, &mut |_| Ok(()))?;
    if keep && (done.changed > 0 || !in_place) {
        let mut writer = to.write(0, false)?;
        each(from, recast, in_place, progress, &mut |record| writer.write(record).map_err(Into::into))?;
        writer.finish()?;
    }
    Ok(done)
}

/// A record in its other form; in its place it keeps its length, for programs look at that when they open the data set.
fn changed(recast: &Recast, number: u64, record: &[u8], in_place: bool) -> Result<Vec<u8>, ConvertError> {
    let new = recast.record(record).map_err(|why| ConvertError::Record { number, why })?;
    match in_place && new.len() != record.len() {
        true => Err(ConvertError::Length { number, length: new.len(), required: record.len() }),
        false => Ok(new),
    }
}

/// Gives each converted record of a file to `take`.
fn each(
    file: &File,
    recast: &Recast,
    in_place: bool,
    progress: Progress<'_>,
    take: &mut dyn FnMut(&[u8]) -> Result<(), ConvertError>,
) -> Result<Changed, ConvertError> {
    let mut done = Changed::default();
    for record in file.read(0)? {
        let record = record?;
        done.read += 1;
        let new = changed(recast, done.read, &record, in_place)?;
        take(&new)?;
        done.changed += u64::from(new != record);
        if done.read.is_multiple_of(STEP) {
            progress("records", done.read);
        }
    }
    Ok(done)
}
