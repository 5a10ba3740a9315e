// realpath(3) part by part, so that a link on a local disk that leads to a silent one is not followed by a
// call that nobody can give up.
import { readlinkSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { errnoOf } from '../../lib/errors.ts'
import type { Device } from './device.ts'

const MAX_LINK_HOPS = 40

/** Rejects with the system's error. */
export async function realPathByParts(
  { of, isCached }: { of(path: string): Device; isCached(path: string): boolean },
  path: string,
): Promise<string> {
  let parts = path.split(sep).filter(Boolean)
  let real = ''
  for (let hops = 0; parts.length > 0; ) {
    const here = `${real}${sep}${parts[0]}`
    parts = parts.slice(1)
    const device = of(here)
    // On one disk the system is quicker.
    if (device.kind === 'foreign') return device.query(() => realpath([here, ...parts].join(sep)))
    const target = await (isCached(here)
      ? device.direct(() => unlessNoLink(() => readlinkSync(here)))
      : unlessNoLink(() => readlink(here)))
    if (target === null) {
      real = here
      continue
    }
    if (++hops > MAX_LINK_HOPS)
      throw Object.assign(new Error(`ELOOP: too many links, ${path}`), { code: 'ELOOP' })
    const led = resolve(real || sep, target)
    parts = [...led.split(sep).filter(Boolean), ...parts]
    real = ''
  }
  return real || sep
}

async function unlessNoLink(read: () => string | Promise<string>): Promise<string | null> {
  try {
    return await read()
  } catch (error) {
    if (errnoOf(error) === 'EINVAL') return null
    throw error
  }
}
