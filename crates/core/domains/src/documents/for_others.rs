//! Services to other domains: they send a document, keep one, and show a template without a task.

use ebcdic::Characters;
use std::sync::Arc;

use super::symbols::Symbols;
use super::template::{NoText, Templates, expand, includes};
use super::{Document, Documents, Piece, TemplateNames, Token};
use kernel::limits::{DOCUMENT_BYTES_MAX, TEMPLATES_MAX};
use kernel::programs::Programs;
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::Task;

/// The bytes of a task's document, its texts as `convert` makes them.
///
/// # Errors
/// NOTFND: the task has no such document.
pub fn bytes(task: &mut Task, token: Token, convert: impl Fn(&[u8]) -> Vec<u8>) -> Outcome<Vec<u8>> {
    Ok(task.kept.part::<Documents>().get(token)?.bytes(convert))
}

/// Makes a document of bytes.
///
/// # Errors
/// INVREQ: the task has too many. LENGERR: it would be too long.
pub fn keep(task: &mut Task, bytes: Vec<u8>) -> Outcome<Token> {
    let mut document = Document::default();
    document.insert(vec![Piece::Binary(bytes)], None, None)?;
    let dsa = Arc::clone(&task.region.dsa);
    task.kept.part::<Documents>().add(&dsa, document)
}

/// Deletes a task's document.
///
/// # Errors
/// NOTFND: the task has no such document.
pub fn delete(task: &mut Task, token: Token) -> Outcome {
    let dsa = Arc::clone(&task.region.dsa);
    task.kept.part::<Documents>().delete(&dsa, token)
}

/// A template with these symbols, as program characters; `None` if there is none of that name.
///
/// # Errors
/// The reason why it cannot be shown, for the region's log.
pub async fn page(
    region: &Region,
    name: &str,
    symbols: &[(Vec<u8>, Vec<u8>)],
) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = template(region, name).await? else { return Ok(None) };
    let mut templates = Templates::new();
    let mut wanted = includes(&text);
    while let Some(name) = wanted.pop() {
        if templates.contains_key(&name) {
            continue;
        }
        if templates.len() >= TEMPLATES_MAX {
            return Err(format!("template {} includes too many others", String::from_utf8_lossy(&name)));
        }
        let shown = Characters::default().text(&name);
        if let Some(text) = template(region, &shown).await? {
            wanted.extend(includes(&text));
            templates.insert(name, text);
        }
    }
    let mut given = Symbols::default();
    for (name, value) in symbols {
        // A name that no symbol may have is in no template.
        let _ = given.set(name, value.clone());
    }
    let page = expand(&text, &mut given, &templates);
    page.map(Some).map_err(|why| match why {
        NoText::Malformed(offset) => format!("what stands at offset {offset} cannot be obeyed"),
        NoText::TooLong => format!("it would have more than {DOCUMENT_BYTES_MAX} bytes"),
    })
}

/// A template as it is now, read off this thread.
async fn template(region: &Region, name: &str) -> Result<Option<Vec<u8>>, String> {
    let library = Arc::clone(Programs::of(region).library());
    let wanted = TemplateNames::of(region).member(name);
    let reading = tokio::task::spawn_blocking(move || library.template(&wanted));
    reading.await.unwrap_or_else(|panic| Err(format!("the library failed: {panic}")))
}
