//! Attributes of DEFINE and ALTER that decide nothing here: kept, so that LISTCAT can show them.

use std::sync::Arc;

use records::{Engine, Recovery, StoreId, store_named};
use vsam::{Name, Result};

/// The store that keeps them.
const STORE: &str = "attributes of entries";

/// Attributes that are kept only to be shown. An entry without such attributes has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// SHAREOPTIONS.
    pub share_options: Option<(u32, u32)>,
    /// FREESPACE.
    pub free_space: Option<(u32, u32)>,
    /// CONTROLINTERVALSIZE.
    pub control_interval: Option<u32>,
    /// The names of the data and the index component.
    pub components: (Option<String>, Option<String>),
    /// NOUPDATE of a path.
    pub no_update: bool,
    /// ERASE.
    pub erase: bool,
}

impl Shown {
    /// Takes these attributes from a command.
    pub fn of(attributes: &idcams::Attributes) -> Self {
        Self {
            share_options: attributes.share_options,
            free_space: attributes.free_space,
            control_interval: attributes.control_interval,
            no_update: attributes.update == Some(false),
            erase: attributes.erase == Some(true),
            components: (None, None),
        }
    }

    /// This, changed by what an ALTER says.
    pub fn altered(mut self, attributes: &idcams::Attributes) -> Self {
        self.share_options = attributes.share_options.or(self.share_options);
        self.free_space = attributes.free_space.or(self.free_space);
        self.no_update = attributes.update.map_or(self.no_update, |update| !update);
        self.erase = attributes.erase.unwrap_or(self.erase);
        self
    }

    fn to_record(&self) -> Vec<u8> {
        let pair = |pair: Option<(u32, u32)>| pair.map_or(String::new(), |(a, b)| format!("{a} {b}"));
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let interval = self.control_interval.map_or(String::new(), |bytes| bytes.to_string());
        [
            pair(self.share_options),
            pair(self.free_space),
            interval,
            name(&self.components.0),
            name(&self.components.1),
            self.no_update.to_string(),
            self.erase.to_string(),
        ]
        .join("\t")
        .into_bytes()
    }

    /// From a record; what cannot be read is not shown.
    fn from_record(record: &[u8]) -> Self {
        let text = String::from_utf8_lossy(record);
        let fields: Vec<&str> = text.split('\t').collect();
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let pair = |at: usize| {
            let (a, b) = field(at).split_once(' ')?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        let name = |at: usize| Some(field(at).to_owned()).filter(|name| !name.is_empty());
        Self {
            share_options: pair(0),
            free_space: pair(1),
            control_interval: field(2).parse().ok(),
            components: (name(3), name(4)),
            no_update: field(5) == "true",
            erase: field(6) == "true",
        }
    }
}

/// The attributes of all entries.
pub(crate) struct Attributes {
    engine: Arc<dyn Engine>,
    store: StoreId,
}

impl Attributes {
    pub async fn open(engine: Arc<dyn Engine>) -> Result<Self> {
        let store = store_named(&*engine, STORE, Recovery::Recoverable).await?;
        Ok(Self { engine, store })
    }

    pub async fn get(&self, name: &Name) -> Result<Shown> {
        let mut record = Vec::new();
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let there = unit.get(self.store, name.as_str().as_bytes(), &mut record).await?;
        Ok(if there { Shown::from_record(&record) } else { Shown::default() })
    }

    /// Keeps attributes; none, to forget them.
    pub async fn put(&self, name: &Name, shown: Option<&Shown>) -> Result<()> {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let key = name.as_str().as_bytes();
        match shown {
            Some(shown) => unit.put(self.store, key, &shown.to_record()).await?,
            None => unit.delete(self.store, key).await?,
        }
        Ok(unit.commit().await?)
    }
}
