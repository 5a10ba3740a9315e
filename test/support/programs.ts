// Programs of the system that tests call. `npm test` installs them where it may; elsewhere the tests
// that need one are skipped and say which (scripts/system-tools.ts).
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { TestRunner } from 'vitest'
import { packageOf } from '../../scripts/system-tools.ts'

/** Skips the test that runs, and says what to install, where a program is missing. */
export function needProgram(program: string): void {
  if (isThere(program)) return
  const test = TestRunner.getCurrentTest()
  const reason = `${program} is missing: sudo apt-get install ${packageOf(program)}`
  if (!test) throw new Error(reason)
  test.context.skip(reason)
}

/** Whether all of these files are here; else says once which packages the tests of `what` need. */
export function hasFiles(what: string, files: readonly string[], packages: string): boolean {
  if (files.every((file) => existsSync(file))) return true
  process.stderr.write(`skipped: tests of ${what} need ${packages}\n`)
  return false
}

function isThere(program: string): boolean {
  if (program.includes('/')) return existsSync(program)
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}
