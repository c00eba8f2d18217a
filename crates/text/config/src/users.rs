//! `users.toml`: who may sign on, and what each may do.

use diagnostics::Diagnostic;
use security::password;

use crate::names::{LONG_NAME, resource_name};
use crate::reader::Table;
use crate::{Located, at, codes};

/// A right of a user.
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

/// Reads the users on whose behalf another may start work: user ids, or [`ANY_USER`].
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Up to 8 characters, upper case.
    pub userid: String,
    /// The person's name.
    pub name: String,
    /// The rights of the user.
    pub rights: Vec<Right>,
    /// Groups, for decisions by group; upper case.
    pub groups: Vec<String>,
    /// As whom the user may start work (START USERID): user ids, or [`ANY_USER`].
    pub starts_as: Vec<String>,
    /// The password's hash; `None` for a user that cannot sign on (such as the default user).
    pub password: Option<String>,
    /// The passphrase's hash.
    pub phrase: Option<String>,
    /// The hashes of former passwords and passphrases, the newest first.
    pub former: Vec<String>,
    /// The day on which password or phrase was set, as `2026-11-20`.
    pub changed: Option<String>,
    /// True if the user may not sign on for now.
    pub revoked: bool,
    /// Certificates of clients that are this user: SHA-256 of each, in hexadecimal without colons, lower case.
    pub certificates: Vec<String>,
}

impl User {
    /// Returns true if the user has a right.
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

    /// The user whose client has a certificate of this SHA-256, in lower-case hexadecimal.
    pub fn of_certificate(&self, fingerprint: &str) -> Option<&User> {
        self.users.iter().find(|user| user.certificates.iter().any(|own| own == fingerprint))
    }

    /// All users in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &User> {
        self.users.iter()
    }

    /// The user, if the password is right. Takes as long for an unknown user as for a wrong password, so that the clock
    /// does not tell them apart.
    pub fn sign_on(&self, userid: &str, password: &str) -> Option<&User> {
        self.verified(userid, password, Shown::Password)
    }

    /// The same with a password or a passphrase.
    pub fn verified(&self, userid: &str, text: &str, shown: Shown) -> Option<&User> {
        let user = self.find(userid);
        let hash = user.and_then(|user| user.hash(shown));
        let verified = password::verify(text, hash.unwrap_or(NOBODY));
        user.filter(|_| verified && hash.is_some())
    }
}

/// The kind of credential that a user shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The password.
    Password,
    /// The passphrase; of a user without one, the password, which may be as long.
    Phrase,
}

impl User {
    /// Returns the hash of the credential that a user has to show.
    pub fn hash(&self, shown: Shown) -> Option<&str> {
        let hash = match shown {
            Shown::Phrase if self.phrase.is_some() => &self.phrase,
            Shown::Phrase | Shown::Password => &self.password,
        };
        hash.as_deref()
    }

    /// The hashes that a new one is compared with: the present one, then the former ones.
    pub fn used(&self, shown: Shown) -> Vec<String> {
        self.hash(shown)
            .into_iter()
            .chain(self.former.iter().map(String::as_str))
            .map(str::to_owned)
            .collect()
    }

    /// The user with another hash since a day, and with so many of the former ones.
    #[must_use]
    pub fn changed(&self, shown: Shown, hash: String, history: usize, day: &str) -> Self {
        let mut user = Self { former: self.used(shown), changed: Some(day.to_owned()), ..self.clone() };
        user.former.truncate(history);
        match shown {
            Shown::Phrase if user.phrase.is_some() => user.phrase = Some(hash),
            Shown::Phrase | Shown::Password => user.password = Some(hash),
        }
        user
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
        let password = hash(&table, "password");
        let phrase = hash(&table, "phrase");
        let former = table.strings("former").unwrap_or_default();
        let changed = table.string("changed").filter(|text| is_date(&table, text));
        let revoked = table.boolean("revoked").unwrap_or(false);
        let certificates = table.strings("certificates").unwrap_or_default();
        let user = userid.map(|userid| Self {
            userid: resource_name(&table, "a user id", &userid, LONG_NAME),
            name,
            rights,
            groups: groups.iter().map(|g| resource_name(&table, "a group", g, LONG_NAME)).collect(),
            starts_as,
            password,
            phrase,
            former: former.into_iter().map(|hash| hash.value).collect(),
            changed: changed.map(|day| day.value),
            revoked,
            certificates: certificates.iter().filter_map(|text| fingerprint(&table, text)).collect(),
        });
        table.finish();
        user
    }
}

/// A hash under a key: a password in clear is refused.
fn hash(table: &Table<'_>, key: &'static str) -> Option<String> {
    let text = table.string(key)?;
    if !password::is_hash(&text.value) {
        let message = Diagnostic::error(codes::PASSWORD, "a password stands here only as its hash")
            .label("this is no argon2 hash")
            .help("take the line out and use: syncpoint user add");
        table.report(at(message, &text));
    }
    Some(text.value)
}

/// Returns true if a text is a day as `2026-11-20`; reports any other text.
fn is_date(table: &Table<'_>, text: &Located<String>) -> bool {
    let good = day_number(&text.value).is_some();
    if !good {
        let message = Diagnostic::error(codes::DATE, "`changed` takes a day such as \"2026-11-20\"");
        table.report(at(message, text));
    }
    good
}

/// The SHA-256 of a certificate, as tools print it: with or without colons.
fn fingerprint(table: &Table<'_>, text: &Located<String>) -> Option<String> {
    let digits: String = text.value.chars().filter(|c| *c != ':').collect::<String>().to_ascii_lowercase();
    if digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Some(digits);
    }
    let message =
        Diagnostic::error(codes::VALUE, "`certificates` takes SHA-256 fingerprints: 64 hexadecimal digits")
            .help("openssl x509 -noout -fingerprint -sha256 -in client.pem shows it");
    table.report(at(message, text));
    None
}

/// The number of a day such as `2026-11-20`, counted from 1970-01-01; `None` for what is no day from then to 9999.
pub fn day_number(text: &str) -> Option<u32> {
    let mut parts = text.split('-');
    let mut number = |digits| parts.next().filter(|part| part.len() == digits)?.parse::<u32>().ok();
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months = lengths.get(..month.checked_sub(1)? as usize)?;
    let length = *lengths.get(months.len())?;
    if parts.next().is_some() || year < 1970 || !(1..=length).contains(&day) {
        return None;
    }
    let leaps = |year: u32| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    Some(years + months.iter().sum::<u32>() + day - 1)
}

#[cfg(test)]
mod tests {
    use super::day_number;

    #[test]
    fn days_have_numbers() {
        for (text, number) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(11_016)),
            ("2026-11-20", Some(20_777)),
            ("2026-02-29", None),
            ("2026-13-01", None),
            ("2026-00-01", None),
            ("2026-1-1", None),
            ("yesterday", None),
            ("1969-12-31", None),
        ] {
            assert_eq!(day_number(text), number, "{text}");
        }
    }
}
