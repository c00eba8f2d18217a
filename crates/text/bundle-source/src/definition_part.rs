//! Parts of bundles that are definitions of resources: `.program`, `.transaction`, `.file` and their like.

use std::sync::Arc;

use csd::{Definition, ResourceType, attributes_of, quoted_if_needed, read_attributes};
use diagnostics::{Source, TextPlace};

use crate::xml::{Element, Wrong};

/// The namespace of definitions.
const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/CICS/smw2int";

/// The types of resources whose definitions are parts of bundles.
const TYPES: [ResourceType; 8] = [
    ResourceType::Library,
    ResourceType::File,
    ResourceType::Program,
    ResourceType::Transaction,
    ResourceType::Pipeline,
    ResourceType::Webservice,
    ResourceType::Tcpipservice,
    ResourceType::Urimap,
];

/// Attributes that say something of the definition as a repository keeps it, and nothing of the resource.
const OF_THE_REPOSITORY: [&str; 10] = [
    "name",
    "changeagent",
    "changeagrel",
    "changetime",
    "changeusrid",
    "createtime",
    "csdgroup",
    "defver",
    "basdefinever",
    "usercomment",
];
/// The value of an attribute that does not apply.
const NOT_APPLICABLE: &str = "N_A";
/// The three attributes that stand for WAITTIME.
const WAIT_TIME: [&str; 3] = ["waittimedd", "waittimehh", "waittimemm"];

/// The type of resources that parts of a type define, if they define any.
pub fn resource_of(kind: &str) -> Option<ResourceType> {
    TYPES.into_iter().find(|resource| resource.name() == kind)
}

/// Reads the definition of a part, whose name the manifest gives. Its places are the line of its element.
///
/// # Errors
/// It is none, is of another name, or has an attribute or a value that is not known.
pub fn read(source: &Arc<Source>, resource: ResourceType, name: &str) -> Result<Definition, Wrong> {
    let root = Element::read(&source.text)?;
    let expected = format!("cicsdefinition{}", resource.name().to_ascii_lowercase());
    if root.name != expected || root.namespace != NAMESPACE {
        return Err(root.wrong(format!("{root} is no definition of a {resource}: <{expected}> is expected")));
    }
    root.parts_of(&[])?;
    let own = root.need("name")?;
    if own != name {
        return Err(root.wrong(format!("it defines {resource} {own}, and the manifest names {name}")));
    }
    let is_bad = |c: char| !c.is_ascii_graphic() || "()',".contains(c);
    if name.is_empty() || name.len() > resource.name_length() || name.contains(is_bad) {
        return Err(root.wrong(format!("'{name}' is no name of a {resource}")));
    }
    let attributes = attributes(&root, resource)?;
    let mut definition =
        read_attributes(resource, name, &attributes).map_err(|wrong| root.wrong(wrong.message))?;
    let place = TextPlace::new(source, root.line, 1, 0);
    definition.attributes.iter_mut().for_each(|attribute| attribute.place = place.clone());
    definition.place = place;
    Ok(definition)
}

/// The attributes as DFHCSDUP has them.
fn attributes(root: &Element, resource: ResourceType) -> Result<String, Wrong> {
    let mut text = String::new();
    let mut give = |name: &str, value: &str| text.push_str(&format!(" {name}({})", quoted_if_needed(value)));
    for (name, value) in root.attributes() {
        let capitals = name.to_ascii_uppercase();
        if OF_THE_REPOSITORY.contains(&name) || name.starts_with("userdata") || WAIT_TIME.contains(&name) {
            continue;
        }
        if !attributes_of(resource).iter().any(|spec| spec.name == capitals) {
            return Err(root.wrong(format!("{name} is no attribute of a {resource}")));
        }
        if !value.is_empty() && value != NOT_APPLICABLE {
            give(&capitals, value);
        }
    }
    if WAIT_TIME.iter().any(|name| root.attribute(name).is_some()) {
        let time = WAIT_TIME.map(|name| root.attribute(name).unwrap_or("0"));
        give("WAITTIME", &time.join(","));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(element: &str, inside: &str) -> Arc<Source> {
        let text =
            format!("<?xml version=\"1.0\"?>\n<cicsdefinition{element} xmlns=\"{NAMESPACE}\"\n {inside}/>");
        Source::new("a.part", text)
    }

    #[test]
    fn attributes_are_those_of_a_csd() {
        let text = definition(
            "transaction",
            "name=\"TRN1\" program=\"PROG\" localq=\"N_A\" description=\"a (small) one\" userdata1=\"x\" waittimehh=\"2\" taskreq=\"\"",
        );
        let read = read(&text, ResourceType::Transaction, "TRN1").expect("a definition");
        assert_eq!(read.attributes_text(), "PROGRAM(PROG) DESCRIPTION('a (small) one') WAITTIME(0,2,0)");
        assert_eq!((read.name.as_str(), read.group.as_str()), ("TRN1", ""));
        assert_eq!((read.place.source.name.as_str(), read.place.line), ("a.part", 3));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (element, inside, why) in [
            (
                "program",
                "name=\"ONE\"",
                "<cicsdefinitionprogram> is no definition of a FILE: <cicsdefinitionfile> is expected",
            ),
            ("file", "name=\"TWO\"", "it defines FILE TWO, and the manifest names ONE"),
            ("file", "", "<cicsdefinitionfile> lacks its attribute name"),
            ("file", "name=\"ONE\" green=\"1\"", "green is no attribute of a FILE"),
            ("file", "name=\"ONE\" stat=\"ENABLED\"", "stat is no attribute of a FILE"),
            ("file", "name=\"ONE\" add=\"PERHAPS\"", "ADD cannot be PERHAPS; legal values: NO, YES"),
        ] {
            let wrong = read(&definition(element, inside), ResourceType::File, "ONE").expect_err(inside);
            assert_eq!((wrong.line, wrong.why.as_str()), (3, why));
        }
        let bad = definition("file", "name=\"A B\"");
        let wrong = read(&bad, ResourceType::File, "A B").expect_err("no name");
        assert_eq!(wrong.why, "'A B' is no name of a FILE");
    }
}
