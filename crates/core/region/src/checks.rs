//! Checks of an application's definitions and data, for commands that start nothing.

use std::path::Path;

use config::RegionConfig;
use diagnostics::Diagnostic;
use toolchain::Member;

use crate::bundle_parts::{self, Brought};
use crate::definitions::{doubts, everywhere, read};
use crate::doors::Doors;
use crate::{bring_domains, capturing, services, sql, state};

/// Mistakes and doubts in an application's definitions and data, for commands that start nothing. The data sets are
/// defined and loaded in a scratch folder, as the first start would do it.
pub async fn check_definitions(
    root: &Path,
    config: &RegionConfig,
    members: &[Member],
    scratch: &Path,
) -> Vec<Diagnostic> {
    bring_domains();
    let (definitions, mut messages) = match read(root, config) {
        Ok((definitions, messages)) => (definitions, messages),
        Err(messages) => (Vec::new(), messages),
    };
    messages.extend(services::read(root, config).1);
    let everywhere = everywhere(root, config);
    messages.extend(bundle_parts::not_installed(root, &everywhere, &definitions));
    let Brought { definitions: parts, messages: of_bundles } = bundle_parts::brought(root, &definitions);
    messages.extend(of_bundles);
    let definitions = [definitions, parts].concat();
    messages.extend(doubts(&definitions, members, config));
    messages.extend(sql::decks(root, config).map_or_else(|messages| messages, |(_, messages)| messages));
    messages.extend(state::tried(root, scratch, config, &definitions).await);
    messages.extend(capturing::specifications(root, scratch, config).err().unwrap_or_default());
    messages.extend(Doors::read(root, config).map_or_else(|messages| messages, |(_, messages)| messages));
    messages
}
