//! The keys of a folder: random ones, kept in a file under the user's key.
//!
//! ```text
//! keyring = "SPRING01" (number:4 block)*      the last one counts for what is written from now on
//! ```
//!
//! The file is written twice, for nothing in the folder can be read without it. A new key of the user ([`rotate`]) adds a key
//! and puts all of them under the new one: from then on the former key of the user opens none of them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf, absolute};
use std::sync::{Arc, LazyLock};

use parking_lot::{Mutex, RwLock};

use crate::KEY;
use crate::beginning::is_sealed;
use crate::block::{Blocks, derived, random};

const MAGIC: &[u8; 8] = b"SPRING01";
/// The file of a folder's keys, and the same once more.
pub const KEYRING: &str = "keyring";
/// See [`KEYRING`].
pub const KEYRING_TWIN: &str = "keyring.twin";
const NEXT: &str = "keyring.new";
/// The purpose of the user's key here: records are sealed with others.
const PURPOSE: &[u8] = b"syncpoint keyring of files";
/// Bytes of a key in the file: its number, and a block.
const ENTRY: usize = 4 + 16 + KEY + 16;

/// A key and its number, which no other has in its folder.
#[derive(Clone)]
pub(crate) struct RingKey {
    pub number: u32,
    pub key: [u8; KEY],
}

/// The keys of a folder.
pub(crate) struct Ring {
    folder: PathBuf,
    keys: Mutex<Vec<RingKey>>,
    /// The reason why the folder's keys cannot be had: nothing below it is written or opened then.
    shut: Option<String>,
}

impl Ring {
    fn refused(&self) -> io::Error {
        let why = self.shut.as_deref().unwrap_or("its folder has no key");
        io::Error::new(io::ErrorKind::PermissionDenied, format!("it is encrypted, and {why}"))
    }
}

/// The folders that this process has protected.
static RINGS: LazyLock<RwLock<Vec<Arc<Ring>>>> = LazyLock::new(RwLock::default);

/// Protects a folder with the user's key: what is written below it from now on is sealed. If its keys are still under the
/// former key, they are put under the new one.
///
/// # Errors
/// The keys of the folder are damaged or gone, are under another key, or cannot be written.
pub fn protect(folder: &Path, key: &[u8; KEY], former: Option<&[u8; KEY]>) -> io::Result<()> {
    let folder = real(folder)?;
    let keys = match read(&folder, key)? {
        Found::Keys(keys) => keys,
        Found::Nothing => {
            refuse_lost(&folder)?;
            let keys = vec![new_key(&[])?];
            write(&folder, key, &keys)?;
            keys
        }
        Found::OtherKey => {
            let Some(Found::Keys(keys)) = former.map(|former| read(&folder, former)).transpose()? else {
                return Err(refused(&folder, "is under another key than the one that is named"));
            };
            rotated(&folder, key, keys)?
        }
    };
    register(folder, keys, None);
    Ok(())
}

/// Protects a folder that another process may own: its keys are read and nothing is written. A folder without keys stays what
/// it is; one whose keys are under another key is shut, as by [`shut`].
///
/// # Errors
/// As [`protect`].
pub fn unlock(folder: &Path, key: &[u8; KEY], former: Option<&[u8; KEY]>) -> io::Result<()> {
    let folder = real(folder)?;
    for key in [Some(key), former].into_iter().flatten() {
        match look(&folder, key)? {
            (Found::Keys(keys), _) => {
                register(folder, keys, None);
                return Ok(());
            }
            (Found::Nothing, _) => return Ok(()),
            (Found::OtherKey, _) => {}
        }
    }
    register(folder, Vec::new(), Some("the key that is named is not the one for it".to_owned()));
    Ok(())
}

/// Shuts a folder that has keys which this process cannot have: nothing below it is written in clear, and what is sealed there is not
/// opened; `why` ends the message "it is encrypted, and …". A folder without keys stays what it is.
///
/// # Errors
/// The system's own.
pub fn shut(folder: &Path, why: &str) -> io::Result<()> {
    let folder = real(folder)?;
    if folder.join(KEYRING).exists() || folder.join(KEYRING_TWIN).exists() {
        register(folder, Vec::new(), Some(why.to_owned()));
    }
    Ok(())
}

