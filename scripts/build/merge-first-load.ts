// One shared script instead of dozens. The bundler puts every module that some set of lazy chunks
// has in common into a chunk of its own, so that the page would begin with many tiny requests. Here
// the entry and all chunks that it imports at once become one file, from which the lazy ones take theirs.
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as esbuild from 'esbuild'
import { minify } from 'terser'

export interface MergedLoad {
  /** The new file that the page begins with: its entry and what that imports. */
  core: string
  /** Old name of an output to its new one; names that stay map to themselves. */
  rename(name: string): string
}

type Outputs = Map<string, esbuild.Metafile['outputs'][string]>

/** Chunk to the merged file that has taken it in. */
type Merged = Map<string, string>

/**
 * Rewrites the outputs in `staticDir`. The first of `entryPoints` (the page's own) and what it imports at
 * once become one file, what the second imports besides becomes another, and so on. The page's entry must not
 * wait at its top level for lazy chunks, which import from the same file. The screens themselves stay apart.
 * Every chunk is renamed, since its content now names the merged files.
 */
export async function mergeFirstLoad(
  metafile: esbuild.Metafile,
  staticDir: string,
  entryPoints: string[],
): Promise<MergedLoad> {
  const outputs: Outputs = new Map(
    Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]),
  )
  const merged: Merged = new Map()
  const single = new Set<string>()
  for (const [index, entryPoint] of entryPoints.entries()) {
    const entry = [...outputs].find(([, output]) => output.entryPoint === entryPoint)?.[0]
    if (entry) await mergeGroup(staticDir, outputs, merged, single, entry, index === 0)
  }
  const users = [...outputs.keys()].filter((name) => takesFrom(outputs, name, merged))
  const rewritten = await bundle(staticDir, {
    entryPoints: users.map((name) => join(staticDir, name)),
    plugins: [takeFrom(outputs, merged), keepOthers(new Set())],
  })
  for (const { path, contents } of rewritten) {
    await writeFile(join(staticDir, basename(path)), contents)
  }
  for (const name of merged.keys()) await rm(join(staticDir, name))
  const files = [...new Set(merged.values())]
  return { core: files[0] ?? '', rename: await renameChunks(staticDir, outputs, merged, files) }
}

async function mergeGroup(
  staticDir: string,
  outputs: Outputs,
  merged: Merged,
  single: Set<string>,
  entry: string,
  isPage: boolean,
): Promise<void> {
  const group = staticImports(outputs, entry)
  for (const name of [...merged.keys(), ...single]) group.delete(name)
  // Lazily loaded entries are not to be taken in. One alone is as good as it is, and stays alone: a
  // later and larger group would come with it wherever it is needed.
  for (const name of group) if (outputs.get(name)?.entryPoint) group.delete(name)
  // After what it imports.
  if (isPage) group.add(entry)
  if (group.size < 2) {
    for (const name of group) single.add(name)
    return
  }
  const [shared] = await bundle(staticDir, {
    stdin: { contents: shareAll(outputs, group), resolveDir: staticDir, sourcefile: 'shared.js' },
    plugins: [takeFrom(outputs, merged), keepOthers(group)],
  })
  if (!shared) throw new Error(`${entry} shares nothing`)
  const text = isPage ? await shrink(shared.text) : shared.text
  const file = `${isPage ? 'main' : 'shared'}-${hash8(text)}.js`
  await writeFile(join(staticDir, file), text)
  for (const name of group) merged.set(name, file)
}

/** Takes seconds and saves a twentieth, which only what every visit begins with is worth. */
async function shrink(text: string): Promise<string> {
  const compress = { passes: 2, keep_fargs: false, ecma: 2020 } as const
  const { code } = await minify(text, { module: true, compress })
  if (!code) throw new Error('nothing is left of the first load')
  return code
}

/** All that `entry` imports statically, itself not included. */
function staticImports(outputs: Outputs, entry: string): Set<string> {
  const found = new Set<string>()
  const follow = (name: string): void => {
    for (const { kind, path, external } of outputs.get(name)?.imports ?? []) {
      const target = basename(path)
      if (kind !== 'import-statement' || external || target === entry || found.has(target)) continue
      found.add(target)
      follow(target)
    }
  }
  follow(entry)
  return found
}

