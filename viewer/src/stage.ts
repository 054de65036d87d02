// The stage: renderer, camera, light and ground. Draws when something has changed, and only then.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  Mesh,
  Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const GROUND = {
  vertex: `
    varying vec3 world;
    void main() {
      vec4 place = modelMatrix * vec4(position, 1.0);
      world = place.xyz;
      gl_Position = projectionMatrix * viewMatrix * place;
    }`,
  // Lines of two grids, as wide as a pixel, that fade with the distance from the centre.
  fragment: `
    varying vec3 world;
    uniform vec3 colour;
    uniform vec2 centre;
    uniform float cell;
    uniform float reach;
    float line(float size) {
      vec2 at = world.xy / size;
      vec2 width = fwidth(at);
      vec2 near = abs(fract(at - 0.5) - 0.5) / width;
      float fade = 1.0 - smoothstep(0.1, 0.5, max(width.x, width.y));
      return fade * (1.0 - min(min(near.x, near.y), 1.0));
    }
    void main() {
      float fade = 1.0 - smoothstep(0.3, 1.0, length(world.xy - centre) / reach);
      float strength = max(0.22 * line(cell), 0.5 * line(10.0 * cell));
      gl_FragColor = vec4(colour, strength * fade);
      if (gl_FragColor.a < 0.01) discard;
    }`,
};

