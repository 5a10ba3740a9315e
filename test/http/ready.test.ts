// Whether a balancer should send requests: what /ready says of roots and records.
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KNOWN_ROOTS } from '../../src/store/collections.ts'
import { startApp } from '../support/app.ts'
import { makeTree } from '../support/tree.ts'

const ready = async (app: { fetch(path: string): Promise<Response> }) => {
  const response = await app.fetch('/ready')
  return { status: response.status, body: await response.json() }
}

describe('/ready', () => {
  test('says that all is well, to anybody, and remembers no root by it', async () => {
    await using docs = await makeTree()
    await using app = await startApp({ config: { roots: { docs: docs.root } } })
    expect(await ready(app)).toEqual({ status: 200, body: { ready: true } })
    expect(app.store.count(KNOWN_ROOTS)).toBe(0)
    expect((await app.fetch('/ready', { method: 'HEAD' })).status).toBe(200)
    expect((await app.fetch('/health')).status).toBe(200)
  })

  test('names a root that is missing, and is ready once it is there', async () => {
    await using base = await makeTree()
    const docs = join(base.root, 'docs')
    await using app = await startApp({ config: { roots: { docs } } })
    const missing = { status: 503, body: { ready: false, reasons: ['root:docs'] } }
    expect(await ready(app)).toEqual(missing)
    expect((await app.fetch('/health')).status).toBe(200)
    await mkdir(docs)
    await expect.poll(() => ready(app)).toEqual({ status: 200, body: { ready: true } })
  })

  test('names the served folder when that is gone', async () => {
    await using app = await startApp()
    await rename(app.tree.root, `${app.tree.root}.gone`)
    const missing = { status: 503, body: { ready: false, reasons: ['root'] } }
    expect(await ready(app)).toEqual(missing)
    await rm(`${app.tree.root}.gone`, { recursive: true })
  })

  test('is not ready while records may be out of date', async () => {
    await using app = await startApp()
    app.store.isFresh = () => false
    const stale = { status: 503, body: { ready: false, reasons: ['records'] } }
    expect(await ready(app)).toEqual(stale)
  })
})
