//! Files of the operating system: O_DIRECT and O_DSYNC, so that one write is one force and the page cache is left alone.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::{BLOCK, Disk, DiskFile};
use crate::blocks::Blocks;

/// Zeros are written in pieces of this size.
const FILL: usize = 256 * BLOCK;

/// The file of what is noted: its slots are so far from each other that what spoils one leaves the other.
const NOTE: &str = "forced";
/// Files are their owner's alone.
const PRIVATE: u32 = 0o600;

/// A folder of the operating system.
pub struct RealDisk {
    folder: PathBuf,
    fills: bool,
    note: Mutex<Option<File>>,
}

impl RealDisk {
    /// The folder, created if it is not there.
    pub fn new(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        super::make_folder(&folder)?;
        Ok(Self { folder, fills: true, note: Mutex::default() })
    }

    /// The same, whose new files are filled with zeros or take their place as they are written.
    pub fn filling(self, fills: bool) -> Self {
        Self { fills, ..self }
    }

    /// Makes what happened to the folder itself durable.
    fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }
}

impl Disk for RealDisk {
    fn list(&self) -> io::Result<Vec<String>> {
        fs::read_dir(&self.folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn create(&self, name: &str, bytes: u64) -> io::Result<Box<dyn DiskFile>> {
        let path = self.folder.join(name);
        let plain = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(&path)?;
        drop(plain);
        let mut file = open_direct(&path)?;
        match self.fills {
            true => fill(&mut file, bytes)?,
            false => file.0.set_len(bytes)?,
        }
        file.0.sync_all()?;
        self.sync_folder()?;
        Ok(Box::new(file))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(open_direct(&self.folder.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.folder.join(from), self.folder.join(to))?;
        self.sync_folder()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.folder.join(name))
    }

    fn note(&self, slot: usize, bytes: &[u8], durable: bool) -> io::Result<()> {
        let mut open = self.note.lock();
        let file = match &mut *open {
            Some(file) => file,
            none => {
                let path = self.folder.join(NOTE);
                let file =
                    OpenOptions::new().write(true).create(true).truncate(false).mode(PRIVATE).open(path)?;
                none.insert(file)
            }
        };
        file.write_all_at(bytes, (slot * BLOCK) as u64)?;
        if durable {
            file.sync_all()?;
            self.sync_folder()?;
        }
        Ok(())
    }

    fn beside(&self, name: &str) -> io::Result<Option<File>> {
        let path = self.folder.join(name);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(PRIVATE).open(path).map(Some)
    }

    fn noted(&self) -> io::Result<Option<[Vec<u8>; 2]>> {
        let mut first = match fs::read(self.folder.join(NOTE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let second = first.split_off(first.len().min(BLOCK));
        Ok(Some([first, second]))
    }
}

/// Opens a file past the page cache, or through it where the file system refuses that (some do when opening, some when
/// writing).
fn fill(file: &mut RealFile, bytes: u64) -> io::Result<()> {
    let zeros = Blocks::zeroed(FILL);
    let mut offset = 0;
    while offset < bytes {
        let length = (bytes - offset).min(FILL as u64) as usize;
        file.write_at(offset, &zeros.as_slice()[..length])?;
        offset += length as u64;
    }
    Ok(())
}

fn open_direct(path: &Path) -> io::Result<RealFile> {
    let open = |flags| OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
    match open(libc::O_DIRECT | libc::O_DSYNC) {
        Ok(file) if accepts_direct(&file) => Ok(RealFile(file)),
        Ok(_) => open(libc::O_DSYNC).map(RealFile),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => open(libc::O_DSYNC).map(RealFile),
        Err(error) => Err(error),
    }
}

fn accepts_direct(file: &File) -> bool {
    let mut block = Blocks::zeroed(BLOCK);
    !matches!(file.read_at(block.as_mut_slice(), 0), Err(error) if error.raw_os_error() == Some(libc::EINVAL))
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }
}
