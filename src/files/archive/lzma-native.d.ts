// The part of lzma-native (which has no types of its own) that this program uses.
declare module 'lzma-native' {
  import type { Transform } from 'node:stream'

  interface Filter {
    id: string
    options: { dictSize: number; mode: number; mf: number; niceLen: number; depth: number }
  }

  const lzma: {
    readonly FILTER_LZMA2: string
    readonly MODE_FAST: number
    readonly MF_HC4: number
    readonly CHECK_CRC32: number
    readonly CONCATENATED: number
    createStream(
      coder: 'streamEncoder',
      options: { check: number; filters: readonly Filter[] },
    ): Transform
    createStream(coder: 'autoDecoder', options: { memlimit: number; flags: number }): Transform
  }
  export default lzma
}
