//! IP sockets: `[sockets]` and its listener texts for the sockets crate.

use std::path::Path;
use std::sync::Arc;

use ::sockets::{Listener, Sockets, Text, read_listeners};
use config::{RegionConfig, SocketText};
use diagnostics::{Diagnostic, any_error};
use kernel::name::Name8;

use crate::definitions::source;

/// The sockets of a region.
pub(crate) fn open(config: &RegionConfig) -> Arc<Sockets> {
    let text = match config.sockets.text {
        SocketText::Ascii => Text::Ascii,
        SocketText::Ebcdic => Text::Ebcdic,
    };
    Arc::new(Sockets::new(Name8::from(config.applid.as_str()), text))
}

/// The listeners of the configuration's texts, and warnings.
///
/// # Errors
/// What is wrong with the texts.
pub(crate) fn listeners(
    root: &Path,
    config: &RegionConfig,
) -> Result<(Vec<Listener>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut listeners, mut messages) = (Vec::new(), Vec::new());
    for pattern in &config.sockets.listeners {
        for path in toolchain::files(root, pattern).map_err(|message| vec![message])? {
            let (found, told) = read_listeners(&source(root, &path)?, &config.applid);
            listeners.extend(found);
            messages.extend(told);
        }
    }
    if any_error(&messages) { Err(messages) } else { Ok((listeners, messages)) }
}
