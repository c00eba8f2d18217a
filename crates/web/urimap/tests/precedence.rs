//! Which definition a request matches, as one table.

use urimap::{Definition, Malformed, Redirect, Request, Scheme, Table, Usage, Verdict};

/// Reads `name host path` and further settings.
fn definition(text: &str) -> Definition {
    let mut words = text.split(' ');
    let mut word = || words.next().expect("a word").to_owned();
    let mut definition = Definition {
        name: word(),
        usage: Usage::Server,
        scheme: Scheme::Http,
        host: word(),
        path: word(),
        service: None,
        enabled: true,
        redirect: None,
    };
    for more in words {
        match more.split_once('=') {
            Some(("service", name)) => definition.service = Some(name.to_owned()),
            Some(("to", location)) => {
                definition.redirect = Some(Redirect { permanent: true, location: location.to_owned() });
            }
            _ => match more {
                "https" => definition.scheme = Scheme::Https,
                "disabled" => definition.enabled = false,
                "client" => definition.usage = Usage::Client,
                other => panic!("{other}"),
            },
        }
    }
    definition.check().expect("a definition");
    definition
}

const DEFINITIONS: &str = "\
any * /*
exact h.org /a/b
query h.org /a/b?x=1
short h.org /a/*
long h.org /a/bc*
case h.org /A/B
host h.org /only
serv h.org /s service=S2
both h.org /s
secure h.org /tls https
off h.org /off disabled
moved h.org /old/* to=http://new/
movedoff h.org /gone disabled to=http://new/
out h.org /client client
six [2001:db8::1] /six
named * /x*
pre h.org /q?k=*";

fn verdict(service: &str, tls: bool, host: Option<&str>, target: &str) -> String {
    let table = Table::new(DEFINITIONS.lines().map(definition));
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let request = Request { service, tls, host, path: path.as_bytes(), query };
    match table.find(&request, &mut Vec::new()) {
        Verdict::Matched { definition, rest: b"" } => definition.name.clone(),
        Verdict::Matched { definition, rest } => {
            format!("{}+{}", definition.name, String::from_utf8_lossy(rest))
        }
        Verdict::Redirected(_, redirect) => format!("{} {}", redirect.status(), redirect.location),
        Verdict::Disabled(definition) => format!("503 {}", definition.name),
        Verdict::NeedsTls(definition) => format!("403 {}", definition.name),
        Verdict::Unmatched => "none".to_owned(),
    }
}

#[test]
fn the_most_special_definition_matches() {
    for (host, target, expected) in [
        ("h.org", "/a/b", "exact"),
        ("H.ORG", "/a/b", "exact"),
        ("h.org.", "/a/b", "exact"),
        ("h.org", "/a/b?x=1", "query"),
        ("h.org", "/a/b?x=2", "exact"),
        ("h.org", "/a/b?x=1&y=2", "exact"),
        ("h.org", "/A/B", "case"),
        ("h.org", "/a/bcd", "long+d"),
        ("h.org", "/a/bc", "long"),
        ("h.org", "/a/bd?q", "short+bd"),
        ("h.org", "/a/", "short"),
        ("h.org", "/a", "any+a"),
        ("h.org", "/only", "host"),
        ("h.org", "/only/more", "any+only/more"),
        ("other", "/only", "any+only"),
        ("other", "/xyz", "named+yz"),
        ("h.org", "/xyz", "named+yz"),
        ("h.org", "/q?k=17", "pre+17"),
        ("h.org", "/q?j=17", "any+q"),
        ("[2001:DB8:0::1]", "/six", "six"),
        ("h.org", "/tls", "403 secure"),
        ("h.org", "/off", "503 off"),
        ("h.org", "/old/thing", "301 http://new/"),
        ("h.org", "/gone", "503 movedoff"),
        ("h.org", "/client", "any+client"),
        ("h.org", "/s", "both"),
    ] {
        assert_eq!(verdict("S1", false, Some(host), target), expected, "{host} {target}");
    }
    assert_eq!(verdict("S2", false, Some("h.org"), "/s"), "serv");
    assert_eq!(verdict("S1", true, Some("h.org"), "/tls"), "secure");
    assert_eq!(verdict("S1", true, Some("h.org"), "/only"), "host");
    assert_eq!(verdict("S1", false, None, "/only"), "any+only");
}

#[test]
fn nothing_matches_without_a_definition() {
    let table = Table::new([definition("a h.org /a service=S1")]);
    let find = |service, path: &str| {
        let request =
            Request { service, tls: false, host: Some("h.org"), path: path.as_bytes(), query: None };
        table.find(&request, &mut Vec::new()) == Verdict::Unmatched
    };
    assert!(find("S2", "/a") && find("S1", "/b") && !find("S1", "/a"));
}

#[test]
fn definitions_are_judged() {
    let with = |host: &str, path: &str| {
        let definition = Definition { host: host.to_owned(), path: path.to_owned(), ..definition("a * /") };
        definition.check()
    };
    for (host, path) in [("h", "/a*"), ("*", "/*"), ("::1", "/"), ("[::1]", "/"), ("10.0.0.1", "/a?b=c")] {
        assert_eq!(with(host, path), Ok(()), "{host} {path}");
    }
    for host in ["", "h:80", "a*", "h/x", "[::1]:80", "[x]"] {
        assert_eq!(with(host, "/"), Err(Malformed::Host(host.to_owned())));
    }
    for path in ["", "a", "/a*b", "/**"] {
        assert_eq!(with("h", path), Err(Malformed::Path(path.to_owned())));
    }
    let mut lost = definition("a * /");
    lost.redirect = Some(Redirect { permanent: false, location: "nowhere".to_owned() });
    assert_eq!(lost.check(), Err(Malformed::Location));
}
