import { afterEach, expect, it, vi } from 'vitest'
import { NoRoomError, openRoom } from '../../../web/uploads/room.ts'

const { signal } = new AbortController()

function answer(freeBytes: Record<string, number>) {
  vi.stubGlobal('fetch', async (url: string) => {
    const free = freeBytes[new URL(url, location.origin).pathname.replace(/\/$/, '')]
    return free === undefined
      ? new Response('', { status: 500 })
      : Response.json({ total: 100, used: 100 - free })
  })
}

afterEach(() => vi.unstubAllGlobals())

it('what goes into a folder that is there needs room on the disk of that folder', async () => {
  answer({ '/api/usage/in': 5, '/api/usage/in/photos': 50 })
  const room = await openRoom('/in', [{ name: 'photos' }], signal)
  room.take('photos/a.jpg', 40)
  room.take('new/a.jpg', 5)
  expect(() => room.take('photos/b.jpg', 11)).toThrow(NoRoomError)
  expect(() => room.take('b.jpg', 1)).toThrow(NoRoomError)
})

it('where the server does not say how much is free everything fits', async () => {
  answer({})
  const room = await openRoom('/in', [], signal)
  expect(() => room.take('a.jpg', 1e15)).not.toThrow()
})
