// The names of the hidden files of unfinished uploads.
import { hash } from 'node:crypto'
import { memo } from '../../lib/memo.ts'
import type { Place, Scope } from '../place/scope.ts'
import { type Declared, declaredIn } from '../volume/temp-name.ts'

interface Target {
  place: Place
  /** Id of the account. */
  owner: number
}

interface NamedPartial extends Declared {
  tempName: string
}

/** How they all begin, behind what temporary files begin with. */
export const LABEL = 'up-'

/** One to each target and account. */
export function keyOf({ place, owner }: Target): string {
  return `${placeKeyOf(place)}-u${owner}`
}

export function labelOf(key: string): string {
  return `${LABEL}${key}-`
}

/** How the labels of all accounts begin. */
export function anyLabelOf({ place }: Target): string {
  return `${LABEL}${placeKeyOf(place)}-u`
}

// Asked for several times by each request.
const placeKeyOf = memo(({ realPath }: Place) => hash('sha256', realPath).slice(0, 32))

export function parseName(tempName: string): { key: string; upload: NamedPartial } | null {
  const { key = '', ...declared } = declaredIn(tempName) ?? {}
  return key.includes('-u') ? { key, upload: { ...(declared as Declared), tempName } } : null
}

/** The file of an unfinished upload to a place whose label begins so; none of the key `except`. */
export async function findLabelled(
  { scope, place }: { scope: Scope; place: Place },
  label: string,
  except?: string,
): Promise<NamedPartial | null> {
  for (const tempName of await scope.findTemps(place, label)) {
    const found = parseName(tempName)
    if (found && found.key !== except) return found.upload
  }
  return null
}
