// Where a program of the system is.
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Full path of a program, looked for like a shell does; empty when there is none, and for an empty name. */
export async function findProgram(name: string): Promise<string> {
  if (name === '') return ''
  const suffix = process.platform === 'win32' && !/\.exe$/i.test(name) ? '.exe' : ''
  const folders = isAbsolute(name) ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const file = folder ? join(folder, name + suffix) : name + suffix
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return file
  }
  return ''
}
