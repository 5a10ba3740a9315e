// What an account does not see is told by no answer of WebDAV and of jobs, wherever it lies.
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GrantRecord } from '../../src/access-types.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { type DavAsk, davAs, LOCK_INFO } from '../support/dav.ts'
import type { SignedIn } from '../support/login.ts'
import { makeTree } from '../support/tree.ts'
import { zipOf } from '../support/zips.ts'

const TREE = {
  'pub/a.txt': 'content of a',
  'pub/team/b.txt': 'content of b',
  'pub/team/deep/c.txt': 'content of c',
  'pub/hidden-canary/d-canary.txt': 'content of d',
  'own/e.txt': 'content of e',
}
const DEEP = { Depth: '1' }
const LEAK = /canary|content of d/
const ROOM =
  '<propfind xmlns="DAV:"><prop><resourcetype/><quota-used-bytes/><quota-available-bytes/><lockdiscovery/></prop></propfind>'
const NOTE =
  '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:x">noted-canary</x></prop></set></propertyupdate>'

const BODIES: Record<string, string> = { PROPPATCH: NOTE, LOCK: LOCK_INFO, PUT: 'x', PATCH: 'x' }
const PART = {
  'Content-Type': 'application/x-sabredav-partialupdate',
  'Content-Length': '1',
  'X-Update-Range': 'append',
}

/** The tree above as `ben` (id 2) has it: where it lies on the host, and how its paths begin. */
interface Opened extends AsyncDisposable {
  app: OpenedApp
  root: string
  top: string
  dav: DavAsk
  user: SignedIn
  say(path: string, grant: Omit<GrantRecord, 'who'>): Promise<void>
  /** By somebody who sees all of it. */
  lock(path: string): Promise<void>
}

async function open(where: 'the served folder' | 'a home' | 'a further root'): Promise<Opened> {
  const isHome = where === 'a home'
  const isFar = where === 'a further root'
  const far = await makeTree(isFar ? TREE : {})
  const files = Object.entries(TREE).map(([path, text]) => [isHome ? `home/${path}` : path, text])
  const app = await openApp({
    tree: isFar ? {} : Object.fromEntries(files),
    config: { roots: { far: far.root } },
    users: [
      { username: 'ben', scope: isHome ? '/home' : '/' },
      { username: 'ann', scope: isHome ? '/home' : '/' },
    ],
  })
  const base = isFar ? 'far:' : isHome ? '/home' : ''
  const set = (path: string, as: string, said: Omit<GrantRecord, 'who'>) =>
    app.store.transaction((tx) => {
      const place = `${base}${path}` as PlaceText
      const own = { who: 'user:2', ...said }
      const others = as ? [{ who: 'user:3', see: true }] : []
      setFolder(tx, { place, as, quota: null, grants: [own, ...others] })
    })
  if (isFar) await set('/', 'top', { see: true })
  return {
    app,
    root: isFar ? far.root : app.tree.at(isHome ? 'home' : '.'),
    top: isFar ? '/top' : '',
    dav: await davAs(app, 2),
    user: await app.as('ben'),
    say: (path, said) => set(path, '', said),
    lock: async (path) => {
      const ann = await davAs(app, 3)
      const address = `/dav${isFar ? '/top' : ''}${path}`
      const answer = await ann('LOCK', address, { Depth: '0' }, LOCK_INFO)
      expect(answer.status).toBe(200)
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]()
      await far[Symbol.asyncDispose]()
    },
  }
}

const told = async (response: Response) => ({
  status: response.status,
  text: JSON.stringify([...response.headers]) + (await response.text()),
})

/** Asks for a job, and gives what is answered when it has ended. */
const job = async (user: SignedIn, what: object) =>
  told(await user.fetch('/api/jobs?wait=60', { method: 'POST', body: JSON.stringify(what) }))

