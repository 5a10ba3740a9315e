// Memory of large buffers, given back at once. The collector sees small objects and little need to
// run, so hundreds of megabytes behind them would pile up first and stay while the server is idle.

/** The slabs that small buffers share, which must stay, have Buffer.poolSize. */
export const OWN_MEMORY_BYTES = Buffer.poolSize + 1024

/**
 * Frees what is behind `bytes`, which nobody may use afterwards: they read as empty. Does nothing
 * for small buffers, which share their memory with others.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= OWN_MEMORY_BYTES) buffer.transfer(0)
}
