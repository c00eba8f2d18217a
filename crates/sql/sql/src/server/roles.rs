//! The roles of a private server: its owner, and the programs. What earlier versions made has one role, which is a superuser and
//! has the programs' name: it becomes the owner, under the owner's name.

use super::cluster::Cluster;
use super::{DATABASE, OWNER, USER, plain};
use crate::failure::Failure;
use crate::session::Session;
use crate::wire::CannotConnect;

/// The database that every server has.
const FIRST: &str = "postgres";
/// A role that is there only while the owner gets its name, since no role can rename itself.
const RENAMER: &str = "syncpoint_renamer";

/// A session of the owner in the database that every server has.
pub(super) async fn connect(cluster: &Cluster) -> Result<Session, CannotConnect> {
    match Session::connect(&cluster.address_of(OWNER, FIRST), &plain()).await {
        Err(CannotConnect::Refused { fault, .. }) if is_no_role(fault.state()) => {
            rename(cluster).await?;
            Session::connect(&cluster.address_of(OWNER, FIRST), &plain()).await
        }
        connected => connected,
    }
}

/// Returns true if a state says that the server has no such role.
fn is_no_role(state: &str) -> bool {
    state == "28000" || state == "28P01"
}

/// Gives the owner its name. Each step may be the last of a region that is killed: the next start goes on.
async fn rename(cluster: &Cluster) -> Result<(), CannotConnect> {
    if let Ok(mut former) = Session::connect(&cluster.address_of(USER, FIRST), &plain()).await {
        let made = former.script(format!("CREATE ROLE {RENAMER} SUPERUSER LOGIN")).await;
        former.close().await;
        if let Err(failure) = made {
            tracing::debug!("the role that renames the owner: {failure}");
        }
    }
    let mut renamer = Session::connect(&cluster.address_of(RENAMER, FIRST), &plain()).await?;
    let renamed = renamer.script(format!("ALTER ROLE {USER} RENAME TO {OWNER}")).await;
    renamer.close().await;
    if let Err(failure) = renamed {
        tracing::debug!("the owner's name: {failure}");
    }
    Ok(())
}

/// Makes the programs' role and the region's database, as far as they are not there.
pub(super) async fn make(owner: &mut Session) -> Result<(), Failure> {
    owner.script(format!("DROP ROLE IF EXISTS {RENAMER}")).await?;
    if !is_there(owner, "pg_roles", "rolname", USER).await? {
        owner.script(format!("CREATE ROLE {USER} LOGIN")).await?;
    }
    // Whatever an earlier version or a person gave it.
    let none = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS";
    owner.script(format!("ALTER ROLE {USER} {none}; ALTER ROLE {USER} RESET ALL")).await?;
    if !is_there(owner, "pg_database", "datname", DATABASE).await? {
        owner.script(format!("CREATE DATABASE {DATABASE}")).await?;
    }
    Ok(())
}

async fn is_there(owner: &mut Session, catalogue: &str, column: &str, name: &str) -> Result<bool, Failure> {
    let answer = owner.script(format!("SELECT 1 FROM {catalogue} WHERE {column} = '{name}'")).await?;
    Ok(!answer.rows.is_empty())
}
