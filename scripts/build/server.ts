// The server bundle: main.cjs and one file for each thread and process, native packages left outside.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as esbuild from 'esbuild'
import { IN_FILES, lazyModules } from './lazy-modules.ts'
import { ROOT } from './paths.ts'

/** Packages with native or WebAssembly parts that find their files beside themselves. */
export const EXTERNAL = [
  '@node-rs/argon2',
  'bcrypt',
  'sharp',
  'snappy',
  'lzma-native',
  'bzip2-wasm',
  '@hyzyla/pdfium',
  'libheif-js',
]

/** Packages of what many installs never switch on: a file for each, loaded at its first `import()`. */
export const ON_DEMAND = [
  'ldapts',
  'openid-client',
  'otpauth',
  'pg',
  'prom-client',
  'saxes',
  'tar-stream',
]

/** Read when a password is set, see src/auth/common-passwords.ts. */
const COMMON_PASSWORDS = 'common-passwords.br'

/** Read by src/files/extract/by-library.ts. */
const LIBARCHIVE = 'libarchive.js/dist/libarchive.wasm'

export const SERVER_INPUTS = [
  'src',
  'scripts/build',
  'build.mjs',
  'package.json',
  'package-lock.json',
]

export async function buildServer(outDir: string, dev: boolean): Promise<void> {
  const next = join(outDir, `server.next-${process.pid}`)
  await rm(next, { recursive: true, force: true })
  try {
    const options = serverOptions(dev)
    const packages = Object.fromEntries([...ON_DEMAND, ...IN_FILES].map((name) => [name, name]))
    const { metafile } = await esbuild.build({
      ...options,
      ...ownWebClasses(options),
      entryPoints: { main: 'src/main.ts' },
      outdir: next,
      metafile: true,
    })
    const others = { ...packages, ...workerEntries() }
    const { metafile: more } = await esbuild.build({
      ...options,
      entryPoints: others,
      outdir: next,
      metafile: true,
    })
    for (const part of ['inputs', 'outputs'] as const) Object.assign(metafile[part], more[part])
    await cp(join(ROOT, 'src', 'auth', COMMON_PASSWORDS), join(next, COMMON_PASSWORDS))
    await cp(join(ROOT, 'node_modules', LIBARCHIVE), join(next, basename(LIBARCHIVE)))
    await writeFile(join(outDir, 'server-metafile.json'), JSON.stringify(metafile))
    await esbuild.build({
      ...options,
      entryPoints: { boot: 'src/boot.ts' },
      outdir: next,
      footer: { js: 'start(require,typeof thread==="string"?thread:"");' },
    })
    const old = join(outDir, `server.old-${process.pid}`)
    await rename(join(outDir, 'server'), old).catch(ignoreMissing)
    await rename(next, join(outDir, 'server'))
    await linkModules(outDir)
    await rm(old, { recursive: true, force: true })
  } finally {
    await rm(next, { recursive: true, force: true })
  }
}

/** A build outside of the project still finds the packages left outside of the bundle. */
async function linkModules(outDir: string): Promise<void> {
  if (outDir.startsWith(ROOT)) return
  await symlink(join(ROOT, 'node_modules'), join(outDir, 'node_modules'), 'junction').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
}

function serverOptions(dev: boolean): esbuild.BuildOptions {
  return {
    absWorkingDir: ROOT,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    minifySyntax: !dev,
    // Names stay as they are, and lines short: stack traces in a bug report must be readable.
    minifyIdentifiers: false,
    minifyWhitespace: !dev,
    lineLimit: 200,
    sourcemap: dev ? 'linked' : false,
    legalComments: 'none',
    logLevel: 'warning',
    // What is resolved so lies beside a bundle where there is one.
    logOverride: { 'require-resolve-not-external': 'silent' },
    define: {
      'import.meta.url': '__moduleUrl',
      'import.meta.dirname': '__dirname',
      __FB_COMMIT__: JSON.stringify(shortCommit()),
      // Compiled parts of ws that nobody installs.
      'process.env.WS_NO_BUFFER_UTIL': '"1"',
      'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
    },
    banner: { js: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [workerUrls, onDemand, lazyModules],
    // Packages left outside are required, not imported: the executable resolves only that.
    supported: { 'dynamic-import': false },
  }
}

/** The server itself leaves Node's classes of fetch alone until something is fetched, see src/web-classes.ts. */
function ownWebClasses({ define = {} }: esbuild.BuildOptions): esbuild.BuildOptions {
  const file = join(ROOT, 'src', 'web-classes.ts')
  return {
    inject: [file],
    alias: { 'node:http2': file },
    define: {
      ...define,
      'globalThis.Headers': 'Headers',
      'global.Request': 'Request',
      'global.Response': 'Response',
      // It belongs to them, and the adapter brings one.
      'globalThis.CloseEvent': 'undefined',
    },
  }
}

/**
 * `x.worker.ts` (a thread) and `x.process.ts`, wherever below src/, become `x.worker.cjs` and so on beside
 * main.cjs: names must be unique.
 */
function workerEntries(): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const item of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    if (!/\.(?:worker|process)\.ts$/.test(item.name)) continue
    const name = basename(item.name, '.ts')
    if (entries[name]) throw new Error(`two workers are called ${name}`)
    entries[name] = join(item.parentPath, item.name)
  }
  return entries
}

/**
 * Sources write `new Worker(new URL('./x.worker.ts', import.meta.url))`, which Node runs as it is;
 * in the bundle that becomes the path of the built file. A path and not a URL, because the packaged
 * executable only recognises paths as its own.
 */
const workerUrls: esbuild.Plugin = {
  name: 'worker-urls',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!/\.(?:worker|process)\.ts'|createRequire/.test(source)) return undefined
      // What the executable gives a bundle as its `require` knows the packages inside.
      const required = source.replaceAll('createRequire(import.meta.url)', 'require')
      const contents = required.replace(
        /new URL\(\s*(['"])(?:[^'"]*\/)?([\w-]+\.(?:worker|process))\.ts\1\s*,\s*import\.meta\.url,?\s*\)/g,
        "require('node:path').join(__dirname, '$2.cjs')",
      )
      return { contents, loader: 'ts' }
    })
  },
}

/** One that is imported statically stays in main.cjs, which a test finds. */
const onDemand: esbuild.Plugin = {
  name: 'on-demand',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(?:${ON_DEMAND.join('|')})$`) }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${path}.cjs`, external: true } : undefined,
    )
  },
}

/**
 * Short commit for the version line: FILEBROWSER_COMMIT where the history is not at hand, as in an
 * image build, else what git says.
 */
export function shortCommit(env: NodeJS.ProcessEnv = process.env): string {
  if (env.FILEBROWSER_COMMIT) return env.FILEBROWSER_COMMIT
  try {
    const options = {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'ignore'] as const,
      encoding: 'utf8' as const,
    }
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      ...options,
      stdio: [...options.stdio],
    }).trim()
  } catch {
    // A source archive has no history.
    return '(unknown)'
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
