//! The files of the pages, within the binary.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::RequestHead;

use crate::answer::Answer;

/// A file.
struct File {
    path: &'static str,
    media: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! file {
    ($path:literal, $media:expr, $name:literal) => {
        File { path: $path, media: $media, bytes: include_bytes!(concat!("../files/", $name)) }
    };
}

const FILES: &[File] = &[
    file!("/", HTML, "index.html"),
    file!("/icon.svg", PICTURE, "icon.svg"),
    file!("/style/base.css", STYLE, "style/base.css"),
    file!("/style/pages.css", STYLE, "style/pages.css"),
    file!("/style/terminal.css", STYLE, "style/terminal.css"),
    file!("/style/print.css", STYLE, "style/print.css"),
    file!("/script/main.js", SCRIPT, "script/main.js"),
    file!("/script/ask.js", SCRIPT, "script/ask.js"),
    file!("/script/build.js", SCRIPT, "script/build.js"),
    file!("/script/table.js", SCRIPT, "script/table.js"),
    file!("/script/plot.js", SCRIPT, "script/plot.js"),
    file!("/script/figures.js", SCRIPT, "script/figures.js"),
    file!("/script/sign-on.js", SCRIPT, "script/sign-on.js"),
    file!("/script/now.js", SCRIPT, "script/now.js"),
    file!("/script/resources.js", SCRIPT, "script/resources.js"),
    file!("/script/actions.js", SCRIPT, "script/actions.js"),
    file!("/script/definitions.js", SCRIPT, "script/definitions.js"),
    file!("/script/definition.js", SCRIPT, "script/definition.js"),
    file!("/script/attribute.js", SCRIPT, "script/attribute.js"),
    file!("/script/edit.js", SCRIPT, "script/edit.js"),
    file!("/script/log.js", SCRIPT, "script/log.js"),
    file!("/script/dumps.js", SCRIPT, "script/dumps.js"),
    file!("/script/trace.js", SCRIPT, "script/trace.js"),
    file!("/script/terminal.js", SCRIPT, "script/terminal.js"),
    file!("/script/printer.js", SCRIPT, "script/printer.js"),
    file!("/script/screen.js", SCRIPT, "script/screen.js"),
    file!("/script/keyboard.js", SCRIPT, "script/keyboard.js"),
];

/// Tags of the files, in their order: a browser that has a file's bytes is not sent them again.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag =
        |file: &File| format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest(&SHA256, file.bytes).as_ref()[..12]));
    FILES.iter().map(tag).collect()
});

/// The file of a request; `None`: there is none.
pub(crate) fn answer(head: &RequestHead) -> Option<Answer> {
    let at = FILES.iter().position(|file| file.path == head.path())?;
    let (file, tag) = (&FILES[at], &TAGS[at]);
    let known = head.fields().joined("If-None-Match");
    let is_known = known.is_some_and(|known| {
        known.split(|byte| *byte == b',').any(|one| {
            let one = one.trim_ascii();
            one.strip_prefix(b"W/").unwrap_or(one) == tag.as_bytes()
        })
    });
    let answer = Answer {
        status: if is_known { 304 } else { 200 },
        media: file.media,
        body: if is_known { Vec::new() } else { file.bytes.to_vec() },
        fields: vec![("Cache-Control", String::from("no-cache"))],
    };
    Some(answer.with("ETag", tag.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_files_runs_within_a_page_or_comes_from_elsewhere() {
        for file in FILES {
            let text =
                std::str::from_utf8(file.bytes).expect("text").replace("http://www.w3.org/2000/svg", "");
            let is_page = file.media == HTML;
            for bad in [
                "http://",
                "https://",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "eval(",
                "document.write",
            ] {
                assert!(!text.contains(bad), "{} has {bad}", file.path);
            }
            for bad in ["<script>", "<style", "onclick=", "onload=", "style=", "javascript:"] {
                assert!(!is_page || !text.contains(bad), "{} has {bad}", file.path);
            }
        }
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let head = |fields: &[(&str, &str)]| {
            RequestHead::make("GET", http::url::Scheme::Http, "localhost", "/", fields.iter().copied())
                .expect("a request")
        };
        let first = answer(&head(&[])).expect("the page");
        let tag = first.fields.iter().find(|(name, _)| *name == "ETag").expect("a tag").1.clone();
        assert_eq!(first.status, 200);
        let again = answer(&head(&[("If-None-Match", &format!("\"x\", W/{tag}"))])).expect("the page");
        assert!(again.status == 304 && again.body.is_empty());
    }
}
