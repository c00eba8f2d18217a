//! ENQMODEL definitions: which names programs may enqueue upon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csd::{Definition, ResourceType};
use parking_lot::RwLock;
use spec::{cmd, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Resource, Set, Setting, Status, Takes};

/// Characters of ENQNAME.
const ENQNAME: usize = 255;

/// An ENQMODEL definition.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: Name8,
    /// The name of the enqueues; one that ends in `*` matches all names that begin so.
    pub enqname: String,
    /// The scope beyond this region; blank: none.
    pub scope: Name<4>,
    enabled: AtomicBool,
}

impl Model {
    /// Returns the beginning of its names, and true if that is only their beginning.
    fn pattern(&self) -> (&[u8], bool) {
        match self.enqname.strip_suffix('*') {
            Some(beginning) => (beginning.as_bytes(), true),
            None => (self.enqname.as_bytes(), false),
        }
    }

    fn fits(&self, name: &[u8]) -> bool {
        let (pattern, is_generic) = self.pattern();
        if is_generic { name.starts_with(pattern) } else { name.trim_ascii_end() == pattern }
    }

    /// Returns true if every name of another model is one of this, too.
    fn covers(&self, other: &Self) -> bool {
        let ((pattern, is_generic), (others, _)) = (self.pattern(), other.pattern());
        if is_generic { others.starts_with(pattern) } else { self.enqname == other.enqname }
    }

    fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

/// Kinds of enqueues upon a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of this region.
    Here,
    /// One of all regions that share the records and have this scope.
    Everywhere(Name<4>),
    /// Refused.
    Forbidden,
}

/// The models of a region.
#[derive(Default)]
pub struct Models {
    /// The longest name first: the most particular model counts.
    models: RwLock<Vec<Arc<Model>>>,
    any: AtomicBool,
}

impl Models {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Kind of a name by its model.
    pub(super) fn kind_of(&self, name: &[u8]) -> Kind {
        // Regions without models look no further.
        if !self.any.load(Ordering::Relaxed) {
            return Kind::Here;
        }
        match self.models.read().iter().find(|model| model.fits(name)) {
            Some(model) if !model.is_enabled() => Kind::Forbidden,
            Some(model) if !model.scope.is_blank() => Kind::Everywhere(model.scope),
            _ => Kind::Here,
        }
    }

    /// The scopes of a name by models that are there, whether they are enabled or not.
    pub(super) fn scopes_of(&self, name: &[u8]) -> Vec<Name<4>> {
        if !self.any.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let models = self.models.read();
        let scopes = models.iter().filter(|model| model.fits(name) && !model.scope.is_blank());
        let mut scopes: Vec<_> = scopes.map(|model| model.scope).collect();
        scopes.sort();
        scopes.dedup();
        scopes
    }

    /// All models, by name.
    pub fn list(&self) -> Vec<Arc<Model>> {
        let mut models = self.models.read().clone();
        models.sort_by_key(|model| model.name);
        models
    }

    fn get(&self, name: Name8) -> Option<Arc<Model>> {
        self.models.read().iter().find(|model| model.name == name).cloned()
    }

    /// The model of another name that is enabled and would hide a model.
    fn hides(&self, model: &Model) -> Option<Name8> {
        let models = self.models.read();
        let hiding =
            |other: &&Arc<Model>| other.name != model.name && other.is_enabled() && other.covers(model);
        models.iter().find(hiding).map(|other| other.name)
    }

    fn install(&self, model: Model) {
        let mut models = self.models.write();
        models.retain(|other| other.name != model.name);
        models.push(Arc::new(model));
        models.sort_by_key(|model| std::cmp::Reverse(model.enqname.len()));
        self.any.store(true, Ordering::Relaxed);
    }

    fn remove(&self, name: Name8) {
        let mut models = self.models.write();
        models.retain(|model| model.name != name);
        self.any.store(!models.is_empty(), Ordering::Relaxed);
    }
}

