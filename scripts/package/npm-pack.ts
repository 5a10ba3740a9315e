// Packages of other platforms, which `npm ci` did not install: fetched once, kept under dist/.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OUT_DIR, ROOT } from '../build/paths.ts'

const run = promisify(execFile)

/** Folder of `name@version`: the installed one when it is that version, else a fetched copy. */
export async function packageFolder(name: string, version: string): Promise<string> {
  const installed = join(ROOT, 'node_modules', name)
  if (installedVersion(installed) === version) return installed
  const kept = join(OUT_DIR, 'cache', 'packages', `${name.replace('/', '+')}-${version}`)
  if (existsSync(join(kept, 'package.json'))) return kept
  const temporary = `${kept}.${process.pid}`
  await mkdir(temporary, { recursive: true })
  try {
    // Scripts never run for a packed package; the registry is the one npm is configured for.
    await run('npm', ['pack', '--silent', `${name}@${version}`], {
      cwd: temporary,
      shell: process.platform === 'win32',
    })
    const [tarball] = (await readdir(temporary)).filter((file) => file.endsWith('.tgz'))
    if (!tarball) throw new Error(`npm pack gave nothing for ${name}@${version}`)
    await run('tar', ['-xzf', tarball], { cwd: temporary })
    await rm(kept, { recursive: true, force: true })
    await rename(join(temporary, 'package'), kept)
    return kept
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function installedVersion(folder: string): string | null {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string })
      .version
  } catch {
    return null
  }
}