describe.each(['the served folder', 'a home', 'a further root'] as const)('in %s', (where) => {
  it('WebDAV answers as if all of a hidden folder were denied, whether or not something is there', async () => {
    await using at = await open(where)
    await at.say('/pub/hidden-canary', { see: false })
    await at.lock('/pub/hidden-canary/d-canary.txt')
    const [hidden, own] = [`/dav${at.top}/pub/hidden-canary`, `/dav${at.top}/own`]
    const answersFor = async (name: string) => {
      const answers: string[] = []
      for (const [method, path, headers] of [
        ['PROPFIND', `${hidden}/${name}`, DEEP],
        ['GET', `${hidden}/${name}`],
        ['HEAD', `${hidden}/${name}`],
        ['PUT', `${hidden}/${name}`],
        ['PUT', `${hidden}/${name}`, { 'If-None-Match': '*' }],
        ['MKCOL', `${hidden}/${name}`],
        ['PROPPATCH', `${hidden}/${name}`],
        ['PATCH', `${hidden}/${name}`, PART],
        ['LOCK', `${hidden}/${name}`],
        ['DELETE', `${hidden}/${name}`],
        ['COPY', `${hidden}/${name}`, { Destination: `${own}/x` }],
        ['MOVE', `${hidden}/${name}`, { Destination: `${own}/x` }],
        ['COPY', `${own}/e.txt`, { Destination: `${hidden}/${name}` }],
        ['MOVE', `${own}/e.txt`, { Destination: `${hidden}/${name}`, Overwrite: 'F' }],
      ] as const) {
        const response = await at.dav(method, path, headers ?? {}, BODIES[method])
        expect(response.status, `${method} ${path}`).toBe(403)
        answers.push(await response.text())
      }
      return answers
    }
    expect(await answersFor('d-canary.txt')).toEqual(await answersFor('none'))
    const [token, tag] = [`<${'urn:uuid:none'}>`, `<${hidden}/d-canary.txt>`]
    for (const If of [`${tag} (${token})`, `${tag} (Not ${token})`]) {
      const same = await at.dav('GET', `${own}/e.txt`, { If: If.replace('d-canary.txt', 'none') })
      expect((await at.dav('GET', `${own}/e.txt`, { If })).status).toBe(same.status)
    }
    expect(await readFile(join(at.root, 'pub/hidden-canary/d-canary.txt'), 'utf8')).toBe(
      'content of d',
    )
  })

  it('no answer of WebDAV tells a name of it', async () => {
    await using at = await open(where)
    await at.say('/pub/hidden-canary', { see: false })
    await symlink('hidden-canary', join(at.root, 'pub/link'))
    await symlink('hidden-canary/d-canary.txt', join(at.root, 'pub/link.txt'))
    const pub = `/dav${at.top}/pub`
    for (const [method, path, headers] of [
      ['PROPFIND', '/dav/', DEEP],
      ['PROPFIND', `${pub}/`, DEEP],
      ['PROPFIND', `${pub}/link`, DEEP],
      ['GET', `${pub}/link.txt`],
      ['DELETE', pub],
      ['COPY', pub, { Destination: `/dav${at.top}/copy` }],
      ['MOVE', pub, { Destination: `/dav${at.top}/copy` }],
      ['COPY', `${pub}/link`, { Destination: `/dav${at.top}/copy` }],
    ] as const) {
      const { text } = await told(await at.dav(method, path, headers ?? {}))
      expect(text, `${method} ${path}`).not.toMatch(LEAK)
    }
    expect((await readdir(at.root)).filter((name) => !name.startsWith('.'))).toEqual(['own', 'pub'])
  })

  it('WebDAV shows the name of a way, without notes, locks and room', async () => {
    await using at = await open(where)
    await at.say('/pub', { modify: true })
    for (const path of ['/pub', '/pub/team'])
      expect((await at.dav('PROPPATCH', `/dav${at.top}${path}`, {}, NOTE)).status).toBe(207)
    await at.say('/pub', { see: false })
    await at.say('/pub/team/deep', { see: true })
    await at.lock('/pub/team')
    for (const path of ['/pub', '/pub/team']) {
      const listing = await told(await at.dav('PROPFIND', `/dav${at.top}${path}`, DEEP))
      expect(listing).toMatchObject({ status: 207 })
      expect(listing.text).not.toMatch(LEAK)
      expect(listing.text).not.toContain('a.txt')
      const room = await told(await at.dav('PROPFIND', `/dav${at.top}${path}`, DEEP, ROOM))
      expect(room.status).toBe(207)
      expect(room.text).not.toMatch(/quota-(used|available)-bytes>\d|activelock/)
    }
  })

  it('WebDAV tells what may be done where a link leads', async () => {
    await using at = await open(where)
    await at.say('/pub', { delete: false, share: false })
    await symlink('../pub', join(at.root, 'own/link'))
    const ask =
      '<propfind xmlns="DAV:"><prop><permissions xmlns="http://owncloud.org/ns"/></prop></propfind>'
    const answer = await at.dav('PROPFIND', `/dav${at.top}/own/link`, DEEP, ask)
    const permissions = [...(await answer.text()).matchAll(/permissions[^>]*>(\w+)</g)]
    expect(permissions.map(([, letters]) => letters).sort()).toEqual([
      'GNVCK',
      'GNVCK',
      'GNVCK',
      'GNVW',
    ])
  })

  it('a folder alone is copied by WebDAV with the right to download it', async () => {
    await using at = await open(where)
    await at.say('/pub', { download: false })
    const headers = { Destination: `/dav${at.top}/new`, Depth: '0' }
    expect((await at.dav('COPY', `/dav${at.top}/pub/team`, headers)).status).toBe(403)
    expect((await at.dav('COPY', `/dav${at.top}/own`, headers)).status).toBe(201)
  })

  it('jobs answer the same of what is hidden and of what is not there', async () => {
    await using at = await open(where)
    await at.say('/pub/hidden-canary', { see: false })
    const answersFor = async (name: string) => {
      const hidden = `${at.top}/pub/hidden-canary/${name}`
      const [own, to] = [`${at.top}/own/e.txt`, `${at.top}/pub/hidden-canary`]
      const answers: string[] = []
      for (const what of [
        { kind: 'copy', items: [hidden], to: `${at.top}/own` },
        { kind: 'move', items: [hidden], to: `${at.top}/own` },
        { kind: 'delete', items: [hidden] },
        { kind: 'mode', items: [hidden], mode: '640' },
        { kind: 'compress', items: [hidden], to: `${at.top}/own` },
        { kind: 'copy', items: [own], to: name === 'none' ? `${to}/none` : to },
      ]) {
        const { status, text } = await job(at.user, what)
        const body = text.slice(text.indexOf(']]') + 2)
        const errors = status < 300 ? JSON.parse(body).errors : body
        answers.push(`${what.kind} ${JSON.stringify(errors).replaceAll(name, 'NAME')}`)
      }
      return answers
    }
    const [there, none] = [await answersFor('d-canary.txt'), await answersFor('none')]
    expect(there).toEqual(none)
  })

  it('no answer to a job tells a name of it, and no archive does', async () => {
    await using at = await open(where)
    await at.say('/pub/hidden-canary', { see: false })
    await symlink('../pub', join(at.root, 'own/link'))
    await mkdir(join(at.root, 'to'))
    const to = `${at.top}/to`
    for (const what of [
      { kind: 'copy', items: [`${at.top}/pub`], to },
      { kind: 'copy', items: [`${at.top}/own/link`], to },
      { kind: 'copy', items: [`${at.top}/own`], to },
      { kind: 'move', items: [`${at.top}/pub`], to },
      { kind: 'delete', items: [`${at.top}/pub`] },
      { kind: 'mode', items: [`${at.top}/pub`], mode: '640', recursive: true },
      { kind: 'compress', items: [`${at.top}/pub`], to, deflated: false },
    ]) {
      const { text } = await job(at.user, what)
      expect(text, what.kind).not.toMatch(LEAK)
    }
    const jobs = await told(await at.user.fetch('/api/jobs'))
    expect(jobs.text).not.toMatch(LEAK)
    const zip = await readFile(join(at.root, 'to/pub.zip'), 'latin1')
    expect(zip).toContain('content of a')
    expect(zip).not.toMatch(LEAK)
  })
})

