// The plain Node binary of a platform, made as small as the platform allows.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OUT_DIR, PACKAGE } from '../build/paths.ts'
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
 * Fills the cache in which pkg looks for Node, so that it downloads nothing; `home` is what the
 * packager will see as its home folder. The packager also asks for this machine's binary of that version.
 */
export async function provideNode(target: Target, version: string, home: string): Promise<void> {
  const cache = join(home, '.pkg-cache', 'sea')
  const short = target.os === 'win32' ? 'win' : target.os
  const name = `node-v${version}-${short}-${target.cpu}`
  // Where pkg expects the binary unpacked from the archive, and the marks of a checked download.
  const archive = `${name}.${target.os === 'win32' ? 'zip' : 'tar.gz'}`
  const binary =
    target.os === 'win32' ? join(cache, `${name}.exe`) : join(cache, name, 'bin', 'node')
  await mkdir(dirname(binary), { recursive: true })
  for (const mark of [join(cache, archive), join(cache, `${archive}.ok`), `${binary}.ok`]) {
    await writeFile(mark, '')
  }
  await copyFile(await smallNode(target, version), binary)
  await chmod(binary, 0o755)
}

/** The binary without its symbol tables, kept under dist/; a Mach-O or PE file stays as it is. */
async function smallNode(target: Target, version: string): Promise<string> {
  const original = join(await packageFolder(target.nodePackage, version), target.nodeFile)
  if (target.os !== 'linux') return original
  const small = join(OUT_DIR, 'cache', `node-${version}-${target.name}`)
  if (existsSync(small)) return small
  const strip = await findStrip(target)
  if (!strip) return original
  await mkdir(dirname(small), { recursive: true })
  const temporary = `${small}.${process.pid}`
  await run(strip, ['--strip-unneeded', '-o', temporary, original])
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
