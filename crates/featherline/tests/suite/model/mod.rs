//! Models: building, questioning, storing, hashing and refusing them.

mod building;
mod content_hash;
mod degenerate;
mod foreign_ids;
mod mimic_limits;
mod surgery;
