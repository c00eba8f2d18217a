//! A real directory: Debian's slapd.

mod slapd;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use directory::{Cached, Directory, Failure, Ldap, LdapSettings};
use slapd::{SUFFIX, Slapd};

const PATIENCE: Duration = Duration::from_secs(60);

fn ldap(slapd: &Slapd) -> Ldap {
    Ldap::new(settings(slapd.port, PATIENCE))
}

fn settings(port: u16, timeout: Duration) -> LdapSettings {
    LdapSettings {
        url: format!("ldap://127.0.0.1:{port}"),
        starttls: false,
        trust: None,
        user_dn: format!("uid={{user}},ou=people,{SUFFIX}"),
        groups_base: Some(format!("ou=groups,{SUFFIX}")),
        group_filter: "(member={dn})".to_owned(),
        group_name: "cn".to_owned(),
        bind: Some((format!("uid=region,ou=people,{SUFFIX}"), "harbour-3".to_owned())),
        timeout,
    }
}

#[tokio::test]
async fn a_user_of_the_directory_signs_on_with_the_groups_and_no_other_user_does() {
    let slapd = Slapd::start();
    let ldap = ldap(&slapd);
    let anna = ldap.sign_on("ANNA", "harbour-1").await.expect("signed on");
    let mut groups = anna.groups.clone();
    groups.sort();
    assert_eq!((anna.user.as_str(), groups), ("ANNA", vec!["BOSSES".to_owned(), "TELLERS".to_owned()]));
    for (user, password) in [
        ("ANNA", "harbour-2"),
        ("ANNA", ""),
        ("NOBODY", "harbour-1"),
        ("", ""),
        ("*", "harbour-1"),
        ("ANNA,ou=people", "x"),
    ] {
        assert_eq!(ldap.sign_on(user, password).await, Err(Failure::Wrong), "{user} {password}");
    }
    let carl = ldap.find("carl").await.expect("asked").expect("there");
    assert_eq!((carl.user.as_str(), carl.groups.as_slice()), ("CARL", &["TELLERS".to_owned()][..]));
    assert_eq!(ldap.find("NOBODY").await, Ok(None));
    assert_eq!(ldap.find("*)(uid=*").await, Ok(None), "what is typed is no filter");
}

#[tokio::test]
async fn a_user_whom_the_directory_has_locked_is_told_so_by_it() {
    let slapd = Slapd::start();
    let ldap = ldap(&slapd);
    for _ in 0..2 {
        assert_eq!(ldap.sign_on("CARL", "wrong").await, Err(Failure::Wrong));
    }
    assert_eq!(ldap.sign_on("CARL", "harbour-2").await, Err(Failure::Locked));
    assert!(ldap.sign_on("ANNA", "harbour-1").await.is_ok(), "nobody else is");
}

#[tokio::test]
async fn a_directory_that_is_gone_counts_for_a_while_and_then_no_user_is_let_in() {
    let mut slapd = Slapd::start();
    let ldap = Arc::new(ldap(&slapd));
    let long = Cached::new(Arc::clone(&ldap), Duration::from_secs(3_600));
    let short = Cached::new(Arc::clone(&ldap), Duration::ZERO);
    for cached in [&long, &short] {
        assert!(cached.sign_on("ANNA", "harbour-1").await.is_ok());
        assert!(cached.find("ANNA").await.is_ok_and(|found| found.is_some()));
    }
    slapd.end();
    assert!(matches!(ldap.sign_on("ANNA", "harbour-1").await, Err(Failure::Silent(_))));
    let anna = long.sign_on("ANNA", "harbour-1").await.expect("by what was said before");
    assert_eq!(anna.groups.len(), 2);
    assert_eq!(long.sign_on("ANNA", "harbour-9").await, Err(Failure::Wrong));
    assert!(long.find("ANNA").await.is_ok_and(|found| found.is_some()));
    assert!(matches!(long.sign_on("CARL", "harbour-2").await, Err(Failure::Silent(_))), "never seen before");
    assert!(matches!(short.sign_on("ANNA", "harbour-1").await, Err(Failure::Silent(_))), "too long ago");
    assert!(short.find("ANNA").await.is_err());
}

#[tokio::test]
async fn a_directory_that_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("its address").port();
    let ldap = Ldap::new(settings(port, Duration::from_millis(200)));
    let begun = Instant::now();
    assert!(
        matches!(ldap.sign_on("ANNA", "harbour-1").await, Err(Failure::Silent(why)) if why.contains("not answered"))
    );
    assert!(matches!(ldap.find("ANNA").await, Err(Failure::Silent(_))));
    assert!(begun.elapsed() < PATIENCE);
}
