// WebAssembly bundled into a worker arrives as bytes (scripts/build/plugins.ts).
declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}
