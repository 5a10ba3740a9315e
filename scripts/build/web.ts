// The web interface: hashed chunks, compressed siblings, and `assets.json`, which tells the server
// what the index page must load first.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as esbuild from 'esbuild'
import type { AssetsManifest } from '../../src/http/assets.ts'
import { collectMessages } from './catalogues.ts'
import { compressAll } from './compress.ts'
import { copyLibraryData } from './library-data.ts'
import { listLocales } from './locales.ts'
import { mergeFirstLoad } from './merge-first-load.ts'
import { ROOT } from './paths.ts'
import { cataloguesPlugin, innerInputs, loadersOf, macrosPlugin, urlPlugin } from './plugins.ts'

const ENTRY = 'web/main.tsx'
/** Loaded as a whole when first shown, so what they are made of comes in one piece each. */
const SCREENS = [
  'web/screens/files.tsx',
  'web/screens/overlays.tsx',
  'web/screens/share.tsx',
  'web/settings/settings.tsx',
  'web/viewers/frame/file-view.tsx',
  // Ahead of the editor: what they share with it would come with all of CodeMirror otherwise.
  'web/prompts/delete.tsx',
  'web/search/palette.tsx',
  'web/viewers/table/csv.tsx',
  'web/viewers/json/json.tsx',
  'web/editor/editor.tsx',
  'web/uploads/panel.tsx',
]

export async function buildWeb(outDir: string, dev: boolean): Promise<void> {
  const options = esbuildOptions(dev)
  const next = join(outDir, `web.next-${process.pid}`)
  await rm(next, { recursive: true, force: true })
  await mkdir(join(next, 'static'), { recursive: true })
  try {
    const result = await esbuild.build({ ...options, outdir: join(next, 'static') })
    await cp(join(ROOT, 'web/public'), join(next, 'static'), { recursive: true }).catch(
      ignoreMissing,
    )
    await copyLibraryData(join(next, 'static'))
    await cp(join(ROOT, 'web/index.html'), join(next, 'index.html'))
    const page = toPage(result.metafile, join(next, 'static'))
    await removeUnreadStyles(result.metafile)
    await buildServiceWorker(options, next, page.entry)
    if (!dev) {
      const { core, rename: newName } = await mergeFirstLoad(
        result.metafile,
        join(next, 'static'),
        [ENTRY, ...SCREENS],
      )
      page.entry = core
      page.imports = []
      page.locales = mapValues(page.locales, newName)
      const inputs = Object.fromEntries([...innerInputs].map((input) => [input, {}]))
      const metafile = { ...result.metafile, inputs: { ...inputs, ...result.metafile.inputs } }
      await writeFile(join(outDir, 'web-metafile.json'), JSON.stringify(metafile))
      await compressAll(join(next, 'static'))
    }
    const manifest = {
      ...page,
      files: await describeFiles(join(next, 'static')),
    }
    await writeFile(join(next, 'assets.json'), JSON.stringify(manifest, null, 2))
    // Swap in one step, so that a server running from this folder never sees half a build.
    const old = join(outDir, `web.old-${process.pid}`)
    await rename(join(outDir, 'web'), old).catch(ignoreMissing)
    await rename(next, join(outDir, 'web'))
    await rm(old, { recursive: true, force: true })
  } finally {
    await rm(next, { recursive: true, force: true })
  }
}

/** Folders and files the web bundle is made of, for the staleness check. */
export const WEB_INPUTS = [
  'web',
  'locales',
  'src/api-types.ts',
  'scripts/build',
  'build.mjs',
  'package-lock.json',
]

function esbuildOptions(dev: boolean): esbuild.BuildOptions & { metafile: true } {
  const shared: esbuild.BuildOptions = {
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: ['es2022', 'safari16.4', 'firefox115', 'chrome111'],
    jsx: 'automatic',
    minify: !dev,
    sourcemap: dev ? 'linked' : false,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': dev ? '"development"' : '"production"' },
  }
  const macros = macrosPlugin({ idOnly: !dev })
  return {
    ...shared,
    entryPoints: [ENTRY],
    inject: dev ? ['scripts/build/live-reload.js'] : [],
    splitting: true,
    metafile: true,
    // One flat folder: every chunk finds its neighbours by a relative address below any base URL.
    entryNames: '[name]-[hash]',
    chunkNames: 'c-[name]-[hash]',
    assetNames: 'a-[name]-[hash]',
    loader: loadersOf('file', 'file'),
    plugins: [
      macros,
      cataloguesPlugin(collectMessages({ idOnly: !dev })),
      urlPlugin({ ...shared, plugins: [macros] }),
    ],
  }
}

