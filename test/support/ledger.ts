// Changes made over HTTP and what must be true of them afterwards, whatever happened meanwhile: each
// path is in the state that was confirmed last, or in one that a change without an answer would leave.
import { createHash, randomBytes } from 'node:crypto'
import { link, readFile, writeFile } from 'node:fs/promises'
import type { SignedIn } from './login.ts'
import type { Tree } from './tree.ts'

const TUS = 'application/offset+octet-stream'
const MAX_BYTES = 120_000
/** Sent in more than one piece, and copied in more than one. */
const LARGE_BYTES = 1_300_000

/** SHA-256 of what a file holds; null for no file. */
type State = string | null

export interface Counts {
  operations: number
  confirmed: number
  refused: number
  unanswered: number
}

export interface Findings {
  /** Bytes of files whose confirmed content is nowhere. */
  bytesLost: number
  filesTorn: number
  words: string[]
}

export interface Ledger {
  counts: Counts
  /** Makes one change of a kind that is drawn, to files of one worker; never rejects. */
  change(user: SignedIn, worker: number): Promise<void>
  /** A change of every kind. */
  kinds: readonly Kind[]
  /** Compares every path that was touched with what may be there. */
  check(): Promise<Findings>
  /** To be asked after a start: files that are written in place may be in part until then. */
  checkLinked(): Promise<string[]>
  /** Names of shares and settings that were confirmed. */
  shares: Set<string>
  titles: Set<string>
}

export interface Kind {
  name: string
  /** Makes ready for it; nothing may fail meanwhile. */
  prepare(user: SignedIn): Promise<void>
  /** Makes the same change each time; never rejects. */
  change(user: SignedIn): Promise<void>
}

const FILES_PER_WORKER = 6
/** Folders below the served one, of which `/far` may be another disk. */
const FOLDERS = ['/near', '/far']

/** Shared again and again, and never changed: its links must be kept. */
export const SHARED = '/shared.txt'

interface Effect {
  path: string
  state: State
}

