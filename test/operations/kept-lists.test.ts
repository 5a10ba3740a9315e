// Lists of what is kept of everybody: as long as somebody reads, however much there is.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileVersions } from '../../src/keep/versions.ts'
import { ROOT } from '../../src/lib/vpath.ts'
import { usageOfTrash } from '../../src/operations/trash-usage.ts'
import { leftVersions } from '../../src/operations/versions.ts'
import { setUp } from '../support/operations.ts'
import { changeRecords } from '../support/records.ts'
import { keepInTrash } from '../support/trash.ts'

test('of files that are gone the latest are listed, and all are counted', async () => {
  await using setup = await setUp({})
  const { services, tree } = setup
  const version = { id: '', userID: 1, isKept: false, name: '', mtimeMs: 0, dev: 0n, ino: 0n }
  const FILES = 50_000
  async function* all(): AsyncGenerator<FileVersions> {
    for (let i = 0; i < FILES; i++) {
      // In no order.
      const replacedAt = 1 + ((i * 7_919) % FILES)
      const versions = [{ ...version, replacedAt, sizeBytes: 2, base: tree.root }]
      yield { realPath: join(tree.root, `${replacedAt}.txt`), versions, isGone: true }
    }
  }
  const versions = { ...services.versions, all }
  const actor = setup.actor(1, { services: { ...services, versions } })
  const { files, ...totals } = await leftVersions(actor, ROOT, 3)
  expect(files.map(({ path, latestMs }) => [path, latestMs])).toEqual([
    ['/50000.txt', 50_000],
    ['/49999.txt', 49_999],
    ['/49998.txt', 49_998],
  ])
  expect(totals).toEqual({ total: FILES, totalBytes: 2 * FILES })
})

test('of accounts those that keep most are told, and disks count all', async () => {
  await using setup = await setUp({})
  const { services, tree } = setup
  const ids = Array.from({ length: 1_002 }, (_, i) => 100 + i)
  await changeRecords(services.store, ({ users }) => ({
    users: [...users, ...ids.map((id) => ({ ...users[0], id, username: `u${id}` }) as never)],
  }))
  for (const id of ids) {
    const name = id.toString(16).padStart(32, '0')
    await keepInTrash(tree.root, `${id}.txt`, id < 102 ? 'x' : 'xx', { id: name, userID: id })
  }
  const { accounts, disks } = await usageOfTrash(services)
  expect(accounts).toHaveLength(1_000)
  expect(accounts.map(({ by }) => by)).not.toContain('u100')
  expect(disks).toMatchObject([{ items: 1_002, bytes: 2_002 }])
})
