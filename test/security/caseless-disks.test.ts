// On a disk without case one entry answers to many names: other cases, and short ones as FAT has them
// (GHSA-fgm5-pw99-w2p7). A rule that denies an entry denies it by each of them, also where such a disk
// is mounted inside of a tree that keeps case.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileRules } from '../../src/access/rules.ts'
import type { Rule } from '../../src/api-types.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { HAS_CASELESS, mountCaseless } from '../support/caseless.ts'
import { makeShare } from '../support/shares.ts'
import { makeTree } from '../support/tree.ts'

const SECRET = 'DENIED BYTES'
const OPEN = 'open bytes'

const denyPath = (path: string): Rule => ({ regex: false, allow: false, path, regexp: null })
const denyMatch = (raw: string): Rule => ({ regex: true, allow: false, path: '', regexp: { raw } })

async function fill(source: string): Promise<void> {
  for (const folder of ['Private Data/Deep Folder', 'Open Data'])
    await mkdir(join(source, folder), { recursive: true })
  for (const file of ['Private Data/Secret Notes.txt', 'Private Data/Deep Folder/d.txt'])
    await writeFile(join(source, file), SECRET)
  for (const file of ['notes.secret', 'long name.secret'])
    await writeFile(join(source, file), `${SECRET} ${file}`)
  await writeFile(join(source, 'Open Data/Open Notes.txt'), OPEN)
}

const DENIED = [
  'Private Data/Secret Notes.txt',
  'private data/Secret Notes.txt',
  'PRIVAT~1/Secret Notes.txt',
  'privat~1/secret~1.txt',
  'PRIVAT~1/DEEPFO~1/d.txt',
  'notes.secret',
  'NOTES.SECRET',
  'LONGNA~1.SEC',
]

async function expectDenied(app: TestApp, username: string, base: string): Promise<void> {
  const user = await app.as(username)
  const send = (path: string, init: RequestInit = {}) => user.fetch(`/api/${path}`, init)
  for (const name of DENIED) {
    const path = encodeURI(`${base}/${name}`)
    for (const [door, init] of [
      [`raw${path}`, {}],
      [`resources${path}`, {}],
      [`raw${base}/?algo=tar&files=${encodeURIComponent(encodeURIComponent(name))}`, {}],
      [`share${path}`, { method: 'POST', body: '{}' }],
      [`resources${path}`, { method: 'PUT', body: 'changed' }],
      [`resources${path}?override=true`, { method: 'POST', body: 'changed' }],
      [`resources${path}?action=copy&destination=${base}%2Fout`, { method: 'PATCH' }],
      [`resources${path}?action=rename&destination=${base}%2Fout`, { method: 'PATCH' }],
      [`resources${path}`, { method: 'DELETE' }],
    ] as const) {
      const response = await send(door, init)
      const text = await response.text()
      expect(text, `${init && 'method' in init ? init.method : 'GET'} ${door}`).not.toContain(
        SECRET,
      )
      if (!door.includes('algo=')) expect([403, 404], door).toContain(response.status)
    }
  }
  for (const folder of ['PRIVAT~1', 'private data', 'PRIVAT~1/DEEPFO~1'])
    for (const door of ['resources', 'resources/recursive', 'raw', 'search']) {
      const query = door === 'search' ? '?query=t' : ''
      const response = await send(`${door}${encodeURI(`${base}/${folder}`)}/${query}`)
      const text = await response.text()
      expect(text, `${door} ${folder}`).not.toMatch(/Secret|Deep|d\.txt|DENIED/)
    }
  // What is not there yet is judged by the name that it would have.
  const made = await send(`resources${base}/new.SECRET`, { method: 'POST', body: 'x' })
  expect(made.status).toBe(403)
  // What no rule denies answers to all of its names.
  for (const name of [
    'Open Data/Open Notes.txt',
    'OPENDA~1/openno~1.TXT',
    'open data/OPEN NOTES.txt',
  ])
    expect(await (await send(`raw${encodeURI(`${base}/${name}`)}`)).text(), name).toBe(OPEN)
}

describe.runIf(HAS_CASELESS)(
  'what a rule denies on a disk without case',
  { timeout: 60_000 },
  () => {
    it('is denied by all of its names where the disk is mounted in the tree', async () => {
      await using app = await startApp({
        tree: { 'NOTES.SECRET': OPEN, 'plain/x.txt': OPEN },
        settings: { rules: [denyPath('/usb/Private Data'), denyMatch('\\.secret$')] },
        users: [{ username: 'bob' }],
      })
      const source = join(app.tree.base, 'source')
      await fill(source)
      await using _disk = await mountCaseless(source, app.tree.at('usb'))
      await expectDenied(app, 'bob', '/usb')
      // The disk around it keeps case.
      const bob = await app.as('bob')
      expect(await (await bob.fetch('/api/raw/NOTES.SECRET')).text()).toBe(OPEN)
    })

    it('is denied to an account whose home lies on the disk, and to visitors of its shares', async () => {
      await using app = await startApp({
        tree: { 'x.txt': OPEN },
        users: [
          {
            username: 'bob',
            scope: '/usb',
            rules: [denyPath('/Private Data'), denyMatch('\\.secret$')],
          },
        ],
      })
      const source = join(app.tree.base, 'source')
      await fill(source)
      await using _disk = await mountCaseless(source, app.tree.at('usb'))
      await expectDenied(app, 'bob', '')
      const hash = await makeShare(app, '/', {}, 'bob')
      for (const name of DENIED) {
        const response = await app.fetch(encodeURI(`/api/public/dl/${hash}/${name}`))
        expect(await response.text(), name).not.toContain(SECRET)
      }
      const open = await app.fetch(encodeURI(`/api/public/dl/${hash}/OPENDA~1/OPENNO~1.TXT`))
      expect(await open.text()).toBe(OPEN)
    })

    it('is denied by all of its names where the disk is the served one', async () => {
      await using tree = await makeTree({ x: null })
      await fill(tree.at('x'))
      const place = join(tree.base, 'served')
      await using _disk = await mountCaseless(tree.at('x'), place)
      await using app = await startApp({
        foldCase: true,
        config: { root: place },
        settings: { rules: [denyPath('/Private Data'), denyMatch('\\.secret$')] },
        users: [{ username: 'bob' }],
      })
      await expectDenied(app, 'bob', '')
    })
  },
)

it('expressions ignore case where the disk does', () => {
  const rules = [denyMatch('\\.secret$')]
  expect(compileRules(rules, true)('/notes.SECRET' as never)).toBe(false)
  expect(compileRules(rules, false)('/notes.SECRET' as never)).toBe(true)
})
