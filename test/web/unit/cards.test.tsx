// What cards of folders and tiles of films say of their content.
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { FileEntry } from '../../../src/api-types.ts'
import { type CellProps, FolderCard, GalleryTile } from '../../../web/listing/grid/entry-cells.tsx'
import { session } from '../../../web/state/session.ts'
import { render } from './render.tsx'

const entryOf = (name: string, given: Partial<FileEntry>): FileEntry => ({
  ...{ path: `/${name}`, name, size: 1, extension: '', modified: '2026-01-01T00:00:00Z' },
  ...{ mode: 420, isDir: false, isSymlink: false, type: 'image', ...given },
})

const cell = (entry: FileEntry): CellProps => ({
  ...{ entry, index: 0, rowIndex: 1, selected: false, tabStop: true, showsActions: false },
  ...{ cut: false, busy: false, fresh: false, dragged: false, joined: false, renamed: false },
})

/** The answers of the server by path and query. */
function answer(answers: Record<string, unknown>) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    const found = answers[url]
    return found === undefined ? new Response('', { status: 404 }) : Response.json(found)
  })
  return asked
}

beforeEach(() => {
  session.user = { id: 2, username: 'ben', perm: { download: true } } as TokenUser
})
afterEach(() => {
  vi.unstubAllGlobals()
  session.user = null
})

describe('cards of folders', () => {
  it('say how much is in them and show a picture, asked for once', async () => {
    const picture = entryOf('a.jpg', { path: '/album/a.jpg', extension: '.jpg' })
    const album = entryOf('album', { isDir: true, type: '' })
    const asked = answer({
      '/api/resources/album?summary=true': { ...album, numDirs: 1, numFiles: 3, picture },
    })
    for (const _ of [1, 2]) {
      const place = await render(<FolderCard {...cell(album)} />)
      await vi.waitFor(() => expect(place.textContent).toContain('4 items'))
      await vi.waitFor(() => expect(place.querySelector('img')?.src).toContain('/album/a.jpg'))
    }
    expect(asked).toEqual(['/api/resources/album?summary=true'])
  })

  it('say when they changed where the server does not tell how much is in them', async () => {
    const asked = answer({})
    const gone = entryOf('gone', { isDir: true, type: '' })
    const place = await render(<FolderCard {...cell(gone)} />)
    await vi.waitFor(() => expect(place.querySelector('time')).not.toBeNull())
    expect(asked.length).toBe(1)
  })
})

describe('tiles of films', () => {
  it('say how long they are once there is a picture of them', async () => {
    const film = entryOf('film.mp4', { type: 'video', extension: '.mp4' })
    answer({ '/api/resources/film.mp4?duration=true': { ...film, duration: 108.4 } })
    const place = await render(<GalleryTile {...cell(film)} />)
    await vi.waitFor(() => expect(place.querySelector('img')).not.toBeNull())
    expect(place.querySelector('[data-length]')).toBeNull()
    await act(async () => {
      place.querySelector('img')?.dispatchEvent(new Event('load'))
    })
    await vi.waitFor(() => {
      expect(place.querySelector('[data-length]')?.getAttribute('data-length')).toBe('1:48')
    })
  })
})
