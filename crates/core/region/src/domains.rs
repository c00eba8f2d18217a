//! The domains that live above the kernel: a row for each.

use kernel::catalog::{self, Domain};

/// All of them.
static DOMAINS: &[&Domain] = &[
    &capture::DOMAIN,
    &bundles::DOMAIN,
    &exec_sql::DOMAIN,
    &intersystem::DOMAIN,
    &pipelines::DOMAIN,
    &webdomain::DOMAIN,
    &management::DOMAIN,
    &jvm::DOMAIN,
    &direct::DOMAIN,
];

/// Brings them, once however often it is called: before definitions are read or a region starts.
pub fn bring_domains() {
    operation::start::bring_domains();
    DOMAINS.iter().for_each(|domain| catalog::add(domain));
}

#[cfg(test)]
mod tests {
    use csd::ResourceType;
    use kernel::exec::Handler;
    use kernel::waits::WaitKind;
    use operation::definitions::{ABSENT, all};
    use spec::Status;
    use spec::measures::{Source, monitoring_fields};

    use super::*;

    #[test]
    fn records_say_which_commands_are_built_and_where_a_task_may_wait() {
        bring_domains();
        let commands = operation::start::commands();
        for command in spec::commands() {
            let handler = commands.handler(command.id);
            let name = command.name;
            assert_eq!(handler.is_some(), command.status != Status::NotYet, "the status of {name}");
            match handler {
                Some(Handler::Now(_)) => assert!(!command.suspends, "{name} never waits"),
                Some(Handler::Waits(_) | Handler::NowOr(..) | Handler::NowNearlyAlways(..)) => {
                    assert!(command.suspends, "{name} may wait")
                }
                // A program may have to be loaded, a unit of work to be committed.
                Some(Handler::Control(_)) | None => {}
            }
        }
    }

    #[test]
    fn what_domains_keep_has_a_letter_of_its_own_in_the_keypoint() {
        bring_domains();
        let mut letters: Vec<u8> = catalog::domains()
            .iter()
            .filter_map(|domain| domain.keeper)
            .map(|keeper| keeper.letter)
            .collect();
        let kept = letters.len();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), kept);
    }

    #[test]
    fn every_type_of_a_csd_has_a_row_or_its_absence_is_known() {
        bring_domains();
        for resource in ResourceType::ALL {
            let rows = all().filter(|defined| defined.resource == *resource).count();
            let absent = ABSENT.iter().filter(|(absent, _)| absent == resource).count();
            assert_eq!(rows + absent, 1, "{resource}");
        }
    }

    #[test]
    fn every_cause_of_waits_in_a_record_of_monitoring_is_a_kind_of_waits() {
        let brought = DOMAINS.iter().flat_map(|domain| domain.waits.iter()).map(|kind| kind.kind());
        let known: Vec<&str> = WaitKind::all().chain(brought).map(|kind| kind.row().name).collect();
        for field in monitoring_fields() {
            let Source::Waits(causes) = field.source else { continue };
            causes.iter().for_each(|cause| assert!(known.contains(cause), "{}: {cause}", field.name));
        }
    }
}
