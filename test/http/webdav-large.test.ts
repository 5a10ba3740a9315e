// Large folders by WebDAV: told while they are read.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { basic, davOf, tokenFor } from '../support/dav.ts'

const DEEP = { Depth: '1' }
const NAME = 'a name of some length '
/** Its names are past what is read at once. */
const ENTRIES = 4_000

const openIn = (folder: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === folder
    } catch {
      return false
    }
  })

it('a large folder begins before it is read, is whole and in order, and is let go of', async () => {
  await using app = await startApp({ tree: {} })
  const folder = app.tree.at('large')
  mkdirSync(folder)
  const names = Array.from({ length: ENTRIES }, (_, n) => `${NAME}${n}.txt`).sort()
  for (const name of names) writeFileSync(`${folder}/${name}`, '')
  const token = await tokenFor(app, 1)
  const answer = await davOf(app, token)('PROPFIND', '/dav/large', DEEP)
  expect(answer.status).toBe(207)
  const text = await answer.text()
  const told = [...text.matchAll(/<D:href>([^<]*)</g)].map(([, href]) => href)
  const expected = names.map((name) => `/dav/large/${encodeURIComponent(name)}`)
  expect(told).toEqual(['/dav/large/', ...expected])
  expect(text.endsWith('</D:multistatus>\n')).toBe(true)

  const headers = { ...basic('', token), ...DEEP }
  const asking = request({ port: app.port, method: 'PROPFIND', path: '/dav/large/', headers })
  const [response] = (await once(asking.end(), 'response')) as [IncomingMessage]
  const [first] = await once(response, 'data')
  // The folder itself, and none of its names.
  expect(String(first)).toContain('<D:href>/dav/large/</D:href>')
  expect(String(first)).not.toContain('.txt')
  response.destroy()
  await expect.poll(() => openIn(folder)).toEqual([])
  expect(app.errors).toEqual([])
})
