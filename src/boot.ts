// First file of the packaged executable: native parts first, because the server loads them.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NativeFile, nativeCandidates, setUpNativeCache } from './native-cache.ts'

const inside = join(dirname(fileURLToPath(import.meta.url)), '..')
const nativeFailure = setUpNativeCache({
  files: JSON.parse(readFileSync(join(inside, 'native.json'), 'utf8')) as NativeFile[],
  modules: join(inside, 'node_modules'),
  candidates: nativeCandidates(process.env),
})

/** Called by the last line of the bundle, which loads the server or the preview process. */
export function start(load: () => void): void {
  try {
    load()
  } catch (error) {
    // The packages' loaders hide the reason deep in their message.
    const reason = nativeFailure() || (error instanceof Error ? error.stack : String(error))
    process.stderr.write(`Error: ${reason}\n`)
    process.exit(1)
  }
}
