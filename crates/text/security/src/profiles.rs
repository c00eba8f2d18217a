//! Profiles, and their decisions on a user and a resource.

use std::collections::BTreeMap;
use std::fmt;

use foldhash::{HashMap, HashMapExt};

use crate::{Level, Pattern};

/// The rights to the resources that a pattern stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name of its class, in upper case.
    pub class: String,
    /// Its resources.
    pub pattern: Pattern,
    /// UACC: the level of users that it does not name.
    pub everybody: Level,
    /// The levels of users, by user id in upper case.
    pub users: BTreeMap<String, Level>,
    /// The levels of groups for their members, by group in upper case.
    pub groups: BTreeMap<String, Level>,
}

/// A user about whom a decision is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The user id, in upper case.
    pub user: &'a str,
    /// The groups, in upper case.
    pub groups: &'a [String],
}

/// The level of access that a user has, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The level.
    pub level: Level,
    /// The reason.
    pub reason: Reason,
}

/// The reason for a decision. Patterns are those of the profile that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The profile names the user.
    User(String),
    /// The profile names one of the user's groups (the second text), and none of its others higher.
    Group(String, String),
    /// The profile names neither.
    Everybody(String),
    /// No profile stands for the resource: no user may do anything.
    NoProfile,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(profile) => write!(f, "profile {profile} names the user"),
            Self::Group(profile, group) => write!(f, "profile {profile} names group {group}"),
            Self::Everybody(profile) => write!(f, "profile {profile} names neither user nor group (uacc)"),
            Self::NoProfile => f.write_str("no profile stands for the resource"),
        }
    }
}

/// All profiles, by class.
#[derive(Clone, Debug, Default)]
pub struct Profiles(HashMap<String, OfClass>);

/// Those of a class: of one resource each, and those with wildcards, the most specific first.
#[derive(Clone, Debug, Default)]
struct OfClass {
    plain: HashMap<String, Profile>,
    patterns: Vec<Profile>,
}

impl Profiles {
    /// Profiles in any order. Of two for the same class and pattern the later one counts.
    pub fn new(profiles: impl IntoIterator<Item = Profile>) -> Self {
        let mut classes: HashMap<String, OfClass> = HashMap::new();
        for profile in profiles {
            let class = classes.entry(profile.class.clone()).or_default();
            if profile.pattern.is_plain() {
                class.plain.insert(profile.pattern.as_str().to_owned(), profile);
            } else {
                class.patterns.retain(|other| other.pattern != profile.pattern);
                class.patterns.push(profile);
            }
        }
        for class in classes.values_mut() {
            class.patterns.sort_by(|one, two| one.pattern.by_specificity(&two.pattern));
        }
        Self(classes)
    }

    /// The most specific profile of a class that stands for a resource.
    pub fn profile(&self, class: &str, resource: &str) -> Option<&Profile> {
        let class = self.0.get(class)?;
        let pattern = || class.patterns.iter().find(|profile| profile.pattern.matches(resource));
        class.plain.get(resource).or_else(pattern)
    }

    /// Decides the level of access that a user has to a resource. If the profile names the user, its groups do not
    /// count; of several groups the one with the highest level does.
    pub fn decide(&self, who: Subject<'_>, class: &str, resource: &str) -> Decision {
        let Some(profile) = self.profile(class, resource) else {
            return Decision { level: Level::None, reason: Reason::NoProfile };
        };
        let name = || profile.pattern.to_string();
        if let Some(level) = profile.users.get(who.user) {
            return Decision { level: *level, reason: Reason::User(name()) };
        }
        let named = who.groups.iter().filter_map(|group| Some((*profile.groups.get(group)?, group)));
        match named.max_by_key(|(level, _)| *level) {
            Some((level, group)) => Decision { level, reason: Reason::Group(name(), group.clone()) },
            None => Decision { level: profile.everybody, reason: Reason::Everybody(name()) },
        }
    }

    /// Returns true if a class has any profile.
    pub fn has(&self, class: &str) -> bool {
        self.0.contains_key(class)
    }

    /// The number of profiles.
    pub fn count(&self) -> usize {
        self.0.values().map(|class| class.plain.len() + class.patterns.len()).sum()
    }
}
