//! Files of a state that may be encrypted, read with the key that the configuration of their application names.
//!
//! In scope: where a key comes from, whose a state is, and files read with both. Out of scope: how a file is sealed
//! (`sealed`), and who writes it.

#![forbid(unsafe_code)]

pub mod codes;
mod owner;

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use config::{CREDENTIALS, DataConfig, REGION_FILE, RegionConfig, Secret};
use diagnostics::Diagnostic;
use records::{EncryptionKey, Keys};
use sealed::KEYRING;

use codes::KEY;
pub use owner::{OWNER_FILE, application_of, owner_of};

/// The rights of everybody but the owner; and of the group, too: systemd hands credentials over with an access list, whose mask
/// stands where the group's rights do.
const NOT_THE_OWNERS: u32 = 0o077;
const OTHERS: u32 = 0o007;
/// Way to make a key.
const MAKE_A_KEY: &str = "a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one";

/// The key that the configuration names.
pub fn key(root: &Path, source: &Secret) -> Result<EncryptionKey, Vec<Diagnostic>> {
    let text = secret(root, source)?;
    EncryptionKey::from_hex(&text).ok_or_else(|| bad(source, "the encryption key is no key".to_owned()))
}

/// The keys of data and log. A former key that cannot be read matters only where it is in force still: [`refused`] says so then.
pub fn keys(root: &Path, config: &DataConfig) -> Result<Keys, Vec<Diagnostic>> {
    let now = config.encryption_key.as_ref().map(|source| key(root, source)).transpose()?;
    let former = config.former_key.as_ref().and_then(|source| key(root, source).ok());
    Ok(Keys { now, former })
}

/// Lets this process read the files of a state that may be another's: with the key that the configuration names, if it has one.
/// If the state has keys that cannot be had so, none of its sealed files is opened, and none is written in clear.
pub fn unlock(root: &Path, state: &Path, config: &DataConfig) {
    // A command that reads or writes such a file says what is wrong.
    let _ = match keys(root, config) {
        Ok(Keys { now: Some(key), former }) => {
            sealed::unlock(state, key.bytes(), former.as_ref().map(EncryptionKey::bytes))
        }
        Ok(Keys { now: None, .. }) => sealed::shut(state, "region.toml names no key"),
        Err(messages) => {
            let why = messages.first().map_or("the key cannot be had", |message| message.message.as_str());
            sealed::shut(state, why)
        }
    };
}

/// The plain bytes of a file of a state, read with the key that its application names where it is encrypted; `configuration`
/// reads the region.toml of a folder.
///
/// # Errors
/// The operating system's; a configuration that cannot be read; a key that cannot be had or does not fit.
pub fn read(
    file: &Path,
    configuration: impl FnOnce(&Path) -> Result<RegionConfig, Vec<Diagnostic>>,
) -> io::Result<Vec<u8>> {
    if sealed::is_sealed(file) {
        unlock_above(&std::path::absolute(file)?, configuration)?;
    }
    sealed::read(file)
}

/// Finds the state above a file, in it the folder of its application, and there where the key is.
fn unlock_above(
    file: &Path,
    configuration: impl FnOnce(&Path) -> Result<RegionConfig, Vec<Diagnostic>>,
) -> io::Result<()> {
    let mut above = file.ancestors().skip(1);
    let found = above.find_map(|folder| match folder.join(KEYRING).is_file() {
        true => Some((application_of(folder)?, Some(folder.to_owned()))),
        // A recording lies in the folder of its application, not in the state.
        false => folder.join(REGION_FILE).is_file().then(|| (folder.to_owned(), None)),
    });
    // Where none is above it, the key may be at hand nevertheless.
    let Some((folder, state)) = found else { return Ok(()) };
    let config = configuration(&folder).map_err(|messages| {
        io::Error::other(messages.first().map(|message| message.message.clone()).unwrap_or_default())
    })?;
    let state = state.unwrap_or_else(|| folder.join(&config.state));
    unlock(&folder, &state, &config.data);
    Ok(())
}

/// Value of a secret.
pub fn secret(root: &Path, source: &Secret) -> Result<String, Vec<Diagnostic>> {
    match source {
        Secret::File(path) => key_file(&root.join(&path.value), &path.value, source, NOT_THE_OWNERS),
        Secret::Environment(name) => std::env::var(&name.value)
            .map_err(|_| bad(source, format!("the environment has no variable {} with a key", name.value))),
        Secret::Credential(name) => {
            let folder = std::env::var(CREDENTIALS).map_err(|_| {
                bad(
                    source,
                    format!(
                        "no service manager has handed over a credential {} (LoadCredential=)",
                        name.value
                    ),
                )
            })?;
            let path = Secret::credential(&folder, &name.value)
                .ok_or_else(|| bad(source, format!("{} is no name of a credential", name.value)))?;
            key_file(&path, &name.value, source, OTHERS)
        }
    }
}

/// Content of a key file whose rights do not include these.
fn key_file(path: &Path, name: &str, source: &Secret, nobodys: u32) -> Result<String, Vec<Diagnostic>> {
    let unreadable = |error| bad(source, format!("the key file {name} cannot be read: {error}"));
    let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
    if mode & nobodys != 0 {
        let message = format!("the key file {name} can be read or written by others than its owner");
        let help = format!("chmod 600 {}; who has read it has the key", path.display());
        return Err(vec![placed(Diagnostic::error(KEY, message), source).help(help)]);
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

fn bad(source: &Secret, message: String) -> Vec<Diagnostic> {
    vec![placed(Diagnostic::error(KEY, message), source).help(MAKE_A_KEY)]
}

/// A message at the place where a secret is named.
pub fn placed(message: Diagnostic, source: &Secret) -> Diagnostic {
    match source.place() {
        Some(place) => message.at(place.clone()),
        None => message,
    }
}
