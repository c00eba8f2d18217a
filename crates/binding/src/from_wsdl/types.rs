//! Types of schemas as items.

use diagnostics::Diagnostic;

use super::document::Node;
use crate::items::{Item, ItemKind, refused};
use crate::limits::DEPTH_MAX;

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const XS: &str = "http://www.w3.org/2001/XMLSchema";
/// Digits of a decimal number whose type does not say how many.
const DECIMAL: (usize, usize) = (18, 3);

/// The schemas of a document.
pub(super) struct Types<'a> {
    schemas: Vec<&'a Node>,
}

/// The name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl<'a> Types<'a> {
    pub fn of(root: &'a Node) -> Self {
        Self {
            schemas: root.children(WSDL, "types").flat_map(|types| types.children(XS, "schema")).collect(),
        }
    }

    /// A global declaration or definition, and its schema.
    fn global(&self, kind: &'a str, namespace: &str, name: &str) -> Option<(&'a Node, &'a Node)> {
        let own = self.schemas.iter().filter(|schema| schema.attribute("targetNamespace") == namespace);
        own.flat_map(|schema| schema.children(XS, kind).map(|node| (*schema, node)))
            .find(|(_, it)| it.attribute("name") == name)
    }

    /// The message whose root is a global element, and whether its local elements are qualified.
    pub fn message(&self, namespace: &str, name: &str) -> Result<(Item, bool), Diagnostic> {
        let Some((schema, element)) = self.global("element", namespace, name) else {
            return Err(refused(
                name,
                "no schema in the document declares it",
                "put imported schemas into the document",
            ));
        };
        let mut walk = Walk { types: self, namespace: namespace.to_owned(), qualified: None, schema };
        let item = walk.element(element, 0)?;
        let qualified = walk.qualified.unwrap_or(schema.attribute("elementFormDefault") == "qualified");
        Ok((item, qualified))
    }
}

struct Walk<'a, 'b> {
    types: &'b Types<'a>,
    namespace: String,
    /// Whether local elements are qualified: all of a message alike.
    qualified: Option<bool>,
    schema: &'a Node,
}

impl<'a> Walk<'a, '_> {
    fn element(&mut self, element: &'a Node, depth: usize) -> Result<Item, Diagnostic> {
        let name = element.attribute("name");
        if depth > DEPTH_MAX {
            return Err(refused(
                name,
                "types within types have no end",
                "a record has no room for a type in itself",
            ));
        }
        let kind = match element.attribute("type") {
            "" => self.inline(name, element, depth)?,
            named => self.named(name, element, named, depth)?,
        };
        Ok(Item::new(name, kind))
    }

    fn inline(&mut self, name: &str, element: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        let types = element.all().iter().find(|it| matches!(it.local(), "complexType" | "simpleType"));
        match types {
            Some(it) if it.local() == "complexType" => self.complex(name, it, depth),
            Some(it) => self.simple(name, it, depth),
            None => Err(refused(name, "an element of any type", "give it a type")),
        }
    }

    fn named(&mut self, name: &str, at: &'a Node, named: &str, depth: usize) -> Result<ItemKind, Diagnostic> {
        let (namespace, local) = at.resolve(named);
        if namespace == XS {
            return built_in(name, &local);
        }
        if let Some((schema, it)) = self.types.global("complexType", &namespace, &local) {
            let outer = std::mem::replace(&mut self.schema, schema);
            let kind = self.complex(name, it, depth + 1);
            self.schema = outer;
            return kind;
        }
        match self.types.global("simpleType", &namespace, &local) {
            Some((_, it)) => self.simple(name, it, depth + 1),
            None => Err(refused(
                name,
                &format!("the type {named} is not in the document"),
                "put imported schemas into it",
            )),
        }
    }

    fn complex(&mut self, name: &str, complex: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        if depth > DEPTH_MAX {
            return Err(refused(
                name,
                "types within types have no end",
                "a record has no room for a type in itself",
            ));
        }
        let mut parts = Vec::new();
        for child in complex.all() {
            match child.local() {
                "sequence" => self.sequence(name, child, depth, &mut parts)?,
                "all" if child.all().len() <= 1 => self.sequence(name, child, depth, &mut parts)?,
                "annotation" => {}
                "attribute" if child.attribute("use") != "required" => {}
                "complexContent" => {
                    let Some(extension) = child.children(XS, "extension").next() else {
                        return Err(refused(
                            name,
                            "a restriction of elements",
                            "name the elements that it has",
                        ));
                    };
                    match self.named(name, extension, extension.attribute("base"), depth + 1)? {
                        ItemKind::Group(base) => parts.extend(base),
                        _ => {
                            return Err(refused(
                                name,
                                "elements added to a value",
                                "put the value into an element",
                            ));
                        }
                    }
                    match self.complex(name, extension, depth + 1)? {
                        ItemKind::Group(more) => parts.extend(more),
                        _ => {
                            return Err(refused(
                                name,
                                "elements added to a value",
                                "put the value into an element",
                            ));
                        }
                    }
                }
                "simpleContent" => {
                    let Some(extension) = child.children(XS, "extension").next() else {
                        return Err(refused(
                            name,
                            "a restriction of a value with attributes",
                            "use a simple type",
                        ));
                    };
                    if extension.all().iter().any(|it| it.attribute("use") == "required") {
                        return Err(refused(name, "an attribute that must be there", "make it an element"));
                    }
                    return self.named(name, extension, extension.attribute("base"), depth + 1);
                }
                other => {
                    return Err(refused(
                        name,
                        &format!("{other} has no place in a record"),
                        "use a sequence of elements",
                    ));
                }
            }
        }
        Ok(ItemKind::Group(parts))
    }

    fn sequence(
        &mut self,
        name: &str,
        sequence: &'a Node,
        depth: usize,
        parts: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        for child in sequence.all() {
            match child.local() {
                "element" => parts.push(self.local(child, depth + 1)?),
                "sequence" if occurs(child) == (1, Some(1)) => self.sequence(name, child, depth, parts)?,
                "annotation" => {}
                other => {
                    let what = format!("{other} in a sequence has no place in a record");
                    return Err(refused(name, &what, "use a sequence of elements"));
                }
            }
        }
        Ok(())
    }

    /// A local element, or a reference to a global one.
    fn local(&mut self, element: &'a Node, depth: usize) -> Result<Item, Diagnostic> {
        let mut item = match element.attribute("ref") {
            "" => {
                let form = match element.attribute("form") {
                    "" => self.schema.attribute("elementFormDefault"),
                    form => form,
                };
                self.is_qualified(
                    element.attribute("name"),
                    form == "qualified",
                    self.schema.attribute("targetNamespace"),
                )?;
                self.element(element, depth)?
            }
            reference => {
                let (namespace, local) = element.resolve(reference);
                let Some((schema, global)) = self.types.global("element", &namespace, &local) else {
                    return Err(refused(
                        &local,
                        "no schema in the document declares it",
                        "put imported schemas into it",
                    ));
                };
                self.is_qualified(&local, true, &namespace)?;
                let outer = std::mem::replace(&mut self.schema, schema);
                let item = self.element(global, depth);
                self.schema = outer;
                item?
            }
        };
        (item.min, item.max) = occurs(element);
        item.is_array = item.max != Some(1);
        Ok(item)
    }

    /// One rule holds for all local elements of a message, and one namespace.
    fn is_qualified(&mut self, name: &str, qualified: bool, namespace: &str) -> Result<(), Diagnostic> {
        if qualified && namespace != self.namespace {
            return Err(refused(name, "elements of several namespaces in one message", "use one namespace"));
        }
        match self.qualified.replace(qualified) {
            Some(before) if before != qualified => {
                Err(refused(name, "qualified and unqualified elements in one message", "use one form"))
            }
            _ => Ok(()),
        }
    }

    fn simple(&mut self, name: &str, simple: &'a Node, depth: usize) -> Result<ItemKind, Diagnostic> {
        let Some(restriction) = simple.children(XS, "restriction").next() else {
            // A list or a union: a text like any other.
            return Ok(ItemKind::Text(None));
        };
        let base = match restriction.attribute("base") {
            "" => self.inline(name, restriction, depth + 1)?,
            base => self.named(name, restriction, base, depth + 1)?,
        };
        Ok(restricted(base, restriction))
    }
}

