//! Reservations among regions that share data sets: claims at their record engine.

use crate::DataSets;
use crate::reservations::{Held, Holder};

/// Names of data sets that jobs of regions claim begin so.
const CLAIMED: &str = "job's data set ";

impl DataSets {
    /// Reserves all of these data sets, each alone or shared, or none of them: among the jobs of this region, and, as far as
    /// regions share the data sets, among those of all.
    ///
    /// # Errors
    /// The first name that another job has, or the engine's own.
    pub async fn reserve(&self, names: &[(String, bool)]) -> vsam::Result<Result<Holder, String>> {
        let mut holder = match self.reservations.reserve(names) {
            Ok(holder) => holder,
            Err(name) => return Ok(Err(name)),
        };
        let engine = self.vsam.engine();
        if !engine.is_shared() {
            return Ok(Ok(holder));
        }
        for (name, held) in &holder.names {
            let is_shared = name.parse().is_ok_and(|name| self.vsam.entry(&name).is_ok());
            if !is_shared {
                continue;
            }
            let claimed = format!("{CLAIMED}{name}");
            match engine.claim(claimed.as_bytes(), *held == Held::Alone).await? {
                Some(claim) => holder.claims.0.push(claim),
                None => return Ok(Err(name.clone())),
            }
        }
        Ok(Ok(holder))
    }
}