/** Draws the same changes for the same seed. */
export function createLedger(tree: Tree, seed: number): Ledger {
  const states = new Map<string, Set<State>>()
  const sizes = new Map<string, number>()
  /** Moves without an answer: what was moved is at one of both places. */
  const moves = new Set<{ hash: string; from: string; to: string }>()
  const counts: Counts = { operations: 0, confirmed: 0, refused: 0, unanswered: 0 }
  /** What each file with two names may hold. */
  const linked: Set<State>[] = []
  const shares = new Set<string>()
  const titles = new Set([''])
  let random = seed
  const draw = (below: number) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((random / 2 ** 32) * below)
  }
  const stateOf = (path: string) => states.get(path) ?? new Set<State>([null])
  const content = (sizeBytes = 1 + draw(MAX_BYTES)) => {
    const bytes = randomBytes(sizeBytes)
    const hash = sha256(bytes)
    sizes.set(hash, bytes.length)
    return { bytes, hash }
  }

  const perform = async (effects: Effect[], send: () => Promise<Response>): Promise<void> => {
    counts.operations++
    for (const { path, state } of effects) {
      states.set(path, new Set([...stateOf(path), state]))
      for (const move of moves) if (path === move.from || path === move.to) moves.delete(move)
    }
    const move = moveIn(effects)
    if (move) moves.add(move)
    let status = 0
    try {
      const response = await send()
      status = response.status
      await response.arrayBuffer()
    } catch {
      counts.unanswered++
      return
    }
    if (status < 200 || status >= 300) {
      counts.refused++
      return
    }
    counts.confirmed++
    if (move) moves.delete(move)
    for (const { path, state } of effects) states.set(path, new Set([state]))
  }

  const write = (user: SignedIn, path: string, method: 'POST' | 'PUT', sizeBytes?: number) => {
    const { bytes, hash } = content(sizeBytes)
    const query = method === 'POST' ? '?override=true' : ''
    const send = () => user.fetch(`/api/resources${path}${query}`, { method, body: bytes })
    return perform([{ path, state: hash }], send)
  }
  const sendTus = (user: SignedIn, path: string) => {
    const { bytes, hash } = content()
    return perform([{ path, state: hash }], async () => {
      const made = await user.fetch(`/api/tus${path}?override=true`, {
        method: 'POST',
        headers: { 'Upload-Length': String(bytes.length) },
      })
      if (made.status !== 201) return made
      let answer = made
      const half = bytes.length >> 1
      for (const [from, to] of [
        [0, half],
        [half, bytes.length],
      ] as const) {
        if (from === to) continue
        answer = await user.fetch(`/api/tus${path}`, {
          method: 'PATCH',
          headers: { 'Content-Type': TUS, 'Upload-Offset': String(from) },
          body: bytes.subarray(from, to),
        })
        if (answer.status !== 204) return answer
      }
      return answer
    })
  }
  // With a `name` it is a folder that goes, and in it the file of that name.
  const linkedName = (n = linked.length - 1) => `near/linked-${n}.bin`
  const writeLinked = async (user: SignedIn) => {
    const { bytes, hash } = content()
    const wanted = linked.at(-1) ?? new Set()
    wanted.add(hash)
    await perform([], async () => {
      const path = `/api/resources/${linkedName()}`
      const response = await user.fetch(path, { method: 'PUT', body: bytes })
      if (response.ok) linked.splice(-1, 1, new Set([hash]))
      return response
    })
  }
  const transfer = (
    user: SignedIn,
    action: 'copy' | 'rename',
    from: string,
    to: string,
    name = '',
  ) => {
    const [state] = stateOf(from + name)
    // Only what is known for sure can be moved on.
    if (stateOf(from + name).size !== 1 || !state || from === to)
      return write(user, from + name, 'POST')
    const effects: Effect[] = [{ path: to + name, state }]
    if (action === 'rename') effects.push({ path: from + name, state: null })
    const query = `action=${action}&override=true&destination=${encodeURIComponent(to)}`
    return perform(effects, () => user.fetch(`/api/resources${from}?${query}`, { method: 'PATCH' }))
  }
  const remove = (user: SignedIn, path: string, name = '') =>
    perform([{ path: path + name, state: null }], () =>
      user.fetch(`/api/resources${path}`, { method: 'DELETE' }),
    )
  const share = async (user: SignedIn) =>
    perform([], async () => {
      const response = await user.fetch(`/api/share${SHARED}`, { method: 'POST', body: '{}' })
      if (response.status === 200) shares.add((await response.clone().json()).hash)
      return response
    })
  const setTitle = (user: SignedIn) =>
    perform([], async () => {
      const settings = await (await user.fetch('/api/settings')).json()
      const title = `title ${draw(1_000_000)}`
      titles.add(title)
      settings.branding.name = title
      const body = JSON.stringify(settings)
      const response = await user.fetch('/api/settings', { method: 'PUT', body })
      if (response.ok) {
        titles.clear()
        titles.add(title)
      }
      return response
    })

  /** `gone` is removed and `files` are written before it. */
  const kind = (
    name: string,
    { gone = [], files = [] }: { gone?: string[]; files?: string[] },
    change: Kind['change'],
  ): Kind => ({
    name,
    change,
    prepare: async (user) => {
      states.clear()
      for (const path of [...gone, ...files]) {
        const { status } = await user.fetch(`/api/resources${path}`, { method: 'DELETE' })
        if (![204, 404].includes(status)) throw new Error(`DELETE ${path}: ${status}`)
      }
      for (const path of files) await write(user, path, 'POST')
    },
  })
  const [a, b] = ['/near/a.bin', '/near/b.bin']
  const IN_FOLDER = '/file.bin'
  const kinds: Kind[] = [
    kind('a new file', { gone: [a] }, (user) => write(user, a, 'POST')),
    kind('an empty file', { gone: [a] }, (user) => write(user, a, 'POST', 0)),
    kind('a large file', { gone: [a] }, (user) => write(user, a, 'POST', LARGE_BYTES)),
    kind('a file over another', { files: [a] }, (user) => write(user, a, 'POST')),
    kind('a file in new folders', { gone: ['/near/new'] }, (user) =>
      write(user, '/near/new/in/a.bin', 'POST'),
    ),
    kind('a new folder', { gone: ['/near/new'] }, (user) =>
      perform([], () => user.fetch('/api/resources/near/new/', { method: 'POST' })),
    ),
    kind('a save', { files: [a] }, (user) => write(user, a, 'PUT')),
    {
      name: 'a save of a file with two names',
      change: writeLinked,
      prepare: async () => {
        const { bytes, hash } = content()
        linked.push(new Set([hash]))
        await writeFile(tree.at(linkedName()), bytes)
        await link(tree.at(linkedName()), tree.at(`${linkedName()}.too`))
      },
    },
    kind('a resumable upload', { gone: [a] }, (user) => sendTus(user, a)),
    kind('a resumable upload over a file', { files: [a] }, (user) => sendTus(user, a)),
    kind('a copy', { files: [a], gone: [b] }, (user) => transfer(user, 'copy', a, b)),
    kind('a copy over a file', { files: [a, b] }, (user) => transfer(user, 'copy', a, b)),
    kind('a copy of a folder', { files: ['/near/d/file.bin'], gone: ['/near/e'] }, (user) =>
      transfer(user, 'copy', '/near/d', '/near/e', IN_FOLDER),
    ),
    kind('a rename', { files: [a], gone: [b] }, (user) => transfer(user, 'rename', a, b)),
    kind('a rename over a file', { files: [a, b] }, (user) => transfer(user, 'rename', a, b)),
    kind('a move off the disk', { files: ['/near/d/file.bin'], gone: ['/far/d'] }, (user) =>
      transfer(user, 'rename', '/near/d', '/far/d', IN_FOLDER),
    ),
    kind('a move onto the disk', { files: ['/far/d/file.bin'], gone: ['/near/d'] }, (user) =>
      transfer(user, 'rename', '/far/d', '/near/d', IN_FOLDER),
    ),
    kind('a deleted file', { files: [a] }, (user) => remove(user, a)),
    kind('a deleted folder', { files: ['/near/d/file.bin'] }, (user) =>
      remove(user, '/near/d', IN_FOLDER),
    ),
    kind('a share', {}, share),
    kind('a setting', {}, setTitle),
  ]

  return {
    counts,
    shares,
    titles,
    change: async (user, worker) => {
      const folder = () => FOLDERS[draw(FOLDERS.length)]
      const name = () => `w${worker}-${draw(FILES_PER_WORKER)}.bin`
      const path = `${folder()}/${name()}`
      const other = `${folder()}/${name()}`
      const kinds = [
        () => write(user, path, 'POST'),
        () => write(user, path, 'POST'),
        () => write(user, path, 'PUT'),
        () => sendTus(user, path),
        () => sendTus(user, path),
        () => transfer(user, 'copy', path, other),
        () => transfer(user, 'rename', path, other),
        () => remove(user, path),
        // One at a time: the last confirmed title is the one that counts.
        () => (worker === 0 ? setTitle(user) : share(user)),
      ]
      await kinds[draw(kinds.length)]?.()
    },
    kinds,
    checkLinked: async () => {
      const words: string[] = []
      for (const [n, wanted] of linked.entries())
        for (const name of [linkedName(n), `${linkedName(n)}.too`])
          if (!wanted.has(sha256(await readFile(tree.at(name))))) words.push(`${name} is torn`)
      return words
    },
    check: async () => {
      const findings: Findings = { bytesLost: 0, filesTorn: 0, words: [] }
      const hashAt = async (path: string) => {
        const found = await readFile(tree.at(path.slice(1))).catch(() => null)
        return found && sha256(found)
      }
      for (const { hash, from, to } of moves) {
        if ((await hashAt(from)) === hash || (await hashAt(to)) === hash) continue
        findings.bytesLost += sizes.get(hash) ?? 0
        findings.words.push(`what was at ${from} is not at ${to} either`)
      }
      moves.clear()
      for (const [path, allowed] of states) {
        const found = await readFile(tree.at(path.slice(1))).catch(() => null)
        const state = found && sha256(found)
        // What had no answer may still come: a start puts complete uploads in place.
        if (allowed.has(state)) continue
        if (found === null) {
          const [lost] = allowed
          findings.bytesLost += sizes.get(lost ?? '') ?? 0
        } else findings.filesTorn++
        const how = state && sizes.has(state) ? 'an earlier one' : 'torn'
        findings.words.push(
          `${path} is ${found === null ? 'gone' : `${how}, ${found.length} bytes`}`,
        )
        states.set(path, new Set([state]))
      }
      return findings
    },
  }
}

// A rename is what takes a file away where it puts one.
function moveIn([target, source]: Effect[]): { hash: string; from: string; to: string } | null {
  if (!target?.state || source?.state !== null) return null
  return { hash: target.state, from: source.path, to: target.path }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
