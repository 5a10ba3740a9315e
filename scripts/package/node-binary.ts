// The plain Node binary of a platform, made as small as the platform allows.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OUT_DIR, PACKAGE } from '../build/paths.ts'
import { trimIcuData } from './icu-data.ts'
import { packageFolder } from './npm-pack.ts'
import type { Target } from './targets.ts'

const run = promisify(execFile)

/** Version of Node inside the executable of a platform. */
export function nodeVersion(target: Target): string {
  const version = PACKAGE.optionalDependencies[target.nodePackage]
  if (!version) throw new Error(`package.json pins no ${target.nodePackage}`)
  return version
}

/**
 * The Node binary for a platform, kept under dist/: on Linux without its symbol tables and most data of ICU. A
 * Mach-O or PE file stays as it is.
 */
export async function nodeBinary(target: Target, version: string): Promise<string> {
  const original = join(await packageFolder(target.nodePackage, version), target.nodeFile)
  if (target.os !== 'linux') return original
  const small = join(OUT_DIR, 'cache', `node-${version}-${target.name}-en`)
  if (existsSync(small)) return small
  await mkdir(dirname(small), { recursive: true })
  const temporary = `${small}.${process.pid}`
  const strip = await findStrip(target)
  if (strip) await run(strip, ['--strip-unneeded', '-o', temporary, original])
  await writeFile(temporary, trimIcuData(await readFile(strip ? temporary : original)))
  await chmod(temporary, 0o755)
  await rename(temporary, small)
  return small
}

async function findStrip(target: Target): Promise<string | null> {
  const own = process.platform === target.os && process.arch === target.cpu
  const triple = target.cpu === 'arm64' ? 'aarch64-linux-gnu-strip' : 'x86_64-linux-gnu-strip'
  for (const command of [...(own ? ['strip'] : []), triple, 'llvm-strip']) {
    const works = await run(command, ['--version']).then(
      () => true,
      () => false,
    )
    if (works) return command
  }
  return null
}
