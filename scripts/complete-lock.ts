// Completes package-lock.json with the platform packages that the registry in use does not carry.
//
// npm leaves an optional dependency out of the lock when it cannot be found, and then `npm ci`
// refuses the lock because it is incomplete. The entries written here name version and platform
// only, which satisfies `npm ci` everywhere and installs nothing on the platforms we build on.
// Run it after `npm install`; with `--check` it only reports.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build/paths.ts'

interface LockEntry {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const OS = ['linux', 'darwin', 'win32', 'freebsd', 'android', 'openharmony']
const CPU = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32']

const lockFile = join(ROOT, 'package-lock.json')
const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockEntry> }
const added: string[] = []

for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    if (lock.packages[key] || lock.packages[`${place}/${key}`]) continue
    const platform = platformOf(name)
    // A range or an unknown platform cannot be written down without the registry's answer.
    if (!platform || !/^\d+\.\d+\.\d+/.test(version)) continue
    const dev = entry.dev ? { dev: true } : {}
    lock.packages[key] = { version, ...platform, ...dev, optional: true }
    added.push(name)
  }
}

if (added.length > 0 && process.argv.includes('--check')) {
  process.stderr.write(
    `package-lock.json lacks ${added.length} platform packages (${added[0]} …).\n`,
  )
  process.stderr.write('Run: node scripts/complete-lock.ts\n')
  process.exit(1)
}
if (added.length > 0) {
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
}
process.stdout.write(`${added.length} platform packages added to package-lock.json\n`)

/** Reads `linux-arm64-musl` and the like off the end of a package name; null for other names. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> | null {
  const words = name.split('/').at(-1)?.split('-') ?? []
  const os = words.find((word) => OS.includes(word))
  const cpu =
    words.find((word) => CPU.includes(word)) ?? (words.includes('armv7') ? 'arm' : undefined)
  if (!os || !cpu) return null
  if (os !== 'linux') return { os: [os], cpu: [cpu] }
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'
  return { os: [os], cpu: [cpu], libc: [libc] }
}
