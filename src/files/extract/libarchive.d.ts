// The part of libarchive.js (whose module has no types) that this program uses.
declare module 'libarchive.js/src/webworker/wasm-gen/libarchive.js' {
  /** Addresses are numbers, 0 for none; below 0 is a failure. */
  interface Library {
    /** Another one once the memory has grown. */
    readonly HEAPU8: Uint8Array
    _malloc(bytes: number): number
    _free(at: number): void
    _get_next_entry(archive: number): number
    /** So many further bytes of the entry, which the caller frees. */
    _get_filedata(archive: number, bytes: number): number
    _archive_entry_filetype(entry: number): number
    /** The lower 32 bits. */
    _archive_entry_size(entry: number): number
    _archive_entry_mtime_nsec(entry: number): number
    _archive_entry_is_encrypted(entry: number): number
    _archive_read_has_encrypted_entries(archive: number): number
    cwrap(name: string, result: 'number' | 'string', args: string[]): (...args: unknown[]) => never
  }
  export default function load(options: {
    wasmBinary: Uint8Array
    print(text: string): void
    printErr(text: string): void
  }): Promise<Library>
}
