//! The bill of materials of `syncpoint`: every package that is linked into it, as CycloneDX 1.5.
//!
//! The same lock file gives the same text: there is neither a date nor a serial number in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::metadata::{self, text};

/// The crate that is released.
const RELEASED: &str = "syncpoint";
/// The path of the bill, beside the binary.
const FILE: &str = "target/release/syncpoint.cdx.json";

/// Writes the bill; where it is.
pub(crate) fn write(root: &Path) -> Result<PathBuf, String> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).map_err(|error| error.to_string())?;
    let bill = bill(&metadata::read(root)?, &checksums(&lock))?;
    let path = root.join(FILE);
    let folder = path.parent().unwrap_or(root);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, format!("{bill:#}\n")));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The SHA-256 of each package's archive, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let table = lock.parse::<toml::Table>().unwrap_or_default();
    let packages = table.get("package").and_then(toml::Value::as_array);
    let checksum = |package: &toml::Value| {
        let field = |name| package.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    packages.into_iter().flatten().filter_map(checksum).collect()
}

fn bill(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> Result<Value, String> {
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let released = packages.iter().find(|(_, package)| text(&package["name"]) == RELEASED);
    let (root, own) = released.ok_or("there is no package syncpoint")?;
    let linked = linked(metadata, root);
    let all = linked.iter().filter(|id| *id != root).filter_map(|id| packages.get(id.as_str()));
    let mut components: Vec<Value> = all.map(|package| component(package, checksums)).collect();
    components.sort_by_key(|component| component["bom-ref"].to_string());
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(own, checksums) },
        "components": components,
    }))
}

/// The packages that are linked into one: what is used to build or to test it is not.
fn linked(metadata: &Value, root: &&str) -> BTreeSet<String> {
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let mut found = BTreeSet::new();
    let mut open = vec![(*root).to_owned()];
    while let Some(id) = open.pop() {
        let node = nodes.get(id.as_str());
        if found.insert(id) {
            let used = node.into_iter().flat_map(|node| node["deps"].as_array()).flatten();
            let is_linked = |used: &&Value| {
                used["dep_kinds"]
                    .as_array()
                    .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
            };
            open.extend(used.filter(is_linked).map(|used| text(&used["pkg"]).to_owned()));
        }
    }
    found
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let purl = format!("pkg:cargo/{name}@{version}");
    let mut component = json!({
        "type": if name == RELEASED { "application" } else { "library" },
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{ "expression": text(&package["license"]).replace('/', " OR ") }],
    });
    if package["source"].is_string() {
        component["purl"] = json!(purl);
    }
    if let Some(checksum) = checksums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_names_what_is_linked_and_nothing_else() {
        let root = crate::root();
        let lock = std::fs::read_to_string(root.join("Cargo.lock")).expect("a lock file");
        let bill = bill(&metadata::read(&root).expect("metadata"), &checksums(&lock)).expect("a bill");
        let components = bill["components"].as_array().expect("components");
        let named = |name: &str| components.iter().find(|component| component["name"] == name);
        let tokio = named("tokio").expect("tokio is linked");
        assert_eq!(tokio["licenses"][0]["expression"], "MIT");
        assert_eq!(text(&tokio["hashes"][0]["content"]).len(), 64);
        assert!(text(&tokio["purl"]).starts_with("pkg:cargo/tokio@1."));
        assert!(
            named("kernel").is_some_and(|own| own["purl"].is_null()),
            "ours are named, and from no registry"
        );
        assert!(named("proptest").is_none() && named("tempfile").is_some(), "tests' own are not linked");
        assert_eq!(bill["metadata"]["component"]["name"], "syncpoint");
    }
}
