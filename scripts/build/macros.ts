// Lingui macros: turns `t`, `msg`, `<Trans>` … into runtime calls and notes the messages on the way.
// Shared by the esbuild plugin, the vitest configuration and the catalogue check.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { transformAsync } from '@babel/core'
import { makeConfig } from '@lingui/conf'
import { CACHE_DIR, ROOT } from './paths.ts'

export interface Transformed {
  code: string
  /** Message id to its English source text. */
  messages: Record<string, string>
}

const USES_MACRO = /['"]@lingui\/(core|react)\/macro['"]/

/** True for a source text that must go through `transformMacros` before it can be bundled. */
export function usesMacros(source: string): boolean {
  return USES_MACRO.test(source)
}

/**
 * Replaces the macros of one TypeScript file. `idOnly` leaves out the source texts, which then come
 * from the catalogue. Results are cached on disk by content, because Babel takes 5 ms a file.
 */
export async function transformMacros(
  file: string,
  source: string,
  options: { idOnly: boolean },
): Promise<Transformed> {
  const key = createHash('sha256')
    .update(`${cacheSalt()}\0${file}\0${options.idOnly}\0${source}`)
    .digest('hex')
  const cacheFile = join(CACHE_DIR, 'macros', key.slice(0, 2), `${key}.json`)
  const cached = await readFile(cacheFile, 'utf8').catch(() => '')
  if (cached) return JSON.parse(cached) as Transformed
  const result = await transform(file, source, options.idOnly)
  await mkdir(dirname(cacheFile), { recursive: true })
  const temporary = `${cacheFile}.${process.pid}`
  await writeFile(temporary, JSON.stringify(result))
  await rename(temporary, cacheFile)
  return result
}

// Given here, or the plugin looks for a configuration file from the working directory upwards.
const linguiConfig = makeConfig({ locales: ['en'], sourceLocale: 'en' }, { skipValidation: true })

async function transform(file: string, source: string, idOnly: boolean): Promise<Transformed> {
  const messages: Record<string, string> = {}
  const parserOpts = {
    plugins: file.endsWith('x') ? (['typescript', 'jsx'] as const) : (['typescript'] as const),
  }
  const common = {
    filename: file,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: [...parserOpts.plugins] },
  }
  // Collect first, with the full descriptors; the shipped code may leave the texts out.
  const full = await transformAsync(source, {
    ...common,
    sourceMaps: 'inline',
    plugins: [
      ['@lingui/babel-plugin-lingui-macro', { descriptorFields: 'all', linguiConfig }],
      [
        '@lingui/babel-plugin-extract-messages',
        {
          linguiConfig,
          onMessageExtracted: (message: { id: string; message?: string }) => {
            messages[message.id] = message.message ?? message.id
          },
        },
      ],
    ],
  })
  const shipped = idOnly
    ? await transformAsync(source, {
        ...common,
        sourceMaps: 'inline',
        plugins: [
          ['@lingui/babel-plugin-lingui-macro', { descriptorFields: 'id-only', linguiConfig }],
        ],
      })
    : full
  return { code: shipped?.code ?? '', messages }
}

let salt = ''

/** A new version of the macro plugin must not meet results of the old one. */
function cacheSalt(): string {
  salt ||= readFileSync(
    join(ROOT, 'node_modules/@lingui/babel-plugin-lingui-macro/package.json'),
    'utf8',
  )
  return salt
}
