// First file of the packaged executable: native parts first, because the server loads them.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NativeFile, nativeCandidates, setUpNativeCache } from './native-cache.ts'

const inside = join(dirname(fileURLToPath(import.meta.url)), '..')
setUpNativeCache({
  files: JSON.parse(readFileSync(join(inside, 'native.json'), 'utf8')) as NativeFile[],
  modules: join(inside, 'node_modules'),
  candidates: nativeCandidates(process.env),
})
