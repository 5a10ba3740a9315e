// The same treatment of macros and catalogues for tests that import parts of the interface.
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vitest/config'
import { collectMessages, compileCatalogue } from './catalogues.ts'
import { transformMacros, usesMacros } from './macros.ts'

export function linguiMacros(): Plugin {
  return {
    name: 'lingui-macros',
    enforce: 'pre',
    async transform(code, id) {
      const file = id.replace(/\?.*$/, '')
      if (!/\.tsx?$/.test(file) || !usesMacros(code)) return null
      const result = await transformMacros(file, code, { idOnly: false })
      return { code: result.code, map: null }
    },
  }
}

export function catalogues(): Plugin {
  return {
    name: 'catalogues',
    enforce: 'pre',
    async load(id) {
      if (id.endsWith('.po')) return compileCatalogue(id, await collectMessages({ idOnly: false }))
      // Style sheets and workers loaded by address: no test here looks at them.
      if (/\?(url|worker)$/.test(id)) {
        await readFile(id.replace(/\?\w+$/, ''))
        return `export default ${JSON.stringify(id)}`
      }
      return null
    },
  }
}
