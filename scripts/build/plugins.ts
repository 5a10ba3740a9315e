// The esbuild plugins of the web bundle: Lingui macros, catalogues, and files that become URLs.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, relative, resolve } from 'node:path'
import * as esbuild from 'esbuild'
import { compileCatalogue } from './catalogues.ts'
import { transformMacros, usesMacros } from './macros.ts'
import { ROOT } from './paths.ts'

type LoaderMap = Record<string, esbuild.Loader>

export function macrosPlugin(options: { idOnly: boolean }): esbuild.Plugin {
  return {
    name: 'lingui-macros',
    setup(build) {
      const icons = readIconFiles()
      build.onLoad({ filter: /[\\/]web[\\/].*\.tsx?$/ }, async ({ path }) => {
        const source = importIcons(await readFile(path, 'utf8'), await icons)
        const loader = path.endsWith('x') ? 'tsx' : 'ts'
        if (!usesMacros(source)) return { contents: source, loader }
        const { code } = await transformMacros(path, source, options)
        return { contents: code, loader }
      })
    },
  }
}

const ICONS = 'lucide-react'

/** By the name of an icon its module. */
async function readIconFiles(): Promise<ReadonlyMap<string, string>> {
  const file = createRequire(import.meta.url).resolve(`${ICONS}/dist/esm/lucide-react.mjs`)
  const lines = (await readFile(file, 'utf8')).matchAll(
    /^export \{(.+)\} from '\.\/(icons\/.+)\.mjs'/gm,
  )
  return new Map(
    [...lines].flatMap(([, names = '', path = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(
        ([, name = '']) => [name, `${ICONS}/${path}`] as const,
      ),
    ),
  )
}

/** Imports each icon by itself: all that the page has would come with its first screen otherwise. */
function importIcons(source: string, files: ReadonlyMap<string, string>): string {
  return source.replace(/import \{([^}]*)\} from 'lucide-react'/g, (statement, list: string) => {
    const imports = list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => {
        const [icon = '', local = icon] = name.split(' as ')
        const file = files.get(icon)
        if (file === undefined) throw new Error(`lucide-react has no icon ${icon}`)
        return `import ${local} from '${file}'`
      })
    // The lines below keep their numbers.
    return imports.join(';') + statement.replace(/[^\n]/g, '')
  })
}

/** `import('../locales/de.po')` gives `{ messages }`, in step with the code being bundled. */
export function cataloguesPlugin(messages: Promise<Record<string, string>>): esbuild.Plugin {
  return {
    name: 'catalogues',
    setup(build) {
      build.onLoad({ filter: /\.po$/ }, async ({ path }) => ({
        contents: await compileCatalogue(path, await messages),
        loader: 'js',
        watchFiles: [path],
      }))
    },
  }
}

/**
 * Imports whose value is an absolute URL, valid below any base URL because it is made from the
 * importing chunk's own address (all outputs lie in one folder):
 * `./x.css?url` (bundled, not merged into the entry's style sheet), `./x.worker.ts?worker` (bundled
 * module worker), `package/file.wasm?url` and font or picture files as they are.
 */
export function urlPlugin(shared: esbuild.BuildOptions): esbuild.Plugin {
  return {
    name: 'url-imports',
    setup(build) {
      build.onResolve({ filter: /\?(url|worker)$/ }, async (args) => {
        const kind = args.path.endsWith('?worker') ? 'worker' : 'url'
        const path = await resolveFile(build, args, args.path.replace(/\?(url|worker)$/, ''))
        // Relative: the bundler sorts by it, and a build elsewhere would come out in another order.
        return { path: relative(ROOT, path).replaceAll('\\', '/'), namespace: `${kind}-import` }
      })
      build.onLoad({ filter: /.*/, namespace: 'url-import' }, ({ path }) => urlModule(path))
      build.onLoad({ filter: /.*/, namespace: 'worker-import' }, ({ path }) => urlModule(path))
      build.onResolve({ filter: /\?bytes$/ }, (args) => {
        const source = args.path.slice(0, -'?bytes'.length)
        // The output takes its extension from here.
        return {
          path: source.replace(/\.tsx?$/, '.js'),
          namespace: 'bytes',
          pluginData: resolve(ROOT, source),
        }
      })
      build.onLoad({ filter: /.*/, namespace: 'bytes' }, async ({ pluginData }) => {
        const source = String(pluginData)
        if (/\.(css|tsx?)$/.test(source)) return bundleAlone(shared, source)
        return { contents: await readFile(source), loader: 'file' }
      })
    },
  }
}

function urlModule(path: string): esbuild.OnLoadResult {
  const bytes = JSON.stringify(`${path}?bytes`)
  return {
    contents: `import path from ${bytes}\nexport default new URL(path, import.meta.url).href`,
    loader: 'js',
    resolveDir: dirname(resolve(ROOT, path)),
  }
}

async function resolveFile(
  build: esbuild.PluginBuild,
  args: esbuild.OnResolveArgs,
  path: string,
): Promise<string> {
  if (path.startsWith('.')) return resolve(args.resolveDir, path)
  const found = await build.resolve(path, { resolveDir: args.resolveDir, kind: args.kind })
  if (found.path && !found.external) return found.path
  // A package that hides the file behind its exports map: take it by its place on disk.
  return createRequire(`${args.resolveDir}/`).resolve(path)
}

/** Fonts and pictures that style sheets name, and WebAssembly. */
export function loadersOf(media: 'file' | 'dataurl', wasm: 'file' | 'binary'): LoaderMap {
  const extensions = ['.woff2', '.woff', '.ttf', '.png', '.svg', '.gif', '.jpg', '.webp']
  return { ...Object.fromEntries(extensions.map((name) => [name, media])), '.wasm': wasm }
}

/** What went into workers and lazy style sheets, which the metafile of the build does not tell. */
export const innerInputs = new Set<string>()

async function bundleAlone(
  shared: esbuild.BuildOptions,
  path: string,
): Promise<esbuild.OnLoadResult> {
  const result = await esbuild.build({
    ...shared,
    entryPoints: [path],
    outdir: '/',
    entryNames: basename(path).replace(/\.[^.]+$/, ''),
    splitting: false,
    write: false,
    metafile: true,
    sourcemap: false,
    // Fonts and pictures of such a style sheet are small: inside it, they need no second address.
    loader: loadersOf('dataurl', 'binary'),
  })
  for (const input of Object.keys(result.metafile?.inputs ?? {})) innerInputs.add(input)
  const main = result.outputFiles?.find((file) => /\.(css|js)$/.test(file.path))
  if (!main) throw new Error(`${path} gave no output`)
  return {
    contents: main.contents,
    loader: 'file',
    watchFiles: Object.keys(result.metafile?.inputs ?? {}).map((input) => resolve(input)),
  }
}
