//! The page of stamps by which regions know that their copies of records are up to date: a file in the server's folder.
//!
//! A copy is up to date as long as the stamp at its place is the one that came with it. The server raises the stamp before the change
//! can be seen, so that a region which looks at it never reads anything older than what anybody has seen. A server that
//! begins raises all of them in the same file: regions that have not heard of its beginning see it.

use std::fs::{File, OpenOptions};
use std::io;
use std::iter::repeat;
use std::mem::replace;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::limits::STAMPS;

/// The file's name in the folder.
const FILE: &str = "stamps";
/// Bytes of a stamp.
const STAMP: usize = 8;
/// So many stamps are raised one by one, more of them by writing the page.
const FEW: usize = 64;
/// The owner's alone.
const MODE: u32 = 0o600;

fn at(place: u32) -> u64 {
    u64::from(place) * STAMP as u64
}

/// The page of a server, which alone writes it.
pub(crate) struct Page {
    file: File,
    stamps: Vec<u64>,
    /// Places whose stamps were given to a region since they were last raised: no region can have that of another one.
    given: Vec<bool>,
    /// The number of those.
    many: usize,
}

/// The stamps of a page that is new, or was damaged: none that was ever given anywhere.
fn unused() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}

impl Page {
    /// The page of a folder, made if it is not there, with all stamps raised.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join(FILE);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(MODE).open(path)?;
        let mut bytes = vec![0; STAMPS as usize * STAMP];
        // One that is shorter, or longer, was damaged: its stamps count as far as they are there.
        let mut read = 0;
        while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, read as u64)? {
                0 => break,
                more => read += more,
            }
        }
        let (stamps, _) = bytes.as_chunks::<STAMP>();
        let there = stamps.iter().take(read / STAMP).map(|stamp| u64::from_le_bytes(*stamp));
        let stamps: Vec<_> = there.chain(repeat(unused())).take(stamps.len()).collect();
        let many = stamps.len();
        let mut page = Self { file, given: vec![true; many], many, stamps };
        page.raise_all()?;
        Ok(page)
    }

    /// The stamp of a place, for a region.
    pub fn give(&mut self, place: u32) -> Option<u64> {
        let stamp = *self.stamps.get(place as usize)?;
        if !replace(&mut self.given[place as usize], true) {
            self.many += 1;
        }
        Some(stamp)
    }

    /// Raises the stamp of a place. If no region can have it, that costs nothing.
    ///
    /// # Errors
    /// It is not raised.
    pub fn raise(&mut self, place: u32) -> io::Result<()> {
        let at_place = place as usize;
        if !self.given.get(at_place).is_some_and(|given| *given) {
            return Ok(());
        }
        self.stamps[at_place] = self.stamps[at_place].wrapping_add(1);
        self.file.write_all_at(&self.stamps[at_place].to_le_bytes(), at(place))?;
        self.given[at_place] = false;
        self.many -= 1;
        Ok(())
    }

    /// Raises all stamps that anybody may have.
    ///
    /// # Errors
    /// Not all of them are raised.
    pub fn raise_all(&mut self) -> io::Result<()> {
        if self.many <= FEW {
            let given = (0..).zip(&self.given).filter(|(_, given)| **given).map(|(place, _)| place);
            let given: Vec<u32> = if self.many == 0 { Vec::new() } else { given.collect() };
            return given.into_iter().try_for_each(|place| self.raise(place));
        }
        self.stamps.iter_mut().for_each(|stamp| *stamp = stamp.wrapping_add(1));
        let bytes: Vec<u8> = self.stamps.iter().flat_map(|stamp| stamp.to_le_bytes()).collect();
        self.file.write_all_at(&bytes, 0)?;
        self.given.fill(false);
        self.many = 0;
        Ok(())
    }
}

/// The page as a region sees it.
pub(crate) struct Looks(File);

impl Looks {
    /// The page in the folder of a server.
    ///
    /// # Errors
    /// It is not there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        File::open(folder.join(FILE)).map(Self)
    }

    /// Returns true if a stamp is what it was; false if it cannot be read.
    pub fn is_still(&self, place: u32, stamp: u64) -> bool {
        let mut now = [0; STAMP];
        self.0.read_exact_at(&mut now, at(place)).is_ok() && u64::from_le_bytes(now) == stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_raised_for_all_who_look_and_all_are_when_a_server_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Looks::open(folder.path()).is_err(), "there is no page before the server");
        let mut page = Page::open(folder.path()).expect("a page");
        let looks = Looks::open(folder.path()).expect("the page");
        let (one, other) = (page.give(7).expect("a stamp"), page.give(8).expect("a stamp"));
        assert!(looks.is_still(7, one) && looks.is_still(8, other));
        page.raise(7).expect("raised");
        assert!(!looks.is_still(7, one) && looks.is_still(8, other));
        // A stamp that no region has stays as it is.
        let next = page.stamps[7];
        page.raise(7).expect("raised");
        assert!(looks.is_still(7, next));
        page.raise_all().expect("raised");
        assert!(looks.is_still(7, next) && !looks.is_still(8, other));
        let (one, other) = (page.give(7).expect("a stamp"), page.give(8).expect("a stamp"));
        drop(page);
        let mut page = Page::open(folder.path()).expect("the page of the next server");
        assert!(!looks.is_still(7, one) && !looks.is_still(8, other), "the next server has raised them");
        assert!(page.give(7) > Some(one), "stamps go on from where they were");
        assert_eq!(page.give(STAMPS), None);
        // A page that was cut is made whole; who looks meanwhile finds nothing valid.
        drop(page);
        let file = OpenOptions::new().write(true).open(folder.path().join(FILE)).expect("the file");
        file.set_len(60).expect("cut");
        assert!(!looks.is_still(60_000, 1));
        let mut page = Page::open(folder.path()).expect("a page again");
        assert!(page.give(60_000) > page.give(1), "what is damaged begins beyond all that was given");
        assert_eq!(file.metadata().expect("there").len(), at(STAMPS));
    }
}
