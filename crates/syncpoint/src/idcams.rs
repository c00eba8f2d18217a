//! `syncpoint idcams`: the utility, on the data sets of an application.

use std::io::Read;
use std::path::Path;

use datasets::Shape;
use diagnostics::{Diagnostic, Source};
use ebcdic::CodePage;
use region::Outside;

use crate::application::{Application, Messages, read};
use crate::{codes, event_loop, terminal};

/// Codes from here on are failures.
const FAILED: u32 = 8;

/// Carries the commands of a file, or of standard input, out.
pub(crate) fn idcams(
    application: &Application,
    input: Option<&Path>,
    files: &[String],
) -> Result<(), Messages> {
    let source = match input {
        Some(path) => Source::new(path.display().to_string(), read(path)?),
        None => Source::new("standard input", standard_input()?),
    };
    let files = files.iter().map(|file| outside(file)).collect::<Result<Vec<_>, _>>()?;
    let running = region::idcams(&application.root, &application.state, &application.config, &source, &files);
    let outcome = event_loop::run(running)?;
    print!("{}", outcome.listing);
    println!("IDCAMS ended, greatest condition code {}", outcome.max);
    if outcome.max >= FAILED {
        return Err(outcome.messages);
    }
    terminal::tell(&outcome.messages);
    Ok(())
}

fn standard_input() -> Result<String, Messages> {
    let mut text = String::new();
    match std::io::stdin().read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => {
            Err(vec![Diagnostic::error(codes::UNREADABLE, format!("standard input cannot be read: {error}"))])
        }
    }
}

/// `NAME=FILE[,fixed|lines][,length=N][,code-page=PAGE][,copybook=FILE]`
fn outside(text: &str) -> Result<Outside, Messages> {
    let mut parts = text.split(',');
    let named = parts.next().and_then(|part| part.split_once('='));
    let Some((ddname, path)) = named else { return Err(refused(text, "it has the form NAME=FILE")) };
    let mut file = Outside {
        ddname: ddname.into(),
        path: path.into(),
        shape: Shape::Lines,
        code_page: None,
        copybook: None,
    };
    for part in parts {
        match part.split_once('=').unwrap_or((part, "")) {
            ("lines", "") => file.shape = Shape::Lines,
            ("fixed", "") => file.shape = Shape::Fixed(None),
            ("length", length) => {
                let length = length.parse().map_err(|_| refused(text, "length is a number of bytes"))?;
                file.shape = Shape::Fixed(Some(length));
            }
            ("code-page", page) => {
                let page =
                    CodePage::parse(page).ok_or_else(|| refused(text, "code-page is one such as 037"))?;
                file.code_page = Some(page);
            }
            ("copybook", path) => file.copybook = Some(path.into()),
            _ => {
                return Err(refused(
                    text,
                    "behind the file: fixed, lines, length=N, code-page=037, copybook=FILE",
                ));
            }
        }
    }
    Ok(file)
}

fn refused(text: &str, help: &str) -> Messages {
    vec![Diagnostic::error(codes::BAD_FILE, format!("--dd {text} is not understood")).help(help)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_with_its_shape() {
        let file = outside("IN=data/a.bin,length=80,code-page=037,copybook=copy/a.cpy").expect("understood");
        assert_eq!((file.ddname.as_str(), file.shape), ("IN", Shape::Fixed(Some(80))));
        assert_eq!(file.copybook.as_deref(), Some(Path::new("copy/a.cpy")));
        for bad in ["IN", "IN=a,length=x", "IN=a,code-page=4711", "IN=a,upside-down"] {
            assert!(outside(bad).is_err(), "{bad}");
        }
    }
}
