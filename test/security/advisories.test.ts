// Every published advisory has a test that bears its number. The numbers stand by class as in
// docs/security.md; what an advisory is about is the class and the title of its tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { WEAKENINGS } from '../../scripts/security-weakenings.ts'

const FOLDER = join(ROOT, 'test/security')
const CLASSES: Record<string, string[]> = {
  'canonical-paths': ['2026-25890', '2026-32758', '2026-35605', '2026-72835'],
  'rules-on-trees': ['2026-54091', '2026-73612'],
  'cve-2026-90930-link-target': ['2026-90930'],
  'scope-jail': ['2026-54094', '2026-55667', '2026-55668', '2026-73613'],
  'permission-matrix': ['2026-29188', '2026-32761', '2026-35606', 'GHSA-7whw-q6gh-xr59'],
  shares: [
    ...['2026-28492', '2026-35604', '2026-54096', '2026-54097', '2026-62684', '2025-64523'],
    ...['2025-52996', 'GHSA-pp88-jhwj-5qh5'],
  ],
  provisioning: [
    ...['2026-32760', '2026-34528', '2026-35607', '2026-62685', '2026-72836', '2026-72837'],
    '2026-72839',
  ],
  'trusted-proxy': ['2026-54089'],
  'stored-script': ['2021-37794', '2023-39612', '2025-52902', '2026-34529', '2026-34530'],
  sessions: ['2021-46398', '2025-52901', '2025-53826'],
  'login-abuse': ['2025-52997', '2026-23849', '2026-25889', '2026-54092'],
  exhaustion: ['2025-53893', '2026-32759', '2026-72838', '2026-82235', '2026-90928'],
  'archive-names': ['2026-54093', '2026-62843'],
  commands: [
    ...['2025-52903', '2025-52904', '2025-52995', '2026-35585', '2026-54088', '2026-54090'],
  ],
  'file-modes': ['2025-52900'],
  'http-parsing': ['GHSA-6jqf-mv7m-3q7p'],
  neighbours: [
    ...['2026-27611', '2026-30933', '2026-30934', 'GHSA-mmpx-jh39-wrv6', 'GHSA-7789-65hx-f26w'],
    ...['2026-44542', '2026-48777', '2026-46410', 'GHSA-r4v7-6wcg-ghj5', '2026-54910'],
  ],
}

describe.each(Object.entries(CLASSES))('%s', (name, ids) => {
  it.each(ids)('has a test of %s', (id) => {
    const full = id.startsWith('GHSA') ? id : `CVE-${id}`
    const source = readFileSync(join(FOLDER, `${name}.test.ts`), 'utf8')
    // Comments name advisories, too; they prove nothing.
    const code = source.replace(/^\s*\/\/.*$/gm, '')
    expect(code).toContain(full)
  })
})

it('every file of this folder belongs to a class', () => {
  const others = [
    ...[
      'advisories',
      'caseless-disks',
      'ended-rights',
      'fetch',
      'folders',
      'hidden-names',
      'kept',
      'limits',
      'permission-places',
      'rights-swap',
      'second-steps',
    ],
    ...['reserved-names', 'share-swap', 'share-targets', 'symlink-swap', 'upload-rights'],
  ]
  const files = readdirSync(FOLDER).map((name) => name.replace('.test.ts', ''))
  expect(files.sort()).toEqual([...Object.keys(CLASSES), ...others].sort())
})

describe('a defence that `npm run test:security -- --prove` takes away', () => {
  it.each(WEAKENINGS)('stands once in its file: $title', ({ file, from, test, about }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(from).length - 1).toBe(1)
    expect(readFileSync(join(FOLDER, `${test}.test.ts`), 'utf8')).toContain(about)
  })
})
