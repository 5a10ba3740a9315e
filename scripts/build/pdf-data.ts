// What pdf.js fetches while it reads a document: character maps, standard fonts, decoders.
import { cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT } from './paths.ts'

/** Copies them below `static/pdf-<version>/`, where web/viewers/pdf-document.ts looks. */
export async function copyPdfData(staticDir: string): Promise<void> {
  const require = createRequire(join(ROOT, 'package.json'))
  const file = require.resolve('pdfjs-dist/package.json')
  const { version } = require(file) as { version: string }
  const target = join(staticDir, `pdf-${version}`)
  await mkdir(target, { recursive: true })
  for (const name of ['cmaps', 'standard_fonts', 'wasm']) {
    await cp(join(dirname(file), name), join(target, name), {
      recursive: true,
      filter: (path) => !path.includes('nowasm'),
    })
  }
}
