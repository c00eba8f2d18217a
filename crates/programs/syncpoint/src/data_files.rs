//! Files that commands and programs know by ddnames, as they are typed; and the data sets of an application.

use std::path::Path;

use access::{AccessError, Client, FileBytes, FileSpec, ShapeSpec};
use diagnostics::Diagnostic;
use ebcdic::CodePage;

use crate::application::{Application, Messages, read};
use crate::codes;

/// Access to the data sets of an application. `name`: its user, for the region's log.
pub(crate) fn open(application: &Application, name: &str) -> Result<Client, Messages> {
    let open = region::open_site(&application.root, &application.state, &application.config);
    Client::new(&application.state, name, open).map_err(failed)
}

/// Access that failed, as messages.
pub(crate) fn failed(error: AccessError) -> Messages {
    let text = error.to_string();
    let message = Diagnostic::error(codes::NO_ACCESS, text);
    match error {
        AccessError::Closed(messages) => messages,
        AccessError::Gone(_) => vec![message.help("what was not committed is backed out")],
        AccessError::System(_) | AccessError::Failed(_) => vec![message],
    }
}

/// `FILE[,fixed|variable|lines][,length=N][,code-page=PAGE][,copybook=FILE]`; without a shape it is the one given.
pub(crate) fn file(text: &str, shape: ShapeSpec) -> Result<FileSpec, Messages> {
    let mut parts = text.split(',');
    let path = parts.next().filter(|path| !path.is_empty());
    let Some(path) = path else { return Err(refused(text, "it begins with the name of a file")) };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut file =
        FileSpec { bytes: FileBytes::Path(path), shape, code_page: None, copybook: None, extends: false };
    for part in parts {
        match part.split_once('=').unwrap_or((part, "")) {
            ("lines", "") => file.shape = ShapeSpec::Lines,
            ("variable", "") => file.shape = ShapeSpec::Variable,
            ("fixed", "") => file.shape = ShapeSpec::Fixed(None),
            ("length", length) => {
                let length = length.parse().map_err(|_| refused(text, "length is a number of bytes"))?;
                file.shape = ShapeSpec::Fixed(Some(length));
            }
            ("code-page", page) => {
                let page = CodePage::parse(page);
                let page = page.ok_or_else(|| refused(text, "code-page is one such as 037"))?;
                file.code_page = Some(page.number());
            }
            ("copybook", path) => file.copybook = Some(read(Path::new(path))?),
            _ => {
                let help = "behind the file: fixed, variable, lines, length=N, code-page=037, copybook=FILE";
                return Err(refused(text, help));
            }
        }
    }
    Ok(file)
}

/// `NAME=…`: the ddname in upper case, and what stands for it.
pub(crate) fn named(text: &str) -> Result<(String, &str), Messages> {
    match text.split_once('=') {
        Some((ddname, rest)) if !ddname.is_empty() => Ok((ddname.to_ascii_uppercase(), rest)),
        _ => Err(refused(text, "it has the form NAME=FILE")),
    }
}

pub(crate) fn refused(text: &str, help: &str) -> Messages {
    vec![Diagnostic::error(codes::BAD_FILE, format!("--dd {text} is not understood")).help(help)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_with_its_shape() {
        let (ddname, rest) = named("in=data/a.bin,length=80,code-page=037").expect("understood");
        let spec = file(rest, ShapeSpec::Lines).expect("understood");
        assert_eq!(
            (ddname.as_str(), spec.shape, spec.code_page),
            ("IN", ShapeSpec::Fixed(Some(80)), Some(37))
        );
        for bad in ["a,length=x", "a,code-page=4711", "a,upside-down", ""] {
            assert!(file(bad, ShapeSpec::Lines).is_err(), "{bad}");
        }
        assert!(named("IN").is_err());
    }
}
