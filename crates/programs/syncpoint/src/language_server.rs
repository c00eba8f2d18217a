//! `syncpoint lsp`: a language server on standard input and output.

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

use lsp::Host;

use crate::application;

/// Serves an editor until it says that it goes; a failure if it went without a word.
pub(crate) fn serve() -> ExitCode {
    let host = Host {
        configuration: application::configuration,
        levelled: region::lints::levelled,
        version: env!("CARGO_PKG_VERSION"),
    };
    match lsp::serve(BufReader::new(stdin()), stdout().lock(), host) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
