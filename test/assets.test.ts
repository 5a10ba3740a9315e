import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chooseEncoding, openAssets } from '../src/http/assets.ts'
import { pickLocale } from '../src/routes/page.ts'
import { makeTree } from './support/tree.ts'

const BODY = 'console.log(1)\n'.repeat(100)

/** A built interface as the executable carries it: what shrinks is there as brotli only. */
async function makeBuilt(folder: string): Promise<void> {
  await mkdir(join(folder, 'static'), { recursive: true })
  await writeFile(join(folder, 'static/main-ABCDEFGH.js.br'), brotliCompressSync(BODY))
  await writeFile(join(folder, 'static/logo.png'), 'png')
  await writeFile(join(folder, 'index.html'), '<title>{{title}}</title>')
  const files = {
    'main-ABCDEFGH.js': { etag: 'e1', compressed: true, immutable: true },
    'logo.png': { etag: 'e2', compressed: false, immutable: false },
  }
  const page = { entry: 'main-ABCDEFGH.js', imports: [], styles: [], locales: {} }
  await writeFile(join(folder, 'assets.json'), JSON.stringify({ ...page, files }))
}

describe('assets', () => {
  it('are sent in the encoding the client takes, each with its own validator', async () => {
    await using tree = await makeTree({})
    await makeBuilt(tree.root)
    const assets = openAssets(tree.root)
    const brotli = await assets.find('main-ABCDEFGH.js', 'gzip, deflate, br')
    const gzip = await assets.find('main-ABCDEFGH.js', 'gzip;q=0.5, br;q=0')
    const plain = await assets.find('main-ABCDEFGH.js', '')
    expect([brotli?.encoding, gzip?.encoding, plain?.encoding]).toEqual(['br', 'gzip', 'identity'])
    expect(plain?.bytes.toString()).toBe(BODY)
    expect(gunzipSync(gzip?.bytes ?? '').toString()).toBe(BODY)
    // It is made once.
    expect((await assets.find('main-ABCDEFGH.js', 'gzip'))?.bytes).toBe(gzip?.bytes)
    expect(new Set([brotli?.etag, gzip?.etag, plain?.etag]).size).toBe(3)
    expect(brotli).toMatchObject({ immutable: true, varies: true })
  })

  it('are only those of the build, whatever the name says', async () => {
    await using tree = await makeTree({})
    await makeBuilt(tree.root)
    const assets = openAssets(tree.root)
    for (const name of ['../index.html', 'main-ABCDEFGH.js.br', 'constructor', '__proto__', '']) {
      expect(await assets.find(name, 'br')).toBeNull()
    }
    expect((await assets.find('logo.png', 'br'))?.encoding).toBe('identity')
  })

  it('say so when nothing is built', async () => {
    await using tree = await makeTree({})
    const assets = openAssets(tree.root)
    expect((await assets.page()).template).toContain('not built')
    expect(await assets.find('main.js', 'br')).toBeNull()
  })
})

describe('the encoding', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['identity', 'identity'],
    ['gzip;q=0', 'identity'],
    ['xgzip', 'identity'],
    ['', 'identity'],
  ])('for %j is %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding)
  })
})

describe('the catalogue fetched early', () => {
  const locales = ['de', 'en', 'pt-br', 'pt-pt', 'zh-cn']
  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['pt', 'pt-br'],
    ['pt-PT', 'pt-pt'],
    ['en;q=0.1, de;q=0.8', 'de'],
    ['fr, zh-CN;q=0.4', 'zh-cn'],
    ['de;q=0, en', 'en'],
    ['xx', undefined],
    ['', undefined],
  ])('for %j is %s', (header, locale) => {
    expect(pickLocale(header, locales)).toBe(locale)
  })
})
