// The test suite of others for servers of WebDAV, over the executable.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ADMIN, startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'

const run = promisify(execFile)

/** Tests of each part of litmus 0.13. */
const PARTS = { basic: 16, copymove: 13, props: 30, locks: 41, http: 4 }
it('litmus finds nothing', async () => {
  needProgram('litmus')
  await using tree = await makeTree({})
  await using program = await startProgram(tree, { args: ['--davPasswords', '-b', '/base'] })
  // It leaves its notes where it runs.
  const cwd = await mkdtemp(join(tmpdir(), 'filebrowser-litmus-'))
  try {
    const url = `${program.origin}/base/dav/`
    const { stdout } = await run('litmus', ['-k', url, ADMIN.username, ADMIN.password], {
      cwd,
      env: { ...process.env, TESTS: Object.keys(PARTS).join(' ') },
    })
    for (const [part, count] of Object.entries(PARTS))
      expect(stdout).toContain(
        `<- summary for \`${part}': of ${count} tests run: ${count} passed, 0 failed. 100.0%`,
      )
    expect(stdout.match(/WARNING/g) ?? []).toEqual([])
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
})