/** Whether the processor draws. It takes a hundred times as long for shadows as for the robot. */
function isSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 100);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  /** Called before each picture. */
  readonly beforeDraw: (() => void)[] = [];
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly ground: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;
  private due = false;
  private bounds = new Sphere(new Vector3(), 1);
  private marks: number | null = null;

  constructor(parent: HTMLElement) {
    Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    this.renderer = new WebGLRenderer({ antialias: true, alpha: false });
    this.renderer.shadowMap.enabled = !isSoftware(this.renderer);
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    parent.append(this.canvas);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    this.ground = new Mesh(
      new PlaneGeometry(2, 2),
      new ShaderMaterial({
        vertexShader: GROUND.vertex,
        fragmentShader: GROUND.fragment,
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
        uniforms: {
          colour: { value: new Color() },
          centre: { value: [0, 0] },
          cell: { value: 0.1 },
          reach: { value: 1 },
        },
      }),
    );
    this.shade = new Mesh(
      new PlaneGeometry(2, 2),
      new ShadowMaterial({ opacity: 0.18, depthWrite: false }),
    );
    this.shade.receiveShadow = true;
    this.shade.visible = this.renderer.shadowMap.enabled;
    this.ground.renderOrder = -1;
    this.scene.add(
      this.sun,
      this.sun.target,
      new HemisphereLight(0xf4f7ff, 0x9a958c, 1.5),
      new AmbientLight(0xffffff, 0.25),
      this.ground,
      this.shade,
    );
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.15;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(parent);
    this.canvas.addEventListener("keydown", (event) => this.steer(event));
    this.resize();
  }

  /** Asks for a picture, with shadows drawn again: something on the stage has moved. */
  drawMoved(): void {
    this.renderer.shadowMap.needsUpdate = true;
    this.draw();
  }

  /** Asks for a picture at the next frame. */
  draw(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.drawNow();
    });
  }

  /** Draws at once. */
  drawNow(): void {
    this.controls.update();
    for (const listener of this.beforeDraw) listener();
    this.renderer.render(this.scene, this.camera);
  }

  /** Takes the colours of the page's theme. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => new Color(style.getPropertyValue(name).trim());
    this.scene.background = colour("--stage");
    this.ground.material.uniforms["colour"]!.value = colour("--grid");
    this.draw();
  }

  /** Frames a box with the camera, and lays the ground below it. */
  frame(box: Box3, isFirst: boolean): void {
    if (box.isEmpty() || ![...box.min, ...box.max].every(Number.isFinite))
      box = new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.5));
    const sphere = box.getBoundingSphere(new Sphere());
    sphere.radius = Math.min(Math.max(sphere.radius, 0.02), 1e4);
    this.bounds = sphere;
    const { center, radius } = sphere;
    if (isFirst) {
      // The ground is z = 0, but for a robot that reaches below.
      const height = box.min.z < -0.05 * radius ? box.min.z : 0;
      this.ground.position.set(center.x, center.y, height - 0.001 * radius);
      this.shade.position.set(center.x, center.y, height);
      this.ground.scale.setScalar(8 * radius);
      this.shade.scale.setScalar(4.5 * radius);
      const uniforms = this.ground.material.uniforms;
      uniforms["centre"]!.value = [center.x, center.y];
      uniforms["reach"]!.value = 8 * radius;
      uniforms["cell"]!.value = 10 ** Math.floor(Math.log10(radius * 0.3));
      this.sun.position.copy(center).add(new Vector3(0.6, -0.9, 1.6).multiplyScalar(4 * radius));
      this.sun.target.position.copy(center);
      const shadow = this.sun.shadow.camera;
      shadow.left = shadow.bottom = -2.2 * radius;
      shadow.right = shadow.top = 2.2 * radius;
      shadow.near = radius;
      shadow.far = 16 * radius;
      shadow.updateProjectionMatrix();
    }
    this.look(new Vector3(1, -0.75, 0.45));
  }

  /** Makes what the camera looks at reach over a box, too. */
  widen(box: Box3): void {
    const before = this.bounds.getBoundingBox(new Box3());
    const { size } = this;
    this.bounds = before.union(box).getBoundingSphere(new Sphere());
    // Marks keep their size.
    this.marks ??= size;
  }

  /** Looks at the robot from a direction. */
  look(from: Vector3): void {
    const { center, radius } = this.bounds;
    const angle = (this.camera.fov * Math.PI) / 360;
    const aspect = Math.min(1, this.camera.aspect);
    const distance = (1.05 * radius) / Math.sin(Math.atan(Math.tan(angle) * aspect));
    this.camera.position.copy(center).addScaledVector(from.clone().normalize(), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.minDistance = radius / 20;
    this.controls.maxDistance = radius * 40;
    this.draw();
  }

  /** The height of the ground, in m. */
  get groundHeight(): number {
    return this.shade.position.z;
  }

  get showsGround(): boolean {
    return this.ground.visible;
  }

  set showsGround(shown: boolean) {
    this.ground.visible = shown;
    this.shade.visible = shown && this.renderer.shadowMap.enabled;
    this.drawMoved();
  }

  /** Radius of the robot at the start, in m: what marks are sized by. */
  get size(): number {
    return this.marks ?? this.bounds.radius;
  }

  /** Draws shadows, even where the processor draws them, in seconds. */
  castShadows(): void {
    this.renderer.shadowMap.enabled = true;
    this.shade.visible = this.showsGround;
    this.scene.traverse((it) => {
      // Materials are compiled with shadows or without.
      if (it instanceof Mesh) for (const one of [it.material].flat()) one.needsUpdate = true;
    });
    this.drawMoved();
  }

  /** Frees the memory of the graphics card. */
  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  private resize(): void {
    const parent = this.canvas.parentElement;
    if (!parent) return;
    const [width, height] = [Math.max(1, parent.clientWidth), Math.max(1, parent.clientHeight)];
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** The camera by arrow keys, plus and minus. */
  private steer(event: KeyboardEvent): void {
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-0.1, 0, 1],
      ArrowRight: [0.1, 0, 1],
      ArrowUp: [0, -0.1, 1],
      ArrowDown: [0, 0.1, 1],
      "+": [0, 0, 0.9],
      "-": [0, 0, 1.1],
    };
    const turn = turns[event.key];
    if (!turn || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const arm = this.camera.position.clone().sub(this.controls.target);
    const length = arm.length() * turn[2];
    const azimuth = Math.atan2(arm.y, arm.x) + turn[0];
    const polar = Math.min(
      Math.max(Math.acos(arm.z / arm.length()) + turn[1], 0.02),
      Math.PI - 0.02,
    );
    arm.set(
      Math.sin(polar) * Math.cos(azimuth),
      Math.sin(polar) * Math.sin(azimuth),
      Math.cos(polar),
    );
    this.camera.position.copy(this.controls.target).addScaledVector(arm, length);
    this.draw();
  }
}