/** A module that exports everything the merged chunks export, under names that do not clash. */
function shareAll(outputs: Outputs, group: Set<string>): string {
  return [...group]
    .flatMap((name) => [
      // For those that only do something.
      `import './${name}'`,
      ...exportsOf(outputs, name).map(
        (key) => `export { ${key} as ${as(name, key)} } from './${name}'`,
      ),
    ])
    .join('\n')
}

function takesFrom(outputs: Outputs, name: string, merged: Merged): boolean {
  if (!name.endsWith('.js') || merged.has(name)) return false
  const imports = outputs.get(name)?.imports ?? []
  return imports.some(({ kind, path }) => kind === 'import-statement' && merged.has(basename(path)))
}

/** Bundles the imports among `inside`, leaves every other import as it is. */
function keepOthers(inside: Set<string>): esbuild.Plugin {
  return {
    name: 'keep-others',
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, kind }) =>
        kind === 'import-statement' && inside.has(basename(path))
          ? undefined
          : { path, external: true },
      )
    },
  }
}

/** An import of a merged chunk becomes an import of the same thing from the merged file. */
function takeFrom(outputs: Outputs, merged: Merged): esbuild.Plugin {
  return {
    name: 'take-from',
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, kind }) =>
        kind === 'import-statement' && merged.has(basename(path))
          ? { path: basename(path), namespace: 'merged' }
          : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: 'merged' }, ({ path }) => {
        const list = exportsOf(outputs, path).map((key) => `${as(path, key)} as ${key}`)
        return {
          contents: `export { ${list.join(', ')} } from './${merged.get(path)}'`,
          loader: 'js',
        }
      })
    },
  }
}

/**
 * Gives every chunk a name that covers all of them and the merged files: a name that a browser has
 * kept must never stand for content that asks for a merged file of another build. What the names of a
 * build have in common costs the first load next to nothing, where a hash for each would cost half a kilobyte.
 */
async function renameChunks(
  staticDir: string,
  outputs: Outputs,
  merged: Merged,
  files: string[],
): Promise<(name: string) => string> {
  const names = new Map<string, string>()
  const build = hash8([...outputs.keys(), ...files].join(':')).slice(0, 6)
  for (const [name, { imports }] of outputs) {
    // Files without imports (workers, styles, fonts) name nobody.
    if (!/^(main|c)-.*\.js$/.test(name) || merged.has(name)) continue
    if (imports.length === 0 && name.startsWith('c-')) continue
    const own = names.size.toString(36).toUpperCase().padStart(2, '0')
    names.set(name, name.replace(/[A-Z0-9]{8}\.js$/, `${build}${own}.js`))
  }
  const rename = (name: string): string => names.get(name) ?? name
  const texts = [...outputs.keys(), ...files].filter(
    (name) => name.endsWith('.js') && !merged.has(name),
  )
  for (const name of texts) {
    const text = await readFile(join(staticDir, name), 'utf8')
    const renamed = text.replace(/[\w.@-]+-[A-Z0-9]{8}\.js/g, rename)
    await writeFile(join(staticDir, rename(name)), renamed)
    if (rename(name) !== name) await rm(join(staticDir, name))
  }
  return rename
}

async function bundle(
  staticDir: string,
  options: esbuild.BuildOptions,
): Promise<esbuild.OutputFile[]> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: staticDir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    // The first pass has warned about our own code.
    logLevel: 'error',
    write: false,
    outdir: staticDir,
    entryNames: '[name]',
    ...options,
  })
  return outputFiles ?? []
}

function exportsOf(outputs: Outputs, name: string): string[] {
  return outputs.get(name)?.exports ?? []
}

/** `c-chunk-GDIURKHS.js` and `a` give `_GDIURKHS_a`: unique among all shares. */
function as(chunk: string, key: string): string {
  return `_${chunk.replace(/^.*-|\.js$/g, '')}_${key}`
}

function hash8(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase()
}