/// The installation of an ENQMODEL definition. Enqueues that are held stay so.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Enqmodel,
    create: cmd::CREATE_ENQMODEL,
    discard: cmd::DISCARD_ENQMODEL,
    reads: &["ENQNAME", "ENQSCOPE", "STATUS"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["ENQNAME"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let model = model(definition);
        if model.is_enabled()
            && let Some(other) = Models::of(region).hides(&model)
        {
            let Definition { resource, name, .. } = definition;
            return Err(format!(
                "{resource} {other} is enabled and has its names, too: install {name} before it, or with STATUS(DISABLED)"
            ));
        }
        Models::of(region).install(model);
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| Models::of(region).remove(Name8::new(name)),
    status: Some(Status {
        letter: b'E',
        all: |region| {
            let models = Models::of(region).list();
            models.iter().map(|m| (m.name.as_bytes().to_vec(), vec![u8::from(m.is_enabled())])).collect()
        },
        set: |region, name, status| {
            let on = status.first().is_some_and(|byte| *byte != 0);
            Models::of(region).get(Name8::new(name))?.enabled.store(on, Ordering::Relaxed);
            Some(())
        },
    }),
};

/// RESP2 of NOTFND: no such model.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ where its number is not known here.
const REFUSED: i32 = 0;

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let found = Models::of(region).get(Name8::new(name)).is_some();
    if found { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
}

fn model(definition: &Definition) -> Model {
    Model {
        name: Name8::from(definition.name.as_str()),
        enqname: definition.get("ENQNAME").unwrap_or_default().to_owned(),
        scope: Name::from(definition.get("ENQSCOPE").unwrap_or_default()),
        enabled: (!definition.is("STATUS", "DISABLED")).into(),
    }
}

/// INQUIRE ENQMODEL, SET ENQMODEL.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_ENQMODEL, Handler::Now(|task, call| MODELS.inquire(task, call))),
    (cmd::SET_ENQMODEL, Handler::Waits(|task, call| Box::pin(MODELS.set(task, call)))),
];

/// The INQUIRE and SET record of a model.
pub static MODELS: Resource<Arc<Model>> = Resource {
    name: opt::ENQMODEL,
    key: Key::Name,
    names: |by| Models::of(&by.region).list().iter().map(|m| m.name.as_bytes().to_vec()).collect(),
    find: |by, name| Models::of(&by.region).get(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ENQNAME, |_, m| Value::padded(&m.enqname, ENQNAME)),
        (opt::ENQSCOPE, |_, m| Value::text(m.scope)),
        (opt::STATUS, |_, m| Value::either(m.is_enabled(), "ENABLED", "DISABLED")),
    ],
    settings: &[Setting {
        option: opt::STATUS,
        takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
        resp2: REFUSED,
        set: Set::Now(|by, model, to| {
            let on = to.is("ENABLED");
            // The most particular model must be enabled first.
            if on && Models::of(&by.region).hides(model).is_some() {
                return Err(cond::INVREQ.raise(REFUSED));
            }
            model.enabled.store(on, Ordering::Relaxed);
            Ok(())
        }),
    }],
};

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, enqname: &str, enabled: bool) -> Model {
        let (name, enqname) = (name.into(), enqname.to_owned());
        Model { name, enqname, scope: Name::BLANK, enabled: enabled.into() }
    }

    #[test]
    fn the_most_particular_model_counts() {
        let models = Models::default();
        assert_eq!(models.kind_of(b"PAYROLL"), Kind::Here);
        models.install(model("ALL", "PAY*", false));
        models.install(model("ONE", "PAYROLL", true));
        for (name, forbidden) in [("PAYROLL", false), ("PAYDAY", true), ("PAYROLLS", true), ("OTHER", false)]
        {
            let is = models.kind_of(name.as_bytes()) == Kind::Forbidden;
            assert_eq!(is, forbidden, "{name}");
        }
        let scope = Name::from("SCOP");
        models.install(Model { scope, ..model("ALL", "PAY*", true) });
        models.install(Model { scope, ..model("ONE", "PAYROLL", false) });
        for (name, kind) in
            [("PAYDAY", Kind::Everywhere(scope)), ("PAYROLL", Kind::Forbidden), ("OTHER", Kind::Here)]
        {
            assert_eq!(models.kind_of(name.as_bytes()), kind, "{name}");
        }
        assert_eq!(models.scopes_of(b"PAYROLL"), [scope], "also of those that are disabled");
    }

    #[test]
    fn an_enabled_model_hides_those_of_its_names() {
        let models = Models::default();
        models.install(model("AB", "AB*", true));
        let table = [("ABCD*", true), ("ABX", true), ("AB*", true), ("A*", false), ("BC*", false)];
        for (enqname, hidden) in table {
            assert_eq!(models.hides(&model("NEW", enqname, true)).is_some(), hidden, "{enqname}");
        }
    }
}
