// Further roots: what the start says of them, and the command that accepts another folder.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KNOWN_ROOTS } from '../../src/store/collections.ts'
import { openStore } from '../../src/store/store.ts'
import { runCli } from '../support/cli.ts'
import { cwd, failed, freshFolders, serve } from '../support/serve.ts'

freshFolders()

test('the start is refused for roots that lie in each other, and not for one that is missing', async () => {
  await mkdir(join(cwd, 'photos/2024'), { recursive: true })
  const nested = await failed(['-r', 'srv', '--roots', 'photos=photos,year=photos/2024'])
  expect(nested.stderr).toContain('the root year lies in the root photos')
  const inside = await failed(['-r', 'srv', '--roots', 'inside=srv'])
  expect(inside.stderr).toContain('the root inside is the same folder as the served folder')
  await serve([], { FB_ROOTS: 'photos=photos,gone=gone' })
})

test('a root is listed once it was used, and accepted by its name', async () => {
  await runCli(['config', 'init'], { cwd })
  const store = await openStore(join(cwd, 'filebrowser.db'))
  const known = { name: 'photos', path: '/mnt/photos', dev: '1', ino: '2', bornNs: '0' }
  await store.transaction((tx) => tx.insert(KNOWN_ROOTS, known))
  await store.close()
  const cli = (...words: string[]) => runCli(['roots', ...words], { cwd })
  expect((await cli('ls')).stdout).toBe('photos\t/mnt/photos\n')
  expect(await cli('accept', 'photos')).toMatchObject({ code: 0 })
  expect((await cli('ls')).stdout).toBe('')
  const again = await cli('accept', 'photos')
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no root photos')])
})
