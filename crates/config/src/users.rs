//! `users.toml`: who may sign on, and what each may do.

use diagnostics::Diagnostic;

use crate::names::{LONG_NAME, resource_name};
use crate::reader::Table;
use crate::{at, codes, password};

/// What a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Run the application's transactions.
    Run,
    /// Look at the region: supplied transactions that change nothing, INQUIRE.
    Inquire,
    /// Change the region: supplied transactions that change it, SET, PERFORM, DISCARD.
    Operate,
}

/// Every right by its word, and what it allows.
pub const RIGHTS: [(&str, Right, &str); 3] = [
    ("run", Right::Run, "run the application's transactions"),
    ("inquire", Right::Inquire, "look at the region"),
    ("operate", Right::Operate, "change the region"),
];

impl Right {
    /// The right's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Inquire => "inquire",
            Self::Operate => "operate",
        }
    }

    /// The right of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        RIGHTS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word)).map(|(_, right, _)| *right)
    }
}

/// A list of rights under a key; `None` where the key is absent.
pub(crate) fn rights(table: &Table<'_>, key: &'static str) -> Option<Vec<Right>> {
    let choices = RIGHTS.map(|(word, right, _)| (word, right));
    let words = table.strings(key)?;
    Some(words.iter().filter_map(|word| table.choice_of(key, word, &choices)).collect())
}

/// The users as whom somebody may start work: user ids, or [`ANY_USER`].
pub(crate) fn starts_as(table: &Table<'_>, key: &'static str) -> Vec<String> {
    let words = table.strings(key).unwrap_or_default().into_iter();
    words
        .map(|word| match word.value.as_str() {
            ANY_USER => word.value,
            _ => resource_name(table, "a user id", &word, LONG_NAME),
        })
        .collect()
}

/// Stands for every user.
pub const ANY_USER: &str = "*";

/// One `[[user]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Up to 8 characters, upper case.
    pub userid: String,
    /// The person's name.
    pub name: String,
    /// What the user may do.
    pub rights: Vec<Right>,
    /// Groups, for decisions by group; upper case.
    pub groups: Vec<String>,
    /// As whom the user may start work (START USERID): user ids, or [`ANY_USER`].
    pub starts_as: Vec<String>,
    /// The password's hash; `None` for a user that cannot sign on (such as the default user).
    pub password: Option<String>,
}

impl User {
    /// Whether the user has a right.
    pub fn may(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }
}

/// All users of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    users: Vec<User>,
}

impl Users {
    pub(crate) fn read(root: Table<'_>) -> Self {
        let mut users: Vec<User> = Vec::new();
        for table in root.tables("user") {
            let place = table.place();
            let Some(user) = User::read(table) else { continue };
            if users.iter().any(|other| other.userid == user.userid) {
                let message =
                    Diagnostic::error(codes::DUPLICATE_USER, format!("user {} is here twice", user.userid));
                root.report(message.at(place).help("remove one of the two"));
                continue;
            }
            users.push(user);
        }
        root.finish();
        Self { users }
    }

    /// The user of that id, in any case.
    pub fn find(&self, userid: &str) -> Option<&User> {
        self.users.iter().find(|user| user.userid.eq_ignore_ascii_case(userid))
    }

    /// All users in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &User> {
        self.users.iter()
    }

    /// The user, if the password is right. Takes as long for an unknown user as for a wrong password, so that nobody
    /// can tell them apart by the clock.
    pub fn sign_on(&self, userid: &str, password: &str) -> Option<&User> {
        let user = self.find(userid);
        let hash = user.and_then(|user| user.password.as_deref());
        let verified = password::verify(password, hash.unwrap_or(NOBODY));
        user.filter(|_| verified && hash.is_some())
    }
}

/// A hash of no password: what [`Users::sign_on`] checks for an unknown user.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
    $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

impl User {
    fn read(table: Table<'_>) -> Option<Self> {
        let userid = table.required_string("userid", "TELLER1");
        let name = table.string("name").map(|name| name.value).unwrap_or_default();
        let rights = rights(&table, "rights").unwrap_or_else(|| vec![Right::Run]);
        let groups = table.strings("groups").unwrap_or_default();
        let starts_as = starts_as(&table, "starts-as");
        let hash = table.string("password");
        if let Some(text) = hash.as_ref().filter(|hash| !password::is_hash(&hash.value)) {
            let message = Diagnostic::error(codes::PASSWORD, "a password stands here only as its hash")
                .label("this is no argon2 hash")
                .help("take the line out and use: syncpoint user add");
            table.report(at(message, text));
        }
        let user = userid.map(|userid| Self {
            userid: resource_name(&table, "a user id", &userid, LONG_NAME),
            name,
            rights,
            groups: groups.iter().map(|g| resource_name(&table, "a group", g, LONG_NAME)).collect(),
            starts_as,
            password: hash.map(|hash| hash.value),
        });
        table.finish();
        user
    }
}
