//! A copy of a program's command, for a watcher.

use spec::{Kind, OptionId, opt};

use super::Call;
use super::parcel::{Content, Parcel};
use crate::limits::SHOWN_ARGUMENT_BYTES_MAX;

impl Parcel {
    /// The command of a call, with what its fields have now. A field that cannot be read is left out; of a long field it has the first
    /// bytes.
    pub fn copy_of(call: &Call<'_>) -> Self {
        let mut parcel = Self::new(call.command());
        for option in call.arguments().filter(|option| ![opt::RESP, opt::RESP2].contains(option)) {
            let content = parcel.listed(option).and_then(|record| content(call, option, record.kind));
            // An option that its record does not have is not shown.
            let _ = parcel.give(option, content.unwrap_or_default());
        }
        for keyword in call.keywords() {
            let _ = parcel.keyword(keyword);
        }
        parcel
    }
}

fn content(call: &Call<'_>, option: OptionId, kind: Kind) -> Option<Content> {
    let number = || call.number(option).ok().flatten().map(Content::Number);
    let bytes = || {
        let length = call.size(option).min(SHOWN_ARGUMENT_BYTES_MAX);
        call.bytes_of(option, length).ok().flatten().map(|bytes| Content::Bytes(bytes.to_vec()))
    };
    match kind {
        Kind::Keyword => None,
        Kind::Pointer => call.pointer(option).ok().flatten().map(Content::Pointer),
        Kind::Name | Kind::Area => bytes(),
        Kind::Value | Kind::Cvda | Kind::Hhmmss | Kind::Label => number().or_else(bytes),
    }
}
