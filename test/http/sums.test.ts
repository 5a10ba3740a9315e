// Files of sums that jobs make and compare, as the programs of GNU do.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { history, undo } from '../support/history.ts'
import { post, runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'

const TREE = { 'docs/b.txt': 'bb', 'docs/deep/ü.txt': 'ccc', 'docs/empty.txt': '' }

async function open(options: TestAppOptions = {}): Promise<{ app: OpenedApp; ann: SignedIn }> {
  const app = await openApp({ tree: TREE, users: [{ username: 'ann' }], ...options })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, ann: await app.as('ann') }
}

const sum = (ann: SignedIn, items: string[], more: object = {}) =>
  runToEnd(ann, { kind: 'checksum', items, ...more })

describe('a file of sums', () => {
  it.each(['md5', 'sha1', 'sha256', 'sha512'])('by %s is one that others check', async (kind) => {
    const { app, ann } = await open()
    await writeFile(app.tree.at('docs/large.bin'), randomBytes(2_500_000))
    await writeFile(app.tree.at('docs/new\nline\\.txt'), 'odd')
    const job = await sum(ann, ['/docs'], { algorithm: kind })
    expect(job).toMatchObject({ state: 'done', filesDone: 5, bytesDone: 2_500_008 })
    const args = ['--check', '--strict', `docs.${kind}`]
    const said = execFileSync(`${kind}sum`, args, { cwd: app.tree.root, encoding: 'utf8' })
    expect(said.trim().split('\n')).toHaveLength(5)
  })

  it('lies beside all that is selected, and names it from there', async () => {
    const { app, ann } = await open()
    await sum(ann, ['/docs/deep/ü.txt', '/docs/b.txt'])
    expect(await app.tree.read('docs/_docs.sha256')).toMatch(
      /^[0-9a-f]{64} {2}deep\/ü\.txt\n[0-9a-f]{64} {2}b\.txt\n$/,
    )
  })

  it('is one step of the history, and Undo takes it away', async () => {
    const { app, ann } = await open({ config: { trash: 'all' } })
    const { operation } = await sum(ann, ['/docs'])
    expect((await history(ann)).items).toMatchObject([{ path: '/docs', to: '/docs.sha256' }])
    expect(await undo(ann, operation)).toMatchObject({ status: 200, kept: [] })
    expect(existsSync(app.tree.at('docs.sha256'))).toBe(false)
  })

  it('is of a kind that there is', async () => {
    const { ann } = await open()
    const unknown = { kind: 'checksum', items: ['/docs'], algorithm: 'crc' }
    expect((await post(ann, unknown)).status).toBe(400)
  })
})

describe('a check', () => {
  it('finds nothing wrong in what is as it was', async () => {
    const { app, ann } = await open()
    execFileSync('sh', ['-c', 'md5sum --tag docs/b.txt > x.md5; sha1sum -b docs/*.txt > x.sha1'], {
      cwd: app.tree.root,
    })
    const job = await sum(ann, ['/x.md5', '/x.sha1'], { check: true })
    expect(job).toMatchObject({ state: 'done', filesDone: 3, errors: [] })
  })

  it('names what is missing, what has changed and what lies elsewhere', async () => {
    const { app, ann } = await open()
    await sum(ann, ['/docs'])
    await writeFile(app.tree.at('docs/b.txt'), 'other')
    await rm(app.tree.at('docs/empty.txt'))
    const lines = await app.tree.read('docs.sha256')
    await writeFile(app.tree.at('docs.sha256'), `${lines}${'0'.repeat(64)}  ../up.txt\n`)
    const job = await sum(ann, ['/docs.sha256'], { check: true })
    expect(job).toMatchObject({ state: 'failed', filesDone: 1 })
    expect(job.errors).toEqual([
      { path: '/docs/b.txt', code: 'damaged' },
      { path: '/docs/empty.txt', code: 'not_found' },
      { path: '/', code: 'invalid_name' },
    ])
  })

  it('of what is no file of sums says so', async () => {
    const { ann } = await open()
    expect(await sum(ann, ['/docs/b.txt'], { check: true })).toMatchObject({
      state: 'failed',
      reason: 'unsupported',
    })
  })

  it('reads nothing that may not be downloaded', async () => {
    const { app, ann } = await open({
      settings: { rules: [{ allow: false, path: '/docs/deep', regex: false, regexp: null }] },
    })
    await writeFile(app.tree.at('x.md5'), `${'0'.repeat(32)}  docs/deep/ü.txt\n`)
    const { errors } = await sum(ann, ['/x.md5'], { check: true })
    expect(errors).toEqual([{ path: '/docs/deep/ü.txt', code: 'forbidden' }])
  })
})