fn occurs(node: &Node) -> (usize, Option<usize>) {
    let min = node.attribute("minOccurs").parse().unwrap_or(1);
    let max = match node.attribute("maxOccurs") {
        "unbounded" => None,
        max => Some(max.parse().unwrap_or(1)),
    };
    (min, max)
}

/// A type with the facets that say how much room it needs.
fn restricted(base: ItemKind, restriction: &Node) -> ItemKind {
    let facet = |name: &str| restriction.children(XS, name).next().map(|it| it.attribute("value").to_owned());
    let size = |name: &str| facet(name).and_then(|value| value.parse::<usize>().ok());
    let is_positive =
        || facet("minInclusive").or(facet("minExclusive")).is_some_and(|least| !least.starts_with('-'));
    let longest = || {
        let values = restriction.children(XS, "enumeration").map(|it| it.attribute("value").chars().count());
        values.max()
    };
    match base {
        ItemKind::Text(length) => {
            ItemKind::Text(size("maxLength").or(size("length")).or_else(longest).or(length))
        }
        ItemKind::Bytes(length) => ItemKind::Bytes(size("maxLength").or(size("length")).or(length)),
        ItemKind::Decimal { digits, scale, signed } => {
            let scale = size("fractionDigits").unwrap_or(scale);
            let digits = size("totalDigits").unwrap_or(digits).max(scale);
            ItemKind::Decimal { digits, scale, signed: signed && !is_positive() }
        }
        other => other,
    }
}

fn built_in(name: &str, local: &str) -> Result<ItemKind, Diagnostic> {
    let integer = |bytes, signed| ItemKind::Integer { bytes, signed };
    let digits = |signed| ItemKind::Decimal { digits: DECIMAL.0, scale: 0, signed };
    Ok(match local {
        "string" | "normalizedString" | "token" | "anyURI" | "NMTOKEN" | "Name" | "NCName" | "ID"
        | "IDREF" | "language" | "QName" | "hexBinary" | "duration" | "gYear" | "gMonth" | "gDay"
        | "gYearMonth" | "gMonthDay" => ItemKind::Text(None),
        "date" => ItemKind::Text(Some(16)),
        "time" => ItemKind::Text(Some(24)),
        "dateTime" => ItemKind::Moment,
        "boolean" => ItemKind::Flag,
        "base64Binary" => ItemKind::Bytes(None),
        "byte" | "short" => integer(2, true),
        "int" => integer(4, true),
        "long" => integer(8, true),
        "unsignedByte" | "unsignedShort" => integer(2, false),
        "unsignedInt" => integer(4, false),
        "unsignedLong" => integer(8, false),
        "integer" | "nonPositiveInteger" | "negativeInteger" => digits(true),
        "nonNegativeInteger" | "positiveInteger" => digits(false),
        "decimal" => ItemKind::Decimal { digits: DECIMAL.0, scale: DECIMAL.1, signed: true },
        "float" => ItemKind::Float(4),
        "double" => ItemKind::Float(8),
        other => {
            return Err(refused(
                name,
                &format!("the type {other} has no place in a record"),
                "use another type",
            ));
        }
    })
}
