// Selections for downloads where several nodes share them: what one has registered another one sends.
import { randomBytes } from 'node:crypto'
import { MAX_OWN_CHARACTERS, SELECTION_MS, sizeOf } from '../../files/archive/selections.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import { type Kind, lookAt, putIn, type ShortLived } from '../../store/short-lived/short-lived.ts'

/** Each may have some megabytes of names. */
const KIND: Kind<{ owner: string; files: readonly VPath[] }> = {
  name: 'selection',
  max: 500,
  maxPerOwner: 8,
}

export interface SharedSelections {
  /** See Selections in files/archive/selections.ts. */
  add(owner: string, files: readonly VPath[]): Promise<string>
  take(owner: string, id: string): Promise<readonly VPath[]>
}

export function createSharedSelections(all: ShortLived): SharedSelections {
  return {
    add: async (owner, files) => {
      if (sizeOf(files) > MAX_OWN_CHARACTERS)
        throw badRequest('the names are too long', 'too_large')
      const id = randomBytes(16).toString('base64url')
      await putIn(all, KIND, id, { value: { owner, files }, lifeMs: SELECTION_MS, owner })
      return id
    },
    take: async (owner, id) => {
      const found = await lookAt(all, KIND, id)
      if (found?.owner !== owner) throw new AppError('not_found', 'no such selection')
      return found.files
    },
  }
}
