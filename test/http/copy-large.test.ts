import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'

const MIB = 1024 * 1024

it.each([0, 5, MIB + 1, 65 * MIB])('a file of %d bytes is copied with its mode', async (bytes) => {
  await using app = await startApp({ tree: { to: null } })
  const content = randomBytes(bytes)
  await writeFile(app.tree.at('a.bin'), content)
  await chmod(app.tree.at('a.bin'), 0o751)
  const { fetch } = await app.as('admin')
  const query = 'action=copy&destination=%2Fto%2Fa.bin'
  expect((await fetch(`/api/resources/a.bin?${query}`, { method: 'PATCH' })).status).toBe(200)
  expect((await readFile(app.tree.at('to/a.bin'))).equals(content)).toBe(true)
  expect((await stat(app.tree.at('to/a.bin'))).mode & 0o777).toBe(0o751)
})
