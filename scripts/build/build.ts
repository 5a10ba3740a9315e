// Builds what is stale; also the entry for start, dev, test and package.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OUT_DIR } from './paths.ts'
import { buildServer, SERVER_INPUTS } from './server.ts'
import { fingerprint, isFresh, writeStamp } from './stale.ts'
import { buildWeb, WEB_INPUTS } from './web.ts'

export interface BuildOptions {
  /** Quick and readable instead of small. */
  dev?: boolean
  /** Build even what is fresh. */
  force?: boolean
  outDir?: string
}

/** Builds the stale parts side by side and names them; rejects with esbuild's failure. */
export async function build(options: BuildOptions = {}): Promise<string[]> {
  const { dev = false, force = false, outDir = OUT_DIR } = options
  const part = async (name: string, inputs: string[], make: typeof buildWeb): Promise<string[]> => {
    const stamp = join(outDir, `.${name}.stamp`)
    const print = fingerprint(inputs, `${dev ? 'dev' : 'production'}`)
    if (!force && existsSync(join(outDir, name)) && isFresh(stamp, print)) return []
    await make(outDir, dev)
    await writeStamp(stamp, print)
    return [name]
  }
  const done = await Promise.allSettled([
    part('server', SERVER_INPUTS, buildServer),
    part('web', WEB_INPUTS, buildWeb),
  ])
  const failed = done.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return done.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}
