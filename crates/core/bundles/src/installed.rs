//! Policies of a region, and their rules with what these have done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use kernel::clock::Stamp;
use kernel::name::Name8;
use policies::{Action, Policy, Rule};

/// A policy.
pub(crate) struct InstalledPolicy {
    pub name: String,
    /// Its bundle.
    pub bundle: Name8,
    /// The identifier of that, and its version.
    pub bundle_id: String,
    pub bundle_version: [u32; 3],
    /// The folder of that, as its definition has it.
    pub directory: String,
    pub user_tag: String,
    pub schema: (u32, u32),
    /// Its rules act.
    pub enabled: AtomicBool,
    pub rules: Vec<Rule>,
    counts: Vec<Counts>,
}

/// The account of a rule.
#[derive(Default)]
struct Counts {
    actions: AtomicU64,
    /// ABSTIME, and microseconds since 1970, of the last one; 0: there was none.
    last: AtomicI64,
    last_us: AtomicU64,
}

/// A rule of a policy.
#[derive(Clone)]
pub(crate) struct InstalledRule {
    pub policy: Arc<InstalledPolicy>,
    place: usize,
}

impl InstalledPolicy {
    pub fn new(
        (name, policy): (&str, Policy),
        (bundle, directory): (Name8, &str),
        (id, version): (&str, [u32; 3]),
    ) -> Self {
        Self {
            name: name.to_owned(),
            bundle,
            bundle_id: id.to_owned(),
            bundle_version: version,
            directory: directory.to_owned(),
            user_tag: policy.user_tag,
            schema: policy.schema,
            enabled: AtomicBool::new(false),
            counts: policy.rules.iter().map(|_| Counts::default()).collect(),
            rules: policy.rules,
        }
    }

    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Relaxed)
    }
}

/// The rules of a policy.
pub(crate) fn rules_of(policy: &Arc<InstalledPolicy>) -> impl Iterator<Item = InstalledRule> {
    let policy = Arc::clone(policy);
    (0..policy.rules.len()).map(move |place| InstalledRule { policy: Arc::clone(&policy), place })
}

impl InstalledRule {
    pub fn rule(&self) -> &Rule {
        &self.policy.rules[self.place]
    }

    fn counts(&self) -> &Counts {
        &self.policy.counts[self.place]
    }

    /// It acts once more.
    pub fn acts(&self) {
        let counts = self.counts();
        counts.actions.fetch_add(1, Ordering::Relaxed);
        counts.last.store(Stamp::now().abstime(), Ordering::Relaxed);
        let now = jiff::Timestamp::now().as_microsecond();
        counts.last_us.store(u64::try_from(now).unwrap_or_default(), Ordering::Relaxed);
    }

    /// Its actions so far.
    pub fn actions(&self) -> u64 {
        self.counts().actions.load(Ordering::Relaxed)
    }

    /// The time of its last action, as ABSTIME; 0: there was none.
    pub fn last_action(&self) -> i64 {
        self.counts().last.load(Ordering::Relaxed)
    }

    /// The same in microseconds since 1970.
    pub fn last_action_us(&self) -> u64 {
        self.counts().last_us.load(Ordering::Relaxed)
    }

    /// The order of actions where several rules have one threshold: messages come first, an abend last.
    pub fn order(&self) -> u8 {
        match self.rule().action {
            Action::Message => 0,
            Action::Event { .. } => 1,
            Action::Health(_) | Action::Reject | Action::Abend(_) => 2,
        }
    }
}
