// Files that libraries fetch by name while they work, so that they cannot be part of a chunk. Each
// set lies in a folder named after library and version, below `static/`.
import { cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT } from './paths.ts'

const sets = [
  // Character maps, standard fonts and decoders of pdf.js; see web/viewers/pdf/pdf-document.ts.
  { name: 'pdf', library: 'pdfjs-dist', from: '', files: ['cmaps', 'standard_fonts', 'wasm'] },
  // The worker looks for the WebAssembly beside itself; see web/viewers/archive/archive-worker.ts.
  {
    name: 'libarchive',
    library: 'libarchive.js',
    from: 'dist',
    files: ['worker-bundle.js', 'libarchive.wasm'],
  },
]

export async function copyLibraryData(staticDir: string): Promise<void> {
  const require = createRequire(join(ROOT, 'package.json'))
  for (const { name, library, from, files } of sets) {
    const packageFile = join(ROOT, 'node_modules', library, 'package.json')
    const { version } = require(packageFile) as { version: string }
    const target = join(staticDir, `${name}-${version}`)
    await mkdir(target, { recursive: true })
    for (const file of files) {
      await cp(join(dirname(packageFile), from, file), join(target, file), {
        recursive: true,
        // Every browser this interface runs in has WebAssembly.
        filter: (path) => !path.includes('nowasm'),
      })
    }
  }
}
