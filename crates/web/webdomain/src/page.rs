//! Answers without a task: templates, and files beneath a folder.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use domains::documents::for_others::page;
use http::RequestHead;
use http::media::MediaType;
use http::url::query_parts;
use kernel::channels::Encoding;
use kernel::region::Region;
use kernel::security::{User, may_read};
use security::Class;
use web::Answer;

use crate::region::Web;
use crate::types;
use crate::uri_map::{Source, UriMap};

/// A template or a file that answers a request.
pub(crate) struct Page {
    map: Arc<UriMap>,
    source: Source,
    symbols: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Page {
    /// Page with which a URI map answers without a task. `rest` stood for the `*` of its path.
    pub fn of(map: &Arc<UriMap>, rest: &[u8], head: &RequestHead) -> Option<Self> {
        let rest = String::from_utf8_lossy(rest);
        let whole = |name: &String| match name.strip_suffix('*') {
            Some(begin) => format!("{begin}{rest}"),
            None => name.clone(),
        };
        let source = match map.page.as_ref()? {
            Source::Template(name) => Source::Template(whole(name)),
            Source::File(path) => Source::File(whole(path)),
        };
        let symbols = head.query().map(|query| query_parts(query).collect()).unwrap_or_default();
        Some(Self { map: Arc::clone(map), source, symbols })
    }

    /// Returns true if a user may read it: a template is of class XRES, a file of class XHFS.
    pub fn is_for(&self, region: &Region, user: &User) -> bool {
        match &self.source {
            Source::Template(name) => may_read(region, user, Class::Res, &format!("DOCTEMPLATE.{name}")),
            Source::File(path) => may_read(region, user, Class::Hfs, &path.to_ascii_uppercase()),
        }
    }

    /// URI map of the page, whose user reads it for a client without a name.
    pub fn map(&self) -> &Arc<UriMap> {
        &self.map
    }

    /// The answer.
    pub async fn answer(self, region: &Region) -> Answer {
        let read = match &self.source {
            Source::Template(name) => page(region, name, &self.symbols).await,
            Source::File(path) => file(&Web::of(region).options().files, path).await,
        };
        match read {
            Ok(Some(bytes)) => self.found(region, &bytes),
            Ok(None) => Answer::text(404, "there is no such page"),
            Err(why) => {
                tracing::error!(target: "WB", "URIMAP {}: {why}", self.map.name);
                Answer::text(500, "the page cannot be shown")
            }
        }
    }

    fn found(&self, region: &Region, bytes: &[u8]) -> Answer {
        let of_file = match &self.source {
            Source::File(path) => types::of_file(&Web::of(region).options().types, path),
            Source::Template(_) => "",
        };
        let media = self.map.media.as_deref().unwrap_or(of_file);
        // A URI map of a whole folder has pictures, too.
        let is_text =
            self.map.media.is_some() || MediaType::parse(media).is_some_and(|media| media.is_text());
        let to = self.map.character_set.as_deref().filter(|_| is_text).and_then(Encoding::of_name);
        let mut answer = Answer { status: 200, ..Answer::default() };
        let media = match (&self.map.character_set, to) {
            (Some(name), Some(to)) => {
                let from = self.map.code_page.as_deref().and_then(Encoding::of_name).unwrap_or_default();
                answer.body = from.convert(bytes, to).0;
                format!("{media}; charset={}", name.to_ascii_lowercase())
            }
            _ => {
                answer.body = bytes.to_vec();
                media.to_owned()
            }
        };
        // What is no header's value is left out.
        let _ = answer.fields.push("Content-Type", media);
        answer
    }
}

/// The bytes of a file beneath a folder. A path that leads out of it, by name or by a link, is not found.
async fn file(root: &Path, path: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(below) = below(path) else { return Ok(None) };
    let root = root.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        let (Ok(root), Ok(file)) = (root.canonicalize(), root.join(&below).canonicalize()) else {
            return Ok(None);
        };
        if !file.starts_with(&root) || !file.is_file() {
            return Ok(None);
        }
        std::fs::read(&file).map(Some).map_err(|error| format!("{} cannot be read: {error}", below.display()))
    });
    reading.await.unwrap_or_else(|panic| Err(panic.to_string()))
}

/// A path as it stands beneath a folder; `None` where it climbs.
fn below(path: &str) -> Option<PathBuf> {
    let mut below = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => below.push(name),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_beneath_its_folder() {
        assert_eq!(below("/u/web/a.html"), Some(PathBuf::from("u/web/a.html")));
        assert_eq!(below("a/../../etc"), None);
    }
}
