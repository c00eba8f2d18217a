//! Media types of files by their endings, where a URI map names none.

use std::collections::BTreeMap;
use std::path::Path;

/// Types of `[web.types]`, by ending in lower case; the table below has the rest.
pub type Types = BTreeMap<String, String>;

/// Files of the web, by their endings in lower case: RFC 9239, 8259, 6838 and the registry of media types.
const KNOWN: [(&str, &str); 31] = [
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/vnd.microsoft.icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xml", "application/xml"),
    ("xsd", "application/xml"),
    ("zip", "application/zip"),
];
/// Type of a file with an unknown ending.
const UNKNOWN: &str = "application/octet-stream";

/// The media type of a file.
pub(crate) fn of_file<'t>(own: &'t Types, file: &str) -> &'t str {
    let ending = Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    let known = || KNOWN.iter().find(|(of, _)| *of == ending).map(|(_, media)| *media);
    own.get(&ending).map(String::as_str).or_else(known).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_type_unless_the_region_says_another() {
        let own = Types::from([
            ("txt".to_owned(), "text/x-notes".to_owned()),
            ("cpy".to_owned(), "text/plain".to_owned()),
        ]);
        for (file, media) in [
            ("/a/index.HTML", "text/html"),
            ("logo.png", "image/png"),
            ("notes.txt", "text/x-notes"),
            ("record.cpy", "text/plain"),
            ("archive.tar.gz", "application/gzip"),
            (".html", UNKNOWN),
            ("Makefile", UNKNOWN),
        ] {
            assert_eq!(of_file(&own, file), media, "{file}");
        }
    }
}
