// Rows of the Activity panel, in words.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { Job } from '../../../src/job-types.ts'
import { session } from '../../../web/state/session.ts'
import { JobList } from '../../../web/uploads/jobs.tsx'
import { render } from './render.tsx'

const base: Job = {
  id: '1',
  userID: 1,
  kind: 'extract',
  state: 'running',
  reason: null,
  items: ['/docs/all.zip'],
  itemCount: 1,
  to: null,
  filesDone: 57,
  filesTotal: 1,
  bytesDone: 1024,
  bytesTotal: 4096,
  bytesPerSecond: null,
  secondsLeft: null,
  current: '/docs/all/a.txt',
  errors: [],
  errorCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  operation: '1',
}

beforeEach(() => {
  session.user = { id: 1, username: 'anna', perm: {} } as TokenUser
})

afterEach(() => {
  session.user = null
})

async function wordsOf(facts: Partial<Job>): Promise<string> {
  const part = await render(<JobList list={[{ ...base, ...facts }]} canHide />)
  return part.querySelector('li')?.textContent ?? ''
}

describe('the row of an archive that is unpacked', () => {
  it('counts files without foretelling how many come, and the bytes that were read', async () => {
    const words = await wordsOf({})
    expect(words).toContain('Extracting “all.zip”…')
    expect(words).toContain('57 files · 1.0 KiB of 4.0 KiB')
    expect(words).toContain('a.txt')
  })

  it('asks for the password where one is missing, and does not try again without', async () => {
    const failed = await wordsOf({ state: 'failed', reason: 'invalid_password' })
    const waiting = await wordsOf({ state: 'waiting' })
    for (const words of [failed, waiting]) {
      expect(words).toContain('Enter password…')
      expect(words).not.toContain('Try again')
    }
    expect(failed).toContain('The archive’s password is missing or incorrect.')
    expect(waiting).toContain('Waiting for the password')
  })

  it('says what was not done, with the cause of each in words', async () => {
    const errors = [{ path: '/docs/all/link', code: 'unsupported' as const }]
    const words = await wordsOf({ state: 'failed', reason: 'unsupported', errors, errorCount: 3 })
    expect(words).toContain('link This kind of file isn’t supported.')
    expect(words).toContain('and 2 more')
    expect(words).toContain('Try again')
  })
})
