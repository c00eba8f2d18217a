//! OSGIBUNDLE, WARBUNDLE and EARBUNDLE parts of bundles: what their texts want, and the files that lie beside them.

use std::fs;
use std::path::{Path, PathBuf};

use bundle_source::xml::{Element, Wrong};
use kernel::name::Name8;
use kernel::registry::{PartFault, PartFile};

use super::version::{Range, Version};
use crate::limits::JARS_MAX;
use crate::server::Programs;

/// Kinds of what parts want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// An OSGi bundle of a framework.
    Osgi,
    /// A web application of Liberty; an enterprise application.
    War,
    Ear,
}

impl What {
    /// The type of the part.
    pub fn part(self) -> &'static str {
        match self {
            Self::Osgi => "OSGIBUNDLE",
            Self::War => "WARBUNDLE",
            Self::Ear => "EARBUNDLE",
        }
    }

    /// The programs of a JVM server that can have it.
    pub fn programs(self) -> Programs {
        if self == Self::Osgi { Programs::Osgi } else { Programs::Liberty }
    }

    /// The element of its text.
    fn element(self) -> String {
        self.part().to_ascii_lowercase()
    }
}

/// An OSGi bundle, or an application of Liberty, that a part wants in a JVM server.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub what: What,
    /// The bundle's symbolic name.
    pub symbolic_name: String,
    /// Versions, of which the highest is taken.
    pub versions: Range,
    /// The JVM server.
    pub server: Name8,
    /// The folder of the jars.
    pub folder: PathBuf,
}

/// A jar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Jar {
    /// Its version, as its name has it.
    pub version: Version,
    /// Its path.
    pub path: PathBuf,
}

impl Wanted {
    /// Reads the text of a part.
    ///
    /// # Errors
    /// It is none, or its folder cannot be read.
    pub fn read(what: What, file: &PartFile<'_>) -> Result<Self, PartFault> {
        let (symbolic_name, versions, server) =
            attributes(what, file.text).map_err(|Wrong { line, why }| PartFault { line: Some(line), why })?;
        let folder = file.folder.clone().map_err(|why| PartFault { line: None, why })?;
        // The JVM has a working folder of its own.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Ok(Self { what, symbolic_name, versions, server, folder })
    }

    /// The jar of the highest version that is wanted: `NAME_VERSION.jar`; an application has none: `NAME.war`, `NAME.ear`.
    ///
    /// # Errors
    /// There is none.
    pub fn jar(&self) -> Result<Jar, String> {
        let Self { symbolic_name, versions, folder, .. } = self;
        let end = match self.what {
            What::Osgi => None,
            What::War => Some("war"),
            What::Ear => Some("ear"),
        };
        if let Some(end) = end {
            let path = folder.join(format!("{symbolic_name}.{end}"));
            let jar = Jar { version: Version::default(), path };
            let is_there = jar.path.exists();
            return if is_there {
                Ok(jar)
            } else {
                Err(format!("there is no {symbolic_name}.{end} beside it"))
            };
        }
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        let entries = fs::read_dir(folder).map_err(failed)?.flatten().take(JARS_MAX);
        let jars = entries.filter_map(|entry| self.of(&entry.path()));
        jars.max().ok_or_else(|| format!("there is no {symbolic_name}_….jar of version {versions} beside it"))
    }

    fn of(&self, path: &Path) -> Option<Jar> {
        let name = path.file_name()?.to_str()?;
        let version = name.strip_prefix(&self.symbolic_name)?.strip_prefix('_')?.strip_suffix(".jar")?;
        let version = Version::read(version)?;
        self.versions.includes(&version).then(|| Jar { version, path: path.to_owned() })
    }
}

/// `<osgibundle symbolicname="…" version="…" jvmserver="…"/>`, `<warbundle symbolicname="…" jvmserver="…"/>`.
fn attributes(what: What, text: &str) -> Result<(String, Range, Name8), Wrong> {
    let root = Element::read(text)?;
    let element = what.element();
    if root.name != element {
        return Err(root.wrong(format!("{root} is no <{element}>")));
    }
    root.knows(&["symbolicname", "version", "jvmserver"])?;
    root.parts_of(&[])?;
    let symbolic_name = root.need("symbolicname")?;
    let is_bad = |c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c));
    if symbolic_name.is_empty() || symbolic_name.contains(is_bad) {
        return Err(root.wrong(format!("'{symbolic_name}' is no symbolic name")));
    }
    let version = if what == What::Osgi { root.need("version")? } else { "0.0.0" };
    let versions = Range::read(version)
        .ok_or_else(|| root.wrong(format!("'{version}' is no version, and no range of versions")))?;
    let server = root.need("jvmserver")?;
    if server.is_empty() || server.len() > Name8::BLANK.as_bytes().len() {
        return Err(root.wrong(format!("'{server}' is no name of a JVMSERVER")));
    }
    Ok((symbolic_name.to_owned(), versions, Name8::from(server)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, folder: &Path) -> Result<Wanted, PartFault> {
        Wanted::read(What::Osgi, &PartFile { name: "part", text, folder: Ok(folder.to_owned()) })
    }

    #[test]
    fn the_highest_version_in_the_range_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        for jar in [
            "a.b_1.0.0.jar",
            "a.b_1.9.0.jar",
            "a.b_1.10.0.jar",
            "a.b_2.0.0.jar",
            "a.b_x.jar",
            "a.bc_1.11.0.jar",
        ] {
            fs::write(folder.path().join(jar), "").expect("a file");
        }
        let taken = |version: &str| {
            let text = format!("<osgibundle symbolicname=\"a.b\" version=\"{version}\" jvmserver=\"JVM1\"/>");
            let jar = read(&text, folder.path()).expect("a part").jar();
            jar.map(|jar| jar.version.to_string())
        };
        assert_eq!(taken("[1.0.0,2.0.0)").as_deref(), Ok("1.10.0"));
        assert_eq!(taken("1.0.0").as_deref(), Ok("1.0.0"));
        assert_eq!(taken("3.0.0").unwrap_err(), "there is no a.b_….jar of version 3.0.0 beside it");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, why) in [
            ("<osgibundle/>", 1, "<osgibundle> lacks its attribute symbolicname"),
            ("<warbundle/>", 1, "<warbundle> is no <osgibundle>"),
            (
                "<osgibundle symbolicname=\"../a\" version=\"1\" jvmserver=\"J\"/>",
                1,
                "'../a' is no symbolic name",
            ),
            (
                "\n<osgibundle symbolicname=\"a\" version=\"one\" jvmserver=\"J\"/>",
                2,
                "'one' is no version, and no range of versions",
            ),
            (
                "<osgibundle symbolicname=\"a\" version=\"1\" jvmserver=\"NINELETTERS\"/>",
                1,
                "'NINELETTERS' is no name of a JVMSERVER",
            ),
            (
                "<osgibundle symbolicname=\"a\" version=\"1\" jvmserver=\"J\" x=\"\"/>",
                1,
                "the attribute x of <osgibundle> is not known",
            ),
        ] {
            let fault = read(text, Path::new("/nowhere")).expect_err("refused");
            assert_eq!(fault, PartFault { line: Some(line), why: why.to_owned() });
        }
    }
}
