//! What services keep for a task.

use std::any::{Any, TypeId};

use smallvec::SmallVec;

/// One value of each type that a service wants to find again, beside what type it is; all are dropped with the task.
#[derive(Default)]
pub struct Kept(SmallVec<[(TypeId, Box<dyn Any + Send>); 1]>);

impl Kept {
    /// The value of a type, if there is one.
    pub fn get<T: Any + Send>(&mut self) -> Option<&mut T> {
        let (_, value) = self.0.iter_mut().find(|(kind, _)| *kind == TypeId::of::<T>())?;
        value.downcast_mut()
    }

    /// The value of a type, made when it is first asked for.
    pub fn get_or_insert_with<T: Any + Send>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        let wanted = TypeId::of::<T>();
        let place = self.0.iter().position(|(kind, _)| *kind == wanted).unwrap_or_else(|| {
            self.0.push((wanted, Box::new(make())));
            self.0.len() - 1
        });
        self.0[place].1.downcast_mut().unwrap_or_else(|| unreachable!("a value of this type stands there"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_type() {
        let mut kept = Kept::default();
        *kept.get_or_insert_with(|| 1u32) += 1;
        kept.get_or_insert_with(|| String::from("sockets"));
        assert_eq!(kept.get_or_insert_with(|| 7u32), &2);
        assert_eq!(kept.get::<String>().map(|s| s.as_str()), Some("sockets"));
        assert_eq!(kept.get::<i8>(), None);
    }
}
