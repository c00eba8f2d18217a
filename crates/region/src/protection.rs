//! Encryption at rest: where the key comes from, and the messages where it does not fit.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use config::{CREDENTIALS, Secret};
use diagnostics::Diagnostic;
use records::EncryptionKey;

use crate::codes;

/// The rights of everybody but the owner and the group.
const OTHERS: u32 = 0o007;
/// How somebody gets a key.
const MAKE_A_KEY: &str = "a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one";

/// The key that the configuration names.
pub(crate) fn key(root: &Path, source: &Secret) -> Result<EncryptionKey, Vec<Diagnostic>> {
    let text = secret(root, source)?;
    EncryptionKey::from_hex(&text).ok_or_else(|| bad(source, "the encryption key is no key".to_owned()))
}

/// What a secret is.
pub(crate) fn secret(root: &Path, source: &Secret) -> Result<String, Vec<Diagnostic>> {
    match source {
        Secret::File(path) => key_file(&root.join(&path.value), &path.value, source),
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
            key_file(&path, &name.value, source)
        }
    }
}

/// What a key file holds, if nobody else can read it.
fn key_file(path: &Path, name: &str, source: &Secret) -> Result<String, Vec<Diagnostic>> {
    let unreadable = |error| bad(source, format!("the key file {name} cannot be read: {error}"));
    let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
    if mode & OTHERS != 0 {
        let message = format!("the key file {name} can be read or written by everybody on this machine");
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
        Some(source) => placed(message, source),
        None => message.help("name it in region.toml: [data] encryption-key-file, encryption-key-env or encryption-key-credential"),
    }]
}

fn placed(message: Diagnostic, source: &Secret) -> Diagnostic {
    match source.place() {
        Some(place) => message.at(place.clone()),
        None => message,
    }
}