/// Seals what is written below a folder with a key that is not kept, where this process has protected any folder. Returns the
/// key, with which another process does the same by [`protect_with`]; [`forget`] ends it.
///
/// # Errors
/// There are no random bytes.
pub fn protect_for_now(folder: &Path) -> io::Result<Option<String>> {
    if !any_protected() {
        return Ok(None);
    }
    let key = new_key(&[])?;
    let text = [&key.number.to_be_bytes()[..], &key.key].concat();
    register(real(folder)?, vec![key], None);
    Ok(Some(text.iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Seals what is written below a folder with a key that another process has made by [`protect_for_now`].
///
/// # Errors
/// The text is no such key.
pub fn protect_with(folder: &Path, text: &str) -> io::Result<()> {
    let digits = |at: usize| text.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..4 + KEY).map(digits).collect();
    let bytes = bytes.filter(|_| text.len() == 2 * (4 + KEY));
    let key = bytes.and_then(|bytes| {
        let (number, key) = bytes.split_first_chunk::<4>()?;
        Some(RingKey { number: u32::from_be_bytes(*number), key: key.try_into().ok()? })
    });
    let key = key.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the key is no key"))?;
    register(real(folder)?, vec![key], None);
    Ok(())
}

/// Ends what [`protect_for_now`] and [`protect_with`] have begun. The folder may be gone by now, if its name has no links.
pub fn forget(folder: &Path) {
    if let Ok(folder) = real(folder) {
        RINGS.write().retain(|ring| ring.folder != folder);
    }
}

/// Returns true if this process has protected any folder.
pub(crate) fn any_protected() -> bool {
    !RINGS.read().is_empty()
}

/// A key that is not kept.
pub(crate) fn passing_key() -> io::Result<RingKey> {
    new_key(&[])
}

fn register(folder: PathBuf, keys: Vec<RingKey>, shut: Option<String>) {
    let mut rings = RINGS.write();
    rings.retain(|ring| ring.folder != folder);
    rings.push(Arc::new(Ring { folder, keys: Mutex::new(keys), shut }));
    // The deepest folder that a path lies in decides.
    rings.sort_by_key(|ring| std::cmp::Reverse(ring.folder.as_os_str().len()));
}

/// Puts the keys of a protected folder under a new key of the user, and adds one for what is written from now on.
///
/// # Errors
/// They cannot be written: nothing has changed then.
pub fn rotate(folder: &Path, key: &[u8; KEY]) -> io::Result<()> {
    let folder = real(folder)?;
    let ring = RINGS.read().iter().find(|ring| ring.folder == folder).cloned();
    let Some(ring) = ring else { return Ok(()) };
    let mut keys = ring.keys.lock();
    if let Found::Keys(known) = read(&folder, key)? {
        // It is the key already.
        *keys = known;
        return Ok(());
    }
    *keys = rotated(&folder, key, keys.clone())?;
    Ok(())
}

fn rotated(folder: &Path, key: &[u8; KEY], mut keys: Vec<RingKey>) -> io::Result<Vec<RingKey>> {
    keys.push(new_key(&keys)?);
    write(folder, key, &keys)?;
    Ok(keys)
}

/// The key with which a file of this path is to be sealed; `None`: no folder above it is protected.
pub(crate) fn key_for(path: &Path) -> io::Result<Option<RingKey>> {
    let rings = RINGS.read();
    if rings.is_empty() {
        return Ok(None);
    }
    let path = real(path)?;
    let Some(ring) = rings.iter().find(|ring| path.starts_with(&ring.folder)) else { return Ok(None) };
    let key = ring.keys.lock().last().cloned();
    key.map(Some).ok_or_else(|| ring.refused())
}

/// The key of this number: of the folder above a path, or, for a file that was moved elsewhere, of any.
pub(crate) fn key_numbered(path: &Path, number: u32) -> io::Result<RingKey> {
    let path = real(path)?;
    let rings = RINGS.read();
    let numbered = |ring: &Arc<Ring>| ring.keys.lock().iter().find(|key| key.number == number).cloned();
    let first = rings.iter().filter(|ring| path.starts_with(&ring.folder)).find_map(numbered);
    first.or_else(|| rings.iter().find_map(numbered)).ok_or_else(|| {
        let above = rings.iter().find(|ring| path.starts_with(&ring.folder) && ring.shut.is_some());
        above.or_else(|| rings.iter().find(|ring| ring.shut.is_some())).map_or_else(
            || {
                let text = "it is encrypted, and the key for it is not at hand";
                io::Error::new(io::ErrorKind::PermissionDenied, text)
            },
            |ring| ring.refused(),
        )
    })
}

/// A path without links on its way, so that a file is below its folder by whatever name it is called. What is not there yet
/// keeps its name.
fn real(path: &Path) -> io::Result<PathBuf> {
    let path = absolute(path)?;
    let known = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, known)) = known else { return Ok(path) };
    Ok(path.strip_prefix(above).map_or_else(|_| path.clone(), |rest| known.join(rest)))
}

