//! The users file as it is changed: by `syncpoint user`, and by users who change their passwords in a region.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use config::{Damaged, Shown, User, with_user};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use security::password;
use security::rules::Rules;

/// Read and write for the file's owner, nothing for others.
const OWNER_ONLY: u32 = 0o600;

/// Changes the text of a users file, which may not be there yet. No reader ever sees half of it, only its owner can read it, and
/// of two who change it at once one waits for the other.
///
/// # Errors
/// It cannot be read or written, or is damaged: then it stays as it is.
pub fn change_users_file(
    path: &Path,
    change: impl FnOnce(&str) -> Result<String, Damaged>,
) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let lock = File::open(folder)?;
    lock.lock()?;
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let changed = change(&text).map_err(|damaged| io::Error::new(io::ErrorKind::InvalidData, damaged))?;
    let new = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(OWNER_ONLY).open(&new)?;
    file.write_all(changed.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    lock.sync_all()
}

/// Reasons why a new password is not taken.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// It is not as the rules want it.
    #[error("{0}")]
    Rules(String),
    /// It cannot be hashed.
    #[error("this machine has no randomness: {0}")]
    Randomness(#[from] getrandom::Error),
}

/// A user with a new password or passphrase, set today.
///
/// # Errors
/// It is not taken. Nothing was written yet.
pub fn with_new_password(user: &User, shown: Shown, new: &str, rules: &Rules) -> Result<User, NotTaken> {
    if let Some(complaint) = rules.complaint(new, &user.userid, &user.used(shown)) {
        return Err(NotTaken::Rules(complaint));
    }
    let mut salt = [0; password::SALT_LENGTH];
    getrandom::fill(&mut salt)?;
    let hash = password::hash(new, salt);
    let hash = hash.ok_or_else(|| NotTaken::Rules(String::from("the password cannot be hashed")))?;
    Ok(user.changed(shown, hash, rules.history, &day(now())))
}

/// Puts a user into the file, or in the place of what it has of the user.
///
/// # Errors
/// As [`change_users_file`].
pub(crate) fn keep(path: &Path, user: &User) -> io::Result<()> {
    change_users_file(path, |text| with_user(text, user))
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    Timestamp::now().as_second()
}

/// The day of so many seconds since 1970, as the users file has it.
pub(crate) fn day(seconds: i64) -> String {
    let moment = Timestamp::from_second(seconds).unwrap_or_default();
    moment.to_zoned(TimeZone::UTC).date().to_string()
}
