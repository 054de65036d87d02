//! Operations on configurations that write to the caller's memory allocate none.

mod common;

use common::{State, models};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what the thread asks for.
struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn nothing_is_allocated() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1.0; 3]))) > 0);
    for (model, seed) in models() {
        let State { mut q, v, .. } = State::random(&model, seed);
        let end = State::random(&model, seed + 1000).q;
        let (mut out, mut way) = (q.clone(), v.clone());
        let mut matrix = DMatrix::zeros(model.nv(), model.nv());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut results: [Result<(), featherline::Error>; 10] = std::array::from_fn(|_| Ok(()));
        let count = allocations(|| {
            results[0] = model.integrate_into(&q, &v, &mut out);
            results[1] = model.difference_into(&q, &end, &mut way);
            results[2] = model.interpolate_into(&q, &end, 0.3, &mut out);
            results[3] = model.distance(&q, &end).map(drop);
            results[4] = model.d_integrate_dq(&v, &mut matrix);
            results[5] = model.d_integrate_dv(&v, &mut matrix);
            results[6] = model.d_difference_dq0(&q, &end, &mut matrix);
            results[7] = model.d_difference_dq1(&q, &end, &mut matrix);
            results[8] = model.random_configuration_into(&mut rng, &mut out);
            results[9] = model.normalise(&mut q);
        });
        assert!(results.iter().all(Result::is_ok));
        assert_eq!(count, 0, "{}", model.name());
    }
}
