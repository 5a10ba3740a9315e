import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { chmod, mkdir, open, readlink, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { inWorkingFolder } from '../../src/files/disks/working-folder.ts'
import { makeTree } from '../support/tree.ts'

const onLinux = it.runIf(process.platform === 'linux')

onLinux('names are those of the open folder, whatever has its path by now', async () => {
  await using tree = await makeTree({ 'dir/a.txt': 'mine' })
  await using folder = await open(tree.at('dir'))
  await rename(tree.at('dir'), tree.at('aside'))
  await mkdir(tree.at('dir'))
  await writeFile(tree.at('dir/a.txt'), 'of somebody else')
  const read = () => readFileSync('a.txt', 'utf8')
  expect(inWorkingFolder(`/proc/self/fd/${folder.fd}`, read)).toBe('mine')
})

onLinux('the working directory is the one of before, also after a failure', async () => {
  await using tree = await makeTree({ 'dir/a.txt': '' })
  await using folder = await open(tree.at('dir'))
  const ref = `/proc/self/fd/${folder.fd}`
  const before = process.cwd()
  expect(() => inWorkingFolder(ref, () => statSync('missing'))).toThrow('ENOENT')
  expect(() => inWorkingFolder('/proc/self/fd/-1', () => 1)).toThrow('ENOENT')
  expect(() => inWorkingFolder(ref, async () => 1)).toThrow('synchronous')
  expect(process.cwd()).toBe(before)
  expect(await readlink('/proc/self/cwd')).toBe(before)
})

onLinux('a working directory that was removed is left and come back to', async () => {
  await using tree = await makeTree({ gone: null, 'dir/a.txt': 'mine' })
  const file = join(import.meta.dirname, '../../src/files/disks/working-folder.ts')
  const script = `
    import { openSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs'
    import { inWorkingFolder } from ${JSON.stringify(file)}
    rmdirSync(process.cwd())
    const fd = openSync(${JSON.stringify(tree.at('dir'))})
    console.log(inWorkingFolder('/proc/self/fd/' + fd, () => readFileSync('a.txt', 'utf8')))
    console.log(readlinkSync('/proc/self/cwd').endsWith('/gone (deleted)'))`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: tree.at('gone'),
  })
  expect((await run).stdout).toBe('mine\ntrue\n')
  expect(() => rmdirSync(tree.at('gone'))).toThrow('ENOENT')
})

// As when root's home is the working directory of a service that runs as somebody else.
it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a folder is asked, and left, also where the account may not search the one it was started in',
  async () => {
    await using tree = await makeTree({ closed: null, 'dir/a.txt': 'mine' })
    await chmod(dirname(tree.at('closed')), 0o755)
    await chmod(dirname(dirname(tree.at('closed'))), 0o755)
    await chmod(tree.at('closed'), 0o700)
    const file = join(import.meta.dirname, '../../src/files/disks/working-folder.ts')
    const script = `
      import { openSync, readFileSync, readlinkSync } from 'node:fs'
      import { inWorkingFolder } from ${JSON.stringify(file)}
      process.setgid(65534)
      process.setuid(65534)
      const fd = openSync(${JSON.stringify(tree.at('dir'))})
      console.log(inWorkingFolder('/proc/self/fd/' + fd, () => readFileSync('a.txt', 'utf8')))
      console.log(readlinkSync('/proc/self/cwd'))`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: tree.at('closed'),
    })
    expect((await run).stdout).toBe('mine\n/\n')
  },
)

it('the working directory is changed in one place alone', () => {
  const src = join(import.meta.dirname, '../../src')
  const users = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && /\bchdir\(/.test(readFileSync(join(src, name), 'utf8')),
  )
  expect(users).toEqual(['files/disks/working-folder.ts'])
})
