// Names inside archives that the server makes (class 12): none that an unpacker could take for a
// place outside of the folder it unpacks into.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { makeShare } from '../support/shares.ts'

const NASTY = {
  '..\\..\\evil.sh': 'a',
  'C:\\Windows\\evil.dll': 'b',
  '\\\\host\\share\\evil': 'c',
  '..two-dots.txt': 'd',
  '...': 'e',
  'dir\\..\\..\\up/inner.txt': 'f',
  'a/..hidden/x': 'g',
  ' ': 'h',
}

async function archive(app: TestApp, path: string, file: string): Promise<void> {
  const response = await (await app.as('admin')).fetch(path)
  expect(response.status, path).toBe(200)
  await writeFile(file, Buffer.from(await response.arrayBuffer()))
}

/** Names as they stand in the archive, by the usual programs. */
function namesIn(file: string, format: string): string[] {
  const script =
    'import sys, zipfile, tarfile\n' +
    'f = sys.argv[1]\n' +
    'names = zipfile.ZipFile(f).namelist() if sys.argv[2] == "zip" else tarfile.open(f).getnames()\n' +
    'sys.stdout.write("\\0".join(names))'
  const output = execFileSync('/usr/bin/python3', ['-c', script, file, format])
  return output.toString('utf8').split('\0')
}

function expectSafe(names: string[]): void {
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) {
    expect(name).not.toContain('\\')
    expect(name.startsWith('/')).toBe(false)
    expect(name.split('/')).not.toContain('..')
    expect(name.replace(/\/$/, '').split('/')).not.toContain('')
    expect(name.split('/')).not.toContain('.')
  }
}

describe.each(['zip', 'tar', 'targz'])('%s', (format) => {
  it('CVE-2026-54093: holds no name that leads out', async () => {
    await using app = await startApp({ tree: { ...NASTY, 'deep/er': null } })
    await mkdir(app.tree.at('empty\\..\\..\\dir'))
    const file = join(app.tree.base, 'archive')
    const selections = [
      `/api/raw/?algo=${format}`,
      `/api/raw/?algo=${format}&files=${encodeURIComponent(encodeURIComponent('..\\..\\evil.sh'))}`,
      `/api/raw/dir%5C..%5C..%5Cup/?algo=${format}`,
      `/api/raw/?algo=${format}&files=a,..two-dots.txt`,
    ]
    for (const path of selections) {
      await archive(app, path, file)
      expectSafe(namesIn(file, format))
    }
  })

  it('CVE-2026-62843: is named and filled within what was asked for', async () => {
    await using app = await startApp({ tree: { 'pub/a.txt': 'a', 'secret.txt': 's', ...NASTY } })
    const hash = await makeShare(app, '/pub/')
    const file = join(app.tree.base, 'archive')
    for (const files of [
      '../secret.txt',
      '..%2Fsecret.txt',
      '/../secret.txt',
      'a.txt,../secret.txt',
    ]) {
      const query = `algo=${format}&files=${encodeURIComponent(files)}`
      for (const path of [`/api/raw/pub/?${query}`, `/api/public/dl/${hash}/?${query}`]) {
        const response = await (await app.as('admin')).fetch(path)
        const bytes = Buffer.from(await response.arrayBuffer())
        if (response.status !== 200) continue
        await writeFile(file, bytes)
        if (bytes.length === 0) continue
        const names = namesIn(file, format).filter((name) => name !== '')
        expect(names.join(), path).not.toContain('secret')
        for (const name of names) expect(name).not.toMatch(/\.\.\/|^\//)
      }
    }
    const named = await (await app.as('admin')).fetch(`/api/raw/dir%5C..%5C..%5Cup/?algo=${format}`)
    await named.arrayBuffer()
    const disposition = named.headers.get('content-disposition') ?? ''
    expect(decodeURIComponent(disposition)).not.toMatch(/[/]|\r|\n/)
  })

  it('unpacks into its folder and nowhere else', async () => {
    await using app = await startApp({ tree: NASTY })
    const file = join(app.tree.base, 'archive')
    await archive(app, `/api/raw/?algo=${format}`, file)
    const into = join(app.tree.base, 'a/b/c')
    await mkdir(into, { recursive: true })
    const words = format === 'zip' ? ['unzip', '-qq', '-^', file] : ['tar', '-xf', file]
    execFileSync(words[0] ?? '', words.slice(1), { cwd: into })
    expect(await readdir(join(app.tree.base, 'a'))).toEqual(['b'])
    expect(await readdir(join(app.tree.base, 'a/b'))).toEqual(['c'])
    expect((await readdir(into)).length).toBe(8)
  })
})
