// Jobs over HTTP, for tests.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Job, JobPage } from '../../src/job-types.ts'
import { type OpenedApp, openApp, type TestAppOptions } from './app.ts'
import { waitFor } from './deadline.ts'
import type { SignedIn } from './login.ts'
import { changeRecords } from './records.ts'

type Fetch = SignedIn['fetch']

/** Asks for a job. */
export const post = (who: { fetch: Fetch }, body: object, query = ''): Promise<Response> =>
  who.fetch(`/api/jobs${query}`, { method: 'POST', body: JSON.stringify(body) })

/** Begins one; fails unless it is new. */
export async function begin(who: { fetch: Fetch }, body: object): Promise<Job> {
  const answer = await post(who, body)
  expect([answer.status, answer.headers.get('X-Error-Code')]).toEqual([201, null])
  return (await answer.json()) as Job
}

export async function jobOf(who: { fetch: Fetch }, id: string): Promise<Job> {
  const answer = await who.fetch(`/api/jobs/${id}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Job
}

const ENDED = ['done', 'failed', 'cancelled']

/** Begins one and waits until it is over. */
export async function runToEnd(who: { fetch: Fetch }, body: object): Promise<Job> {
  return endOf(who, (await begin(who, body)).id)
}

export function endOf(who: { fetch: Fetch }, id: string): Promise<Job> {
  return waitFor('the end of the job', async () => {
    const job = await jobOf(who, id)
    return ENDED.includes(job.state) ? job : null
  })
}

export async function listOf(who: { fetch: Fetch }, query = ''): Promise<Job[]> {
  const answer = await who.fetch(`/api/jobs${query}`)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as JobPage).items
}

export const act = (who: { fetch: Fetch }, id: string, action: string): Promise<Response> =>
  who.fetch(`/api/jobs/${id}/${action}`, { method: 'POST' })

/** Waits before each file of a name with `hold` in it, until it is let go. */
const HOLDER = `case "$FILE" in *hold*)
  echo "$FILE" >> "$1/held"
  while [ ! -e "$1/go" ]; do sleep 0.02; done
esac
`

/** An application in which copies and deletions of what has `hold` in its name wait before they begin, until `letGo`. */
export async function openHolding(options: TestAppOptions): Promise<{
  app: OpenedApp
  letGo(): Promise<void>
}> {
  const app = await openApp({ ...options, config: { enableExec: true, ...options.config } })
  const script = join(app.tree.base, 'hold.sh')
  await writeFile(script, HOLDER)
  const line = `sh ${script} ${app.tree.base}`
  const commands = { before_copy: [line], before_delete: [line] }
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
  return { app, letGo: () => writeFile(join(app.tree.base, 'go'), '') }
}
