//! `syncpoint check` looks into bundles: each part that would be disabled is named with its file and line.

#[path = "../../../core/bundles/tests/zips/mod.rs"]
mod zips;

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;
use zips::zip;

const PROGRAM: &str = "       ID DIVISION.\n       PROGRAM-ID. SHOP.\n       PROCEDURE DIVISION.\n           EXEC CICS RETURN END-EXEC.\n";

/// A manifest with a line for each part: its name, its type, and its file.
fn manifest(parts: &[(&str, &str, &str)], more: &str) -> String {
    let types = "http://www.ibm.com/xmlns/prod/cics/bundle";
    let define = |(name, kind, path): &(&str, &str, &str)| {
        format!("<define name=\"{name}\" type=\"{types}/{kind}\" path=\"{path}\"/>\n")
    };
    let defines: String = parts.iter().map(define).collect();
    format!("<manifest xmlns=\"{types}\" id=\"shop\" bundleMajorVer=\"1\">\n{defines}{more}</manifest>\n")
}

fn definition(kind: &str, attributes: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<cicsdefinition{kind} xmlns=\"http://www.ibm.com/xmlns/prod/CICS/smw2int\"\n  {attributes}/>\n"
    )
}

/// An application with these files beside its program.
fn application(csd: &str, files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let own = [("region.toml", String::new()), ("SHOP.cbl", PROGRAM.to_owned()), ("a.csd", csd.to_owned())];
    for (name, text) in own.iter().chain(files) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

/// The messages of `check`: severity, file and line, text; and its exit status.
fn said(folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(["check", "--format", "json"]).current_dir(folder);
    let output = command.output().expect("it ends");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let line = |message: &serde_json::Value| {
        let word = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
        let (path, line) = (&message["place"]["path"], &message["place"]["line"]);
        let path = path.as_str().unwrap_or("-");
        format!("{} {path}:{line} {}\n", word("severity"), word("message"))
    };
    let messages: String = found["messages"].as_array().expect("a list").iter().map(line).collect();
    format!("{messages}{}\n", if output.status.success() { "in order" } else { "not in order" })
}

fn check(folder: &TempDir, expected: Expect) {
    expected.assert_eq(&said(folder.path()));
}

const PARTS: [(&str, &str, &str); 2] =
    [("SHOP", "PROGRAM", "SHOP.program"), ("SHOP", "TRANSACTION", "SHOP.transaction")];

fn right() -> Vec<(&'static str, String)> {
    vec![
        ("META-INF/cics.xml", manifest(&PARTS, "")),
        ("SHOP.program", definition("program", "name=\"SHOP\"")),
        ("SHOP.transaction", definition("transaction", "name=\"SHOP\" program=\"SHOP\"")),
    ]
}

/// The files of a bundle below a folder.
fn below(folder: &str, files: Vec<(&str, String)>) -> Vec<(String, String)> {
    files.into_iter().map(|(name, text)| (format!("{folder}/{name}"), text)).collect()
}

fn with(csd: &str, files: &[(String, String)]) -> TempDir {
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    application(csd, &files)
}

#[test]
fn a_bundle_that_is_in_order_is_not_complained_of() {
    let csd = "DEFINE BUNDLE(SHOP) GROUP(G) BUNDLEDIR(shop/)\n";
    check(
        &with(csd, &below("shop", right())),
        expect![[r#"
        in order
    "#]],
    );
    let folder = application("DEFINE BUNDLE(SHOP) GROUP(G) BUNDLEDIR(shop.zip)\n", &[]);
    fs::write(folder.path().join("shop.zip"), zip(&right())).expect("written");
    check(
        &folder,
        expect![[r#"
        in order
    "#]],
    );
}

#[test]
fn each_wrong_part_is_named_with_its_line() {
    let parts = [
        ("ORDR", "TRANSACTION", "ORDR.transaction"),
        ("SHOP", "PROGRAM", "SHOP.program"),
        ("OTHER", "PROGRAM", "OTHER.program"),
        ("GONE", "FILE", "GONE.file"),
        ("app", "NODEJSAPP", "app.nodejsapp"),
        ("JAVA", "PROGRAM", "JAVA.program"),
        ("limits", "POLICY", "limits.policy"),
        ("sold", "EVENTBINDING", "sold.evbind"),
        ("PIPE", "PIPELINE", "PIPE.pipeline"),
        ("VAR", "PROGRAM", "VAR.program"),
        ("work", "OSGIBUNDLE", "work.osgibundle"),
    ];
    let import = "<import name=\"LOG\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/FILE\"/>\n";
    let policy = "<policy xmlns=\"http://www.ibm.com/xmlns/prod/cics/managedplatform/policy\" policySchemaVersion=\"4\" \
                  policySchemaRelease=\"0\">\n<rule type=\"teatime\" group=\"SYSTEM\"><name>tea</name></rule></policy>";
    let files = vec![
        ("META-INF/cics.xml", manifest(&parts, import)),
        ("ORDR.transaction", definition("transaction", "name=\"ORDR\" program=\"NOWHERE\"")),
        ("SHOP.program", definition("program", "name=\"SHOP\"")),
        ("OTHER.program", definition("program", "name=\"ANOTHER\"")),
        ("JAVA.program", definition("program", "name=\"JAVA\" jvm=\"YES\"")),
        ("limits.policy", policy.to_owned()),
        ("sold.evbind", "<eventBinding>".to_owned()),
        ("PIPE.pipeline", definition("pipeline", "name=\"PIPE\" configfile=\"../x.xml\"")),
        ("VAR.program", definition("program", "name=\"VAR\" description=\"${none}\"")),
        (
            "work.osgibundle",
            "<osgibundle symbolicname=\"a.b\" version=\"1.0.0\" jvmserver=\"JVM1\"/>".to_owned(),
        ),
        ("a.b_2.0.0.jar", String::new()),
    ];
    let csd = "DEFINE PROGRAM(SHOP) GROUP(G)\nDEFINE BUNDLE(SHOP) GROUP(G) BUNDLEDIR(shop)\n";
    check(
        &with(csd, &below("shop", files)),
        expect![[r#"
            error shop/OTHER.program:3 part OTHER of BUNDLE SHOP: it defines PROGRAM ANOTHER, and the manifest names OTHER
            error shop/META-INF/cics.xml:5 part GONE of BUNDLE SHOP: shop/GONE.file cannot be read: No such file or directory (os error 2)
            warning shop/META-INF/cics.xml:6 part app of BUNDLE SHOP: parts of type NODEJSAPP are not built
            warning shop/META-INF/cics.xml:7 part JAVA of BUNDLE SHOP: PROGRAM JAVA has JVM(YES) and needs JVMCLASS
            error shop/limits.policy:2 part limits of BUNDLE SHOP: the rule type 'teatime' is not known
            error shop/sold.evbind:1 part sold of BUNDLE SHOP: XML_FORMAT_ERROR: the message ends within eventBinding
            error shop/META-INF/cics.xml:10 part PIPE of BUNDLE SHOP: the path '../x.xml' leads out of the bundle
            error shop/VAR.program:3 part VAR of BUNDLE SHOP: the variable none has no value in variables.properties
            error shop/META-INF/cics.xml:12 part work of BUNDLE SHOP: there is no a.b_….jar of version 1.0.0 beside it
            error shop/SHOP.program:3 part SHOP of BUNDLE SHOP: there is a PROGRAM SHOP already
            warning shop/META-INF/cics.xml:13 BUNDLE SHOP imports FILE LOG, which is not defined
            warning shop/ORDR.transaction:3 transaction ORDR starts NOWHERE, which is not defined
            not in order
        "#]],
    );
}

#[test]
fn what_no_region_installs_is_named_wherever_it_is_defined() {
    let csd = "DEFINE PROGRAM(JAVA) GROUP(G) JVM(YES) JVMCLASS(shop.Main)\n\
               DEFINE PROGRAM(WEB) GROUP(G) JVM(YES) JVMCLASS(wlp:shop.Main) JVMSERVER(JVM)\n\
               DEFINE URIMAP(NOWHERE) GROUP(G) USAGE(SERVER) HOST(*) PATH(/shop)\n\
               DEFINE URIMAP(ATOM) GROUP(G) USAGE(ATOM) HOST(*) PATH(/feed)\n\
               DEFINE TCPIPSERVICE(CALLS) GROUP(G) PORTNUMBER(80) PROTOCOL(USER)\n\
               DEFINE JVMSERVER(JVM) GROUP(G) JVMPROFILE(DFHJVM)\n\
               DEFINE TDQUEUE(LEDS) GROUP(G) TYPE(INDIRECT)\n\
               DEFINE CONNECTION(FAR) GROUP(G) ACCESSMETHOD(VTAM)\n\
               DEFINE IPCONN(NEAR) GROUP(G) PORT(1435)\n\
               DEFINE BUNDLE(SHOP) GROUP(G) BUNDLEDIR(shop)\n";
    let files = vec![
        ("META-INF/cics.xml", manifest(&[("MAIN", "PROGRAM", "MAIN.program")], "")),
        ("MAIN.program", definition("program", "name=\"MAIN\" jvm=\"YES\" jvmclass=\"shop.Main\"")),
    ];
    check(
        &with(csd, &below("shop", files)),
        expect![[r#"
        warning shop/META-INF/cics.xml:2 part MAIN of BUNDLE SHOP: PROGRAM MAIN has JVM(YES) and needs JVMSERVER
        warning a.csd:1 PROGRAM JAVA has JVM(YES) and needs JVMSERVER
        warning a.csd:2 JVMCLASS(wlp:shop.Main) of PROGRAM WEB: LINKs to Liberty (wlp:) are not built
        warning a.csd:3 URIMAP NOWHERE leads nowhere: it needs PROGRAM, TRANSACTION, TEMPLATENAME, HFSFILE or REDIRECTTYPE
        warning a.csd:4 URIMAP ATOM has USAGE(ATOM): there are no Atom feeds
        warning a.csd:5 TCPIPSERVICE CALLS has PROTOCOL(USER): it needs URM, an analyzer
        warning a.csd:7 TDQUEUE LEDS needs INDIRECTNAME
        warning a.csd:8 only ACCESSMETHOD(IRC) and ACCESSMETHOD(XM) are built; an IPCONN leads to another machine
        warning a.csd:9 PORT needs HOST: where the partner listens
        in order
    "#]],
    );
}

#[test]
fn a_bundle_that_cannot_be_read_is_named() {
    let csd = "DEFINE BUNDLE(ONE) GROUP(G) BUNDLEDIR(one.zip)\nDEFINE BUNDLE(TWO) GROUP(G) BUNDLEDIR(two)\n\
               DEFINE BUNDLE(THREE) GROUP(G) BUNDLEDIR(three)\n";
    let folder = application(
        csd,
        &[("one.zip", "PK".to_owned()), ("two/META-INF/cics.xml", "<manifest\n/>".to_owned())],
    );
    check(
        &folder,
        expect![[r#"
            error a.csd:1 BUNDLE ONE: one.zip: it is no zip that can be taken: its directory is damaged (invalid Zip archive: Could not find EOCD)
            error two/META-INF/cics.xml:2 BUNDLE TWO: <manifest> is no manifest of a bundle
            warning a.csd:3 BUNDLE THREE: three/META-INF/cics.xml cannot be read: No such file or directory (os error 2)
            not in order
        "#]],
    );
}

#[test]
fn a_bundle_that_is_defined_elsewhere_is_looked_at_if_it_is_there() {
    let csd = "DEFINE BUNDLE(SHOP) GROUP(DEV) BUNDLEDIR(bundles/shop_1.0.0)\nDEFINE PROGRAM(SHOP) GROUP(G)\n";
    let toml = ("region.toml".to_owned(), "grplist = \"G\"\n".to_owned());
    let mut files = vec![toml];
    check(
        &with(csd, &files),
        expect![[r#"
        in order
    "#]],
    );
    let mut bundle = right();
    bundle[1].1 = definition("program", "name=\"SHOP\" colour=\"red\"");
    files.extend(below("bundles/shop_1.0.0", bundle));
    check(
        &with(csd, &files),
        expect![[r#"
        error bundles/shop_1.0.0/SHOP.program:3 part SHOP of BUNDLE SHOP: colour is no attribute of a PROGRAM
        not in order
    "#]],
    );
}
