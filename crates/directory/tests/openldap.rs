//! A real directory: Debian's slapd, on a port and in a folder of the test's own. `scripts/install test` installs it.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use directory::{Cached, Directory, Failure, Ldap, LdapSettings};
use tempfile::TempDir;

const SLAPD: &str = "/usr/sbin/slapd";
const SUFFIX: &str = "dc=bank,dc=example";
const PATIENCE: Duration = Duration::from_secs(60);

/// The people of the directory: CARL is locked after two wrong passwords, as everybody is.
const PEOPLE: &str = "\
dn: dc=bank,dc=example
objectClass: domain
dc: bank

dn: ou=people,dc=bank,dc=example
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=bank,dc=example
objectClass: organizationalUnit
ou: groups

dn: cn=policy,dc=bank,dc=example
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE
pwdMaxFailure: 2
pwdLockoutDuration: 3600

dn: uid=anna,ou=people,dc=bank,dc=example
objectClass: inetOrgPerson
uid: anna
cn: Anna
sn: Anna
userPassword: harbour-1

dn: uid=carl,ou=people,dc=bank,dc=example
objectClass: inetOrgPerson
uid: carl
cn: Carl
sn: Carl
userPassword: harbour-2

dn: uid=region,ou=people,dc=bank,dc=example
objectClass: inetOrgPerson
uid: region
cn: region
sn: region
userPassword: harbour-3

dn: cn=tellers,ou=groups,dc=bank,dc=example
objectClass: groupOfNames
cn: tellers
member: uid=anna,ou=people,dc=bank,dc=example
member: uid=carl,ou=people,dc=bank,dc=example

dn: cn=bosses,ou=groups,dc=bank,dc=example
objectClass: groupOfNames
cn: bosses
member: uid=anna,ou=people,dc=bank,dc=example
";

/// A directory that runs. It is killed when it goes out of scope.
struct Slapd {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Slapd {
    fn drop(&mut self) {
        self.end();
    }
}

impl Slapd {
    fn start() -> Self {
        assert!(Path::new(SLAPD).exists(), "{SLAPD} is missing: scripts/install test");
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("data")).expect("a folder");
        let schemas = ["core", "cosine", "inetorgperson"]
            .map(|name| format!("include /etc/ldap/schema/{name}.schema\n"));
        let conf = format!(
            "{}modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload ppolicy\npidfile {}\n\
             database mdb\nsuffix \"{SUFFIX}\"\nrootdn \"cn=root,{SUFFIX}\"\ndirectory {}\nmaxsize 10485760\noverlay ppolicy\n\
             ppolicy_default \"cn=policy,{SUFFIX}\"\nppolicy_use_lockout\naccess to attrs=userPassword by * auth\naccess to * by users read\n",
            schemas.concat(),
            path("pid").display(),
            path("data").display()
        );
        fs::write(path("slapd.conf"), conf).expect("written");
        fs::write(path("people.ldif"), PEOPLE).expect("written");
        let add = Command::new("/usr/sbin/slapadd")
            .arg("-f")
            .arg(path("slapd.conf"))
            .arg("-l")
            .arg(path("people.ldif"))
            .output();
        let add = add.expect("slapadd starts");
        assert!(add.status.success(), "{}", String::from_utf8_lossy(&add.stderr));
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let child = Command::new(SLAPD)
            .args(["-d", "0", "-h", &format!("ldap://127.0.0.1:{port}")])
            .arg("-f")
            .arg(path("slapd.conf"))
            .stderr(Stdio::null())
            .spawn()
            .expect("slapd starts");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < PATIENCE, "slapd does not listen");
            std::thread::yield_now();
        }
        Self { child, port, _folder: folder }
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn ldap(&self) -> Ldap {
        Ldap::new(settings(self.port, PATIENCE))
    }
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
async fn a_user_of_the_directory_signs_on_with_the_groups_and_nobody_else_does() {
    let slapd = Slapd::start();
    let ldap = slapd.ldap();
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
    let ldap = slapd.ldap();
    for _ in 0..2 {
        assert_eq!(ldap.sign_on("CARL", "wrong").await, Err(Failure::Wrong));
    }
    assert_eq!(ldap.sign_on("CARL", "harbour-2").await, Err(Failure::Locked));
    assert!(ldap.sign_on("ANNA", "harbour-1").await.is_ok(), "nobody else is");
}

#[tokio::test]
async fn a_directory_that_is_gone_counts_for_a_while_and_then_nobody_is_let_in() {
    let mut slapd = Slapd::start();
    let ldap = Arc::new(slapd.ldap());
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
