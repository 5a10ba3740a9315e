// Commands before the work of jobs: a cancel ends them, and what one has refused no further try gets past it.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type OpenedApp, openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { act, begin, endOf, jobOf, runToEnd } from '../support/jobs.ts'
import { changeRecords } from '../support/records.ts'

/** `script` runs before copies, deletions and uploads; it finds the folder for its notes in `$1`. */
async function open(script: string): Promise<OpenedApp> {
  const app = await openApp({
    tree: { 'a.txt': 'a', to: null },
    users: [{ username: 'ann' }],
    config: { enableExec: true },
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const file = join(app.tree.base, 'before.sh')
  await writeFile(file, script)
  const line = `sh ${file} ${app.tree.base}`
  const commands = { before_copy: [line], before_delete: [line], before_upload: [line] }
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
  return app
}

const notesOf = (app: OpenedApp) =>
  readFile(join(app.tree.base, 'notes'), 'utf8').then((text) => text.trim().split('\n'))

it.each([
  ['at once', []],
  ['after a pause that waits for it', ['pause']],
])('a cancel ends one that runs, %s', async (_, before) => {
  const app = await open('echo $$ >> "$1/notes"; exec sleep 60')
  const ann = await app.as('ann')
  const { id } = await begin(ann, { kind: 'copy', items: ['/a.txt'], to: '/to' })
  const [pid] = await waitFor('the command', () => notesOf(app).catch(() => null))
  const pausing = before.map((action) => act(ann, id, action))
  expect((await act(ann, id, 'cancel')).status).toBe(200)
  await Promise.all(pausing)
  expect(await jobOf(ann, id)).toMatchObject({ state: 'cancelled', filesDone: 0 })
  expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/)
  expect(await readdir(app.tree.at('to'))).toEqual([])
})

it.each([
  ['copy', { items: ['/a.txt'], to: '/to' }],
  ['delete', { items: ['/a.txt'] }],
  ['compress', { items: ['/a.txt'], to: '/to' }],
])('a %s that one has refused is refused when it is tried again', async (kind, body) => {
  const app = await open('echo "$FILE" >> "$1/notes"; test -e "$1/allowed"')
  const ann = await app.as('ann')
  const refused = { state: 'failed', reason: 'command_failed' }
  const { id } = await runToEnd(ann, { kind, ...body })
  for (let tries = 1; tries <= 2; tries++) {
    expect(await jobOf(ann, id)).toMatchObject(refused)
    expect(await notesOf(app)).toHaveLength(tries)
    if (tries === 2) await writeFile(join(app.tree.base, 'allowed'), '')
    expect((await act(ann, id, 'retry')).status).toBe(200)
    await endOf(ann, id)
  }
  expect(await jobOf(ann, id)).toMatchObject({ state: 'done' })
})