/** Its address stays, so that browsers find the next one; `build` names the files that it keeps. */
async function buildServiceWorker(
  { absWorkingDir, target, minify, charset, logLevel }: esbuild.BuildOptions,
  folder: string,
  build: string,
): Promise<void> {
  await esbuild.build({
    ...{ absWorkingDir, target, minify, charset, logLevel },
    bundle: true,
    format: 'iife',
    entryPoints: ['web/installed/service.worker.ts'],
    outfile: join(folder, 'static', 'sw.js'),
    define: { __BUILD__: JSON.stringify(build) },
  } as esbuild.BuildOptions)
}

function toPage(metafile: esbuild.Metafile, staticDir: string): Omit<AssetsManifest, 'files'> {
  const nameOf = (output: string): string => relative(staticDir, join(ROOT, output))
  const outputs = Object.entries(metafile.outputs)
  const entry = outputs.find(([, output]) => output.entryPoint === ENTRY)
  if (!entry) throw new Error('the web bundle has no entry')
  const [entryFile, entryOutput] = entry
  const imports = new Set<string>()
  const follow = (file: string): void => {
    for (const item of metafile.outputs[file]?.imports ?? []) {
      if (item.kind !== 'import-statement' || item.external || imports.has(item.path)) continue
      imports.add(item.path)
      follow(item.path)
    }
  }
  follow(entryFile)
  const locales = listLocales().flatMap((locale) => {
    const chunk = outputs.find(([, output]) => output.entryPoint === `locales/${locale}.po`)
    return chunk ? [[locale, nameOf(chunk[0])]] : []
  })
  return {
    entry: nameOf(entryFile),
    imports: [...imports].map(nameOf),
    styles: entryOutput.cssBundle ? [nameOf(entryOutput.cssBundle)] : [],
    locales: Object.fromEntries(locales) as Record<string, string>,
  }
}

/**
 * esbuild makes a style sheet of each part that loads later, which nothing reads: what they need is in that of
 * the page, or has an address (`?url`). Throws where a style would be in none of these.
 */
async function removeUnreadStyles({ outputs }: esbuild.Metafile): Promise<void> {
  const entries = Object.values(outputs)
  const read = entries.find(({ entryPoint }) => entryPoint === ENTRY)?.cssBundle
  const isRead = (input: string) => read !== undefined && outputs[read]?.inputs[input] !== undefined
  for (const { entryPoint, cssBundle } of entries) {
    if (cssBundle === undefined || cssBundle === read) continue
    const lost = Object.keys(outputs[cssBundle]?.inputs ?? {}).filter((input) => !isRead(input))
    if (lost.length > 0)
      throw new Error(
        `${entryPoint} needs ${lost.join(', ')}, which nothing loads: import it as ?url`,
      )
    await rm(join(ROOT, cssBundle), { force: true })
  }
}

/** Every file below static/ with its validator, so that the server computes nothing per request. */
async function describeFiles(staticDir: string): Promise<AssetsManifest['files']> {
  const names = readdirSync(staticDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(staticDir, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
  const all = new Set(names)
  const own = names.filter((name) => !/\.br$/.test(name))
  const described = await Promise.all(
    own.map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(staticDir, name)))
      const etag = hash.digest('base64url').slice(0, 22)
      const immutable = /-[A-Z0-9]{8}\.\w+(\.map)?$/.test(name)
      return [name, { etag, compressed: all.has(`${name}.br`), immutable }] as const
    }),
  )
  return Object.fromEntries(described)
}

function mapValues(
  record: Record<string, string>,
  fn: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fn(value)]))
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
