// `npm run package`: dist/filebrowser for this machine. `-- --all`: release archives for every
// platform under dist/release/, with SHA256SUMS. Each comes with its bill of materials, `*.cdx.json`. Nothing is downloaded but npm packages.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from './build/build.ts'
import { OUT_DIR, PACKAGE, ROOT } from './build/paths.ts'
import { fileFormat, hasProgram } from './package/binary-format.ts'
import { bundledPackages } from './package/bundled-packages.ts'
import { makeCodeCache } from './package/code-cache.ts'
import { signAdHoc } from './package/macho-sign.ts'
import { checkInside, checkNothingOf, checkParts } from './package/native-parts.ts'
import { nodeVersion, provideNode } from './package/node-binary.ts'
import { PAPERS } from './package/papers.ts'
import { type LockedPackage, makeBill } from './package/sbom.ts'
import { compiledFiles, stage } from './package/stage.ts'
import { hostTarget, TARGETS, type Target } from './package/targets.ts'

const run = promisify(execFile)

if (process.argv.includes('--all')) await packageAll()
else await packageHost()

async function packageHost(): Promise<void> {
  await build()
  const target = hostTarget()
  const file = join(OUT_DIR, target.os === 'win32' ? 'filebrowser.exe' : 'filebrowser')
  await makeExecutable(target, file)
  await writeBill(target, join(OUT_DIR, 'filebrowser.cdx.json'))
  process.stdout.write(`${file}: ${await describeSize(file)}\n`)
}

async function packageAll(): Promise<void> {
  await build()
  const release = join(OUT_DIR, 'release')
  await rm(release, { recursive: true, force: true })
  await mkdir(release, { recursive: true })
  for (const target of TARGETS) {
    const folder = join(release, target.name)
    await mkdir(folder)
    const program = target.os === 'win32' ? 'filebrowser.exe' : 'filebrowser'
    await makeExecutable(target, join(folder, program))
    await writeBill(target, join(folder, 'filebrowser.cdx.json'))
    for (const name of PAPERS) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await copyFile(join(ROOT, name), join(folder, name))
    }
    const names = (await readdir(folder)).sort()
    const archive = join(release, target.archive)
    if (archive.endsWith('.zip'))
      await run('zip', ['-q', '-9', '-X', '-r', archive, ...names], { cwd: folder })
    else await run('tar', ['-czf', archive, '--owner=0', '--group=0', ...names], { cwd: folder })
    process.stdout.write(`${target.archive}: ${await describeSize(archive)}\n`)
    await rm(folder, { recursive: true })
  }
  await writeSums(release)
}

async function makeExecutable(target: Target, file: string): Promise<void> {
  const staged = await stage(target)
  if (target.name === hostTarget().name) await makeCodeCache(join(staged, 'server'))
  const home = join(OUT_DIR, 'cache', 'pkg-home')
  const version = nodeVersion(target)
  await provideNode(target, version, home)
  await provideNode(hostTarget(), version, home)
  const temporary = `${file}.${process.pid}.tmp`
  const args = [
    ...['--require', join(ROOT, 'scripts/package/pkg-preload.cjs')],
    join(ROOT, 'node_modules/@yao-pkg/pkg/lib-es5/bin.js'),
    staged,
    '--sea',
    ...['-t', `node${version}-${target.pkgPlatform}`],
    ...['-o', temporary],
  ]
  // pkg adds .exe by itself.
  const made = target.os === 'win32' ? `${temporary}.exe` : temporary
  try {
    await run(process.execPath, args, {
      env: { ...process.env, HOME: home, USERPROFILE: home },
      maxBuffer: 64 * 1024 * 1024,
    })
    if (target.os === 'darwin') await signIfNeeded(made)
    await checkExecutable(made, target, join(staged, 'node_modules'))
    await rename(made, file)
  } finally {
    await rm(made, { force: true })
  }
}

async function writeBill(target: Target, file: string): Promise<void> {
  const { packages: lock } = JSON.parse(
    await readFile(join(ROOT, 'package-lock.json'), 'utf8'),
  ) as { packages: Record<string, LockedPackage> }
  const packages = bundledPackages(target)
  const bill = makeBill({
    product: PACKAGE,
    target,
    nodeVersion: nodeVersion(target),
    packages,
    lock,
  })
  await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`)
}

/** pkg signs where codesign is at hand; elsewhere it leaves the file without a signature. */
async function signIfNeeded(file: string): Promise<void> {
  if (process.platform === 'darwin') return
  await writeFile(file, signAdHoc(await readFile(file), 'filebrowser'))
}

/** What can be said of an executable without running it. */
async function checkExecutable(file: string, target: Target, modules: string): Promise<void> {
  const format = await fileFormat(file)
  if (format !== `${target.os}-${target.cpu}`)
    throw new Error(`${target.name} came out as ${format}`)
  if (!(await hasProgram(file))) throw new Error(`${target.name} has no program attached`)
  const parts = compiledFiles(modules)
  checkParts(target, parts)
  await checkInside(file, modules, parts)
  const host = hostTarget()
  if (host.name === target.name) return
  const own = join(ROOT, 'node_modules')
  await checkNothingOf(host, file, own, compiledFiles(own))
}

async function describeSize(file: string): Promise<string> {
  const { size } = await stat(file)
  return `${(size / 1e6).toFixed(1)} MB, version ${PACKAGE.version}`
}

async function writeSums(release: string): Promise<void> {
  const names = (await readdir(release)).filter((name) => /\.(tar\.gz|zip)$/.test(name)).sort()
  const lines: string[] = []
  for (const name of names) {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(join(release, name))) hash.update(chunk)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(release, 'SHA256SUMS'), lines.join(''))
}
