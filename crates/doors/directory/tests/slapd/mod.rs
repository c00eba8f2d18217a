//! Debian's slapd, on a port and in a folder of the test's own. `scripts/install test` installs it.

#![allow(dead_code, reason = "each test uses some of it")]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const SLAPD: &str = "/usr/sbin/slapd";
/// The end of all names.
pub const SUFFIX: &str = "dc=bank,dc=example";
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
pub struct Slapd {
    child: Child,
    /// The port on which it listens, on loopback.
    pub port: u16,
    _folder: TempDir,
}

impl Drop for Slapd {
    fn drop(&mut self) {
        self.end();
    }
}

impl Slapd {
    /// Starts one with its people.
    pub fn start() -> Self {
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

    /// It is gone.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// It takes connections and says nothing, until it goes on.
    pub fn rest(&self) {
        self.signal("STOP");
    }

    /// It answers again.
    pub fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success(), "{kill}");
    }
}
