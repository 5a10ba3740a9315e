// Modules of Node, and packages, that take a good part of a start to load and that the server needs later or never.
import { createRequire } from 'node:module'
import type * as esbuild from 'esbuild'
import { ROOT } from './paths.ts'

const BUILTIN =
  /^(?:node:)?(child_process|cluster|crypto|dns|dns\/promises|https|perf_hooks|readline|tls|v8|worker_threads|zlib)$/
const PACKAGE = /^(?:jose|re2js|smol-toml|ws|yaml)$/

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
    build.onResolve({ filter: PACKAGE }, ({ path, namespace, importer }) =>
      namespace === 'file' && !importer.includes('node_modules')
        ? { path, namespace: 'lazy-package' }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'lazy-package' }, ({ path }) => ({
      contents: namesOf(require(path), `require('${path}')`),
      resolveDir: ROOT,
    }))
  },
}

function namesOf(loaded: object, load: string): string {
  const names = Object.keys(loaded).filter((name) => name !== '__esModule')
  return `
    let loaded
    const load = () => (loaded ??= ${load})
    for (const name of ${JSON.stringify(names)})
      Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] })`
}
