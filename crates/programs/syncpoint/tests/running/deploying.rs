//! Bundles deployed over HTTP: what is asked for and refused, a bundle in the place of another while work runs, and regions
//! that are killed meanwhile. `SYNCPOINT_KILLS` says how often.

#[path = "../../../../core/bundles/tests/zips/mod.rs"]
pub(crate) mod zips;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, PATIENCE, Region, application, asked_for, product};
use zips::zip;

pub(crate) const DEFINITIONS: &str = "
DEFINE TCPIPSERVICE(CMCI) GROUP(OPS) PORTNUMBER(1490) PROTOCOL(HTTP) URM(DFHWBAAX) AUTHENTICATE(BASIC)
DEFINE URIMAP(CMCI) GROUP(OPS) USAGE(SERVER) HOST(*) PATH(/CICSSystemManagement/*)
       TRANSACTION(CWWU) PROGRAM(DFHWUIPG)
DEFINE URIMAP(DEPLOY) GROUP(OPS) USAGE(SERVER) HOST(*) PATH(/managedcicsbundles)
       TRANSACTION(CWWU) PROGRAM(DFHWUIPG)
ADD GROUP(OPS) LIST(APP)
DEFINE BUNDLE(SHOP) GROUP(DEV) BUNDLEDIR(bundles/shop_1.0.0/)
";

/// ANNA may change the region, BERT may look at it. The password of each is `secret`.
pub(crate) const USERS: &str = "
[[user]]
userid = \"ANNA\"
rights = [\"run\", \"inquire\", \"operate\"]
password = \"@\"
[[user]]
userid = \"BERT\"
rights = [\"run\", \"inquire\"]
password = \"@\"
";
pub(crate) const SECRET: &str =
    "$argon2id$v=19$m=1024,t=2,p=1$0eH5r7p5oFoEVZnFx+u7ew$yrj6oyBi4DdAt/VVpWSyQjB7902Vdwm3KRBA3BIm48o";
pub(crate) const ANNA: &str = "Authorization: Basic QU5OQTpzZWNyZXQ=\r\n";
const BERT: &str = "Authorization: Basic QkVSVDpzZWNyZXQ=\r\n";
const SLOW: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SLOW.
       PROCEDURE DIVISION.
           DISPLAY 'SLOW BEGINS'
           EXEC CICS DELAY FOR SECONDS(3) END-EXEC
           DISPLAY 'SLOW IS OVER'
           EXEC CICS RETURN END-EXEC.
";
const PATH: &str = "/managedcicsbundles";
const KILLS: u64 = 3;

fn house() -> TempDir {
    let configuration = format!(
        "applid = \"BANK\"\ngrplist = \"APP\"\ndeploy = \"bundles\"\n{FREE_PORT}[web.services]\nCMCI = \"127.0.0.1:0\"\n"
    );
    let users = USERS.replace('@', SECRET);
    application(&[
        ("region.toml", configuration.as_str()),
        ("bank.csd", DEFINITIONS),
        ("programs/SLOW.cbl", SLOW),
        ("users.toml", users.as_str()),
    ])
}

/// A file of a bundle.
type BundleFile = (&'static str, String);

/// The files of a bundle whose program has this concurrency, with more parts in its manifest.
fn bundle(version: u32, concurrency: &str, more: &str) -> Vec<BundleFile> {
    let define = |name: &str, kind: &str| {
        let path = format!("{name}.{}", kind.to_lowercase());
        format!(
            "<define name=\"{name}\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/{kind}\" path=\"{path}\"/>"
        )
    };
    let manifest = format!(
        "<manifest xmlns=\"http://www.ibm.com/xmlns/prod/cics/bundle\" id=\"shop\" bundleMajorVer=\"1\" \
         bundleMinorVer=\"0\" bundleMicroVer=\"{version}\">{}{}{more}</manifest>",
        define("SLOW", "PROGRAM"),
        define("SLOWMAP", "URIMAP"),
    );
    let part = |kind: &str, attributes: &str| {
        let namespace = "http://www.ibm.com/xmlns/prod/CICS/smw2int";
        format!("<cicsdefinition{kind} xmlns=\"{namespace}\" {attributes}/>")
    };
    vec![
        ("META-INF/cics.xml", manifest),
        ("SLOW.program", part("program", &format!("name=\"SLOW\" concurrency=\"{concurrency}\""))),
        (
            "SLOWMAP.urimap",
            part("urimap", "name=\"SLOWMAP\" usage=\"SERVER\" host=\"*\" path=\"/slow\" program=\"SLOW\""),
        ),
        ("notes/read.me", concurrency.repeat(1_000)),
    ]
}

/// The body of a form with the zip of a bundle and these fields.
pub(crate) fn form(zip: &[u8], fields: &[(&str, &str)]) -> Vec<u8> {
    let mut body = b"--=x=\r\nContent-Disposition: form-data; name=\"bundle\"; filename=\"shop.zip\"\r\n\
                     Content-Type: application/zip\r\n\r\n"
        .to_vec();
    body.extend(zip);
    for (name, value) in fields {
        body.extend(
            format!("\r\n--=x=\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}").bytes(),
        );
    }
    body.extend(b"\r\n--=x=--\r\n");
    body
}

pub(crate) const FIELDS: [(&str, &str); 2] = [("bunddef", "SHOP"), ("csdgroup", "DEV")];

/// Asks: the status, and the body.
fn ask(
    at: &str,
    (method, target): (&str, &str),
    headers: &str,
    body: &[u8],
) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(at)?;
    let length = body.len();
    let media = "Content-Type: multipart/form-data; boundary=\"=x=\"\r\n";
    let head = format!("{method} {target} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{headers}{media}");
    write!(stream, "{head}Content-Length: {length}\r\n\r\n")?;
    stream.write_all(body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return Ok((0, answer)) };
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    Ok((status, body.to_owned()))
}

/// A region, and where it is managed.
pub(crate) struct Managed {
    pub(crate) region: Region,
    at: String,
}

impl Managed {
    pub(crate) fn start(folder: &Path) -> Self {
        let region = Region::start(folder);
        let at = region.logged("TCPIPSERVICE CMCI listens on ");
        Self { region, at }
    }

    pub(crate) fn ask(&self, headers: &str, body: &[u8]) -> (u16, String) {
        ask(&self.at, ("POST", PATH), headers, body).expect("an answer")
    }

    fn deploy(&self, files: &[BundleFile]) -> (u16, String) {
        self.ask(ANNA, &form(&zip(files), &FIELDS))
    }

    /// The value of an attribute of the one resource of a type that a name means; nothing if there is none.
    pub(crate) fn attribute(&self, of: &str, attribute: &str) -> Option<String> {
        let target = format!("/CICSSystemManagement/{of}");
        let (_, body) = ask(&self.at, ("GET", &target), ANNA, b"").expect("an answer");
        let (_, rest) = body.split_once(&format!(" {attribute}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    }

    fn status(&self) -> Option<String> {
        self.attribute("CICSBundle/BANK?CRITERIA=NAME%3DSHOP", "enablestatus")
    }

    fn concurrency(&self) -> Option<String> {
        self.attribute("CICSProgram/BANK?CRITERIA=PROGRAM%3DSLOW", "concurrency")
    }
}

/// Returns true if the deployed folder has these files, and no others.
fn has(folder: &Path, files: &[BundleFile]) -> bool {
    let root = folder.join("bundles/shop_1.0.0");
    let is_there =
        |(name, text): &BundleFile| fs::read_to_string(root.join(name)).is_ok_and(|is| is == *text);
    let count = |folder: &Path| fs::read_dir(folder).map_or(0, Iterator::count);
    files.iter().all(is_there) && count(&root) == 4 && count(&root.join("notes")) == 1
}

#[test]
fn a_zip_becomes_the_bundle_of_its_definition() {
    let folder = house();
    let managed = Managed::start(folder.path());
    let (first, second) = (bundle(0, "QUASIRENT", ""), bundle(0, "THREADSAFE", ""));
    let (status, body) = managed.deploy(&first);
    assert_eq!((status, body.as_str()), (200, "{\"message\":\"BUNDLE SHOP is deployed and enabled\"}"));
    assert_eq!(managed.status().as_deref(), Some("ENABLED"));
    assert_eq!(managed.concurrency().as_deref(), Some("QUASIRENT"));
    assert!(has(folder.path(), &first));
    let (status, body) = managed.deploy(&second);
    assert_eq!(status, 200, "{body}");
    assert_eq!(managed.concurrency().as_deref(), Some("THREADSAFE"));
    assert!(has(folder.path(), &second));
    managed.region.ends_in_order();
    let managed = Managed::start(folder.path());
    assert_eq!(managed.status().as_deref(), Some("ENABLED"));
    assert_eq!(managed.concurrency().as_deref(), Some("THREADSAFE"));
    let signature = |attribute| managed.attribute("CICSBundle/BANK?CRITERIA=NAME%3DSHOP", attribute);
    assert_eq!(signature("installagent").as_deref(), Some("CSDAPI"));
    assert_eq!(signature("definesource").as_deref(), Some("DEV"));
    let part = |attribute| {
        managed
            .attribute("CICSBundlePart/BANK?CRITERIA=BUNDLE%3DSHOP%20AND%20BUNDLEPART%3DSLOWMAP", attribute)
    };
    assert_eq!(part("enablestatus").as_deref(), Some("ENABLED"));
    assert_eq!(part("metadatafile").as_deref(), Some("SLOWMAP.urimap"));
    // A part that is not built: the new bundle is there, and is not enabled.
    let node = "<define name=\"app\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/NODEJSAPP\" path=\"a.nodejsapp\"/>";
    let (status, body) = managed.deploy(&bundle(0, "QUASIRENT", node));
    assert_eq!(status, 500);
    assert!(
        body.contains("\"deployments\":[{\"message\":\"BUNDLE SHOP is installed and not enabled\"}"),
        "{body}"
    );
    assert!(body.contains("part app: parts of type NODEJSAPP are not built"), "{body}");
    assert_eq!(managed.status().as_deref(), Some("DISABLED"));
    assert_eq!(managed.deploy(&first).0, 200);
    assert_eq!(managed.status().as_deref(), Some("ENABLED"));
    managed.region.ends_in_order();
}

#[test]
fn what_is_not_a_bundle_of_its_definition_changes_nothing() {
    let folder = house();
    let managed = Managed::start(folder.path());
    let first = bundle(0, "QUASIRENT", "");
    assert_eq!(managed.deploy(&first).0, 200);
    let good = zip(&bundle(0, "THREADSAFE", ""));
    assert_eq!(managed.ask("", &form(&good, &FIELDS)).0, 401);
    assert_eq!(managed.ask(BERT, &form(&good, &FIELDS)).0, 403);
    let origin = format!("{ANNA}Origin: https://elsewhere.example\r\n");
    assert_eq!(managed.ask(&origin, &form(&good, &FIELDS)).0, 403);
    assert_eq!(ask(&managed.at, ("GET", PATH), ANNA, b"").expect("an answer").0, 405);
    let out = vec![
        ("META-INF/cics.xml", bundle(0, "QUASIRENT", "")[0].1.clone()),
        ("../../region.toml", String::new()),
    ];
    let damaged = vec![("META-INF/cics.xml", "<manifest".to_owned())];
    let mut cut = good.clone();
    cut.truncate(good.len() / 2);
    for (zip, fields, field, why) in [
        (&good, &FIELDS[..1], "csdgroup", "it must be given"),
        (&good, &FIELDS[1..], "bunddef", "it must be given"),
        (&good, &[("bunddef", "NONE"), ("csdgroup", "DEV")][..], "bunddef", "group DEV has no BUNDLE NONE"),
        (
            &good,
            &[FIELDS[0], FIELDS[1], ("region", "OTHER")][..],
            "region",
            "the region stands alone: it is BANK",
        ),
        (
            &zip(&bundle(1, "QUASIRENT", "")),
            &FIELDS[..],
            "bundle",
            "its id and version belong to BUNDLEDIR(bundles/shop_1.0.1)",
        ),
        (&zip(&out), &FIELDS[..], "bundle", "the entry '../../region.toml' leads out of the bundle"),
        (&zip(&damaged), &FIELDS[..], "bundle", "META-INF/cics.xml, line 1"),
        (&cut, &FIELDS[..], "bundle", "it is no zip that can be taken"),
        (&Vec::new(), &FIELDS[..], "bundle", "it is no zip that can be taken"),
    ] {
        let (status, body) = managed.ask(ANNA, &form(zip, fields));
        assert_eq!(status, 400, "{why}: {body}");
        assert!(
            body.contains(&format!("\"requestErrors\":{{\"{field}\":\"")) && body.contains(why),
            "{why}: {body}"
        );
    }
    assert_eq!(managed.status().as_deref(), Some("ENABLED"));
    assert_eq!(managed.concurrency().as_deref(), Some("QUASIRENT"));
    assert!(has(folder.path(), &first));
    managed.region.ends_in_order();
}

#[test]
fn a_bundle_may_be_a_zip() {
    let folder = house();
    let pipeline = "<define name=\"PIPE\" type=\"http://www.ibm.com/xmlns/prod/cics/bundle/PIPELINE\" path=\"p.pipeline\"/>";
    let mut files = bundle(0, "THREADSAFE", pipeline);
    let part = "<cicsdefinitionpipeline xmlns=\"http://www.ibm.com/xmlns/prod/CICS/smw2int\" name=\"PIPE\" configfile=\"p.xml\"/>";
    files.push(("p.pipeline", part.to_owned()));
    fs::write(folder.path().join("shop.zip"), zip(&files)).expect("written");
    let definitions = format!("{DEFINITIONS}DEFINE BUNDLE(SHOP) GROUP(OPS) BUNDLEDIR(shop.zip)\n");
    fs::write(folder.path().join("bank.csd"), definitions).expect("written");
    let managed = Managed::start(folder.path());
    assert_eq!(managed.concurrency().as_deref(), Some("THREADSAFE"));
    managed.region.logs("part PIPE of BUNDLE SHOP is disabled: 'p.xml' is within a zip");
    assert_eq!(managed.status().as_deref(), Some("DISABLED"));
    managed.region.ends_in_order();
    fs::write(folder.path().join("shop.zip"), &zip(&files)[1..]).expect("written");
    let managed = Managed::start(folder.path());
    managed.region.logs("shop.zip: it is no zip that can be taken");
    assert_eq!(managed.concurrency(), None);
    managed.region.ends_in_order();
}

#[test]
fn a_deployment_waits_for_work_that_has_begun() {
    let folder = house();
    let managed = Managed::start(folder.path());
    assert_eq!(managed.deploy(&bundle(0, "QUASIRENT", "")).0, 200);
    let at = managed.at.clone();
    let work = thread::spawn(move || ask(&at, ("GET", "/slow"), ANNA, b""));
    managed.region.logs("SLOW BEGINS");
    let (status, body) = managed.deploy(&bundle(0, "THREADSAFE", ""));
    assert_eq!(status, 200, "{body}");
    assert!(managed.region.log().contains("SLOW IS OVER"), "{}", managed.region.log());
    assert_eq!(managed.concurrency().as_deref(), Some("THREADSAFE"));
    work.join().expect("a thread").expect("an answer");
    managed.region.ends_in_order();
}

/// Has a command of CEMT carried out, and returns what it shows.
pub(crate) fn cemt(folder: &Path, command: &str) -> String {
    let output = product().args(["cemt", ".", command]).current_dir(folder).output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The number of a task of a transaction, as soon as there is one.
fn task_of(folder: &Path, transaction: &str) -> String {
    let begun = Instant::now();
    loop {
        let tasks = cemt(folder, "INQUIRE TASK");
        if let Some(line) = tasks.lines().find(|line| line.contains(transaction)) {
            let digits = line.chars().skip_while(|c| !c.is_ascii_digit());
            return digits.take_while(char::is_ascii_digit).collect();
        }
        assert!(begun.elapsed() < PATIENCE, "no task of {transaction}:\n{tasks}");
    }
}

/// Waits until the slow program has begun so many times.
fn slow_has_begun(region: &Region, times: usize) {
    let begun = Instant::now();
    while region.log().matches("SLOW BEGINS").count() < times {
        assert!(begun.elapsed() < PATIENCE, "{}", region.log());
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_deployment_that_is_purged_leaves_the_old_bundle_enabled() {
    let folder = house();
    // Longer than any machine takes to find the task of the deployment: the work lasts until it is purged itself.
    let lasting = SLOW.replace("SECONDS(3)", "SECONDS(600)");
    fs::write(folder.path().join("programs/SLOW.cbl"), lasting).expect("written");
    let managed = Managed::start(folder.path());
    let first = bundle(0, "QUASIRENT", "");
    assert_eq!(managed.deploy(&first).0, 200);
    for (times, purge) in (1..).zip(["PURGE", "FORCEPURGE"]) {
        let at = managed.at.clone();
        let work = thread::spawn(move || ask(&at, ("GET", "/slow"), ANNA, b""));
        slow_has_begun(&managed.region, times);
        let at = managed.at.clone();
        let body = form(&zip(&bundle(0, "THREADSAFE", "")), &FIELDS);
        let deploys = thread::spawn(move || ask(&at, ("POST", PATH), ANNA, &body));
        let number = task_of(folder.path(), "CWWU");
        assert!(cemt(folder.path(), &format!("SET TASK({number}) {purge}")).contains("NORMAL"));
        let (status, body) = deploys.join().expect("a thread").expect("an answer");
        assert_eq!(status, 500, "{purge}: {body}");
        assert_eq!(managed.status().as_deref(), Some("ENABLED"), "{purge}");
        assert_eq!(managed.concurrency().as_deref(), Some("QUASIRENT"), "{purge}");
        assert!(has(folder.path(), &first), "{purge}");
        assert_eq!(fs::read_dir(folder.path().join("bundles")).expect("a folder").count(), 1, "{purge}");
        let number = task_of(folder.path(), "CWBA");
        assert!(cemt(folder.path(), &format!("SET TASK({number}) PURGE")).contains("NORMAL"));
        work.join().expect("a thread").expect("an answer");
    }
    // Its log has the abends of the purged tasks.
    managed.region.signal("INT");
    let (status, log) = managed.region.ended();
    assert!(status.success(), "{log}");
}

#[test]
fn a_region_killed_while_a_bundle_is_deployed_has_the_old_one_or_the_new_one() {
    let folder = house();
    let both = [bundle(0, "QUASIRENT", ""), bundle(0, "THREADSAFE", "")];
    let managed = Managed::start(folder.path());
    assert_eq!(managed.deploy(&both[0]).0, 200);
    managed.region.ends_in_order();
    let mut chance = Chance::asked_for();
    for kill in 1..=asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS) {
        let managed = Managed::start(folder.path());
        let at = managed.at.clone();
        let bodies = both.clone().map(|files| form(&zip(&files), &FIELDS));
        let deploys = thread::spawn(move || {
            // It goes on until the region is gone.
            for body in bodies.iter().cycle() {
                if ask(&at, ("POST", PATH), ANNA, body).is_err() {
                    break;
                }
            }
        });
        thread::sleep(Duration::from_millis(20 + chance.below(300)));
        managed.region.signal("KILL");
        drop(managed.region);
        deploys.join().expect("a thread");
        let managed = Managed::start(folder.path());
        let concurrency = managed.concurrency().expect("the bundle's program");
        let files = both.iter().find(|files| has(folder.path(), files));
        let files = files.unwrap_or_else(|| panic!("kill {kill}: neither the old bundle nor the new one"));
        assert!(files[1].1.contains(&concurrency), "kill {kill}: {concurrency}");
        assert_eq!(managed.status().as_deref(), Some("ENABLED"), "kill {kill}");
        managed.region.ends_in_order();
    }
}
