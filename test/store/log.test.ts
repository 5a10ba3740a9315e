import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  appendToLog,
  createLiveLog,
  type LogLine,
  readLog,
  readLogSync,
  toLine,
} from '../../src/store/log.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

const MIB = 1024 ** 2

async function readAll(file: string, from?: number): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for await (const line of readLog(file, from)) lines.push(line)
  return lines
}

async function linesOf(file: string, from?: number): Promise<unknown[]> {
  return (await readAll(file, from)).map(({ value }) => value)
}

describe('a log', () => {
  it('is read line by line, at once or not, from any line on', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'log')
    // Longer than what is read at a time, and with characters cut in two by that.
    const values = Array.from({ length: 5_000 }, (_, n) => ({ n, text: 'ü😀'.repeat(n % 50) }))
    const end = await appendToLog(file, 0, values.map(toLine).join(''), file)
    expect(await linesOf(file)).toEqual(values)
    expect(Array.from(readLogSync(file), ({ value }) => value)).toEqual(values)
    const read = await readAll(file)
    expect(read.at(-1)?.end).toBe(end)
    expect(await linesOf(file, read[99]?.end)).toEqual(values.slice(100))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('that is missing has no lines', async () => {
    expect(await linesOf('/nowhere/at all')).toEqual([])
  })

  it('cut short anywhere gives its whole lines, and goes on behind them', async () => {
    await using tree = await makeTree({})
    const lines = [{ n: 1 }, { n: 2, text: 'ü' }, { n: 3 }].map(toLine)
    const whole = Buffer.from(lines.join(''))
    for (let size = 0; size <= whole.length; size++) {
      const file = join(tree.base, `log${size}`)
      await writeFile(file, whole.subarray(0, size))
      const read = await readAll(file)
      expect(read.length).toBe(whole.subarray(0, size).toString().split('\n').length - 1)
      await appendToLog(file, read.at(-1)?.end ?? 0, toLine({ n: 'next' }), file)
      const kept = lines.slice(0, read.length)
      expect(await readFile(file, 'utf8')).toBe([...kept, toLine({ n: 'next' })].join(''))
    }
  })

  it('with garbage in it gives what is left, and no line without end fills the memory', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'log')
    await writeFile(file, `${toLine({ n: 1 })}\0\0\0\n{"n":\n`)
    await truncate(file, 40 * MIB)
    await appendFile(file, `\n${toLine({ n: 2 })}`)
    expect(await linesOf(file)).toEqual([{ n: 1 }, undefined, undefined, undefined, { n: 2 }])
    expect(() => toLine({ text: 'x'.repeat(17 * MIB) })).toThrow('too much for one transaction')
  })
})

it('a line is measured in bytes: one that the reader would skip is not written', () => {
  expect(() => toLine({ text: '😀'.repeat(5 * MIB) })).toThrow('too much for one transaction')
})

describe('a log of this process alone', () => {
  it('has each line with the system at once, and begins anew with what still counts', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'log')
    await writeFile(file, toLine({ n: 'of an earlier run' }))
    const content: object[] = [{ n: 'kept' }]
    const log = createLiveLog(file, () => content, 100)
    log.add({ n: 1 })
    expect(await linesOf(file)).toEqual([{ n: 'kept' }])
    log.add({ n: 2 })
    expect(await linesOf(file)).toEqual([{ n: 'kept' }, { n: 2 }])
    for (let n = 0; n < 100; n++) log.add({ n })
    expect((await stat(file)).size).toBeLessThan(300)
    await log.sync()
    log.close(true)
    expect(await linesOf(file)).toEqual([])
  })

  it.runIf(MAY_MOUNT)(
    'on a full disk says that a line is not durable, and glues none to a torn one (needs root)',
    async () => {
      await using tree = await makeTree({})
      const folder = join(tree.base, 'small')
      await using _disk = await mountDisk(folder, 64 * 1024)
      const file = join(folder, 'log')
      const log = createLiveLog(file, () => [{ n: 'kept' }], MIB)
      log.add({ n: 'kept' })
      await log.sync()
      // A short write: the rest of the page that the log has is all the room there is.
      await writeFile(join(folder, 'full'), 'x'.repeat(128 * 1024)).catch(() => {})
      const long = { n: 'x'.repeat(8_000) }
      log.add(long)
      await expect(log.sync()).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(await linesOf(file)).toEqual([{ n: 'kept' }])
      await truncate(join(folder, 'full'), 0)
      log.add({ n: 'next' })
      await log.sync()
      expect(await linesOf(file)).toEqual([{ n: 'kept' }, long, { n: 'next' }])
      log.close(false)
    },
  )
})
