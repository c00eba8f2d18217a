//! The actions of rules, as statistics collect them.

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use policies::Condition;
use spec::measures::stat;

use crate::bundle::Bundles;

/// Tells it.
pub(crate) struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        for bundle in Bundles::of(region).list() {
            into.resource(bundle.name)
                .text(stat::RLR_BUNDLE_DIRECTORY, &bundle.directory)
                .text(stat::RLR_BUNDLE_BASESCOPE, &bundle.base_scope);
        }
        for installed in Bundles::of(region).rules() {
            let (rule, policy) = (installed.rule(), &installed.policy);
            let (kind, item) = match &rule.condition {
                Condition::Task(rule) => (rule.kind, rule.item),
                Condition::System(rule) => (rule.kind.type_name(), ""),
            };
            into.resource(format!("{}.{}", policy.name, rule.name))
                .text(stat::MPR_POLICY_NAME, &policy.name)
                .text(stat::MPR_RULE_NAME, &rule.name)
                .text(stat::MPR_POLICY_USERTAG, &policy.user_tag)
                .text(stat::MPR_BUNDLE_NAME, policy.bundle)
                .text(stat::MPR_BUNDLE_DIR, &policy.directory)
                .text(stat::MPR_RULE_TYPE, kind)
                .text(stat::MPR_RULE_SUBTYPE, item)
                .text(stat::MPR_ACTION_TYPE, rule.action.type_name())
                .number(stat::MPR_ACTION_COUNT, installed.actions())
                .number(stat::MPR_ACTION_TIME, installed.last_action_us());
        }
    }
}
