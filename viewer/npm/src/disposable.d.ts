// What `using` needs, for compilers whose libraries do not have it: "lib" of ES2024 and before.
// Beside a library that has it, it says the same.

interface SymbolConstructor {
  readonly dispose: unique symbol;
}

interface Disposable {
  [Symbol.dispose](): void;
}