/// A key with a number that none of `others` has.
fn new_key(others: &[RingKey]) -> io::Result<RingKey> {
    let (mut key, mut number) = ([0; KEY], [0; 4]);
    random(&mut key)?;
    loop {
        random(&mut number)?;
        let number = u32::from_le_bytes(number);
        if others.iter().all(|other| other.number != number) {
            return Ok(RingKey { number, key });
        }
    }
}

/// The keys that a folder has.
enum Found {
    Nothing,
    Keys(Vec<RingKey>),
    OtherKey,
}

/// The keys of a folder; where one of its files is damaged it is written again.
fn read(folder: &Path, key: &[u8; KEY]) -> io::Result<Found> {
    let (found, is_damaged) = look(folder, key)?;
    if let (Found::Keys(keys), true) = (&found, is_damaged) {
        let path = folder.join(KEYRING);
        tracing::warn!(target: "RM", "{} and {KEYRING_TWIN} differ: the one that can be opened counts", path.display());
        write(folder, key, keys)?;
    }
    Ok(found)
}

/// The keys of a folder, and true if they are not in both files.
fn look(folder: &Path, key: &[u8; KEY]) -> io::Result<(Found, bool)> {
    let files = [KEYRING, KEYRING_TWIN].map(|name| match fs::read(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some),
    });
    let [first, twin] = files;
    let files = [first?, twin?];
    if files.iter().all(Option::is_none) {
        return Ok((Found::Nothing, false));
    }
    let opened = files.each_ref().map(|bytes| bytes.as_deref().and_then(|bytes| from_bytes(bytes, key)));
    let is_whole = files.each_ref().map(|bytes| bytes.as_deref().is_some_and(has_shape));
    match opened {
        [Some(keys), Some(same)] if keys.len() == same.len() => Ok((Found::Keys(keys), false)),
        // A crash came between the two, or one is damaged: the first one that can be opened counts.
        [Some(keys), _] | [None, Some(keys)] => Ok((Found::Keys(keys), true)),
        [None, None] if is_whole.contains(&true) => Ok((Found::OtherKey, false)),
        [None, None] => Err(refused(folder, "and its twin are not what was written")),
    }
}

fn has_shape(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MAGIC).is_some_and(|rest| !rest.is_empty() && rest.len().is_multiple_of(ENTRY))
}

fn from_bytes(bytes: &[u8], key: &[u8; KEY]) -> Option<Vec<RingKey>> {
    let blocks = Blocks::with(&derived(key, PURPOSE)).ok()?;
    let entries = bytes.strip_prefix(MAGIC)?;
    if !has_shape(bytes) {
        return None;
    }
    let entry = |entry: &[u8]| {
        let (number, block) = entry.split_first_chunk::<4>()?;
        let number = u32::from_le_bytes(*number);
        let block = block.strip_prefix(&(KEY as u32).to_le_bytes())?;
        let (nonce, sealed) = block.split_first_chunk::<12>()?;
        let mut sealed = sealed.to_vec();
        blocks.open(number.into(), *nonce, &mut sealed).ok()?;
        Some(RingKey { number, key: sealed.try_into().ok()? })
    };
    entries.chunks_exact(ENTRY).map(entry).collect()
}

fn write(folder: &Path, key: &[u8; KEY], keys: &[RingKey]) -> io::Result<()> {
    let blocks = Blocks::with(&derived(key, PURPOSE))?;
    let mut bytes = MAGIC.to_vec();
    for RingKey { number, key } in keys {
        bytes.extend(number.to_le_bytes());
        blocks.seal((*number).into(), key, &mut bytes)?;
    }
    for name in [KEYRING, KEYRING_TWIN] {
        let next = folder.join(NEXT);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&next)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(next, folder.join(name))?;
    }
    fs::File::open(folder)?.sync_all()
}

/// Refuses to make new keys where something was sealed with others.
fn refuse_lost(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
            match entry {
                Ok(kind) if kind.is_dir() && next == *folder => folders.push(path),
                Ok(kind) if kind.is_file() && is_sealed(&path) => {
                    return Err(refused(
                        folder,
                        "is gone, and there are files that were encrypted with its keys",
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn refused(folder: &Path, why: &str) -> io::Error {
    let path = folder.join(KEYRING);
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} {why}: bring it back from a backup, or move the encrypted files away", path.display()),
    )
}
