//! Encryption at rest: where the key comes from, and the messages where it does not fit.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use config::{KeySource, Located};
use diagnostics::Diagnostic;
use records::EncryptionKey;

use crate::codes;

/// The rights of everybody but the owner and the group.
const OTHERS: u32 = 0o007;
/// How somebody gets a key.
const MAKE_A_KEY: &str = "a key is 64 hexadecimal digits; `openssl rand -hex 32` makes one";

/// The key that the configuration names.
pub(crate) fn key(root: &Path, source: &KeySource) -> Result<EncryptionKey, Vec<Diagnostic>> {
    let text = match source {
        KeySource::File(path) => key_file(root, &path.value, source)?,
        KeySource::Environment(name) => std::env::var(&name.value)
            .map_err(|_| bad(source, format!("the environment has no variable {} with a key", name.value)))?,
    };
    EncryptionKey::from_hex(&text).ok_or_else(|| bad(source, "the encryption key is no key".to_owned()))
}

/// What a key file holds, if nobody else can read it.
fn key_file(root: &Path, name: &str, source: &KeySource) -> Result<String, Vec<Diagnostic>> {
    let path = root.join(name);
    let unreadable = |error| bad(source, format!("the key file {name} cannot be read: {error}"));
    let mode = std::fs::metadata(&path).map_err(unreadable)?.permissions().mode();
    if mode & OTHERS != 0 {
        let message = format!("the key file {name} can be read or written by everybody on this machine");
        let help = format!("chmod 600 {}; who has read it has the key", path.display());
        return Err(vec![placed(Diagnostic::error(codes::KEY, message), source).help(help)]);
    }
    std::fs::read_to_string(&path).map_err(unreadable)
}

fn bad(source: &KeySource, message: String) -> Vec<Diagnostic> {
    vec![placed(Diagnostic::error(codes::KEY, message), source).help(MAKE_A_KEY)]
}

/// The data are not as the configuration wants them.
pub(crate) fn refused(data: &Path, why: &str, source: Option<&KeySource>) -> Vec<Diagnostic> {
    let message = Diagnostic::error(codes::KEY, format!("{}: {why}", data.display()));
    vec![match source {
        Some(source) => placed(message, source),
        None => message.help("name it in region.toml: [data] encryption-key-file or encryption-key-env"),
    }]
}

fn placed(message: Diagnostic, source: &KeySource) -> Diagnostic {
    let (KeySource::File(Located { place, .. }) | KeySource::Environment(Located { place, .. })) = source;
    match place {
        Some(place) => message.at(place.clone()),
        None => message,
    }
}
