//! Robots whose frames are held.

mod derivatives;
mod dual_numbers;
mod dynamics;
mod impulse;
mod kkt;
mod redundant;
mod robots;
