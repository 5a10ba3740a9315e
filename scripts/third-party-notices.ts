// Writes THIRD-PARTY-NOTICES: every package whose code is inside the executable, with its licence.
// Run it after `npm run package`. Fails on a licence that is neither permissive nor one of the
// libraries used as separate files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build/paths.ts'
import { bundledPackages } from './package/bundled-packages.ts'
import { nodeVersion } from './package/node-binary.ts'
import { packageFolder } from './package/npm-pack.ts'
import { hostTarget, TARGETS } from './package/targets.ts'

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

/** Packages without a licence file: whose text is theirs, and whose README tells more. */
const TEXT_OF: [name: RegExp, from: string][] = [
  [/^@img\/sharp-libvips-/, 'libheif-js'],
  [/^@napi-rs\/snappy-/, 'snappy'],
  [/^@node-rs\/argon2-/, '@node-rs/argon2'],
]

/** https://unlicense.org/ */
const UNLICENSE = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source
code form or as a compiled binary, for any purpose, commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all
copyright interest in the software to the public domain. We make this dedication for the benefit of the public
at large and to the detriment of our heirs and successors. We intend this dedication to be an overt act of
relinquishment in perpetuity of all present and future rights to this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org>`

const packages = bundledPackages(hostTarget())
const refused: string[] = []
const sections: string[] = [HEAD, await nodeSection(), listSection()]
for (const { name, version, folder, ...manifest } of packages) {
  const license = manifest.license || 'see below'
  if (!PERMISSIVE.test(license) && !SEPARATE.includes(name)) refused.push(`${name}: ${license}`)
  sections.push(section(`${name} ${version}`, license, textOf(name, license, folder)))
}
if (refused.length > 0) {
  process.stderr.write(`These licences need a decision:\n${refused.join('\n')}\n`)
  process.exit(1)
}
writeFileSync(join(ROOT, 'THIRD-PARTY-NOTICES'), `${sections.join('\n').trimEnd()}\n`)
process.stdout.write(`${packages.length} packages\n`)

async function nodeSection(): Promise<string> {
  const version = nodeVersion(hostTarget())
  const folder = await packageFolder(hostTarget().nodePackage, version)
  return section(`Node.js ${version}`, 'MIT, and others for its parts', licenseText(folder))
}

/** The text for a package: its own file, else that of the one it belongs to; libvips lists its parts. */
function textOf(name: string, license: string, folder: string): string {
  const own = licenseText(folder)
  if (own !== '') return own
  if (license === 'Unlicense') return UNLICENSE
  if (name === 'saxes')
    return readFileSync(join(ROOT, 'scripts', 'saxes-licence.txt'), 'utf8').trim()
  const from = TEXT_OF.find(([pattern]) => pattern.test(name))?.[1]
  const inReadme = from === undefined ? licenseInReadme(folder) : ''
  if (inReadme !== '') return inReadme
  if (from === undefined) throw new Error(`${name} has no licence text`)
  const text = licenseText(join(ROOT, 'node_modules', from))
  if (!name.startsWith('@img/sharp-libvips-')) return text
  return `${text}\n\n${readFileSync(join(ROOT, 'node_modules', name, 'README.md'), 'utf8').trim()}`
}

/** Data in the executable that no package brings along: src/auth/common-passwords.br. */
function listSection(): string {
  const text = readFileSync(join(ROOT, 'scripts', 'common-passwords-licence.txt'), 'utf8').trim()
  return section('SecLists: 10-million-password-list-top-1000000 (a selection)', 'MIT', text)
}

function licenseText(folder: string): string {
  const name = readdirSync(folder).find((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  return name ? readFileSync(join(folder, name), 'utf8').trim() : ''
}

/** The last chapter of a README, where that is the licence in full. */
function licenseInReadme(folder: string): string {
  const readme = readdirSync(folder).find((file) => /^readme\.md$/i.test(file))
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')
  const found = /^#+ licen[cs]e\s+([^#]*Permission is hereby granted[^#]*)$/im.exec(text)?.[1]
  return found?.trim() ?? ''
}

function section(title: string, license: string, text: string): string {
  return `${'='.repeat(80)}\n${title}\nLicence: ${license}\n\n${text}\n`
}
