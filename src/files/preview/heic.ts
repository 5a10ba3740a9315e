// HEIC pictures through libheif built as WebAssembly (LGPL, its files stay separate and replaceable:
// see THIRD-PARTY-NOTICES). sharp's own build reads AVIF only.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Pixels, PreviewError } from './protocol.ts'

type CheckSize = (width: number, height: number) => void

interface HeifImage {
  get_width(): number
  get_height(): number
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (shown: { data: Uint8ClampedArray } | null) => void,
  ): void
  free(): void
}

interface Libheif {
  ready: Promise<unknown>
  HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] }
}

/** Makes a decoder; its library is loaded for the first picture. */
export function createHeicDecoder() {
  let library: Promise<Libheif> | undefined
  return async (bytes: Uint8Array, checkSize: CheckSize): Promise<Pixels> => {
    library ??= loadLibrary()
    return decode(await library, bytes, checkSize)
  }
}

/**
 * Decodes the primary picture, already turned upright. Throws PreviewError; `checkSize` may throw
 * before memory is taken for the pixels.
 */
async function decode(
  { HeifDecoder }: Libheif,
  bytes: Uint8Array,
  checkSize: CheckSize,
): Promise<Pixels> {
  const images = new HeifDecoder().decode(bytes)
  const [image] = images
  if (!image) throw new PreviewError('undecodable', 'no picture in the HEIC file')
  try {
    const width = image.get_width()
    const height = image.get_height()
    checkSize(width, height)
    const data = new Uint8ClampedArray(width * height * 4)
    await new Promise<void>((resolve, reject) => {
      image.display({ data, width, height }, (shown) => {
        if (shown) resolve()
        else reject(new PreviewError('undecodable', 'the HEIC picture does not decode'))
      })
    })
    return { data: new Uint8Array(data.buffer), width, height, channels: 4 }
  } finally {
    for (const item of images) item.free()
  }
}

async function loadLibrary(): Promise<Libheif> {
  const load = createRequire(import.meta.url)
  const factory = load('libheif-js/libheif-wasm/libheif.js') as (options: {
    wasmBinary: Buffer
  }) => Libheif
  const wasmBinary = await readFile(load.resolve('libheif-js/libheif-wasm/libheif.wasm'))
  const libheif = factory({ wasmBinary })
  await libheif.ready
  return libheif
}
