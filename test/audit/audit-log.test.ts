import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuditLog } from '../../src/audit/audit-log.ts'
import type { AuditTarget } from '../../src/audit/audit-target.ts'
import { type AuditEvent, lineOf, parseLine } from '../../src/audit/event.ts'
import { type AuditFilter, readAll, readPage } from '../../src/audit/read-audit.ts'
import { makeTree } from '../support/tree.ts'

const DAY_MS = 86_400_000
const ANY: AuditFilter = {
  user: '',
  action: '',
  path: '',
  result: '',
  share: '',
  fromMs: 0,
  toMs: Number.POSITIVE_INFINITY,
}

const event = (path: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  user: 'mona',
  action: 'upload',
  path,
  result: 'ok',
  ...more,
})

async function openTarget(limits: Partial<AuditTarget> = {}) {
  const tree = await makeTree()
  const target: AuditTarget = {
    kind: 'file',
    path: join(tree.base, 'audit.jsonl'),
    sizeBytes: 100_000_000,
    ageMs: 90 * DAY_MS,
    ...limits,
  }
  const errors: unknown[] = []
  const open = () =>
    createAuditLog(target, { stdout: () => {}, onError: (error) => errors.push(error) })
  const pieces = async () =>
    (await readdir(dirname(target.path))).filter((name) => name.startsWith('audit')).sort()
  return { target, errors, open, pieces, [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose]() }
}

const { signal } = new AbortController()
const pageOf = (target: AuditTarget, filter: Partial<AuditFilter> = {}, before = '', limit = 100) =>
  readPage(target, { ...ANY, ...filter }, { before, limit, signal })
const pathsOf = (lines: readonly { path?: string }[]) => lines.map(({ path }) => path)

describe('the audit log', () => {
  it('is not opened again by what ends after it', async () => {
    await using audit = await openTarget()
    const log = audit.open()
    await log.close()
    log.record(event('/late.txt'))
    await log.flush()
    expect(await audit.pieces()).toEqual([])
  })

  it('makes no file before the first act', async () => {
    await using setup = await openTarget()
    const log = setup.open()
    await log.close()
    expect(await setup.pieces()).toEqual([])
  })

  it('goes to the standard output where it is told to', async () => {
    await using setup = await openTarget({ kind: 'stdout' })
    let out = ''
    const stdout = (text: string) => {
      out += text
    }
    const log = createAuditLog(setup.target, { stdout, onError: () => {} })
    log.record(event('/1'))
    log.record(event('/2'))
    await log.close()
    const lines = out.trimEnd().split('\n').map(parseLine)
    expect(pathsOf(lines.map((line) => line ?? {}))).toEqual(['/1', '/2'])
    expect(await setup.pieces()).toEqual([])
  })

  it('keeps a line on one line whatever a name holds', async () => {
    await using setup = await openTarget()
    const log = setup.open()
    const name = '/a\nb\u2028c"d\u0000'
    log.record(event(name))
    await log.close()
    const text = await readFile(setup.target.path, 'utf8')
    expect(text.split(/[\n\u2028\u2029]/)).toHaveLength(2)
    expect(parseLine(text)?.path).toBe(name)
  })

  it('adds up acts that belong together, and leaves others alone', async () => {
    await using setup = await openTarget()
    const log = setup.open()
    for (let i = 0; i < 3; i++) log.record(event('/film', { bytes: 10 }), 'film')
    log.record(event('/other', { bytes: 1 }), 'other')
    await log.close()
    const { lines } = await pageOf(setup.target)
    expect(lines).toMatchObject([
      { path: '/other', bytes: 1 },
      { path: '/film', bytes: 30, times: 3 },
    ])
    expect(lines[0]).not.toHaveProperty('times')
  })

  it('goes on in a new piece when one is full, and removes the oldest beyond ten', async () => {
    await using setup = await openTarget({ sizeBytes: 10_000 })
    const log = setup.open()
    for (let i = 0; i < 300; i++) {
      log.record(event(`/${i}`))
      if (i % 5 === 4) await log.flush()
    }
    await log.close()
    expect((await setup.pieces()).length).toBe(10)
    const { lines } = await pageOf(setup.target, {}, '', 1000)
    expect(lines[0]?.path).toBe('/299')
    expect(lines.length).toBeLessThan(150)
    expect(pathsOf(lines)).toEqual(lines.map((_, i) => `/${299 - i}`))
  })

  it('rotates a piece that has become old, and removes and hides what is too old', async () => {
    await using setup = await openTarget({ ageMs: 10 * DAY_MS })
    const { path } = setup.target
    await writeFile(path, lineOf(Date.now() - 2 * DAY_MS, event('/old')))
    const stamp = new Date(Date.now() - 11 * DAY_MS).toISOString().slice(0, -1).replaceAll(':', '-')
    await writeFile(path.replace('.jsonl', `-${stamp}.jsonl`), 'gone\n')
    const log = setup.open()
    log.record(event('/new'))
    await log.close()
    expect(await setup.pieces()).toHaveLength(2)
    expect(pathsOf((await pageOf(setup.target)).lines)).toEqual(['/new', '/old'])
    expect(pathsOf((await pageOf({ ...setup.target, ageMs: DAY_MS })).lines)).toEqual(['/new'])
  })

  it('says once that it cannot write, and counts what is missing when it can again', async () => {
    await using setup = await openTarget()
    const target = { ...setup.target, path: join(setup.target.path, 'below', 'log.jsonl') }
    await writeFile(setup.target.path, 'a file where a folder should be')
    const errors: unknown[] = []
    const log = createAuditLog(target, { stdout: () => {}, onError: (e) => errors.push(e) })
    for (const path of ['/1', '/2']) {
      log.record(event(path))
      await log.flush()
    }
    expect(errors).toHaveLength(1)
    await rm(setup.target.path)
    await mkdir(setup.target.path)
    log.record(event('/3'))
    await log.close()
    const { lines } = await pageOf(target)
    expect(lines).toMatchObject([{ path: '/3' }, { action: 'lines-lost', times: 2 }])
  })
})

