import type { FileInfo } from '../../api-types.ts'
import { AppError } from '../../lib/errors.ts'
import type { At, Scope } from '../place/scope.ts'
import { typeByName } from './file-type.ts'
import { presentEntry } from './info.ts'

/** Pictures that are looked at when one has gone or cannot be read. */
const MAX_TRIED = 3

/** Links count as files, for what they lead to is not looked at. */
type FolderSummary = Required<Pick<FileInfo, 'numDirs' | 'numFiles' | 'picture'>>

/** For a card of a folder: facts are read of no entry but of the first of the pictures by bytes of the name. */
export async function summaryOf(scope: Scope, folder: At): Promise<FolderSummary> {
  const entries = await scope.list(folder)
  const numDirs = entries.filter(({ kind }) => kind === 'dir').length
  const counts = { numDirs, numFiles: entries.length - numDirs }
  const pictures = entries.filter(({ name, kind, rawName }) => {
    return kind === 'file' && !rawName && typeByName(name, 1) === 'image'
  })
  for (const { name, vpath } of pictures.slice(0, MAX_TRIED)) {
    const stat = await scope.stat(vpath).catch(unlessRefused)
    if (stat !== null && stat.sizeBytes > 0) {
      return { ...counts, picture: presentEntry(vpath, name, stat, 'image') }
    }
  }
  return { ...counts, picture: null }
}

function unlessRefused(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
