// Where in the trash the page is.

import { boot } from '../../lib/boot.ts'
import { ROOT } from '../../lib/paths.ts'

/** The list, or what lies at the path `below` in an entry; without the base URL. */
export function trashPath(id?: string, below: string = ROOT): string {
  if (id === undefined) return '/settings/trash'
  const query = new URLSearchParams({
    entry: id,
    ...(below !== ROOT && below !== '' && { in: below }),
  })
  return `/settings/trash?${query}`
}

export const trashHref = (...of: Parameters<typeof trashPath>) => boot.BaseURL + trashPath(...of)