describe('reading it', () => {
  it('gives pages that go on after the log was rotated', async () => {
    await using setup = await openTarget({ sizeBytes: 100_000 })
    const log = setup.open()
    for (let i = 0; i < 50; i++) log.record(event(`/${i}`))
    await log.flush()
    const first = await pageOf(setup.target, {}, '', 20)
    for (let i = 50; i < 200; i++) log.record(event(`/${i}`))
    await log.flush()
    expect((await setup.pieces()).length).toBeGreaterThan(1)
    const second = await pageOf(setup.target, {}, first.next ?? '', 20)
    const third = await pageOf(setup.target, {}, second.next ?? '', 20)
    const all = [...first.lines, ...second.lines, ...third.lines]
    expect(pathsOf(all)).toEqual(all.map((_, i) => `/${49 - i}`))
    expect(all).toHaveLength(50)
    expect(third.next).toBeNull()
    await log.close()
  })

  it('finds by account, action, result, part of a path, and time', async () => {
    await using setup = await openTarget()
    const atMs = Date.parse('2026-11-20T10:00:00Z')
    const lines = [
      event('/a/1.txt'),
      event('/b/2.txt', { user: 'ben', action: 'delete' }),
      event('/c', { action: 'move', to: '/d/1.txt' }),
      event('/e', { place: '/home/1.txt', result: 'refused', status: 403 }),
    ].map((e, i) => lineOf(atMs + i * 1000, e))
    await writeFile(setup.target.path, lines.join(''))
    const kept = { ...setup.target, ageMs: 36_500 * DAY_MS }
    const found = async (filter: Partial<AuditFilter>) =>
      pathsOf((await pageOf(kept, filter)).lines)
    expect(await found({ user: 'ben' })).toEqual(['/b/2.txt'])
    expect(await found({ action: 'move' })).toEqual(['/c'])
    expect(await found({ result: 'refused' })).toEqual(['/e'])
    expect(await found({ path: '1.txt' })).toEqual(['/e', '/c', '/a/1.txt'])
    expect(await found({ path: '1.txt', user: 'mona', action: 'upload' })).toEqual([
      '/e',
      '/a/1.txt',
    ])
    expect(await found({ fromMs: atMs + 1000, toMs: atMs + 3000 })).toEqual(['/c', '/b/2.txt'])
  })

  it('passes over lines that are none, such as one torn by a power cut', async () => {
    await using setup = await openTarget()
    const now = Date.now()
    const good = (path: string) => lineOf(now, event(path))
    await writeFile(setup.target.path, `${good('/1')}{"time":"2026\n\n[1]\n${good('/2')}{"ti`)
    expect(pathsOf((await pageOf(setup.target)).lines)).toEqual(['/2', '/1'])
  })

  it('reads lines of any length, in both directions', async () => {
    await using setup = await openTarget()
    const now = Date.now()
    const wide = (i: number) => 'ä'.repeat(i % 100 === 50 ? 300_000 : 1000)
    const lines = Array.from({ length: 1000 }, (_, i) => lineOf(now + i, event(`/${i}${wide(i)}`)))
    await writeFile(setup.target.path, lines.join(''))
    const backwards = (await pageOf(setup.target, {}, '', 1000)).lines
    const forwards = []
    for await (const records of readAll(setup.target, ANY)) forwards.push(...records)
    expect(pathsOf(forwards)).toEqual(lines.map((_, i) => `/${i}${wide(i)}`))
    expect(backwards.reverse()).toEqual(forwards)
  })

  it('refuses a cursor that is none', async () => {
    await using setup = await openTarget()
    await expect(pageOf(setup.target, {}, '../x')).rejects.toMatchObject({ code: 'bad_request' })
  })
})
