//! The blocks of a test become the folder of an application.
//!
//! The folder outlives the test, and a file is written only where it differs: so that the tool chain finds its
//! programs again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{REGION_FILE, RegionConfig};
use diagnostics::{Source, any_error};
use kernel::exec::Watcher;
use pages::document::{Block, Document};
use pages::house::House;
use pages::told;
use region::{Build, Startup};
use toolchain::{Member, Toolchain};

use crate::certificates::{AUTHORITIES, Authority};
use crate::maps::mapset;
use crate::program::TestProgram;
use crate::terms;

/// An application made of a test.
pub struct Application {
    /// Its folder.
    pub root: PathBuf,
    /// Its configuration.
    pub config: RegionConfig,
    /// Its programs, each with the number of its block.
    pub programs: Vec<(usize, TestProgram)>,
    cache: PathBuf,
    /// The watchers of all commands of its region.
    pub(crate) watchers: Vec<Arc<dyn Watcher>>,
    /// The build of which its region seems to be; `None`: this one.
    pub build: Option<Build>,
}

/// The beginning of every test's configuration.
const REGION: &str = "applid = \"TESTKIT\"\nsysid = \"TEST\"\n";
/// The beginning of its partner's.
const PARTNER: &str = "applid = \"PARTNER\"\nsysid = \"PART\"\n";
/// Any free port of the loopback address.
const LISTEN: &str = "[listen]\ntn3270 = \"127.0.0.1:0\"\n";
/// The group of the definitions that a test leaves out.
const GROUP: &str = "TESTKIT";

impl Application {
    /// Writes the application of a test into a folder.
    ///
    /// # Errors
    /// The mistake in the test, or the reason why the folder cannot be written.
    pub fn write(document: &Document, folder: &Path) -> Result<Self, String> {
        Self::write_with(document, folder, REGION, "")
    }

    /// The same of two regions that are linked: that of a document, and its partner. `links`: the folder of their sockets, or of their
    /// certificates.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_two(
        (own, partner): (&Document, &Document),
        folder: &Path,
        links: &Path,
    ) -> Result<[Self; 2], String> {
        if let Some(attributes) = terms::tls(own) {
            return Self::write_two_with_tls((own, partner), attributes, folder, links)
                .map_err(|error| error.to_string());
        }
        let link = format!("{LINKS}folder = {:?}\n", links.display().to_string());
        let own = Self::write_with(own, folder, REGION, &(link.clone() + &to("PART", "PARTNER")))?;
        let partner =
            Self::write_with(partner, &folder.join("partner"), PARTNER, &(link + &to("TEST", "TESTKIT")))?;
        Ok([own, partner].map(|mut application| {
            (application.config.sit.isc, application.config.sit.irc_start) = (true, true);
            application
        }))
    }

    /// The same of two regions that show each other certificates.
    fn write_two_with_tls(
        (own, partner): (&Document, &Document),
        attributes: &str,
        folder: &Path,
        certificates: &Path,
    ) -> io::Result<[Self; 2]> {
        let authority = Authority::new(certificates)?;
        let (ours, theirs) =
            (authority.sign(certificates, "TESTKIT")?, authority.sign(certificates, "PARTNER")?);
        let (our_port, their_port) = (free_port()?, free_port()?);
        let here = Side {
            names: ["TESTKIT", "PARTNER", "PART"],
            ports: [our_port, their_port],
            shows: &theirs,
            attributes: "",
        };
        let there = Side {
            names: ["PARTNER", "TESTKIT", "TEST"],
            ports: [their_port, our_port],
            shows: &ours,
            attributes,
        };
        let own = Self::write_with(own, folder, REGION, &here.link(certificates));
        let folder = folder.join("partner");
        let partner = Self::write_with(partner, &folder, PARTNER, &there.link(certificates));
        let (own, partner) = (own.map_err(io::Error::other)?, partner.map_err(io::Error::other)?);
        Ok([own, partner].map(|mut application| {
            application.config.sit.isc = true;
            application
        }))
    }

    fn write_with(document: &Document, folder: &Path, region: &str, link: &str) -> Result<Self, String> {
        let (link, users) = link.split_once(USERS).unwrap_or((link, ""));
        let (link, connection) = link.split_once(CSD).unwrap_or((link, ""));
        let mut programs = Vec::new();
        for (at, block) in of(document, "cobol") {
            programs.push((at, TestProgram::new(block, programs.len() + 1)?));
        }
        let root = folder.join("application");
        let region = Files::of(document, &programs, region, link, (connection, users))
            .write(&root)
            .map_err(|error| error.to_string())?;
        let (mut config, messages) = config::region(&Source::new(REGION_FILE, region));
        // A test that fails leaves no server behind.
        config.sql.is_tied = true;
        config.data.is_short_lived = true;
        match any_error(&messages) {
            true => Err(told(&messages)),
            false => Ok(Self {
                root,
                config,
                programs,
                cache: folder.join("programs"),
                watchers: Vec::new(),
                build: None,
            }),
        }
    }

    /// Its tool chain, with everything built that is to be built.
    ///
    /// # Errors
    /// A program that does not compile, unless the test expects that.
    pub fn build(&self) -> Result<Toolchain, String> {
        let made = |sources| Toolchain::new(&self.root, sources, &self.config.compile, &self.cache);
        let mut toolchain = made(&self.config.sources).map_err(|messages| told(&messages))?;
        let converted =
            region::convert_programs(&toolchain, &self.root, &self.cache, &self.config, &mut Vec::new());
        if let Some(sources) = converted.map_err(|messages| told(&messages))? {
            toolchain = made(&sources).map_err(|messages| told(&messages))?;
        }
        let is_broken = |member: &Member| {
            self.programs.iter().any(|(_, program)| program.broken && program.name == member.name())
        };
        let members: Vec<Member> =
            toolchain.members().into_iter().filter(|member| !is_broken(member)).collect();
        let summary = toolchain.build(&members, |_| {});
        if summary.failed.is_empty() { Ok(toolchain) } else { Err(told(&summary.messages)) }
    }

    /// Starts its region; its data are kept in `state`. Call it within a `LocalSet`.
    ///
    /// # Errors
    /// The reason that it does not start.
    pub async fn start(&self, state: &Path) -> Result<House, String> {
        let startup = Startup {
            root: &self.root,
            state,
            config: &self.config,
            users: self.users()?,
            users_file: self.root.join(USERS_FILE),
            toolchain: self.build()?,
            trust: records::Trust::Checked,
            watchers: self.watchers.clone(),
            tap: None,
            build: self.build.clone(),
        };
        House::start(startup).await
    }

    /// Reads the users that may sign on, if the application has a users file.
    fn users(&self) -> Result<config::Users, String> {
        let Ok(text) = fs::read_to_string(self.root.join(USERS_FILE)) else {
            return Ok(config::Users::default());
        };
        let (users, messages) = config::users(&Source::new(USERS_FILE, text));
        if messages.is_empty() { Ok(users) } else { Err(told(&messages)) }
    }

    /// The program of a name.
    pub fn program(&self, name: &str) -> Option<&TestProgram> {
        self.programs.iter().map(|(_, program)| program).find(|program| program.name == name)
    }

    /// The program that a block holds.
    pub fn program_of(&self, block: usize) -> Option<&TestProgram> {
        self.programs.iter().find(|(at, _)| *at == block).map(|(_, program)| program)
    }
}

