//! DEFINE, by what is defined.

use crate::attributes::Attributes;
use crate::command::{Alias, AlternateIndex, Cluster, Command, Gdg, Name, Nonvsam, Organization, Path};
use crate::parameters::Parameters;

/// Number of generations that a group keeps by default.
const GENERATIONS: u32 = 255;

/// A DEFINE command; none, after saying why, if it is none that is understood.
pub(crate) fn define(mut command: Parameters<'_, '_>) -> Option<Command> {
    let defined = if let Some(node) = command.take("CLUSTER") {
        cluster(&mut command, node)
    } else if let Some(node) = command.take("ALTERNATEINDEX") {
        alternate_index(&mut command, node)
    } else if let Some(node) = command.take("PATH") {
        path(command.within(node)).map(Command::DefinePath)
    } else if let Some(node) = command.take("GENERATIONDATAGROUP") {
        gdg(command.within(node)).map(Command::DefineGdg)
    } else if let Some(node) = command.take("NONVSAM") {
        nonvsam(command.within(node)).map(Command::DefineNonvsam)
    } else if let Some(node) = command.take("ALIAS") {
        alias(command.within(node)).map(Command::DefineAlias)
    } else {
        command.missing("CLUSTER, ALTERNATEINDEX, PATH, GENERATIONDATAGROUP, NONVSAM or ALIAS");
        return None;
    };
    command.finish();
    defined
}

/// Parts that a cluster and an alternate index have in common: the object itself, its data and its index component.
struct Components {
    attributes: Attributes,
    data: Option<Name>,
    index: Option<Name>,
    organization: Option<Organization>,
}

fn cluster<'a>(command: &mut Parameters<'a, '_>, node: &'a crate::nodes::Node) -> Option<Command> {
    let mut own = command.within(node);
    let name = own.needed_name("NAME");
    let model = own.name("MODEL");
    let organization = organization(&mut own);
    let attributes = own.attributes();
    own.finish();
    let parts = components(command, attributes);
    let cluster = Cluster {
        name: name?,
        organization: organization.or(parts.organization).unwrap_or_default(),
        attributes: parts.attributes,
        data: parts.data,
        index: parts.index,
        model,
    };
    if let Some(keys) = cluster.keys() {
        command.check_key(keys, cluster.record_size().maximum, &cluster.name);
    }
    command.check_spanned(&cluster);
    Some(Command::DefineCluster(cluster))
}

fn alternate_index<'a>(command: &mut Parameters<'a, '_>, node: &'a crate::nodes::Node) -> Option<Command> {
    let mut own = command.within(node);
    let (name, relate, model) = (own.needed_name("NAME"), own.needed_name("RELATE"), own.name("MODEL"));
    let attributes = own.attributes();
    own.finish();
    let parts = components(command, attributes);
    Some(Command::DefineAlternateIndex(AlternateIndex {
        name: name?,
        relate: relate?,
        attributes: parts.attributes,
        data: parts.data,
        index: parts.index,
        model,
    }))
}

/// Takes DATA and INDEX. What DATA says counts where the object itself says nothing; of INDEX only the name does.
fn components(command: &mut Parameters<'_, '_>, own: Attributes) -> Components {
    let mut found = Components { attributes: own, data: None, index: None, organization: None };
    if let Some(node) = command.take("DATA") {
        let mut data = command.within(node);
        found.data = data.name("NAME");
        data.name("MODEL");
        found.organization = organization(&mut data);
        found.attributes = found.attributes.or(data.attributes());
        data.finish();
    }
    if let Some(node) = command.take("INDEX") {
        let mut index = command.within(node);
        found.index = index.name("NAME");
        index.name("MODEL");
        index.attributes();
        index.finish();
    }
    found
}

fn organization(parameters: &mut Parameters<'_, '_>) -> Option<Organization> {
    const ORGANIZATIONS: [(&str, Organization); 4] = [
        ("INDEXED", Organization::Indexed),
        ("NONINDEXED", Organization::Entry),
        ("NUMBERED", Organization::Numbered),
        ("LINEAR", Organization::Linear),
    ];
    ORGANIZATIONS.iter().find(|(keyword, _)| parameters.flag(keyword)).map(|(_, organization)| *organization)
}

fn path(mut own: Parameters<'_, '_>) -> Option<Path> {
    let (name, entry) = (own.needed_name("NAME"), own.needed_name("PATHENTRY"));
    own.name("MODEL");
    let update = own.attributes().update.unwrap_or(true);
    own.finish();
    Some(Path { name: name?, entry: entry?, update })
}

fn gdg(mut own: Parameters<'_, '_>) -> Option<Gdg> {
    let name = own.needed_name("NAME");
    let attributes = own.attributes();
    own.finish();
    Some(Gdg {
        name: name?,
        limit: attributes.limit.unwrap_or(GENERATIONS),
        empty: attributes.empty.unwrap_or(false),
        scratch: attributes.scratch.unwrap_or(false),
    })
}

fn nonvsam(mut own: Parameters<'_, '_>) -> Option<Nonvsam> {
    let name = own.needed_name("NAME");
    own.take("DEVICETYPES");
    own.take("FILESEQUENCENUMBERS");
    own.finish();
    Some(Nonvsam { name: name? })
}

fn alias(mut own: Parameters<'_, '_>) -> Option<Alias> {
    let (name, relate) = (own.needed_name("NAME"), own.needed_name("RELATE"));
    own.finish();
    Some(Alias { name: name?, relate: relate? })
}
