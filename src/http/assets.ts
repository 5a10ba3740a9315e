// The built interface as a map from name to bytes, type and validator. It hides whether the files
// lie on disk beside the bundle or inside the executable, and which of them are compressed.

import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress, constants, gzip } from 'node:zlib'
import { contentTypeOf } from '../files/listing/mime.ts'
import { isExecutable, readInside } from '../inside.ts'
import { suffixOf } from '../lib/vpath.ts'
import { parsePreferences } from './accept.ts'

export type Encoding = 'identity' | 'br' | 'gzip'

interface Asset {
  /** Whole body in the chosen encoding. */
  bytes: Buffer
  encoding: Encoding
  contentType: string
  /** Quoted strong validator; differs per encoding. */
  etag: string
  /** The name carries a hash of the content, so caches may keep it for good. */
  immutable: boolean
  /** Other encodings exist: the answer varies by Accept-Encoding. */
  varies: boolean
}

/** What the index page is made of. */
export interface Page {
  /** HTML with `{{name}}` placeholders. */
  template: string
  entry: string
  /** Chunks the entry imports, to be fetched at the same time. */
  imports: string[]
  styles: string[]
  /** Locale to the name of its catalogue chunk. */
  locales: Record<string, string>
}

export interface Assets {
  /** The page as built last; a rebuild during development is noticed. */
  page(): Promise<Page>
  /** The asset of that name in an encoding the client takes; null when there is none. */
  find(name: string, acceptEncoding: string): Promise<Asset | null>
}

/** Written by the build (scripts/build/web.ts) as `assets.json`. */
export interface AssetsManifest extends Omit<Page, 'template'> {
  files: Record<string, File>
}

interface File {
  etag: string
  /** It travels compressed by brotli, `name.br`. */
  compressed: boolean
  immutable: boolean
}

interface Loaded {
  manifest: AssetsManifest
  template: string
  mtimeMs: number
}

const NOT_BUILT: Loaded = {
  manifest: { entry: '', imports: [], styles: [], locales: {}, files: {} },
  template:
    '<!doctype html><title>{{title}}</title><meta name="robots" content="noindex,nofollow">' +
    '<script nonce="{{nonce}}">window.FileBrowser = {{boot}}\n</script>' +
    '<p>The interface is not built. Run <code>npm run build</code>.</p>',
  mtimeMs: -1,
}

/** Opens the built interface in `dir`, by default the one that belongs to this program. */
export function openAssets(dir = isExecutable ? null : findAssetsDir()): Assets {
  const read = dir === null ? readAssetInside : (path: string) => readFile(join(dir, path))
  // By validator. Browsers take brotli by https and from this machine alone: for others each file is
  // compressed once, 4 MB in all.
  const gzipped = new Map<string, Promise<Buffer>>()
  let loaded: Promise<Loaded> | undefined

  const load = async (): Promise<Loaded> => {
    const current = await loaded
    if (current && dir === null) return current
    const stats = dir && (await stat(join(dir, 'assets.json')).catch(() => null))
    if (dir !== null && !stats) return NOT_BUILT
    const mtimeMs = stats ? stats.mtimeMs : 0
    if (current?.mtimeMs === mtimeMs) return current
    loaded = readManifest(read, mtimeMs)
    return loaded
  }

  const bytesOf = async (path: string, file: File, encoding: Encoding): Promise<Buffer> => {
    if (!file.compressed) return read(path)
    const brotli = await read(`${path}.br`)
    if (encoding === 'br') return brotli
    if (encoding === 'identity') return promisify(brotliDecompress)(brotli)
    const known = gzipped.get(file.etag)
    if (known) return known
    const made = promisify(brotliDecompress)(brotli).then((bytes) =>
      promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
    )
    gzipped.set(file.etag, made)
    return made
  }

  return {
    async page() {
      const { manifest, template } = await load()
      return { ...manifest, template }
    },
    async find(name, acceptEncoding) {
      const { manifest } = await load()
      const file = Object.hasOwn(manifest.files, name) ? manifest.files[name] : undefined
      if (!file) return null
      const encoding = file.compressed ? chooseEncoding(acceptEncoding) : 'identity'
      return {
        bytes: await bytesOf(`static/${name}`, file, encoding),
        encoding,
        contentType: assetTypeOf(name),
        etag: encoding === 'identity' ? `"${file.etag}"` : `"${file.etag}-${encoding}"`,
        immutable: file.immutable,
        varies: file.compressed,
      }
    },
  }
}

/**
 * The best of br, gzip and identity that an Accept-Encoding header allows (RFC 9110 12.5.3);
 * a coding with q=0 is refused, `*` stands for those not named.
 */
export function chooseEncoding(acceptEncoding: string): Encoding {
  const preferences = parsePreferences(acceptEncoding)
  const qualities = new Map(preferences.map(({ name, quality }) => [name, quality]))
  const accepts = (name: string): boolean => (qualities.get(name) ?? qualities.get('*') ?? 0) > 0
  if (accepts('br')) return 'br'
  if (accepts('gzip')) return 'gzip'
  return 'identity'
}

/** Reads a file by its path below the folder of the interface. */
type Read = (path: string) => Promise<Buffer>

async function readManifest(read: Read, mtimeMs: number): Promise<Loaded> {
  const [manifest, template] = await Promise.all([read('assets.json'), read('index.html')])
  const parsed = JSON.parse(manifest.toString()) as AssetsManifest
  return { manifest: parsed, template: template.toString(), mtimeMs }
}

async function readAssetInside(path: string): Promise<Buffer> {
  const bytes = readInside(`web/${path}`)
  if (!bytes) throw new Error(`the executable lacks web/${path}`)
  return bytes
}

/** `dist/web` beside the server bundle, or the last build when running from the sources. */
function findAssetsDir(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const bundled = join(here, '..', 'web')
  return existsSync(join(bundled, 'assets.json')) ? bundled : join(here, '..', '..', 'dist', 'web')
}

/** Of what the table of files has otherwise, or not at all. */
const TYPES: Record<string, string> = {
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.otf': 'font/otf',
  '.ttf': 'font/ttf',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/** Content type of a built or branding file by its extension. */
export function assetTypeOf(name: string): string {
  const extension = suffixOf(name).toLowerCase()
  return TYPES[extension] ?? (contentTypeOf(extension) || 'application/octet-stream')
}
