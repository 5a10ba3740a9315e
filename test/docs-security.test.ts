// docs/security.md names the tests that keep its promises: each of them is there.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../scripts/build/paths.ts'

it('every promise about security names tests that exist', async () => {
  const text = await readFile(join(ROOT, 'docs', 'security.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].slice(1)
  expect(rows.length).toBeGreaterThan(15)
  for (const [, promise, tests = ''] of rows) {
    const names = [...tests.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name)
    if (/^-+$/.test(tests.trim())) continue
    expect(names.length, promise).toBeGreaterThan(0)
    for (const name of names) {
      const path = name.startsWith('test/') ? name : `test/security/${name}`
      expect(existsSync(join(ROOT, `${path}.test.ts`)), path).toBe(true)
    }
  }
})
