// docs/migrate-from-filebrowser.md, its commands run one by one from top to bottom.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { programCommand } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'migrate-from-filebrowser.md')
const LEGACY = join(import.meta.dirname, '..', 'data', 'legacy')

async function commandsOfGuide(): Promise<string[]> {
  const text = await readFile(GUIDE, 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    (block ?? '').trimEnd().split('\n'),
  )
}

test('every command of the guide does what the guide says', async () => {
  await using tree = await makeTree({ 'docs/a.txt': 'a' })
  const home = join(tree.base, 'home')
  await mkdir(join(home, 'bin'), { recursive: true })
  const program = programCommand().map((word) => `'${word}'`)
  const script = `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`
  await writeFile(join(home, 'bin', 'filebrowser'), script, { mode: 0o755 })
  await copyFile(join(LEGACY, 'filebrowser.db'), join(home, 'filebrowser.db'))
  const expected = JSON.parse(await readFile(join(LEGACY, 'expected.json'), 'utf8'))
  const before = await readFile(join(home, 'filebrowser.db'))

  const start = (command: string) => {
    const line = command.replaceAll('/path/to/files', tree.root).replaceAll('/path/to', home)
    // The port of the old server may be taken here; all else is as the guide has it.
    const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: tree.base, FB_PORT: '0' }
    // `exec` makes the shell the program, so that signals reach it.
    const child = spawn('sh', ['-c', line.startsWith('filebrowser') ? `exec ${line}` : line], {
      cwd: tree.base,
      env,
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    return { child, closed: once(child, 'close'), output: () => output }
  }
  const run = async (command: string) => {
    const { child, closed, output } = start(command)
    await withDeadline(command, 60_000, closed)
    expect(child.exitCode, `${command}\n${output()}`).toBe(0)
    return output()
  }

  const [look, serve, list, ...again] = await commandsOfGuide()
  expect(await run(look ?? '')).toContain('Nothing was written')
  expect((await readdir(home)).sort()).toEqual(['bin', 'filebrowser.db'])

  const server = start(serve ?? '')
  try {
    const port = await waitFor('the start', () => /listening on \S*?:(\d+)/i.exec(server.output()))
    await loginAs(`http://127.0.0.1:${port[1]}`, 'admin', expected.passwords.admin)
    expect(await run(list ?? '')).toContain('user2')
  } finally {
    server.child.kill('SIGTERM')
    await withDeadline('the end of the server', 60_000, server.closed)
  }
  expect(await readdir(home)).toEqual(expect.arrayContaining(['filebrowser.db.json']))

  const outputs: string[] = []
  for (const command of again) outputs.push(await run(command))
  expect(outputs).toHaveLength(3)
  expect(outputs.at(-1)).toContain('4 (admin, user0, user1, user2)')
  const names = (await readdir(home)).filter((name) => name.startsWith('filebrowser.db'))
  expect(names).toEqual(['filebrowser.db', 'filebrowser.db.json'])
  expect(await readdir(join(home, 'before'))).toContain('filebrowser.db.json')
  expect(await readFile(join(home, 'filebrowser.db'))).toEqual(before)
})
