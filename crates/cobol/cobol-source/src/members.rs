//! The search of COPY for its members: the application's library first, then the members that every region supplies.

mod constants;

use std::sync::{Arc, LazyLock};

use diagnostics::Source;

pub use constants::native_byte;

/// Answers COPY members by name. This crate reads no files: its caller decides where members live.
pub trait Library {
    /// The member of that name, as the program wrote it (any case); `library` is the word after OF or IN.
    fn member(&self, name: &str, library: Option<&str>) -> Option<Arc<Source>>;

    /// Names of all members, for "did you mean".
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A library without members.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn member(&self, _: &str, _: Option<&str>) -> Option<Arc<Source>> {
        None
    }
}

/// Name and text of each supplied member.
static SUPPLIED: LazyLock<Vec<(&str, Arc<Source>)>> = LazyLock::new(|| {
    let texts = [
        ("CEEIGZCT", include_str!("../copybooks/CEEIGZCT.cpy").to_string()),
        ("DFHAID", constants::attention_identifiers()),
        ("DFHATTR", constants::attributes("DFHATTR")),
        ("DFHBMSCA", constants::attributes("DFHBMSCA")),
        ("DFHEIBLK", constants::exec_interface_block()),
        ("DFHWBCDO", include_str!("../copybooks/DFHWBCDO.cpy").to_string()),
        ("DFHWBEPO", include_str!("../copybooks/DFHWBEPO.cpy").to_string()),
        ("DFHDYPDS", include_str!("../copybooks/DFHDYPDS.cpy").to_string()),
        ("DFHWBTDO", include_str!("../copybooks/DFHWBTDO.cpy").to_string()),
        ("DFHWBUCO", include_str!("../copybooks/DFHWBUCO.cpy").to_string()),
        ("DFHXCPLO", include_str!("../copybooks/DFHXCPLO.cpy").to_string()),
        ("DFHXCRCO", include_str!("../copybooks/DFHXCRCO.cpy").to_string()),
        ("SQLCA", include_str!("../copybooks/SQLCA.cpy").to_string()),
        ("SQLDA", include_str!("../copybooks/SQLDA.cpy").to_string()),
        ("VSVCLIST", include_str!("../copybooks/VSVCLIST.cpy").to_string()),
    ];
    texts.into_iter().map(|(name, text)| (name, Source::new(name, text))).collect()
});

/// The member that every region supplies under that name (any case); a program may name it as a file, `DFHAID.CPY`.
pub fn supplied(name: &str) -> Option<Arc<Source>> {
    let name = match name.rsplit_once('.') {
        Some((stem, suffix)) if suffix.eq_ignore_ascii_case("cpy") => stem,
        _ => name,
    };
    SUPPLIED.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, source)| Arc::clone(source))
}

/// Names of the supplied members.
pub fn supplied_names() -> impl Iterator<Item = &'static str> {
    SUPPLIED.iter().map(|(name, _)| *name)
}
