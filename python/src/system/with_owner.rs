//! Memory of the library that borrows what it works on, kept together with that.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that borrows from what is kept with it.
pub struct WithOwner<T, O: 'static> {
    // Dropped before its owner.
    value: T,
    _owner: Arc<O>,
}

impl<T, O: 'static> WithOwner<T, O> {
    /// A value made of an owner, if it can be made.
    #[expect(unsafe_code)]
    pub fn new<E>(
        owner: &Arc<O>,
        make: impl FnOnce(&'static O) -> Result<T, E>,
    ) -> Result<Self, E> {
        let owner = Arc::clone(owner);
        // SAFETY: the content of an `Arc` does not move, nobody has it mutably, and it lives as
        // long as `_owner`, which is dropped after `value`. References with this lifetime are
        // handed to `make` alone, whose result never leaves `WithOwner`.
        let lasting: &'static O = unsafe { &*Arc::as_ptr(&owner) };
        let value = make(lasting)?;
        Ok(Self {
            value,
            _owner: owner,
        })
    }
}

impl<T, O> Deref for WithOwner<T, O> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, O> DerefMut for WithOwner<T, O> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
