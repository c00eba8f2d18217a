//! The manifest of a bundle, `META-INF/cics.xml`.

use crate::limits::PARTS_MAX;
use crate::xml::{Element, Wrong};

/// The namespace of manifests, and the beginning of the types of parts.
const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/cics/bundle";

/// A manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The bundle's identifier.
    pub id: String,
    /// Its version: major, minor, micro.
    pub version: [u32; 3],
    /// Its parts, in their order.
    pub parts: Vec<Part>,
}

/// A part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its type, less the namespace of bundles: `POLICY`.
    pub kind: String,
    /// Its file, below the folder of the bundle; empty for what the bundle only names.
    pub path: String,
    /// The way in which the bundle has it.
    pub class: PartClass,
    /// The degree to which it wants one that comes from elsewhere.
    pub need: Need,
    /// The line of the manifest.
    pub line: usize,
}

/// A way in which a bundle has a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartClass {
    /// It brings it.
    Definition,
    /// It wants it from elsewhere.
    Import,
    /// It offers it to others.
    Export,
    /// It is where an application begins.
    EntryPoint,
}

/// Fate of a bundle that lacks an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It is not enabled.
    Required,
    /// It is enabled, and the log says that it is missing.
    Warned,
    /// It is enabled.
    Optional,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// It is none, or has something that is not known.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        let root = Element::read(text)?;
        if root.name != "manifest" || root.namespace != NAMESPACE {
            return Err(root.wrong(format!("{root} is no manifest of a bundle")));
        }
        let number = |name: &str| match root.attribute(name) {
            None => Ok(0),
            Some(digits) => {
                digits.parse().map_err(|_| root.wrong(format!("{name} is no number: '{digits}'")))
            }
        };
        let version = [number("bundleMajorVer")?, number("bundleMinorVer")?, number("bundleMicroVer")?];
        let known = ["meta_directives", "meta-directives", "define", "import", "export", "entrypoint"];
        let all = root.parts_of(&known)?.iter().filter(|part| !part.name.starts_with("meta"));
        let parts: Vec<Part> = all.map(part).collect::<Result<_, _>>()?;
        if parts.len() > PARTS_MAX {
            return Err(root.wrong(format!("it has more than {PARTS_MAX} parts")));
        }
        Ok(Self { id: root.attribute("id").unwrap_or_default().to_owned(), version, parts })
    }
}

fn part(element: &Element) -> Result<Part, Wrong> {
    let class = match element.name.as_str() {
        "define" => PartClass::Definition,
        "import" => PartClass::Import,
        "export" => PartClass::Export,
        _ => PartClass::EntryPoint,
    };
    let flag = |name: &str| match element.attribute(name) {
        None | Some("false" | "0") => Ok(false),
        Some("true" | "1") => Ok(true),
        Some(other) => Err(element.wrong(format!("{name} is neither true nor false: '{other}'"))),
    };
    let need = match (flag("optional")?, flag("warn")?) {
        (false, _) => Need::Required,
        (true, true) => Need::Warned,
        (true, false) => Need::Optional,
    };
    let whole = element.need("type")?;
    let kind = whole.strip_prefix(NAMESPACE).and_then(|rest| rest.strip_prefix('/')).unwrap_or(whole);
    let path = match class {
        PartClass::Definition => element.need("path")?,
        _ => element.attribute("path").unwrap_or_default(),
    };
    // A part of a bundle lies in its folder.
    if path.starts_with('/') || path.split('/').any(|step| step == "..") {
        return Err(element.wrong(format!("the path '{path}' leads out of the bundle")));
    }
    Ok(Part {
        name: element.need("name")?.to_owned(),
        kind: kind.to_owned(),
        path: path.to_owned(),
        class,
        need,
        line: element.line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(inside: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<manifest xmlns=\"{NAMESPACE}\" id=\"RULES\" bundleMajorVer=\"1\" bundleMinorVer=\"2\">\n{inside}\n</manifest>"
        )
    }

    #[test]
    fn parts_are_read_in_their_order() {
        let text = manifest(
            "<meta_directives><timestamp>2019</timestamp></meta_directives>\n\
             <define name=\"files\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/POLICY\" path=\"files.policy\"/>\n\
             <import name=\"LOG\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/FILE\" optional=\"true\"/>",
        );
        let read = Manifest::read(&text).expect("a manifest");
        assert_eq!((read.id.as_str(), read.version), ("RULES", [1, 2, 0]));
        let parts: Vec<_> =
            read.parts.iter().map(|p| (p.name.as_str(), p.kind.as_str(), p.class, p.line)).collect();
        let expected = [("files", "POLICY", PartClass::Definition, 4), ("LOG", "FILE", PartClass::Import, 5)];
        assert_eq!(parts, expected);
        assert_eq!(read.parts[1].need, Need::Optional);
    }

    #[test]
    fn an_import_is_required_unless_it_says_otherwise() {
        for (inside, need) in [
            ("", Some(Need::Required)),
            ("optional=\"false\" warn=\"true\"", Some(Need::Required)),
            ("optional=\"true\" warn=\"true\"", Some(Need::Warned)),
            ("optional=\"1\"", Some(Need::Optional)),
            ("optional=\"yes\"", None),
        ] {
            let read = Manifest::read(&manifest(&format!("<import name=\"A\" type=\"FILE\" {inside}/>")));
            assert_eq!(read.ok().map(|read| read.parts[0].need), need, "{inside}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (inside, line, why) in [
            ("<define name=\"A\" type=\"X\" path=\"../a\"/>", 3, "the path '../a' leads out of the bundle"),
            ("\n<defin name=\"A\"/>", 4, "<defin> is not known in <manifest>"),
            ("<define name=\"A\" type=\"X\"/>", 3, "<define> lacks its attribute path"),
        ] {
            let wrong = Manifest::read(&manifest(inside)).expect_err("refused");
            assert_eq!((wrong.line, wrong.why.as_str()), (line, why));
        }
        assert!(Manifest::read("<manifest/>").is_err(), "it is of another namespace");
    }
}
