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
import { nodeBinary, nodeVersion } from './package/node-binary.ts'
import { PAPERS } from './package/papers.ts'
import { type LockedPackage, makeBill } from './package/sbom.ts'
import { makeSingleFile } from './package/single-file.ts'
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
  const version = nodeVersion(target)
  const temporary = `${file}.${process.pid}.tmp`
  try {
    const inside = await makeSingleFile({
      target,
      version,
      node: await nodeBinary(target, version),
      host: await nodeBinary(hostTarget(), version),
      folder: staged,
      cache: join(OUT_DIR, 'cache', 'packed'),
      output: temporary,
    })
    if (target.os === 'darwin')
      await writeFile(temporary, signAdHoc(await readFile(temporary), 'filebrowser'))
    await checkExecutable(temporary, target, join(staged, 'node_modules'), inside)
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
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

/** What can be said of an executable without running it. */
async function checkExecutable(
  file: string,
  target: Target,
  modules: string,
  inside: ReadonlyMap<string, string>,
): Promise<void> {
  const format = await fileFormat(file)
  if (format !== `${target.os}-${target.cpu}`)
    throw new Error(`${target.name} came out as ${format}`)
  if (!(await hasProgram(file))) throw new Error(`${target.name} has no program attached`)
  const parts = compiledFiles(modules)
  checkParts(target, parts)
  const stored = parts.flatMap((part) => {
    const name = `node_modules/${part}`
    return [inside.get(name) ?? inside.get(`${name}.zst`) ?? join(modules, part)]
  })
  await checkInside(file, stored)
  const host = hostTarget()
  if (host.name === target.name) return
  const own = join(ROOT, 'node_modules')
  await checkNothingOf(host, { modules, paths: parts }, { modules: own, paths: compiledFiles(own) })
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
