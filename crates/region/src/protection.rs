//! Encryption at rest: where the key comes from, and the messages where it does not fit.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use config::{CREDENTIALS, DataConfig, Secret};
use diagnostics::Diagnostic;
use records::{EncryptionKey, Keys, WRONG_KEY};

use crate::codes;
use crate::options::{DUMPS, JOURNALS, RECORD_FOLDER};
use crate::state::{AUDIT, SEQUENTIAL};

/// The rights of everybody but the owner; and of the group, too: systemd hands credentials over with an access list, whose mask
/// stands where the group's rights do.
const NOT_THE_OWNERS: u32 = 0o077;
const OTHERS: u32 = 0o007;
/// Place where a key is named.
const NAME_IT: &str =
    "name it in region.toml: [data] encryption-key-file, encryption-key-env or encryption-key-credential";
/// Way to make a key.
const MAKE_A_KEY: &str = "a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one";

/// The key that the configuration names.
pub(crate) fn key(root: &Path, source: &Secret) -> Result<EncryptionKey, Vec<Diagnostic>> {
    let text = secret(root, source)?;
    EncryptionKey::from_hex(&text).ok_or_else(|| bad(source, "the encryption key is no key".to_owned()))
}

/// The keys of data and log. A former key that cannot be read matters only where it is in force still: [`refused`] says so then.
pub(crate) fn keys(root: &Path, config: &DataConfig) -> Result<Keys, Vec<Diagnostic>> {
    let now = config.encryption_key.as_ref().map(|source| key(root, source)).transpose()?;
    let former = config.former_key.as_ref().and_then(|source| key(root, source).ok());
    Ok(Keys { now, former })
}

/// Folders of the state whose files are sealed where there is a key. Others have nothing that a user has stored.
const SEALED_FOLDERS: [&str; 7] = [SEQUENTIAL, JOURNALS, DUMPS, RECORD_FOLDER, AUDIT, "messages", "events"];

/// Protects the files of a state with its key, if it has one: what is in clear there, from a time before, is sealed now. For
/// the one who has the state open.
pub(crate) fn protect(state: &Path, keys: &Keys) -> Result<(), Vec<Diagnostic>> {
    let Some(key) = &keys.now else { return Ok(()) };
    let sealed = sealed::protect(state, key.bytes(), keys.former.as_ref().map(EncryptionKey::bytes))
        .and_then(|()| {
            SEALED_FOLDERS
                .iter()
                .try_fold(0, |sealed, folder| Ok(sealed + sealed::seal_folder(&state.join(folder))?))
        });
    match sealed {
        Ok(0) => {}
        Ok(files) => {
            tracing::info!(target: "SI", "{files} files of the state were in clear, and are encrypted now")
        }
        Err(error) => {
            let message = format!("the files in {} cannot be encrypted: {error}", state.display());
            return Err(vec![
                Diagnostic::error(codes::KEY, message).help("the message says which file is in the way"),
            ]);
        }
    }
    Ok(())
}

/// Lets this process read the files of a state that may be another's: with the key that the configuration names, if it has one.
/// Where the state has keys that cannot be had so, none of its sealed files is opened, and none is written in clear.
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

/// The key of data and log as text, for a region that runs.
///
/// # Errors
/// The configuration names none, or one that cannot be had.
pub fn key_text(root: &Path, config: &DataConfig) -> Result<String, Vec<Diagnostic>> {
    let Some(source) = &config.encryption_key else {
        let message = Diagnostic::error(codes::KEY, "region.toml names no encryption key");
        return Err(vec![message.help(NAME_IT)]);
    };
    key(root, source)?;
    Ok(secret(root, source)?.trim().to_owned())
}

/// Value of a secret.
pub(crate) fn secret(root: &Path, source: &Secret) -> Result<String, Vec<Diagnostic>> {
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
        return Err(vec![placed(Diagnostic::error(codes::KEY, message), source).help(help)]);
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

fn bad(source: &Secret, message: String) -> Vec<Diagnostic> {
    vec![placed(Diagnostic::error(codes::KEY, message), source).help(MAKE_A_KEY)]
}

/// The data are not as the configuration wants them.
pub(crate) fn refused(data: &Path, why: &str, source: Option<&Secret>) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::KEY, format!("{}: {why}", data.display()));
    vec![match source {
        Some(source) if why != WRONG_KEY => placed(message, source),
        Some(source) => placed(message, source).help(
            "where the key was changed, name the one before it, too: former-encryption-key-file (or -env, -credential)",
        ),
        None => message.help(NAME_IT),
    }]
}

fn placed(message: Diagnostic, source: &Secret) -> Diagnostic {
    match source.place() {
        Some(place) => message.at(place.clone()),
        None => message,
    }
}
