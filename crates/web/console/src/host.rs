//! The interface that the console needs of a region.

use std::net::SocketAddr;
use std::pin::Pin;

use ebcdic::CodePage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::DuplexStream;

/// Credentials as a user has typed them.
#[derive(Clone)]
pub struct Claim {
    /// The user.
    pub user: String,
    /// Password or passphrase.
    pub password: String,
    /// A new one, if the user changes it.
    pub new_password: Option<String>,
    /// From where.
    pub peer: SocketAddr,
}

/// A user as the pages show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The user identifier.
    pub user: String,
    /// The name of a person.
    pub name: String,
    /// True if the user may look at the region.
    pub inquires: bool,
    /// True if the user may change the region.
    pub operates: bool,
    /// True if the user may read the log, dumps and traces: these have data of others.
    pub diagnoses: bool,
    /// True if no user has signed on: the default user.
    pub default: bool,
}

/// The region as the pages name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its application identifier.
    pub applid: String,
    /// Its system identifier.
    pub sysid: String,
    /// The version of the product.
    pub version: String,
    /// True if no user can sign on: there are no users.
    pub unpeopled: bool,
}

/// A question about the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Figures and tasks now.
    Now,
    /// The types of resources that the user may look at, with what may be done to them.
    Types,
    /// Resources of a type.
    Resources {
        /// The type.
        of: String,
        /// Those whose name is like this: `*` any characters, `+` one.
        name: String,
        /// The first, from 0.
        from: usize,
        /// So many at most.
        count: usize,
    },
    /// The groups and lists of definitions, and the types that can be defined.
    Groups,
    /// The definitions of a group.
    Group(String),
    /// The attributes that definitions of a type have.
    Attributes(String),
    /// The dumps.
    Dumps,
    /// The text of a dump.
    Dump(String),
    /// The traced tasks, or the calls of one.
    Trace(Option<u64>),
}

/// A change of the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// SET.
    Set {
        /// The type.
        of: String,
        /// The resource's name; empty where there is only one.
        name: String,
        /// Options and their values.
        values: Vec<(String, String)>,
    },
    /// DISCARD.
    Discard {
        /// The type.
        of: String,
        /// The resource's name.
        name: String,
    },
    /// A change of definitions, or INSTALL.
    Edit(Edit),
}

/// A command for definitions, in its parts as a form has them; a part that is not given is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Edit {
    /// The verb, as CEDA has it.
    pub verb: String,
    /// The type of the resource.
    #[serde(rename = "type")]
    pub of: String,
    /// Its name.
    pub name: String,
    /// GROUP.
    pub group: String,
    /// LIST.
    pub list: String,
    /// TO.
    pub to: String,
    /// AS.
    #[serde(rename = "as")]
    pub named: String,
    /// Attributes and their values.
    pub attributes: Vec<(String, String)>,
    /// The version of what is named that the user has seen, if that is to count.
    pub version: Option<String>,
}

/// The reason why a question or a change has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The user may not.
    NotPermitted,
    /// There is no such thing.
    NotFound,
    /// The request is not right: why.
    Bad(String),
    /// The region has refused the change: the condition, and what it means.
    Condition(String),
    /// Parts of the request are not right: what is to be said of the whole, and of each part.
    Mistakes(String, Vec<(String, String)>),
    /// Another has changed it since the user saw it: as it is now.
    Changed(Value),
    /// It was not done in time.
    TooSlow,
    /// The region has ended.
    Ended,
}

/// The outcome of a look or of a change.
pub type Answered = Result<Value, Refused>;

/// The reason why a user is not signed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSignedOn {
    /// User and password do not fit, or the user is unknown.
    Wrong,
    /// The user may not sign on any more, or not now.
    Revoked,
    /// The password is right and must be changed first.
    Expired,
    /// The new password is not taken: why.
    NewRefused(String),
    /// The browser has shown no certificate of a user.
    NoCertificate,
    /// The directory that knows the users does not answer.
    Silent,
}

/// A region as the console sees it.
pub trait Host: Send + Sync + 'static {
    /// A user who has signed on.
    type User: Clone + Send + Sync + 'static;

    /// The region.
    fn about(&self) -> About;

    /// Signs a user on. It may wait: passwords are checked slowly by design.
    fn sign_on(&self, claim: Claim) -> impl Future<Output = Result<Self::User, NotSignedOn>>;

    /// Signs on the user to whom a client's certificate belongs, by its fingerprint; `None`: it is no user's.
    fn certified(&self, fingerprint: &str) -> Option<Self::User>;

    /// The user to whom a client's certificate belongs now. No user signs on by it.
    fn owner(&self, fingerprint: &str) -> Option<Self::User>;

    /// The user of those that do not sign on; `None`: the region has ended.
    fn nobody(&self) -> Option<Self::User>;

    /// The user as it is now; `None`: removed or revoked.
    fn again(&self, user: &Self::User) -> Option<Self::User>;

    /// Notes that a session of the user has ended.
    fn signed_off(&self, user: &Self::User);

    /// The user's identifier. It asks for no right, so that a question of it is no refusal.
    fn id(&self, user: &Self::User) -> String;

    /// The user as pages show it, with the rights of now.
    fn person(&self, user: &Self::User) -> Person;

    /// Notes a request that a page of another origin has made.
    fn refused(&self, user: Option<&Self::User>, peer: SocketAddr, what: &str);

    /// Answers a question. It is asked on the region's own thread, and must not block.
    fn look(&self, user: Self::User, look: Look) -> impl Future<Output = Answered>;

    /// Changes the region. It is asked on the region's own thread, must not block, and may wait. A change that has begun continues when no
    /// client waits for it any more.
    fn change(&self, user: Self::User, change: Change) -> impl Future<Output = Answered>;
}

/// The end of a terminal's session.
pub type Served = Pin<Box<dyn Future<Output = String>>>;

/// The terminal door of the region, on its own thread.
pub trait Terminals<U> {
    /// Serves a TN3270E client that the user sits at, to its end: the reason.
    fn serve(&self, user: &U, peer: SocketAddr, stream: DuplexStream) -> Served;

    /// The code page of terminals.
    fn code_page(&self) -> CodePage;
}
