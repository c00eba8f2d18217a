//! DOCTEMPLATE definitions: other names of templates.

use std::collections::BTreeMap;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateName {
    /// The template's name in documents.
    pub name: String,
    /// The template's name in the library.
    pub member: String,
}

/// The definitions of a region, by their own names. Templates without one go by the names of their files.
#[derive(Default)]
pub struct TemplateNames(RwLock<BTreeMap<Name8, TemplateName>>);

impl TemplateNames {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Returns the library's name of a template.
    pub(super) fn member(&self, template: &str) -> String {
        let names = self.0.read();
        let named = names.values().find(|named| named.name == template);
        named.map_or(template, |named| &named.member).to_owned()
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
    TemplateName { name: name.to_owned(), member: member.to_owned() }
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
