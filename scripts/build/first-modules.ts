// Which of our modules come with an entry: those that it imports, and what these import, at once.
import { join } from 'node:path'
import * as esbuild from 'esbuild'
import { ROOT } from './paths.ts'

/** Absolute paths of the modules below web/ that come with `entryPoints`. */
export async function findFirstModules(entryPoints: string[]): Promise<ReadonlySet<string>> {
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'first-modules',
    packages: 'external',
    external: ['*.po', '*.css', '*?url', '*?worker'],
    logLevel: 'error',
  })
  const found = new Set(entryPoints)
  for (const path of found) {
    for (const { kind, path: imported, external } of metafile.inputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) found.add(imported)
  }
  return new Set([...found].map((path) => join(ROOT, path)))
}
