// Undo of a deletion: the newest entries of the trash that were in these places go back there.

import { plural, t } from '@lingui/core/macro'
import { ApiError } from '../api/client.ts'
import { listTrash, restoreTrash } from '../api/trash.ts'
import { groupByParent } from '../lib/paths.ts'
import { selectResult } from '../state/selection.ts'
import { refreshUsage } from '../state/usage.ts'
import { tellFailures } from './failure-toasts.ts'
import { reloadFolder } from './open-folder.ts'

/** @throws ApiError when the server refuses; what alone cannot come back is told. */
export async function bringBack(paths: readonly string[]): Promise<void> {
  const folders = groupByParent(paths, (path) => path)
  const found = new Map<string, string>()
  for (const [folder, wanted] of folders) {
    const missing = new Set(wanted)
    let cursor: string | null = ''
    while (missing.size > 0 && cursor !== null) {
      const page = await listTrash({ path: folder }, cursor)
      for (const { id, path } of page.items) if (missing.delete(path)) found.set(id, path)
      cursor = page.next
    }
  }
  const { restored, failed } = await restoreTrash([...found.keys()], 'fail')
  await Promise.all([...folders.keys()].map(reloadFolder))
  refreshUsage()
  selectResult(restored.map(({ path }) => path))
  const back = new Set(found.values())
  tellFailures(
    [
      ...failed.map(({ id, code }) => ({ path: found.get(id) ?? '', code })),
      ...paths
        .filter((path) => !back.has(path))
        .map((path) => ({ path, code: 'not_found' as const })),
    ].map(({ path, code }) => ({
      item: { path, isDir: false },
      error: new ApiError(409, code, ''),
    })),
    (name, reason) => t`Couldn’t put back “${name}”. ${reason}`,
    (count, reason) =>
      plural(count, {
        one: `Couldn’t put back # item. ${reason}`,
        other: `Couldn’t put back # items. ${reason}`,
      }),
  )
}