/// The head of the table of links.
const LINKS: &str = "[links]\n";

/// Stands between the lines of region.toml and the definitions of a link.
const CSD: char = '\u{1e}';

/// Stands between these and the users of a link.
const USERS: char = '\u{1d}';

/// One of two regions that are linked by TLS.
struct Side<'a> {
    /// Its APPLID; the APPLID and the SYSID of the other one.
    names: [&'static str; 3],
    /// Its own port, and the other one's.
    ports: [u16; 2],
    /// The fingerprint of the certificate that the other one shows.
    shows: &'a str,
    /// Attributes of its IPCONN.
    attributes: &'a str,
}

impl Side<'_> {
    /// The lines of region.toml, the definition and the user of the other one.
    fn link(&self, certificates: &Path) -> String {
        let Self { names: [applid, partner, system], ports: [own, other], shows, attributes } = self;
        let file = |name: &str| format!("{:?}", certificates.join(name).display().to_string());
        let (certificate, key) = (file(&format!("{applid}.pem")), file(&format!("{applid}.key")));
        format!(
            "{LINKS}listen = \"127.0.0.1:{own}\"\ncertificate = {certificate}\nkey = {key}\nauthorities = {}\n\
             {CSD}DEFINE IPCONN({system}) GROUP({GROUP}) APPLID({partner}) HOST(127.0.0.1) PORT({other}) AUTOCONNECT(YES)\n\
             \x20      SENDCOUNT(9) RECEIVECOUNT(9){attributes}\n\
             {USERS}[[user]]\nuserid = \"{partner}\"\nrights = [\"run\"]\ncertificates = [\"{shows}\"]\n",
            file(AUTHORITIES)
        )
    }
}

/// The file of users.
const USERS_FILE: &str = "users.toml";

/// A port that was free a moment ago: each of two regions must know that of the other one before either of them runs.
fn free_port() -> io::Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}

