// `filebrowser trash` and `versions`: each flag, each refusal, and what is done where a part of it fails.
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type CliResult, runCli } from '../support/cli.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { keepInTrash } from '../support/trash.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(32)) as [string, string, string]
const VERSION = '20261101T101500000Z-1'

interface Opened {
  tree: Tree
  cli(line: string): Promise<CliResult>
}

/** Two files and a folder in the trash, and a version of a file with permission bits and a time of its own. */
async function open(): Promise<Opened> {
  const tree = await makeTree({ 'f.txt': 'present' })
  onTestFinished(() => tree[Symbol.asyncDispose]())
  const cli = (line: string) => runCli(line.split(' '), { cwd: tree.base })
  await cli(`config init --root ${tree.root}`)
  await keepInTrash(tree.root, 'docs/a.txt', 'a', { id: A })
  await keepInTrash(tree.root, 'b.txt', 'b', { id: B })
  await keepInTrash(tree.root, 'c', 'c', { id: C })
  const folder = tree.at(`.fb-trash/files/${C}-x`)
  await rm(folder)
  await mkdir(folder)
  await writeFile(`${folder}/in.txt`, 'in')
  const kept = tree.at('.fb-versions/f.txt')
  await mkdir(kept, { recursive: true, mode: 0o700 })
  await writeFile(`${kept}/${VERSION}`, 'before')
  await chmod(`${kept}/${VERSION}`, 0o640)
  await utimes(`${kept}/${VERSION}`, 1_000_000_000, 1_000_000_000)
  return { tree, cli }
}

const ids = ({ stdout }: CliResult) => (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)

const REFUSED = [
  ['trash ls x', 'expected 0 argument'],
  ['trash ls --olderThan 7d', 'unknown flag --olderThan'],
  ['trash ls --to x', 'unknown flag --to'],
  ['trash ls -d none.db', 'there is no database at'],
  ['trash restore', '(<id>...), received 0'],
  ['trash restore zzz', 'zzz is not in the trash'],
  [`trash restore ${A} --to`, '--to needs a value'],
  [`trash restore ${A} --to root/f.txt`, 'f.txt is not a folder'],
  [`trash restore ${A} --olderThan 7d`, 'unknown flag --olderThan'],
  ['trash empty x', 'expected 0 argument'],
  ['trash empty --to x', 'unknown flag --to'],
  ['trash empty --olderThan', '--olderThan needs a value'],
  ['trash empty --olderThan 0', 'must be longer than 0'],
  ['trash empty --olderThan -1d', 'expected a duration'],
  ['trash empty --olderThan soon', 'expected a duration'],
  ['versions ls a b', 'expected 0 to 1 argument'],
  ['versions ls --olderThan 1d', 'unknown flag --olderThan'],
  ['versions restore root/f.txt', '(<file> <id>), received 1'],
  ['versions restore root/f.txt x', 'f.txt has no version x'],
  [`versions restore root/g.txt ${VERSION}`, 'g.txt has no version'],
  ['versions empty', '(<file>), received 0'],
  ['versions empty a b', 'expected 1 argument'],
] as const

test('what makes no sense is refused with its reason, and nothing has changed', async () => {
  const { tree, cli } = await open()
  for (const [line, message] of REFUSED) {
    const { code, stdout, stderr } = await cli(line)
    expect({ line, code, stdout, stderr }).toMatchObject({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
  }
  expect(ids(await cli('trash ls --json')).sort()).toEqual([A, B, C])
  expect(ids(await cli('versions ls root/f.txt --json'))).toEqual([VERSION])
  expect(await tree.read('f.txt')).toBe('present')
})

const NOTHING = [
  'trash ls --root none --json',
  'versions ls root/none.txt --json',
  'versions empty root/none.txt --json',
  'trash empty --olderThan 365d --json',
]

test('what finds nothing is no failure', async () => {
  const { cli } = await open()
  for (const line of NOTHING) {
    const { code, stdout } = await cli(line)
    expect({ line, code, stdout }).toEqual({ line, code: 0, stdout: '[]\n' })
  }
  expect(ids(await cli('trash ls --json')).sort()).toEqual([A, B, C])
})

test('several entries come back, folders with all they hold, and those before one that fails are told', async () => {
  const { tree, cli } = await open()
  await tree.add({ 'b.txt': 'newer' })
  const answer = await cli(`trash restore ${C} ${B} ${A} --json`)
  expect([answer.code, ids(answer)]).toEqual([1, [C]])
  expect(answer.stderr).toContain('b.txt')
  expect(await tree.read('c/in.txt')).toBe('in')
  expect(await tree.read('b.txt')).toBe('newer')
  expect(ids(await cli('trash ls --json')).sort()).toEqual([A, B])
})

test.runIf(MAY_MOUNT)('--to leads to another disk as well (needs root)', async () => {
  const { tree, cli } = await open()
  const place = `${tree.base}/disk`
  await mkdir(place)
  await using _ = await mountDisk(place, 1 << 20)
  expect((await cli(`trash restore ${C} ${A} --to disk`)).code).toBe(0)
  expect(await readFile(`${place}/c/in.txt`, 'utf8')).toBe('in')
  expect(await readFile(`${place}/a.txt`, 'utf8')).toBe('a')
  expect(ids(await cli('trash ls --json'))).toEqual([B])
  await writeFile(`${place}/b.txt`, 'there')
  expect((await cli(`trash restore ${B} --to disk`)).code).toBe(1)
  expect(await readFile(`${place}/b.txt`, 'utf8')).toBe('there')
  expect(ids(await cli('trash ls --json'))).toEqual([B])
})

test('a version comes back with its time and permission bits, over a file and where it is gone', async () => {
  const { tree, cli } = await open()
  for (const prepare of [() => chmod(tree.at('f.txt'), 0o600), () => rm(tree.at('f.txt'))]) {
    await prepare()
    expect((await cli(`versions restore root/f.txt ${VERSION}`)).code).toBe(0)
    expect(await tree.read('f.txt')).toBe('before')
    const { mode, mtimeMs } = await stat(tree.at('f.txt'))
    expect([mode & 0o777, mtimeMs]).toEqual([0o640, 1_000_000_000_000])
  }
})

test('empty deletes all, and says what', async () => {
  const { tree, cli } = await open()
  expect(ids(await cli('trash empty --json')).sort()).toEqual([A, B, C])
  expect(ids(await cli('versions empty root/f.txt --json'))).toEqual([VERSION])
  expect(existsSync(tree.at('.fb-trash')) || existsSync(tree.at('.fb-versions'))).toBe(false)
})
