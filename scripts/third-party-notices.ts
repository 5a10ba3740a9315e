// Writes THIRD-PARTY-NOTICES: every package whose code is inside the executable, with its licence.
// Run it after `npm run package`. Fails on a licence that is neither permissive nor one of the
// libraries used as separate files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OUT_DIR, ROOT } from './build/paths.ts'
import { nodeVersion } from './package/node-binary.ts'
import { packageFolder } from './package/npm-pack.ts'
import { hostTarget, TARGETS } from './package/targets.ts'

interface Manifest {
  name: string
  version: string
  license?: string
  homepage?: string
  repository?: string | { url: string }
}

const PERMISSIVE =
  /^\(?(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Zlib|bzip2-1\.0\.6|Python-2\.0|MPL-2\.0 OR Apache-2\.0|OFL-1\.1)\b/

/** LGPL libraries: files of their own, loaded at run time, never linked into anything of ours. */
const SEPARATE = ['libheif-js', ...TARGETS.map(({ os, cpu }) => `@img/sharp-libvips-${os}-${cpu}`)]

const HEAD = `THIRD-PARTY NOTICES

File Browser contains the software listed below, under the licences that follow each name.

Two libraries are under the GNU Lesser General Public License 3.0: libvips (with the libraries it is
built with, see the package's README) and libheif. Both are files of their own inside the executable
(libvips-cpp and libheif.wasm), unpacked or read when a preview is made. To use versions of your own,
replace these files below node_modules/ and run "npm run package"; everything needed for that is in
the source archive of this version.
`

const manifests = [...bundledPackages(), ...runtimePackages()]
const unique = new Map(manifests.map(([folder, manifest]) => [manifest.name, { folder, manifest }]))
const refused: string[] = []
const sections: string[] = [HEAD, await nodeSection()]
for (const [name, { folder, manifest }] of [...unique].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const license = manifest.license ?? 'see below'
  if (!PERMISSIVE.test(license) && !SEPARATE.includes(name)) refused.push(`${name}: ${license}`)
  sections.push(section(`${name} ${manifest.version}`, license, licenseText(folder)))
}
if (refused.length > 0) {
  process.stderr.write(`These licences need a decision:\n${refused.join('\n')}\n`)
  process.exit(1)
}
writeFileSync(join(ROOT, 'THIRD-PARTY-NOTICES'), `${sections.join('\n').trimEnd()}\n`)
process.stdout.write(`${unique.size} packages\n`)

/** Packages of which the bundles of server and interface took something. */
function bundledPackages(): [string, Manifest][] {
  const folders = new Set<string>()
  for (const name of ['server-metafile.json', 'web-metafile.json']) {
    const { inputs } = JSON.parse(readFileSync(join(OUT_DIR, name), 'utf8')) as {
      inputs: Record<string, unknown>
    }
    for (const input of Object.keys(inputs)) {
      const match = /^(?:[\w-]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(input)
      if (match?.[1]) folders.add(match[1])
    }
  }
  return [...folders].map((folder) => load(resolve(ROOT, folder)))
}

/** Packages that travel beside the bundle, as laid out for this machine. */
function runtimePackages(): [string, Manifest][] {
  const modules = join(OUT_DIR, 'stage', hostTarget().name, 'node_modules')
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === 'package.json')
    .map((entry) => entry.parentPath)
    .filter((folder) => /node_modules\/(@[^/]+\/)?[^/]+$/.test(folder))
    .map(load)
}

function load(folder: string): [string, Manifest] {
  return [folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest]
}

async function nodeSection(): Promise<string> {
  const version = nodeVersion()
  const folder = await packageFolder(hostTarget().nodePackage, version)
  return section(`Node.js ${version}`, 'MIT, and others for its parts', licenseText(folder))
}

function licenseText(folder: string): string {
  const name = readdirSync(folder).find((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  return name ? readFileSync(join(folder, name), 'utf8').trim() : ''
}

function section(title: string, license: string, text: string): string {
  return `${'='.repeat(80)}\n${title}\nLicence: ${license}\n\n${text}\n`
}