it.each([
  ['the served folder', 'fail'],
  ['a home', 'skip'],
  ['a further root', 'rename'],
] as const)(
  'in %s an archive that is unpacked with the conflict rule %s meets nothing that is hidden',
  async (where, conflict) => {
    await using at = await open(where)
    await at.say('/pub/a.txt', { see: false })
    await at.say('/pub/none.txt', { see: false })
    const errorsFor = async (name: string) => {
      const zip = join(at.root, 'own/x.zip')
      await writeFile(zip, zipOf([{ name, content: 'unpacked' }]))
      const [items, to] = [[`${at.top}/own/x.zip`], `${at.top}/pub`]
      const { text } = await job(at.user, { kind: 'extract', items, to, conflict })
      const { errors } = JSON.parse(text.slice(text.indexOf(']]') + 2))
      return JSON.stringify(errors).replaceAll(name, 'NAME')
    }
    const there = await errorsFor('a.txt')
    expect(there).toContain('"forbidden"')
    expect(there).toBe(await errorsFor('none.txt'))
    expect((await readdir(join(at.root, 'pub'))).sort()).toEqual(['a.txt', 'hidden-canary', 'team'])
    expect(await readFile(join(at.root, 'pub/a.txt'), 'utf8')).toBe('content of a')
  },
)
