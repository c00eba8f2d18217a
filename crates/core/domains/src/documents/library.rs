//! Templates from the region's library, with all that they include.

use std::sync::Arc;

use spec::cond;

use super::missing;
use super::template::{Templates, includes};
use crate::documents::TemplateNames;
use kernel::limits::TEMPLATES_MAX;
use kernel::lines::often;
use kernel::programs::Programs;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// A template that a command names.
///
/// # Errors
/// NOTFND: there is none of that name, or it cannot be read; the region's log says why.
pub(super) async fn named(task: &Task, name: &[u8]) -> Outcome<Vec<u8>> {
    fetch(task, name).await?.ok_or_else(|| cond::NOTFND.raise(missing::TEMPLATE))
}

/// All templates that a text includes, and that these include. One that is not there is found out by who wants it.
///
/// # Errors
/// TEMPLATERR: there are too many.
pub(super) async fn included(task: &Task, text: &[u8]) -> Outcome<Templates> {
    let mut templates = Templates::new();
    let mut wanted = includes(text);
    while let Some(name) = wanted.pop() {
        if templates.contains_key(&name) {
            continue;
        }
        if templates.len() >= TEMPLATES_MAX {
            return Err(cond::TEMPLATERR.raise(0));
        }
        if let Some(text) = fetch(task, &name).await? {
            wanted.extend(includes(&text));
            templates.insert(name, text);
        }
    }
    Ok(templates)
}

/// A template as it is now, read off the TCB.
async fn fetch(task: &Task, name: &[u8]) -> Outcome<Option<Vec<u8>>> {
    let name = task.characters().text(name);
    let (library, wanted) =
        (Arc::clone(Programs::of(&task.region).library()), TemplateNames::of(&task.region).member(&name));
    let reading = tokio::task::spawn_blocking(move || library.template(&wanted));
    match task.wait(WaitKind::PROGRAM, reading).await? {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(message)) => {
            often!(error, target: "DH", "template {name}: {message}");
            Ok(None)
        }
        Err(panic) => {
            often!(error, target: "DH", "template {name}: the library failed: {panic}");
            Ok(None)
        }
    }
}