/// The definition of a link, behind its mark.
fn to(name: &str, applid: &str) -> String {
    format!(
        "{CSD}DEFINE CONNECTION({name}) GROUP({GROUP}) NETNAME({applid}) ACCESSMETHOD(IRC)\n\
         DEFINE SESSIONS({name}) GROUP({GROUP}) CONNECTION({name}) PROTOCOL(LU61) SENDCOUNT(9) RECEIVECOUNT(9)\n"
    )
}

fn of<'a>(document: &'a Document, kind: &str) -> impl Iterator<Item = (usize, &'a Block)> {
    document.blocks.iter().enumerate().filter(move |(_, block)| block.kind == kind)
}

/// The files of an application, by their names.
#[derive(Default)]
struct Files {
    files: Vec<(String, String)>,
    region: String,
}

impl Files {
    fn of(
        document: &Document,
        programs: &[(usize, TestProgram)],
        region: &str,
        link: &str,
        (connection, users): (&str, &str),
    ) -> Self {
        let mut files = Self::default();
        let blocks = |kind: &'static str| of(document, kind).map(|(_, block)| block);
        let joined = |kind| blocks(kind).map(|block| block.text.join("\n") + "\n").collect::<String>();
        let mut csd = joined("csd");
        // A test may define the way to the other region itself.
        let is_defined = connection.split_once(" GROUP").is_some_and(|(name, _)| csd.contains(name));
        if !is_defined {
            csd.push_str(connection);
        }
        for (_, program) in programs {
            files.push(&format!("programs/{}.cbl", program.name), program.text.clone());
        }
        let mapsets: Vec<_> = blocks("bms").map(|block| mapset(&block.text)).collect();
        files.push("tests.csd", definitions(programs, &mapsets, &csd) + &csd);
        for (name, text) in mapsets {
            files.push(&format!("maps/{name}.bms"), text);
        }
        for block in blocks("copybook") {
            let name = block.words.first().cloned().unwrap_or_default();
            files.push(&format!("copybooks/{name}.cpy"), block.text.join("\n") + "\n");
        }
        for block in blocks("file") {
            let name = block.words.first().cloned().unwrap_or_default();
            let more = if name == USERS_FILE { users } else { "" };
            files.push(&name, block.text.join("\n") + "\n" + more);
        }
        let is_there = |files: &Self| files.files.iter().any(|(name, _)| name == USERS_FILE);
        if !users.is_empty() && !is_there(&files) {
            files.push(USERS_FILE, users.to_owned());
        }
        files.push("tests.idcams", joined("idcams"));
        let mut loads = String::new();
        for block in blocks("data") {
            let name = block.words.first().cloned().unwrap_or_default();
            let file = format!("data/{name}.txt");
            loads.push_str(&format!("[[load]]\ndataset = \"{name}\"\nfile = \"{file}\"\n"));
            files.push(&file, block.text.join("\n") + "\n");
        }
        let own = joined("toml");
        // A table may stand in one place only.
        files.region = match own.split_once(LINKS) {
            Some((before, behind)) if !link.is_empty() => {
                format!("{region}{before}{link}{behind}{LISTEN}{loads}")
            }
            _ => format!("{region}{own}{LISTEN}{link}{loads}"),
        };
        files.push(REGION_FILE, files.region.clone());
        files
    }

    fn push(&mut self, name: &str, text: String) {
        self.files.push((name.to_owned(), text));
    }

    /// Makes the folder what it should be; returns the text of region.toml.
    fn write(self, root: &Path) -> io::Result<String> {
        let mut wanted = BTreeSet::new();
        for folder in ["programs", "maps", "data", "copybooks"] {
            fs::create_dir_all(root.join(folder))?;
        }
        for (name, text) in self.files {
            let path = root.join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
                fs::write(&path, text)?;
            }
            wanted.insert(path);
        }
        for folder in ["programs", "maps", "data", "copybooks"] {
            for entry in fs::read_dir(root.join(folder))? {
                let path = entry?.path();
                if !wanted.contains(&path) {
                    fs::remove_file(path)?;
                }
            }
        }
        Ok(self.region)
    }
}

/// Definitions of what the test itself does not define.
fn definitions(programs: &[(usize, TestProgram)], mapsets: &[(String, String)], csd: &str) -> String {
    let mut text = String::new();
    let mut define = |kind: &str, name: &str, rest: &str| {
        if !csd.contains(&format!("DEFINE {kind}({name})")) {
            text.push_str(&format!("DEFINE {kind}({name}) GROUP({GROUP}) {rest}\n"));
        }
    };
    for (_, program) in programs {
        let TestProgram { name, concurrency, .. } = program;
        define("PROGRAM", name, &format!("CONCURRENCY({concurrency})"));
        define("TRANSACTION", program.transaction(), &format!("PROGRAM({name})"));
    }
    for (name, _) in mapsets {
        define("MAPSET", name, "");
    }
    text
}
