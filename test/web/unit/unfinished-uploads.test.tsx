import { afterEach, expect, it, vi } from 'vitest'
import type { UnfinishedUpload } from '../../../src/api-types.ts'
import { UnfinishedUploads } from '../../../web/settings/unfinished-uploads.tsx'
import type { ScannedEntry } from '../../../web/uploads/dropped-files.ts'
import { createResumeIndex } from '../../../web/uploads/interrupted.ts'
import { adoptUnfinished, interruptedBatches } from '../../../web/uploads/resume.ts'
import { render } from './render.tsx'

const upload: UnfinishedUpload = {
  path: '/in/a b.mp4',
  length: 3,
  offset: 2,
  modified: '2026-01-01T00:00:00Z',
  override: false,
  fileModified: 1000,
}

function answer(uploads: UnfinishedUpload[]) {
  vi.stubGlobal('fetch', async () => Response.json(uploads))
}

afterEach(() => vi.unstubAllGlobals())

it('whoever has no unfinished uploads sees nothing of them', async () => {
  answer([])
  expect((await render(<UnfinishedUploads />)).textContent).toBe('')
})

it('an unfinished upload tells its name, its folder, how much has arrived and how to be rid of it', async () => {
  answer([upload])
  const place = await render(<UnfinishedUploads />)
  const row = place.querySelector('li')
  expect(row?.querySelector('bdi')?.textContent).toBe('a b.mp4')
  expect(row?.textContent).toContain('/in')
  expect(row?.textContent).toContain('2 B of 3 B')
  expect(row?.querySelector('button')?.getAttribute('aria-label')).toBe('Remove a b.mp4')
})

it('an unfinished upload that goes to the top says so in words', async () => {
  answer([{ ...upload, path: '/a b.mp4' }])
  const place = await render(<UnfinishedUploads />)
  expect(place.querySelector('li small')?.textContent).toBe('My files')
})

it.each([
  ['the same file goes on', 'abc', 1000, 1000, false],
  ['another time is another file', 'abc', 2000, 1000, true],
  ['another size is another file', 'abcd', 1000, 1000, true],
  ['without its time no file is the same', 'abc', 1000, undefined, true],
])('with what only the server remembers, %s', (_, content, lastModified, fileModified, changed) => {
  const { fileModified: _told, ...untold } = upload
  adoptUnfinished(fileModified === undefined ? untold : { ...untold, fileModified })
  const file = new File([content], 'a b.mp4', { lastModified })
  const entry: ScannedEntry = { sourcePath: 'a b.mp4', file, unreadable: false }
  const found = createResumeIndex(interruptedBatches(), '/in').find(entry)
  expect(found?.changed).toBe(changed)
  expect(found?.item.uploadURL).toMatch(/\/api\/tus\/in\/a%20b\.mp4$/)
})
