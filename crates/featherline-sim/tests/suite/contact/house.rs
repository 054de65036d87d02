//! A house of cards of three storeys, on a ground whose friction decides.

use super::{Touch, bodies, exact, touching, turned};
use featherline::model::{JointId, Model};
use featherline::spatial::{Inertia, Vec3};
use featherline_sim::contact::TimeStepping;
use std::f64::consts::FRAC_PI_2;

const LENGTH: f64 = 1.0;
const WIDTH: f64 = 0.3;
const THICKNESS: f64 = 0.01;
const STOREYS: usize = 3;
const COUNT: usize = 15;
/// The angle of the leaning cards from the vertical.
const ANGLE: f64 = 0.4;
/// Friction between cards.
const CARDS: f64 = 1.0;

/// The two corners of a leaning card's end, `side` −1 or 1.
fn end(side: f64) -> [Vec3<f64>; 2] {
    [-0.5, 0.5].map(|y| Vec3::new(0.0, y * WIDTH, side * LENGTH / 2.0))
}

/// The cards as they are placed, and where they touch.
struct House {
    /// The bodies that are not placed yet, the next one last.
    left: Vec<JointId>,
    start: Vec<f64>,
    touches: Vec<Touch>,
}

impl House {
    /// Places a card, which is along z where its angle about y is zero.
    fn card(&mut self, x: f64, z: f64, angle: f64) -> JointId {
        self.start.extend(turned(x, z, angle));
        self.left.pop().expect("a house has so many cards")
    }

    /// Adds points of a card to a face of another one, whose outward normal is given.
    fn touch(&mut self, points: [Vec3<f64>; 2], body: JointId, face: JointId, normal: Vec3<f64>) {
        self.touches.extend(points.map(|point| Touch {
            face,
            origin: Vec3::zero(),
            normal,
            ..Touch::ground(body, point, CARDS)
        }));
    }

    /// Each storey has pairs of leaning cards, and a flat one from top to top of neighbours, on
    /// which the pair of the next storey stands.
    fn new(model: &Model, ground: f64) -> Self {
        let (sin, cos) = ANGLE.sin_cos();
        let (pair, height) = (2.0 * LENGTH * sin, LENGTH * cos);
        let cards = model.joint_ids().filter(|id| *id != JointId::UNIVERSE);
        let mut house = Self {
            left: cards.rev().collect(),
            start: Vec::new(),
            touches: Vec::new(),
        };
        let mut floors: Vec<JointId> = Vec::new();
        for storey in 0..STOREYS {
            let level = storey as f64 * height;
            let mut tops = Vec::new();
            for k in 0..STOREYS - storey {
                let x = (k as f64 + 0.5 * storey as f64) * pair;
                let sides = [(-0.25, ANGLE), (0.25, -ANGLE)];
                let cards = sides
                    .map(|(part, angle)| house.card(x + part * pair, level + 0.5 * height, angle));
                for card in cards {
                    match floors.get(k) {
                        Some(&floor) => house.touch(end(-1.0), card, floor, -Vec3::unit(0)),
                        None => {
                            let feet = end(-1.0).map(|point| Touch::ground(card, point, ground));
                            house.touches.extend(feet);
                        }
                    }
                }
                // The tops meet at a plane across x.
                house.touches.extend(end(1.0).map(|point| Touch {
                    face: cards[0],
                    origin: Vec3::new(0.0, 0.0, LENGTH / 2.0),
                    normal: Vec3::new(cos, 0.0, sin),
                    ..Touch::ground(cards[1], point, CARDS)
                }));
                tops.push((x, cards));
            }
            floors.clear();
            for neighbours in tops.windows(2) {
                let x = 0.5 * (neighbours[0].0 + neighbours[1].0);
                let floor = house.card(x, level + height, FRAC_PI_2);
                for card in neighbours.iter().flat_map(|(_, cards)| cards) {
                    house.touch(end(1.0), *card, floor, Vec3::unit(0));
                }
                floors.push(floor);
            }
        }
        house
    }
}

/// The moment about its top gives a lowest leaning card with the load N on its foot the thrust
/// H = tan β (N − m g/2). With W cards, of which F lean on the ground, the sum of H is
/// tan β (W − F/2) m g, and friction gives μ W m g at most: none stands below
/// μ = tan β (1 − F/(2 W)), here 0.8 tan β. Above, where the floors shift load between the cards
/// until all have the same, it stands: that takes much friction between the cards.
#[test]
fn a_house_of_cards_of_three_storeys_stands_if_the_ground_is_rough_enough() {
    let h = 5e-3;
    for (ratio, seconds) in [(1.01, 60.0), (0.99, 0.2)] {
        let card = Inertia::cuboid(1.0, Vec3::new(THICKNESS, WIDTH, LENGTH));
        let model = bodies(&[card; COUNT], 0.0);
        let house = House::new(&model, ratio * 0.8 * ANGLE.tan());
        assert!(house.left.is_empty());
        let start = house.start;
        let stepping = TimeStepping::with(&model, (), touching(house.touches)).unwrap();
        let mut stepping = stepping.with_options(exact());
        let (mut q, mut v) = (start.clone(), vec![0.0; model.nv()]);
        for k in 0..(seconds / h) as usize {
            let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
            let outcome = report.outcome;
            // A collapsing house jams as it begins to fall: such steps may be flagged, and are
            // close.
            let is_close = ratio < 1.0 && outcome.residual < 1e-3 * outcome.scale;
            let is_found = outcome.has_converged || is_close;
            assert!(is_found, "{ratio}, step {k}: {report:?}");
        }
        let moved = q.iter().zip(&start).map(|(a, b)| (a - b).abs());
        let moved = moved.fold(0.0, f64::max);
        println!("house at {ratio}: moved {moved:.1e} m in {seconds} s");
        if ratio > 1.0 {
            assert!(moved < 1e-9, "{moved}");
        } else {
            assert!(moved > 1e-5, "{moved}");
        }
    }
}
