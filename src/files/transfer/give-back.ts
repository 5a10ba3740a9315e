// Memory of chunks from sockets and pipes, given back before the garbage collector sees it.

/**
 * Gives back the memory of chunks that nobody else has, as soon as they are done with: it lies outside of the heap, which
 * the collector is slow to notice. At full speed collecting would take as long as receiving, and a hundred megabytes would
 * lie around.
 */
export function giveBack(chunks: readonly Buffer[]): void {
  // A small one shares its memory with others.
  for (const { buffer, byteLength } of chunks)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
