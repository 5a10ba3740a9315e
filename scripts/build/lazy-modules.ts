// Modules of Node, and packages, that take a good part of a start to load and that the server needs later or never.
import { createRequire } from 'node:module'
import type * as esbuild from 'esbuild'
import { ROOT } from './paths.ts'

const BUILTIN =
  /^(?:node:)?(child_process|cluster|crypto|dns|dns\/promises|https|perf_hooks|readline|tls|v8|worker_threads|zlib)$/
/** Those that no usual start needs, nor the first sign-in: a file for each. */
export const IN_FILES = ['re2js', 'smol-toml', 'yaml']
const PACKAGE = new RegExp(`^(?:${IN_FILES.join('|')}|jose|ws)$`)
const FILE = new RegExp(`^\\./(?:${IN_FILES.join('|')})\\.cjs$`)

/**
 * In place of each stands a module with the same names, which loads it when the first of them is looked at.
 * Bundles look at what they import where they use it.
 */
export const lazyModules: esbuild.Plugin = {
  name: 'lazy-modules',
  setup(build) {
    const require = createRequire(import.meta.url)
    build.onResolve({ filter: BUILTIN }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace: 'lazy-builtin',
    }))
    build.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({
      contents: namesOf(require(`node:${path}`), `process.getBuiltinModule('node:${path}')`),
    }))
    build.onResolve({ filter: PACKAGE }, ({ path, kind, namespace, importer }) =>
      kind !== 'entry-point' && namespace === 'file' && !importer.includes('node_modules')
        ? { path, namespace: 'lazy-package' }
        : undefined,
    )
    build.onResolve({ filter: FILE, namespace: 'lazy-package' }, ({ path }) => ({
      path,
      external: true,
    }))
    build.onLoad({ filter: /.*/, namespace: 'lazy-package' }, ({ path }) => ({
      contents: namesOf(
        require(path),
        `require('${IN_FILES.includes(path) ? `./${path}.cjs` : path}')`,
      ),
      resolveDir: ROOT,
    }))
  },
}

// Names that are inherited: own ones esbuild copies for each file that imports them, 70 of node:crypto for 55 files.
function namesOf(loaded: object, load: string): string {
  const names = Object.keys(loaded).filter((name) => name !== '__esModule')
  return `
    let loaded
    const load = () => (loaded ??= ${load})
    const all = {}
    for (const name of ${JSON.stringify(names)})
      Object.defineProperty(all, name, { enumerable: true, get: () => load()[name] })
    module.exports = Object.create(all)`
}
