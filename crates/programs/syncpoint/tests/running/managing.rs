//! A region managed over HTTP by CMCI: what its clients ask first, what they change, and what is refused.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use crate::house::{FREE_PORT, PATIENCE, Region, application};

const DEFINITIONS: &str = "
DEFINE TCPIPSERVICE(CMCI) GROUP(OPS) PORTNUMBER(1490) PROTOCOL(HTTP) URM(DFHWBAAX) AUTHENTICATE(BASIC)
DEFINE TCPIPSERVICE(OPEN) GROUP(OPS) PORTNUMBER(1491) PROTOCOL(HTTP)
DEFINE URIMAP(CMCI) GROUP(OPS) USAGE(SERVER) HOST(*) PATH(/CICSSystemManagement/*)
       TRANSACTION(CWWU) PROGRAM(DFHWUIPG)
DEFINE URIMAP(LOOSE) GROUP(OPS) USAGE(SERVER) HOST(*) PATH(/loose/*) PROGRAM(DFHWUIPG)
DEFINE URIMAP(WAITS) GROUP(OPS) USAGE(SERVER) HOST(*) PATH(/waits) PROGRAM(WAITER)
DEFINE PROGRAM(WAITER) GROUP(OPS)
DEFINE PROGRAM(BKMENU) GROUP(BANK)
DEFINE PROGRAM(BKLIST) GROUP(BANK)
DEFINE TRANSACTION(BANK) GROUP(BANK) PROGRAM(BKMENU)
DEFINE FILE(ACCTS) GROUP(BANK) DSNAME(BANK.ACCTS) READ(YES) UPDATE(YES)
DEFINE TDQUEUE(LOGA) GROUP(BANK) TYPE(INTRA)
ADD GROUP(OPS) LIST(APP)
ADD GROUP(BANK) LIST(APP)
";

/// ANNA may change the region, BERT may look at it, CARL may run transactions. The password of each is `secret`.
const USERS: &str = "
[[user]]
userid = \"ANNA\"
rights = [\"run\", \"inquire\", \"operate\"]
password = \"@\"
[[user]]
userid = \"BERT\"
rights = [\"run\", \"inquire\"]
password = \"@\"
[[user]]
userid = \"CARL\"
rights = [\"run\"]
password = \"@\"
";
const SECRET: &str =
    "$argon2id$v=19$m=1024,t=2,p=1$0eH5r7p5oFoEVZnFx+u7ew$yrj6oyBi4DdAt/VVpWSyQjB7902Vdwm3KRBA3BIm48o";
const ANNA: &str = "Authorization: Basic QU5OQTpzZWNyZXQ=\r\n";
const BERT: &str = "Authorization: Basic QkVSVDpzZWNyZXQ=\r\n";
const CARL: &str = "Authorization: Basic Q0FSTDpzZWNyZXQ=\r\n";
const BASE: &str = "/CICSSystemManagement";
/// Waits for longer than any test.
const WAITS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITER.
       PROCEDURE DIVISION.
           EXEC CICS DELAY FOR HOURS(1) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

fn house(more: &str, files: &[(&str, &str)]) -> TempDir {
    let program = |name: &str| {
        format!(">>SOURCE FORMAT FREE\nID DIVISION.\nPROGRAM-ID. {name}.\nPROCEDURE DIVISION.\n    GOBACK.\n")
    };
    let configuration = format!(
        "applid = \"BANK\"\ngrplist = \"APP\"\n{more}{FREE_PORT}[web.services]\nCMCI = \"127.0.0.1:0\"\nOPEN = \"127.0.0.1:0\"\n"
    );
    let (menu, list, users) = (program("BKMENU"), program("BKLIST"), USERS.replace('@', SECRET));
    let own = [
        ("region.toml", configuration.as_str()),
        ("bank.csd", DEFINITIONS),
        ("bank.idcams", " DEFINE CLUSTER (NAME(BANK.ACCTS) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n"),
        ("programs/BKMENU.cbl", menu.as_str()),
        ("programs/BKLIST.cbl", list.as_str()),
        ("programs/WAITER.cbl", WAITS),
        ("users.toml", users.as_str()),
    ];
    application(&[&own[..], files].concat())
}

/// Asks: the status, and the body.
fn ask(at: &str, method: &str, target: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(at).expect("a connection");
    let length = body.len();
    let head = format!("{method} {target} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{headers}");
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").expect("it takes the request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (status, body.to_owned())
}

/// A region, and where CMCI is.
struct Managed {
    region: Region,
    at: String,
}

impl Managed {
    fn start(folder: &Path) -> Self {
        let region = Region::start(folder);
        let at = region.logged("TCPIPSERVICE CMCI listens on ");
        Self { region, at }
    }

    fn get(&self, target: &str) -> String {
        let (status, body) = ask(&self.at, "GET", &format!("{BASE}{target}"), ANNA, "");
        assert_eq!(status, 200, "{target}: {body}");
        body
    }

    fn put(&self, target: &str, body: &str) -> String {
        let (status, answer) = ask(&self.at, "PUT", &format!("{BASE}{target}"), ANNA, body);
        assert_eq!(status, 200, "{target}: {answer}");
        answer
    }

    fn change(&self, method: &str, target: &str, user: &str, body: &str) -> (u16, String) {
        ask(&self.at, method, &format!("{BASE}{target}"), user, body)
    }
}

/// The value of an attribute, where it is written first.
fn attribute<'a>(body: &'a str, name: &str) -> &'a str {
    let start = format!(" {name}=\"");
    let rest = body.split_once(&start).unwrap_or_else(|| panic!("no {name} in {body}")).1;
    rest.split_once('"').expect("a quote").0
}

/// The response of an answer, and its reason.
fn response(body: &str) -> (&str, &str) {
    (attribute(body, "api_response1_alt"), attribute(body, "api_response2_alt"))
}

fn action(name: &str) -> String {
    format!("<request>\n  <action name=\"{name}\"/>\n</request>")
}

#[test]
fn a_tree_of_resources_opens_by_the_requests_that_its_client_makes() {
    let folder = house("[sit]\nMXT = 77\n", &[]);
    let cmci = Managed::start(folder.path());
    let (status, body) = cmci.change("GET", "/CICSCICSPlex/?SUMMONLY&NODISCARD", ANNA, "");
    assert_eq!(status, 404, "a region that stands alone has no plex: {body}");
    for target in ["/CICSRegion/", "/CICSRegion/BANK", "/cicsregion/bank"] {
        let body = cmci.get(target);
        assert_eq!((attribute(&body, "cicsname"), attribute(&body, "maxtasks")), ("BANK", "77"));
        assert!(body.contains("<cicsregion "), "{body}");
    }
    let not = "CRITERIA=(NOT%20(PROGRAM%3DCEE*%20OR%20PROGRAM%3DDFH*%20OR%20PROGRAM%3DEZA*%20OR%20PROGRAM%3DWAITER))";
    let body = cmci.get(&format!("/CICSProgram/BANK?{not}&SUMMONLY&NODISCARD&OVERRIDEWARNINGCOUNT"));
    assert_eq!((attribute(&body, "recordcount"), body.contains("<records>")), ("2", false));
    let token = attribute(&body, "cachetoken").to_owned();
    let page = cmci.get(&format!("/CICSResultCache/{token}/1/250?NODISCARD"));
    assert_eq!((attribute(&page, "program"), attribute(&page, "status")), ("BKLIST", "ENABLED"));
    let page = cmci.get(&format!("/CICSResultCache/{token}/2/1?NODISCARD"));
    assert_eq!((attribute(&page, "program"), attribute(&page, "displayed_recordcount")), ("BKMENU", "1"));
    assert_eq!(response(&cmci.get(&format!("/CICSResultCache/{token}?SUMMONLY"))), ("OK", ""));
    assert_eq!(response(&cmci.get(&format!("/CICSResultCache/{token}?SUMMONLY"))), ("INVALIDPARM", "RESULT"));
    let body = cmci.get("/CICSLocalTransaction/BANK?CRITERIA=(TRANID%3D'BANK')");
    assert_eq!((attribute(&body, "tranid"), attribute(&body, "routing")), ("BANK", "STATIC"));
    let body = cmci.get("/CICSLocalFile/BANK?CRITERIA=(file=ACC*)");
    assert_eq!((attribute(&body, "enablestatus"), attribute(&body, "dsname")), ("ENABLED", "BANK.ACCTS"));
    // The task that answers sees itself.
    let body = cmci.get("/CICSTask/BANK?CRITERIA=(TRANID%3DCWWU)");
    assert_eq!((attribute(&body, "userid"), attribute(&body, "runstatus")), ("ANNA", "RUNNING"));
    let body = cmci.get("/CICSTCPIPService/BANK?CRITERIA=(name%3Dcmci)");
    assert_eq!(response(&body), ("NODATA", ""), "names are in capitals");
    assert_eq!(attribute(&cmci.get("/CICSTCPIPService/BANK?CRITERIA=(NAME%3DCMCI)"), "openstatus"), "OPEN");
    assert_eq!(attribute(&cmci.get("/CICSURIMap/BANK?CRITERIA=(NAME%3DCMCI)"), "scheme"), "HTTP");
    assert_eq!(attribute(&cmci.get("/CICSIntrapartitionTDQueue/BANK"), "tdqueue"), "LOGA");
    assert_eq!(attribute(&cmci.get("/CICSLibrary/BANK"), "name"), "DFHRPL");
    let body = cmci.get(
        "/CICSSystemParameter/BANK?PARAMETER=PARMSRCE(COMBINED)%20PARMTYPE(SIT)&CRITERIA=(KEYWORD%3DMXT)",
    );
    assert_eq!(attribute(&body, "value"), "77");
    for nothing in ["CICSPipeline", "CICSBundle", "CICSJVMServer", "CICSRemoteFile", "CICSTSQueue"] {
        assert_eq!(response(&cmci.get(&format!("/{nothing}/BANK"))), ("NODATA", ""), "{nothing}");
    }
    cmci.region.ends_in_order();
}

#[test]
fn a_result_is_chosen_ordered_and_counted() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let bank = "CRITERIA=PROGRAM%3DBK*";
    let body = cmci.get(&format!("/CICSProgram/BANK?{bank}&ORDERBY=PROGRAM/D"));
    assert_eq!((attribute(&body, "recordcount"), attribute(&body, "program")), ("2", "BKMENU"));
    // Ansible: a count, and neither scope nor index.
    let body = cmci.get(&format!("/cicsprogram/BANK///1?{bank}"));
    assert_eq!((attribute(&body, "recordcount"), attribute(&body, "displayed_recordcount")), ("2", "1"));
    for (target, expected) in [
        ("/CICSProgram/OTHER", ("INVALIDPARM", "CONTEXT")),
        ("/CICSProgram/BANK/OTHER", ("INVALIDPARM", "SCOPE")),
        ("/CICSProgram/BANK?CRITERIA=(PROGRAM%3D", ("INVALIDPARM", "CRITERIA")),
        // NOT of an attribute that nothing has would be everything, and so would criteria that a script has forgotten.
        ("/CICSProgram/BANK?CRITERIA=NOT(PROGRM%3DX)", ("INVALIDPARM", "CRITERIA")),
        ("/CICSDefinitionProgram/BANK?CRITERIA=NOT(NAM%3DX)", ("INVALIDPARM", "CRITERIA")),
        ("/CICSProgram/BANK?CRITERIA=", ("INVALIDPARM", "CRITERIA")),
        ("/CICSProgram/BANK?ORDERBY=NOSUCH", ("INVALIDPARM", "ATTRIBUTE")),
    ] {
        assert_eq!(response(&cmci.get(target)), expected, "{target}");
    }
    for (target, expected) in [
        ("/", "DFHWU4001"),
        ("/CICSProgram/BANK?NOSUCH", "DFHWU4003"),
        ("/CICSProgram", "DFHWU4004"),
        ("/CICSResultCache", "DFHWU4005"),
        ("/CICSProgram/BANK//0/1", "DFHWU4008"),
    ] {
        let (status, body) = cmci.change("GET", target, ANNA, "");
        assert_eq!((status, attribute(&body, "message_id")), (400, expected), "{target}");
    }
    assert_eq!(cmci.change("PATCH", "/CICSProgram/BANK", ANNA, "").0, 405);
    cmci.region.ends_in_order();
}

#[test]
fn actions_and_new_values_are_those_of_set_and_are_in_the_audit() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let menu = "/CICSProgram/BANK?CRITERIA=(PROGRAM%3D'BKMENU')";
    for (name, status) in
        [("DISABLE", "DISABLED"), ("ENABLE", "ENABLED"), ("NEWCOPY", "ENABLED"), ("PHASEIN", "ENABLED")]
    {
        let body = cmci.put(menu, &action(name));
        assert_eq!((response(&body), attribute(&body, "status")), (("OK", ""), status), "{name}");
        assert_eq!(attribute(&body, "successcount"), "1");
    }
    let file = "/CICSLocalFile/BANK?CRITERIA=(file%3DACCTS)";
    let close = "<request><action name=\"CLOSE\"><parameter name=\"BUSY\" value=\"FORCE\"></parameter></action></request>";
    assert_eq!(attribute(&cmci.put(file, &action("OPEN")), "openstatus"), "OPEN");
    assert_eq!(attribute(&cmci.put(file, close), "openstatus"), "CLOSED");
    let update =
        "<request><update><attributes ENABLESTATUS=\"DISABLED\" Read=\"NOTREADABLE\"/></update></request>";
    let body = cmci.put(file, update);
    assert_eq!((attribute(&body, "enablestatus"), attribute(&body, "read")), ("DISABLED", "NOTREADABLE"));
    let region = "<request><update><attributes MAXTASKS=\"40\"/></update></request>";
    assert_eq!(attribute(&cmci.put("/CICSRegion/BANK", region), "maxtasks"), "40");
    // The criteria do not choose it any more.
    let on = "/CICSProgram/BANK?CRITERIA=PROGRAM%3DBKMENU%20AND%20STATUS%3DENABLED";
    assert_eq!(attribute(&cmci.put(on, &action("DISABLE")), "status"), "DISABLED");
    assert_eq!(response(&cmci.put(on, &action("DISABLE"))), ("NODATA", ""));
    // What cannot be done says why.
    let body = cmci.put(menu, &action("BURN"));
    assert_eq!(response(&body), ("INVALIDPARM", "ACTION"));
    let body = cmci.put(menu, "<request><update><attributes LANGUAGE=\"COBOL\"/></update></request>");
    assert_eq!((response(&body), attribute(&body, "attribute1")), (("INVALIDDATA", "ATTRIBUTE"), "LANGUAGE"));
    fs::remove_file(folder.path().join("programs/BKLIST.cbl")).expect("removed");
    let body = cmci.put("/CICSProgram/BANK?CRITERIA=(PROGRAM%3DBKLIST)", &action("NEWCOPY"));
    assert_eq!(response(&body), ("TABLEERROR", "DATAERROR"), "{body}");
    assert_eq!((attribute(&body, "resp_alt"), attribute(&body, "eibfn_alt")), ("IOERR", "SET PROGRAM"));
    let task = "/CICSTask/BANK?CRITERIA=(TASK%3D'99999')";
    assert_eq!(response(&cmci.put(task, &action("PURGE"))), ("NODATA", ""));
    let (status, body) =
        cmci.change("DELETE", "/CICSLocalTransaction/BANK?CRITERIA=(TRANID%3DBANK)", ANNA, "");
    assert_eq!((status, response(&body)), (200, ("OK", "")));
    assert_eq!(response(&cmci.get("/CICSLocalTransaction/BANK?CRITERIA=(TRANID%3DBANK)")), ("NODATA", ""));
    cmci.region.ends_in_order();
    let mut export = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let export =
        export.args(["audit", "export"]).current_dir(folder.path()).output().expect("syncpoint starts");
    let audit = String::from_utf8_lossy(&export.stdout).into_owned();
    for change in ["SET PROGRAM", "SET FILE", "SET SYSTEM", "DISCARD TRANSACTION"] {
        let is_it = |line: &&str| line.contains(change) && line.contains("ANNA") && line.contains("CWWU");
        assert!(audit.lines().any(|line| is_it(&line)), "{change} in\n{audit}");
    }
}

#[test]
fn a_task_that_waits_is_purged() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let open = cmci.region.logged("TCPIPSERVICE OPEN listens on ");
    let waits = thread::spawn(move || ask(&open, "GET", "/waits", "", ""));
    let since = Instant::now();
    let body = loop {
        let body = cmci.get("/CICSTask/BANK?CRITERIA=TRANID%3DCWBA%20AND%20SUSPENDTYPE%3DICWAIT");
        if response(&body).0 == "OK" {
            break body;
        }
        assert!(since.elapsed() < PATIENCE, "no task waits: {body}");
        thread::yield_now();
    };
    assert_eq!(attribute(&body, "runstatus"), "SUSPENDED");
    let task = format!("/CICSTask/BANK?CRITERIA=(TASK%3D'{}')", attribute(&body, "task"));
    let purge =
        "<request><action name=\"PURGE\"><parameter name=\"TYPE\" value=\"FORCEPURGE\"/></action></request>";
    let body = cmci.put(&task, purge);
    assert_eq!((response(&body), attribute(&body, "successcount")), (("OK", ""), "1"));
    assert_eq!(waits.join().expect("an answer").0, 500, "its client hears of it");
    cmci.region.signal("INT");
    assert!(cmci.region.ended().0.success());
}

#[test]
fn definitions_are_made_changed_copied_installed_and_taken_away() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let define = |attributes: &str| {
        let body = format!(
            "<request><create><parameter name=\"CSD\"/><attributes {attributes}/></create></request>"
        );
        cmci.change("POST", "/CICSDefinitionTransaction/BANK", ANNA, &body)
    };
    let (status, body) =
        define("name=\"LIST\" csdgroup=\"NEW\" program=\"BKLIST\" description=\"All (of them)\"");
    assert_eq!((status, response(&body)), (200, ("OK", "")), "{body}");
    assert_eq!((attribute(&body, "csdgroup"), attribute(&body, "program")), ("NEW", "BKLIST"));
    assert_eq!(attribute(&body, "description"), "All (of them)");
    let text = fs::read_to_string(folder.path().join("bank.csd")).expect("the text");
    assert!(text.contains("DEFINE TRANSACTION(LIST) GROUP(NEW)"), "{text}");
    let (_, body) = define("name=\"LIST\" csdgroup=\"NEW\" program=\"BKLIST\"");
    assert_eq!((response(&body), attribute(&body, "resp_alt")), (("TABLEERROR", "DATAERROR"), "DUPRES"));
    // Letters are capitals where the texts have them so; a value stays one value.
    for (name, description) in [("A1", "It's"), ("A2", "a, b  c"), ("A3", "x\ny"), ("A4", "''"), ("A5", "(")]
    {
        let attributes =
            format!("name=\"{name}\" csdgroup=\"new\" program=\"bklist\" description=\"{description}\"");
        let (_, body) = define(&attributes);
        assert_eq!(response(&body), ("OK", ""), "{description}: {body}");
        assert_eq!((attribute(&body, "csdgroup"), attribute(&body, "program")), ("NEW", "BKLIST"));
        assert_eq!(attribute(&body, "description").replace("&apos;", "'"), description.replace('\n', " "));
    }
    for wrong in [
        "name=\"L) GROUP(X\" csdgroup=\"NEW\"",
        "name=\"L\" csdgroup=\"\"",
        "name=\"L\" csdgroup=\"NEW\" nosuch=\"1\"",
        "name=\"L\" csdgroup=\"NEW\" priority=\"999\"",
    ] {
        assert_eq!(response(&define(wrong).1), ("INVALIDDATA", "ATTRIBUTE"), "{wrong}");
    }
    let one = "/CICSDefinitionTransaction/BANK?CRITERIA=(NAME%3DLIST)&PARAMETER=CSDGROUP(NEW)";
    let update = "<request><update><parameter name=\"CSD\"/><attributes priority=\"9\"/></update></request>";
    assert_eq!(attribute(&cmci.put(one, update), "priority"), "9");
    let body = cmci.put(one, &action("CSDINSTALL"));
    assert_eq!((response(&body), attribute(&body, "successcount")), (("OK", ""), "1"));
    let body = cmci.get("/CICSLocalTransaction/BANK?CRITERIA=(TRANID%3DLIST)");
    assert_eq!((attribute(&body, "priority"), attribute(&body, "installusrid")), ("9", "ANNA"));
    assert_eq!((attribute(&body, "definesource"), attribute(&body, "installagent")), ("NEW", "CSDAPI"));
    let copy = "<request><action name=\"CSDCOPY\"><parameter name=\"TO_CSDGROUP\" value=\"OLD\"/>\
                <parameter name=\"AS_RESOURCE\" value=\"ELSE\"/></action></request>";
    assert_eq!(response(&cmci.put(one, copy)), ("OK", ""));
    assert_eq!(
        attribute(&cmci.get("/CICSDefinitionTransaction/BANK?PARAMETER=CSDGROUP(OLD)"), "name"),
        "ELSE"
    );
    let add =
        "<request><action name=\"CSDADD\"><parameter name=\"TO_CSDLIST\" value=\"APP\"/></action></request>";
    assert_eq!(response(&cmci.put("/CICSCSDGroup/BANK?CRITERIA=(NAME%3D%3D'NEW')", add)), ("OK", ""));
    let in_list = "/CICSCSDGroupInList/BANK?CRITERIA=(CSDLIST%3D%3D'APP')%20AND%20(CSDGROUP%3D%3D'NEW')";
    assert_eq!(attribute(&cmci.get(in_list), "csdgroup"), "NEW");
    let removed = |target: &str| response(&cmci.change("DELETE", target, ANNA, "").1).0.to_owned();
    assert_eq!(removed(in_list), "OK");
    assert_eq!(response(&cmci.get(in_list)), ("NODATA", ""));
    let whole = "/CICSDefinitionTransaction/BANK?CRITERIA=(NAME%3DLIST)";
    assert_eq!(removed(whole), "INVALIDPARM", "without its group nothing is taken away");
    assert_eq!(removed(one), "OK");
    assert_eq!(removed(one), "NODATA");
    assert_eq!(removed("/CICSCSDGroup/BANK?CRITERIA=(NAME%3D%3D'OLD')"), "OK");
    // What is installed is there until it is discarded, after another start, too.
    cmci.region.ends_in_order();
    let again = Managed::start(folder.path());
    assert_eq!(attribute(&again.get("/CICSLocalTransaction/BANK?CRITERIA=(TRANID%3DLIST)"), "priority"), "9");
    again.region.ends_in_order();
}

#[test]
fn who_may_not_is_refused_and_a_page_of_another_origin_neither_acts_nor_reads() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let (menu, disable) = ("/CICSProgram/BANK?CRITERIA=(PROGRAM%3DBKMENU)", action("DISABLE"));
    assert_eq!(cmci.change("GET", menu, "", "").0, 401);
    assert_eq!(cmci.change("GET", menu, "Authorization: Basic QU5OQTpXUk9ORw==\r\n", "").0, 401);
    assert_eq!(cmci.change("GET", menu, CARL, "").0, 403, "CARL may not look");
    assert_eq!(cmci.change("GET", menu, BERT, "").0, 200);
    assert_eq!(response(&cmci.change("PUT", menu, BERT, &disable).1), ("NOTPERMIT", "USRID"));
    assert_eq!(response(&cmci.change("DELETE", menu, BERT, "").1), ("NOTPERMIT", "USRID"));
    let create = "<request><create><attributes name=\"X\" csdgroup=\"X\"/></create></request>";
    let (_, body) = cmci.change("POST", "/CICSDefinitionProgram/BANK", BERT, create);
    assert_eq!(response(&body), ("NOTPERMIT", "USRID"));
    // Without a sign-on no client changes anything.
    let open = cmci.region.logged("TCPIPSERVICE OPEN listens on ");
    let (status, body) = ask(&open, "PUT", &format!("{BASE}{menu}"), "", &disable);
    assert!(status == 403 || response(&body) == ("NOTPERMIT", "USRID"), "{status} {body}");
    let (status, body) = ask(&cmci.at, "GET", "/loose/CICSProgram/BANK", ANNA, "");
    assert_eq!(status, 403, "a transaction without checks: {body}");
    let at = &cmci.at;
    for page in [
        "Origin: http://evil.example\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        "Sec-Fetch-Site: cross-site\r\n".to_owned(),
        "Sec-Fetch-Site: same-site\r\n".to_owned(),
        format!("Origin: http://{at}.evil.example\r\n"),
    ] {
        let headers = format!("{ANNA}{page}");
        for method in ["GET", "PUT", "DELETE", "POST"] {
            assert_eq!(cmci.change(method, menu, &headers, &disable).0, 403, "{method} {page}");
        }
    }
    let own = format!("{ANNA}Origin: http://{at}\r\nSec-Fetch-Site: same-origin\r\n");
    let body = cmci.change("GET", menu, &own, "").1;
    assert_eq!(attribute(&body, "status"), "ENABLED", "nothing of that has changed it");
    cmci.region.ends_in_order();
}

#[test]
fn with_profiles_commands_and_resources_are_asked_one_by_one() {
    let profiles = "
[[profile]]
class = \"XTRAN\"
name = \"CWWU\"
uacc = \"READ\"
[[profile]]
class = \"XCMD\"
name = \"PROGRAM\"
users = { ANNA = \"ALTER\", BERT = \"READ\" }
[[profile]]
class = \"XPPT\"
name = \"BKMENU\"
uacc = \"ALTER\"
[[profile]]
class = \"XPPT\"
name = \"BKLIST\"
uacc = \"READ\"
";
    let folder = house("[sit]\nSEC = \"YES\"\n", &[("security.toml", profiles)]);
    let cmci = Managed::start(folder.path());
    let all = "/CICSProgram/BANK";
    let (_, body) = cmci.change("GET", all, BERT, "");
    assert_eq!(attribute(&body, "recordcount"), "2", "what nobody may look at is in no result: {body}");
    assert_eq!(response(&cmci.change("GET", all, CARL, "").1), ("NOTPERMIT", "USRID"));
    assert_eq!(response(&cmci.get("/CICSLocalFile/BANK")), ("NOTPERMIT", "USRID"));
    assert_eq!(response(&cmci.change("PUT", all, BERT, &action("DISABLE")).1), ("NOTPERMIT", "USRID"));
    let body = cmci.put(all, &action("DISABLE"));
    assert_eq!((response(&body), attribute(&body, "successcount")), (("TABLEERROR", "DATAERROR"), "1"));
    assert_eq!(attribute(&body, "resp_alt"), "NOTAUTH", "BKLIST is only read: {body}");
    cmci.region.ends_in_order();
}

#[test]
fn what_clients_leave_open_and_what_they_send_has_limits_with_names() {
    let folder = house("", &[]);
    let cmci = Managed::start(folder.path());
    let refusals: Vec<String> = (0..60)
        .map(|_| cmci.change("GET", "/CICSProgram/BANK?SUMMONLY&NODISCARD", ANNA, ""))
        .filter(|(status, _)| *status == 503)
        .map(|(_, body)| body)
        .collect();
    assert_eq!(refusals.len(), 40);
    assert!(refusals[0].contains("SETS_PER_USER_MAX"), "{}", refusals[0]);
    let (status, _) = cmci.change("GET", "/CICSProgram/BANK?SUMMONLY&NODISCARD", BERT, "");
    assert_eq!(status, 200, "another user has room");
    let deep = format!("/CICSProgram/BANK?CRITERIA={}A%3DB{}", "(".repeat(100), ")".repeat(100));
    assert_eq!(response(&cmci.get(&deep)), ("INVALIDPARM", "CRITERIA"));
    let long = format!("/CICSProgram/BANK?CRITERIA=PROGRAM%3D{}", "A*".repeat(3_000));
    assert_eq!(response(&cmci.get(&long)), ("NODATA", ""), "a pattern takes no time");
    let (status, _) =
        cmci.change("GET", &format!("/CICSProgram/BANK?CRITERIA=A%3D{}", "A".repeat(20_000)), ANNA, "");
    assert_eq!(status, 414);
    let many = "<parameter name=\"A\"/>".repeat(600);
    let body = format!("<request><action name=\"ENABLE\">{many}</action></request>");
    let (status, body) = cmci.change("PUT", "/CICSProgram/BANK", ANNA, &body);
    assert!(status == 413 && body.contains("ATTRIBUTES_MAX"), "{status} {body}");
    cmci.region.ends_in_order();
}
