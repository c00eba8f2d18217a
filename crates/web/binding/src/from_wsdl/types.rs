//! Types of schemas as items.

use diagnostics::Diagnostic;
use mapping::{Form, TypeName};

use super::document::Node;
use super::simple::{built_in, restricted};
use crate::items::{Item, ItemKind, refused};
use crate::limits::{DEPTH_MAX, ITEMS_MAX};

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const XS: &str = "http://www.w3.org/2001/XMLSchema";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The schemas of a description.
pub(super) struct Types<'a> {
    schemas: Vec<&'a Node>,
    /// DEFAULT-FRACTION-DIGITS.
    fraction: usize,
}

/// The name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A message: its root, whether its local elements are qualified, and namespaces of other elements.
pub(super) struct Message {
    pub item: Item,
    /// The type of the root, if it has a name.
    pub root_type: Option<TypeName>,
    pub qualified: bool,
    pub others: Vec<String>,
}

/// A declaration or definition, its schema, and the namespace for which that speaks.
struct Found<'a> {
    node: &'a Node,
    schema: &'a Node,
    namespace: String,
}

impl<'a> Types<'a> {
    /// The schemas of documents: of WSDL, or schemas themselves.
    pub fn of(documents: &'a [Node], fraction: usize) -> Self {
        let of_one = |document: &'a Node| {
            let own = document.is(XS, "schema").then_some(document);
            let within = document.children(WSDL, "types").flat_map(|types| types.children(XS, "schema"));
            own.into_iter().chain(within)
        };
        Self { schemas: documents.iter().flat_map(of_one).collect(), fraction }
    }

    /// Global elements, in the order of their declaration, with their namespaces.
    pub fn elements(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        self.schemas.iter().copied().flat_map(|schema| {
            let namespace = schema.attribute("targetNamespace");
            schema.children(XS, "element").map(move |element| (namespace, element))
        })
    }

    /// A global declaration or definition. A schema without a namespace speaks for that of a schema that includes it.
    fn global(&self, kind: &'a str, namespace: &str, name: &str) -> Option<Found<'a>> {
        let of = |target: &str| {
            let own = self.schemas.iter().filter(|schema| schema.attribute("targetNamespace") == target);
            let mut all = own.flat_map(|schema| schema.children(XS, kind).map(|node| (*schema, node)));
            all.find(|(_, it)| it.attribute("name") == name)
        };
        let found = of(namespace).or_else(|| of(""));
        found.map(|(schema, node)| Found { node, schema, namespace: namespace.to_owned() })
    }

    /// The message whose root is a global element.
    pub fn message(&self, namespace: &str, name: &str) -> Result<Message, Diagnostic> {
        let Some(found) = self.global("element", namespace, name) else {
            return Err(refused(
                name,
                "no schema in the document declares it",
                "put imported schemas beside the document",
            ));
        };
        let mut walk = Walk::new(self, namespace, &found);
        let mut item = walk.element(found.node, 0)?;
        if !matches!(item.kind, ItemKind::Group(_)) {
            // A root that is one value: its text.
            let kind = std::mem::replace(&mut item.kind, ItemKind::Group(Vec::new()));
            let value = Item { form: Form::Content, ..Item::new(format!("{name}-value"), kind) };
            item.kind = ItemKind::Group(vec![value]);
        }
        let root_type = walk.type_name(found.node);
        Ok(Message { root_type, ..walk.message(item, found.schema) })
    }

    /// The message of a call in rpc style: an element of the operation's name, with an element without a namespace for each
    /// part.
    pub fn call(&self, namespace: &str, name: &str, parts: &[&'a Node]) -> Result<Message, Diagnostic> {
        let Some(schema) = self.schemas.first().copied() else {
            let item = Item::new(name, ItemKind::Group(Vec::new()));
            return Ok(Message { item, root_type: None, qualified: false, others: Vec::new() });
        };
        let found = Found { node: schema, schema, namespace: namespace.to_owned() };
        let mut walk = Walk::new(self, namespace, &found);
        walk.qualified = Some(false);
        let mut items = Vec::new();
        for part in parts {
            let (part_name, named) = (part.attribute("name"), part.attribute("type"));
            if named.is_empty() {
                return Err(part.refused(
                    part_name,
                    "a part of a call in rpc style has a type",
                    "name one by type",
                ));
            }
            items.push(Item::new(part_name, walk.named(part_name, part, named, 1)?));
        }
        Ok(walk.message(Item::new(name, ItemKind::Group(items)), schema))
    }
}

struct Walk<'a, 'b> {
    types: &'b Types<'a>,
    /// That of the root.
    root: String,
    /// True if local elements are qualified, by the first of them; others have a namespace of their own.
    qualified: Option<bool>,
    others: Vec<String>,
    schema: &'a Node,
    /// The namespace for which the schema speaks.
    namespace: String,
    /// Elements so far: types within types may be more than anybody has room for.
    items: usize,
}

impl<'a, 'b> Walk<'a, 'b> {
    fn new(types: &'b Types<'a>, root: &str, at: &Found<'a>) -> Self {
        Self {
            types,
            root: root.to_owned(),
            qualified: None,
            others: Vec::new(),
            schema: at.schema,
            namespace: at.namespace.clone(),
            items: 0,
        }
    }

    fn message(self, item: Item, schema: &Node) -> Message {
        let qualified = self.qualified.unwrap_or(schema.attribute("elementFormDefault") == "qualified");
        Message { item, root_type: None, qualified, others: self.others }
    }

    /// Goes on in the schema of something global.
    fn within<T>(&mut self, found: &Found<'a>, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.schema, std::mem::replace(&mut self.namespace, found.namespace.clone()));
        self.schema = found.schema;
        let walked = walk(self);
        (self.schema, self.namespace) = outer;
        walked
    }

    /// Something global, by a name that stands in an attribute.
    fn find(&self, kind: &'a str, at: &Node, name: &str) -> Option<Found<'a>> {
        let (namespace, local) = at.resolve(name);
        // In a schema that speaks for another's namespace, names without one are of that.
        let is_lent = namespace.is_empty() && self.schema.attribute("targetNamespace").is_empty();
        let namespace = if is_lent { &self.namespace } else { &namespace };
        self.types.global(kind, namespace, &local)
    }

    /// The expanded name of an element's type, if it is one of the schemas'.
    fn type_name(&self, element: &'a Node) -> Option<TypeName> {
        let named = element.attribute("type");
        let found = ["complexType", "simpleType"].iter().find_map(|kind| self.find(kind, element, named));
        let is_own = !named.is_empty() && element.resolve(named).0 != XS;
        found
            .filter(|_| is_own)
            .map(|it| TypeName { namespace: it.namespace, local: local(named).to_owned() })
    }

    fn element(&mut self, element: &'a Node, depth: usize) -> Result<Item, Diagnostic> {
        let name = element.attribute("name");
        endless(element, name, depth)?;
        self.items += 1;
        if self.items > ITEMS_MAX {
            return Err(element.refused(name, "a message of too many items", "describe a part of it"));
        }
        let kind = match element.attribute("type") {
            "" => self.inline(name, element, depth)?,
            named => self.named(name, element, named, depth)?,
        };
        let is_nillable = matches!(element.attribute("nillable"), "true" | "1");
        Ok(Item { is_nillable, ..Item::new(name, kind) })
    }

    fn inline(&mut self, name: &str, element: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        let types = element.all().iter().find(|it| matches!(it.local(), "complexType" | "simpleType"));
        match types {
            Some(it) if it.local() == "complexType" => self.complex(name, it, depth),
            Some(it) => self.simple(name, it, depth),
            // Of any type: whatever elements stand in it.
            None => Ok(anything(name)),
        }
    }

    fn named(&mut self, name: &str, at: &'a Node, named: &str, depth: usize) -> Result<ItemKind, Diagnostic> {
        let (namespace, local) = at.resolve(named);
        if namespace == XS {
            return match local.as_str() {
                "anyType" => Ok(anything(name)),
                "decimal" => {
                    let ItemKind::Decimal { digits, signed, .. } = built_in(at, name, &local)? else {
                        return built_in(at, name, &local);
                    };
                    Ok(ItemKind::Decimal { digits, scale: self.types.fraction, signed })
                }
                _ => built_in(at, name, &local),
            };
        }
        if let Some(found) = self.find("complexType", at, named) {
            return self.within(&found, |walk| walk.complex(name, found.node, depth + 1));
        }
        match self.find("simpleType", at, named) {
            Some(found) => self.within(&found, |walk| walk.simple(name, found.node, depth + 1)),
            None => Err(at.refused(
                name,
                &format!("the type {named} is not in the document"),
                "put imported schemas beside it",
            )),
        }
    }

    fn complex(&mut self, name: &str, complex: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        endless(complex, name, depth)?;
        let (mut attributes, mut parts) = (Vec::new(), Vec::new());
        for child in complex.all() {
            match child.local() {
                "attribute" | "attributeGroup" => self.attribute(name, child, depth, &mut attributes)?,
                "annotation" | "anyAttribute" => {}
                "complexContent" => {
                    let (derived, is_more) = derivation(child, name)?;
                    if is_more {
                        match self.named(name, derived, derived.attribute("base"), depth + 1)? {
                            ItemKind::Group(base) => parts.extend(base),
                            _ => return Err(added(derived, name)),
                        }
                    }
                    match self.complex(name, derived, depth + 1)? {
                        ItemKind::Group(more) => parts.extend(more),
                        _ => return Err(added(derived, name)),
                    }
                }
                "simpleContent" => return self.valued(name, child, depth),
                _ => self.particle(name, child, depth, &mut parts)?,
            }
        }
        // Those of a base stand before the elements, too: an element has its attributes first.
        attributes.extend(parts.extract_if(.., |part: &mut Item| part.form == Form::Attribute));
        attributes.extend(parts);
        Ok(ItemKind::Group(attributes))
    }

    /// A value with attributes, or without: then it is that value.
    fn valued(&mut self, name: &str, content: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        let (derived, _) = derivation(content, name)?;
        let base = self.named(name, derived, derived.attribute("base"), depth + 1)?;
        let (mut parts, value) = match restricted(base, derived, XS) {
            ItemKind::Group(mut parts) => {
                let value = parts.pop();
                (parts, value)
            }
            kind => {
                let value = Item::new(format!("{name}-value"), kind);
                (Vec::new(), Some(Item { form: Form::Content, ..value }))
            }
        };
        for child in derived.all().iter().filter(|it| matches!(it.local(), "attribute" | "attributeGroup")) {
            self.attribute(name, child, depth, &mut parts)?;
        }
        match value {
            Some(value) if parts.is_empty() => Ok(value.kind),
            Some(value) if value.form == Form::Content => {
                parts.push(value);
                Ok(ItemKind::Group(parts))
            }
            _ => Err(added(content, name)),
        }
    }

    /// An attribute, or a group of them.
    fn attribute(
        &mut self,
        name: &str,
        node: &'a Node,
        depth: usize,
        into: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        endless(node, name, depth)?;
        let reference = node.attribute("ref");
        if node.local() == "attributeGroup" {
            let Some(found) = self.find("attributeGroup", node, reference) else {
                return Err(unknown(node, reference));
            };
            return self.within(&found, |walk| {
                let own = found.node.all().iter();
                own.filter(|it| matches!(it.local(), "attribute" | "attributeGroup"))
                    .try_for_each(|it| walk.attribute(name, it, depth + 1, into))
            });
        }
        let is_required = node.attribute("use") == "required";
        if node.attribute("use") == "prohibited" {
            return Ok(());
        }
        let (mut item, namespace) = if reference.is_empty() {
            let form = match node.attribute("form") {
                "" => self.schema.attribute("attributeFormDefault"),
                form => form,
            };
            let namespace = if form == "qualified" { self.namespace.clone() } else { String::new() };
            (self.attribute_item(node, depth)?, namespace)
        } else {
            let (namespace, _) = node.resolve(reference);
            // xml:lang and its like say nothing of the value.
            if namespace == XML && !is_required {
                return Ok(());
            }
            let Some(found) = self.find("attribute", node, reference) else {
                return Err(unknown(node, reference));
            };
            (self.within(&found, |walk| walk.attribute_item(found.node, depth))?, found.namespace)
        };
        item.min = usize::from(is_required);
        item.namespace = (!namespace.is_empty()).then(|| self.other(&namespace));
        into.retain(|other: &Item| (&other.name, other.namespace) != (&item.name, item.namespace));
        into.push(item);
        Ok(())
    }

    fn attribute_item(&mut self, node: &'a Node, depth: usize) -> Result<Item, Diagnostic> {
        let name = node.attribute("name");
        let kind = match (node.attribute("type"), node.children(XS, "simpleType").next()) {
            ("", Some(simple)) => self.simple(name, simple, depth + 1)?,
            ("", None) => ItemKind::Text(None),
            (named, _) => self.named(name, node, named, depth + 1)?,
        };
        Ok(Item { form: Form::Attribute, ..Item::new(name, kind) })
    }

    /// A sequence, a choice, a group, or what stands in one.
    fn particle(
        &mut self,
        name: &str,
        node: &'a Node,
        depth: usize,
        into: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        endless(node, name, depth)?;
        let (min, max) = occurs(node);
        match node.local() {
            "annotation" => {}
            "element" => into.push(self.local(node, depth + 1)?),
            "any" => {
                let any = Item { min, max, ..Item::new(format!("{name}-any"), ItemKind::Any) };
                into.push(any);
            }
            "all" if max != Some(1) => {
                let what = "elements in any order that come several times have no place in a record";
                return Err(node.refused(name, what, "put them into an element that comes several times"));
            }
            "sequence" | "choice" | "group" if max != Some(1) => {
                into.extend(self.repeated(name, node, depth + 1, (min, max))?);
            }
            "sequence" | "choice" | "group" => self.once(name, node, depth, min, into)?,
            "all" => {
                if into.iter().any(|item| item.form == Form::Element) {
                    let what = "elements in any order behind others have no place in a record";
                    return Err(node.refused(name, what, "put them into an element"));
                }
                for child in node.all().iter().filter(|it| it.local() != "annotation") {
                    let mut parts = Vec::new();
                    self.particle(name, child, depth, &mut parts)?;
                    if parts.iter().any(|item| item.is_array || !matches!(item.max, Some(1))) {
                        let what =
                            "an element in any order that comes several times has no place in a record";
                        return Err(child.refused(name, what, "use a sequence of elements"));
                    }
                    for item in &mut parts {
                        item.is_free = true;
                        item.min = if min == 0 { 0 } else { item.min };
                    }
                    into.append(&mut parts);
                }
            }
            other => {
                let what = format!("{other} has no place in a record");
                return Err(node.refused(name, &what, "use a sequence of elements"));
            }
        }
        Ok(())
    }

    /// A sequence, a choice or a group as it comes once.
    fn once(
        &mut self,
        name: &str,
        node: &'a Node,
        depth: usize,
        min: usize,
        into: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        match node.local() {
            "sequence" => {
                let from = into.len();
                for child in node.all() {
                    self.particle(name, child, depth, into)?;
                }
                if min == 0 {
                    into[from..].iter_mut().for_each(|item| item.min = 0);
                }
            }
            "choice" => {
                let mut alternatives = Vec::new();
                for child in node.all().iter().filter(|it| it.local() != "annotation") {
                    let mut parts = Vec::new();
                    self.particle(name, child, depth + 1, &mut parts)?;
                    match parts.as_mut_slice() {
                        // A choice in a choice offers its own alternatives.
                        [Item { kind: ItemKind::Choice(inner), .. }] => alternatives.append(inner),
                        parts if parts.iter().any(|it| matches!(it.kind, ItemKind::Choice(_))) => {
                            let what = "a choice within a sequence within a choice has no place in a record";
                            return Err(child.refused(name, what, "put the inner one into an element"));
                        }
                        _ => alternatives.push(parts),
                    }
                }
                if alternatives.is_empty() {
                    return Ok(());
                }
                into.push(Item { min, ..Item::new(name, ItemKind::Choice(alternatives)) });
            }
            _ => {
                let reference = node.attribute("ref");
                let Some(found) = self.find("group", node, reference) else {
                    return Err(unknown(node, reference));
                };
                self.within(&found, |walk| {
                    found.node.all().iter().try_for_each(|it| walk.particle(name, it, depth + 1, into))
                })?;
            }
        }
        Ok(())
    }

    /// A choice or sequence that comes several times, with no element round it: an item of its elements, or its only element.
    fn repeated(
        &mut self,
        name: &str,
        node: &'a Node,
        depth: usize,
        (min, max): (usize, Option<usize>),
    ) -> Result<Option<Item>, Diagnostic> {
        if max == Some(0) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        self.once(name, node, depth, 1, &mut parts)?;
        if parts.is_empty() {
            return Ok(None);
        }
        let lone = match parts.as_slice() {
            [Item { kind: ItemKind::Choice(alternatives), .. }] => match alternatives.as_slice() {
                [alternative] => alternative.first().filter(|_| alternative.len() == 1),
                _ => None,
            },
            [one] => Some(one),
            _ => None,
        };
        if let Some(one) =
            lone.filter(|it| it.form == Form::Element && !matches!(it.kind, ItemKind::Choice(_)))
        {
            let max = max.zip(one.max).map(|(outer, inner)| outer.saturating_mul(inner));
            let is_array = one.kind != ItemKind::Any;
            return Ok(Some(Item { min: min.saturating_mul(one.min), max, is_array, ..one.clone() }));
        }
        let own = format!("{name}-{}", node.local());
        let item = Item::new(own, ItemKind::Group(parts));
        Ok(Some(Item { min, max, is_array: true, form: Form::Unwrapped, ..item }))
    }

    /// A local element, or a reference to a global one.
    fn local(&mut self, element: &'a Node, depth: usize) -> Result<Item, Diagnostic> {
        let mut item = match element.attribute("ref") {
            "" => {
                let form = match element.attribute("form") {
                    "" => self.schema.attribute("elementFormDefault"),
                    form => form,
                };
                let own = (form == "qualified").then(|| self.namespace.clone());
                let namespace = self.place(own);
                Item { namespace, ..self.element(element, depth)? }
            }
            reference => {
                let Some(found) = self.find("element", element, reference) else {
                    return Err(unknown(element, reference));
                };
                let namespace = self.place(Some(found.namespace.clone()));
                let item = self.within(&found, |walk| walk.element(found.node, depth))?;
                Item { namespace, ..item }
            }
        };
        (item.min, item.max) = occurs(element);
        item.is_array = item.max != Some(1);
        Ok(item)
    }

    /// The number of a namespace of its own; none for an element that is as the first local one.
    fn place(&mut self, namespace: Option<String>) -> Option<usize> {
        let rule = *self.qualified.get_or_insert(namespace.is_some());
        let namespace = namespace.unwrap_or_default();
        let usual = if rule { self.root.as_str() } else { "" };
        (namespace != usual).then(|| self.other(&namespace))
    }

    /// The number of a namespace: 0 none.
    fn other(&mut self, namespace: &str) -> usize {
        if namespace.is_empty() {
            return 0;
        }
        let known = self.others.iter().position(|other| other == namespace);
        known.map_or_else(
            || {
                self.others.push(namespace.to_owned());
                self.others.len()
            },
            |at| at + 1,
        )
    }

    fn simple(&mut self, name: &str, simple: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        endless(simple, name, depth)?;
        let Some(restriction) = simple.children(XS, "restriction").next() else {
            // A list or a union: a text like any other.
            return Ok(ItemKind::Text(None));
        };
        let base = match restriction.attribute("base") {
            "" => self.inline(name, restriction, depth + 1)?,
            base => self.named(name, restriction, base, depth + 1)?,
        };
        Ok(restricted(base, restriction, XS))
    }
}

/// An element with whatever elements in it.
fn anything(name: &str) -> ItemKind {
    let any = Item { min: 0, max: None, ..Item::new(format!("{name}-any"), ItemKind::Any) };
    ItemKind::Group(vec![any])
}

/// Returns the derivation of a content, and true if it is an extension, which keeps the content of its base.
fn derivation<'a>(content: &'a Node, name: &str) -> Result<(&'a Node, bool), Diagnostic> {
    let extension = content.children(XS, "extension").next().map(|it| (it, true));
    let derived = extension.or_else(|| content.children(XS, "restriction").next().map(|it| (it, false)));
    derived.ok_or_else(|| content.refused(name, "a content that is derived from nothing", "use an extension"))
}

fn endless(node: &Node, name: &str, depth: usize) -> Result<(), Diagnostic> {
    let help = "a record has no room for a type in itself";
    match depth > DEPTH_MAX {
        true => Err(node.refused(name, "types within types have no end", help)),
        false => Ok(()),
    }
}

fn added(node: &Node, name: &str) -> Diagnostic {
    node.refused(name, "elements added to a value", "put the value into an element")
}

fn unknown(node: &Node, reference: &str) -> Diagnostic {
    let name = local(reference);
    node.refused(name, "no schema in the document declares it", "put imported schemas beside it")
}

fn occurs(node: &Node) -> (usize, Option<usize>) {
    let min = node.attribute("minOccurs").parse().unwrap_or(1);
    let max = match node.attribute("maxOccurs") {
        "unbounded" => None,
        max => Some(max.parse().unwrap_or(1)),
    };
    (min, max)
}
