//! Models: building, questioning, storing, hashing and refusing them.

mod building;
mod content_hash;
mod degenerate;
mod first_joints;
mod follower_limits;
mod foreign_ids;
