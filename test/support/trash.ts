// Entries of a trash as any program may leave them.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Puts a file into the trash of a folder, as if it had been deleted now; gives its id. */
export async function keepInTrash(
  base: string,
  path: string,
  content: string,
  { id = 'a'.repeat(32), userID = 2, deletedAt = Date.now() } = {},
): Promise<string> {
  const store = join(base, '.fb-trash')
  for (const part of ['files', 'info'])
    await mkdir(join(store, part), { recursive: true, mode: 0o700 })
  const name = `${id}-x`
  await writeFile(join(store, 'files', name), content)
  const lines = [
    '[Trash Info]',
    `Path=${encodeURIComponent(path)}`,
    `X-FileBrowser-Time=${new Date(deletedAt).toISOString()}`,
    `X-FileBrowser-Account=${userID}`,
  ]
  await writeFile(join(store, 'info', `${name}.trashinfo`), lines.join('\n'))
  return id
}
