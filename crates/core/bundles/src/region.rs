//! Rules about a region: what happens to it has them act.

use std::sync::Arc;

use capture::occurrences::{self, Happened, Hearer};
use kernel::meters::Figure;
use kernel::region::Region;
use kernel::task::TaskControl;
use policies::{Action, Condition, SystemKind, SystemRule};

use crate::actions;
use crate::installed::InstalledRule;

/// From now on these rules act.
pub(crate) fn set(region: &Region, rules: &[InstalledRule]) {
    let own: Vec<InstalledRule> = rules.iter().filter(|rule| condition(rule).is_some()).cloned().collect();
    let hearer = (!own.is_empty()).then(|| Arc::new(Rules(own)) as Arc<dyn Hearer>);
    occurrences::hear(region, "rules of policies", hearer);
}

fn condition(rule: &InstalledRule) -> Option<&SystemRule> {
    if let Condition::System(condition) = &rule.rule().condition { Some(condition) } else { None }
}

/// Those of a region.
struct Rules(Vec<InstalledRule>);

impl Hearer for Rules {
    fn kinds(&self) -> Vec<SystemKind> {
        self.0.iter().filter_map(condition).map(|rule| rule.kind).collect()
    }

    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, happened: &Happened) -> bool {
        let seen = &happened.occurrence;
        let mut refused = false;
        let adds = |figure| {
            if let Some(performance) = task.and_then(TaskControl::performance) {
                performance.add(figure, 1);
            }
        };
        let is_of_kind = |rule: &&InstalledRule| condition(rule).is_some_and(|rule| rule.kind == seen.kind);
        for rule in self.0.iter().filter(is_of_kind) {
            adds(Figure::SystemRules);
            if !condition(rule).is_some_and(|rule| rule.is_about(seen)) {
                continue;
            }
            adds(Figure::SystemRulesActed);
            rule.acts();
            actions::of_region(region, rule, task, seen);
            refused |= rule.rule().action == Action::Reject;
        }
        refused
    }
}
