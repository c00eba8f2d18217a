//! The pages of an application: found, chosen, read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use command_line::terminal::path_from_here;
use diagnostics::{Diagnostic, nearest};
use pages::Page;
use pages::limits::PAGE_MAX;

use crate::application::Messages;
use crate::codes;

/// A page and its file.
pub(super) struct Found {
    /// Its path below the folder of pages, without the ending.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub page: Page,
}

impl Found {
    /// Reads the page of a name.
    pub fn read(folder: &Path, name: String) -> Result<Self, Messages> {
        let path = folder.join(format!("{name}.md"));
        let unreadable = |why: String| vec![Diagnostic::error(codes::NO_PAGE, why)];
        let cannot = |error: io::Error| unreadable(format!("{} cannot be read: {error}", path.display()));
        let size = fs::metadata(&path).map_err(cannot)?.len();
        if size > PAGE_MAX {
            return Err(unreadable(format!("{} is no page: it has {size} bytes", path.display())));
        }
        let text = fs::read_to_string(&path).map_err(cannot)?;
        match Page::read(&name, &text) {
            Ok(page) => Ok(Self { name, path, page }),
            Err(faults) => {
                let shown = shown(&path);
                Err(faults.iter().flat_map(|fault| unreadable(format!("{shown}:{fault}"))).collect())
            }
        }
    }
}

/// The file as a person at this folder sees it.
pub(super) fn shown(path: &Path) -> String {
    path_from_here(&path.display().to_string())
}

/// Reads the pages of a folder that are named, or are below a folder that is named, and whose names have a text in them.
///
/// # Errors
/// A name that no page has, or all that is wrong with the pages.
pub(super) fn find(folder: &Path, named: &[String], only: Option<&str>) -> Result<Vec<Found>, Messages> {
    let mut all = Vec::new();
    if let Err(error) = names(folder, folder, &mut all) {
        let text = format!("the pages in {} cannot be read: {error}", folder.display());
        let help = "a page is a file that ends in .md; docs/testing.md teaches its form";
        return Err(vec![Diagnostic::error(codes::NO_PAGE, text).help(help)]);
    }
    all.sort();
    let chosen = choose(&all, named, only)?;
    if chosen.is_empty() {
        let text = format!("there is no page in {} that is meant", folder.display());
        return Err(vec![Diagnostic::error(codes::NO_PAGE, text)]);
    }
    let (mut found, mut messages) = (Vec::new(), Vec::new());
    for name in chosen {
        match Found::read(folder, name) {
            Ok(page) => found.push(page),
            Err(told) => messages.extend(told),
        }
    }
    if messages.is_empty() { Ok(found) } else { Err(messages) }
}

fn choose(all: &[String], named: &[String], only: Option<&str>) -> Result<Vec<String>, Messages> {
    let named: Vec<&str> =
        named.iter().map(|name| name.trim_end_matches('/').trim_end_matches(".md")).collect();
    let is_of = |name: &str, wanted: &str| {
        name == wanted || name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'))
    };
    let unknown = |wanted: &&str| !all.iter().any(|name| is_of(name, wanted));
    let told = |wanted: &&str| {
        let message = Diagnostic::error(codes::NO_PAGE, format!("there is no page {wanted}"));
        match nearest(wanted, all.iter().map(String::as_str)) {
            Some(near) => message.help(format!("did you mean {near}?")),
            None => message,
        }
    };
    let wrong: Messages = named.iter().filter(|wanted| unknown(wanted)).map(told).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let is_meant = |name: &&String| {
        (named.is_empty() || named.iter().any(|wanted| is_of(name, wanted)))
            && only.is_none_or(|text| name.contains(text))
    };
    Ok(all.iter().filter(is_meant).cloned().collect())
}

/// The names of all pages below a folder.
fn names(root: &Path, folder: &Path, all: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // A link to a folder may lead back.
        if entry.file_type()?.is_dir() {
            names(root, &path, all)?;
        } else if path.extension().is_some_and(|extension| extension == "md") && !is_readme(&path) {
            let name = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            all.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// A folder may say what its pages are about.
fn is_readme(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("README"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_chosen_by_name_folder_and_text() {
        let all = ["a/one", "a/two", "ab/three", "four"].map(str::to_owned);
        let chosen = |named: &[&str], only: Option<&str>| {
            let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
            choose(&all, &named, only)
                .map(|names| names.join(" "))
                .map_err(|messages| messages[0].message.clone())
        };
        assert_eq!(chosen(&[], None).as_deref(), Ok("a/one a/two ab/three four"));
        assert_eq!(chosen(&["a"], None).as_deref(), Ok("a/one a/two"));
        assert_eq!(chosen(&["a/", "four.md"], Some("o")).as_deref(), Ok("a/one a/two four"));
        assert_eq!(chosen(&["fuor"], None), Err("there is no page fuor".to_owned()));
    }

    #[test]
    fn readmes_and_what_is_hidden_are_no_pages() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["README.md", ".hidden.md", "one.md", "one.txt"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let mut all = Vec::new();
        names(folder.path(), folder.path(), &mut all).expect("read");
        assert_eq!(all, ["one"]);
    }
}
