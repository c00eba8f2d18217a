//! Encryption at rest: where the key comes from, and the messages where it does not fit.

use std::path::Path;

use config::{DataConfig, Secret};
use diagnostics::Diagnostic;
use records::{EncryptionKey, Keys, WRONG_KEY};

use crate::codes;
use crate::folders::{AUDIT, DUMPS, JOURNALS, RECORD_FOLDER, SEQUENTIAL};

/// Place where a key is named.
const NAME_IT: &str =
    "name it in region.toml: [data] encryption-key-file, encryption-key-env or encryption-key-credential";
/// Folders of the state whose files are sealed where there is a key. Others have nothing that a user has stored.
const SEALED_FOLDERS: [&str; 8] =
    [SEQUENTIAL, JOURNALS, DUMPS, RECORD_FOLDER, AUDIT, "messages", "events", "java/output"];

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

/// The key of data and log as text, for a region that runs.
///
/// # Errors
/// The configuration names none, or one that cannot be had.
pub fn key_text(root: &Path, config: &DataConfig) -> Result<String, Vec<Diagnostic>> {
    let Some(source) = &config.encryption_key else {
        let message = Diagnostic::error(codes::KEY, "region.toml names no encryption key");
        return Err(vec![message.help(NAME_IT)]);
    };
    unseal::key(root, source)?;
    Ok(unseal::secret(root, source)?.trim().to_owned())
}

/// The data are not as the configuration wants them.
pub(crate) fn refused(data: &Path, why: &str, source: Option<&Secret>) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::KEY, format!("{}: {why}", data.display()));
    vec![match source {
        Some(source) if why != WRONG_KEY => unseal::placed(message, source),
        Some(source) => unseal::placed(message, source).help(
            "where the key was changed, name the one before it, too: former-encryption-key-file (or -env, -credential)",
        ),
        None => message.help(NAME_IT),
    }]
}
