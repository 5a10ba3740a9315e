// Every format of archive over HTTP from the program as users get it: 5,000 files with awkward
// names, empty folders and a sparse file of 5 GiB, unpacked by the usual programs.
import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rm, truncate, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveExtension } from '../../src/files/archive/archive.ts'
import {
  DECOMPRESSORS,
  describeTree,
  FORMATS,
  run,
  sizeOf,
  type TreeFacts,
} from '../support/archives.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import { residentBytes, watchMemory } from '../support/process-facts.ts'
import { type Program, startProgram } from '../support/program.ts'
import { AWKWARD_NAMES, makeTree, type Tree } from '../support/tree.ts'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
const MAX_GROWTH_BYTES = 80 * MIB

let tree: Tree
let program: Program
let admin: SignedIn
let expected: TreeFacts

beforeAll(async () => {
  tree = await makeTree(Object.fromEntries(AWKWARD_NAMES.map((name) => [name, name])))
  for (let i = 0; i < 50; i++) {
    await mkdir(tree.at(`folder ${i}/empty`), { recursive: true })
    const names = Array.from({ length: 100 }, (_, j) => tree.at(`folder ${i}/${j} ü%20#.txt`))
    await Promise.all(names.map((name, j) => writeFile(name, `${name}\n`.repeat(j))))
  }
  const facts = await describeTree(tree.root)
  expected = Object.fromEntries(
    Object.entries(facts).map(([name, entry]) => [name.replaceAll('\\', '_'), entry]),
  )
  await writeFile(tree.at('big.bin'), '')
  await truncate(tree.at('big.bin'), 5 * GIB)
  const big = await open(tree.at('big.bin'), 'r+')
  for (const position of [0, 1_000_000_007, 4 * GIB - 3, 5 * GIB - 70_000])
    await big.write(crypto.getRandomValues(new Uint8Array(65_536)), 0, 65_536, position)
  await big.close()
  program = await startProgram(tree)
  admin = await loginAs(program.origin)
  // What is loaded once and stays is no growth of an archive.
  await download('tar', join(tree.base, 'warm'), 'folder%200/')
}, 120_000)

afterAll(async () => {
  await program?.[Symbol.asyncDispose]()
  await tree?.[Symbol.asyncDispose]()
})

function download(format: string, file: string, path = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `${program.origin}/api/raw/${path}?algo=${format}`
    const call = get(url, { headers: { 'X-Auth': admin.token } }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
      pipeline(response, createWriteStream(file)).then(resolve, reject)
    })
    call.on('error', reject)
  })
}

describe.each(FORMATS)('%s', (format) => {
  it(
    'comes back byte for byte in constant memory',
    async ({ task }) => {
      const pid = program.process.pid ?? 0
      const file = join(tree.base, `archive${archiveExtension(format)}`)
      const into = join(tree.base, 'unpacked')
      await mkdir(into)
      try {
        const before = await residentBytes(pid)
        const memory = watchMemory(pid)
        const startedAt = performance.now()
        await download(format, file)
        const seconds = (performance.now() - startedAt) / 1000
        const growth = (await memory.stop()) - before

        await unpackAll(format, file, into)
        expect(await describeTree(into)).toEqual(expected)
        Object.assign(task.meta, {
          figures: {
            'memory growth MiB': Math.round(growth / MIB),
            'archive MiB': Math.round((await sizeOf(file)) / MIB),
            seconds: seconds.toFixed(1),
          },
        })
        expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
      } finally {
        await rm(into, { recursive: true, force: true })
        await rm(file, { force: true })
      }
    },
    15 * 60_000,
  )
})

/** Unpacks everything but the big file, which is compared as it comes out. */
async function unpackAll(format: (typeof FORMATS)[number], file: string, into: string) {
  const big = tree.at('big.bin')
  const shell = (script: string, ...args: string[]) =>
    run(['bash', '-c', `set -o pipefail; ${script}`, 'bash', ...args])
  if (format === 'zip') {
    await run(['unzip', '-qq', '-^', file, '-x', 'big.bin', '-d', into])
    await shell('unzip -p "$1" big.bin | cmp - "$2"', file, big)
    execFileSync('/usr/bin/python3', ['-m', 'zipfile', '-l', file], { maxBuffer: 1 << 26 })
    return
  }
  const words = format === 'tar' ? ['cat'] : DECOMPRESSORS[format]
  const decompress = `${words.map((word) => `'${word}'`).join(' ')} < "$1"`
  await shell(`${decompress} | tar -x -C "$2" --exclude=./big.bin --exclude=big.bin`, file, into)
  await shell(`${decompress} | tar -xO big.bin | cmp - "$2"`, file, big)
}
