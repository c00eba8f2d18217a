//! DOCTEMPLATE definitions: other names of templates.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use csd::{Definition, ResourceType};
use parking_lot::RwLock;
use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Resource};

/// Characters of a template's name.
const TEMPLATE_NAME: usize = 48;

/// A DOCTEMPLATE definition.
#[derive(Clone, Debug)]
pub struct TemplateName {
    /// The template's name in documents.
    pub name: String,
    /// The template's name in the library.
    pub member: String,
    /// The number of times that a document has asked for it, and its file was read.
    pub uses: Arc<AtomicU64>,
}

/// The definitions of a region, by their own names. Templates without one go by the names of their files.
#[derive(Default)]
pub struct TemplateNames(RwLock<BTreeMap<Name8, TemplateName>>);

impl TemplateNames {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Returns the library's name of a template, which is used once more.
    pub(super) fn member(&self, template: &str) -> String {
        let names = self.0.read();
        let Some(named) = names.values().find(|named| named.name == template) else {
            return template.to_owned();
        };
        named.uses.fetch_add(1, Ordering::Relaxed);
        named.member.clone()
    }

    /// All, by the names of their definitions.
    pub fn list(&self) -> Vec<(Name8, TemplateName)> {
        self.0.read().iter().map(|(name, named)| (*name, named.clone())).collect()
    }

    fn get(&self, name: Name8) -> Option<TemplateName> {
        self.0.read().get(&name).cloned()
    }
}

/// The installation of a DOCTEMPLATE definition.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Doctemplate,
    create: cmd::CREATE_DOCTEMPLATE,
    discard: cmd::DISCARD_DOCTEMPLATE,
    reads: &["TEMPLATENAME", "HFSFILE", "MEMBERNAME"],
    without_effect: &[
        ("EXITPGM", "the template is the file of its name"),
        ("FILE", "the template is the file of its name"),
        ("PROGRAM", "the template is the file of its name"),
        ("TDQUEUE", "the template is the file of its name"),
        ("TSQUEUE", "the template is the file of its name"),
    ],
    elsewhere: None,
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let name = Name8::from(definition.name.as_str());
        TemplateNames::of(region).0.write().insert(name, template(definition));
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| drop(TemplateNames::of(region).0.write().remove(&Name8::new(name))),
    status: None,
};

/// RESP2 of NOTFND: no such definition.
const NOT_FOUND: i32 = 1;

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let found = TemplateNames::of(region).get(Name8::new(name)).is_some();
    if found { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
}

/// The template is a member, or the file at the end of a path.
fn template(definition: &Definition) -> TemplateName {
    let name = definition.get("TEMPLATENAME").unwrap_or(&definition.name);
    let file = definition.get("HFSFILE").and_then(|path| path.rsplit('/').next());
    let member = definition.get("MEMBERNAME").or(file).unwrap_or(&definition.name);
    TemplateName { name: name.to_owned(), member: member.to_owned(), uses: Arc::default() }
}

/// INQUIRE DOCTEMPLATE.
pub(crate) const HANDLERS: Answers =
    &[(cmd::INQUIRE_DOCTEMPLATE, Handler::Now(|task, call| TEMPLATES.inquire(task, call)))];

/// The INQUIRE record of a definition.
pub static TEMPLATES: Resource<TemplateName> = Resource {
    name: opt::DOCTEMPLATE,
    key: Key::Name,
    names: |by| TemplateNames::of(&by.region).0.read().keys().map(|name| name.as_bytes().to_vec()).collect(),
    find: |by, name| TemplateNames::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[(opt::TEMPLATENAME, |_, named| Value::padded(&named.name, TEMPLATE_NAME))],
    settings: &[],
};
