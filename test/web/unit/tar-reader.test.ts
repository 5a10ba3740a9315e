import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { describe, expect, it } from 'vitest'
import {
  type ReadAhead,
  readAheadOfRange,
  readAheadOfStream,
  walkTar,
} from '../../../web/viewers/archive/tar-reader.ts'
import { SAMPLES } from '../../support/pictures.ts'

const file = readFileSync(join(SAMPLES, 'pack.tar'))

async function namesOf(read: ReadAhead): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of walkTar(read)) names.push(name)
  return names
}

function streamOf(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    chunks.push(bytes.subarray(at, at + chunkBytes))
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>
}

describe('walking a tar file', () => {
  it('gives the same entries by ranges and by a stream in odd pieces', async () => {
    const ranges = readAheadOfRange(async (start, end) => {
      return new Uint8Array(file.subarray(start, end)).buffer
    }, file.length)
    const byRange = await namesOf(ranges)
    expect(byRange).toContain('./umlaut-ä.txt')
    expect(byRange).toContain('./deep/er/')
    expect(await namesOf(readAheadOfStream(streamOf(file, 777), 1e9).read)).toEqual(byRange)
  })

  it('finds the content where it says', async () => {
    for await (const entry of walkTar(readAheadOfStream(streamOf(file, 1000), 1e9).read)) {
      if (!entry.name.endsWith('readme.txt')) continue
      const content = file.subarray(entry.dataAt, entry.dataAt + entry.sizeBytes)
      expect(content.toString()).toBe('Hello from inside.\n')
    }
  })

  it('understands long names in pax headers', async () => {
    const name = `${'folder-with-a-long-name/'.repeat(12)}ünïcode.txt`
    const archive = pack()
    archive.entry({ name }, 'content')
    archive.finalize()
    const bytes = Buffer.concat(await Readable.from(archive).toArray())
    expect(await namesOf(readAheadOfStream(streamOf(bytes, 4096), 1e9).read)).toEqual([name])
  })

  it('ends quietly at noise', async () => {
    const noise = new Uint8Array(4096).fill(65)
    expect(await namesOf(readAheadOfStream(streamOf(noise, 512), 1e9).read)).toEqual([])
  })

  it('stops when a stream gives more than allowed', async () => {
    const endless = streamOf(file, 512)
    const walk = namesOf(readAheadOfStream(endless, 2000).read)
    await expect(walk).rejects.toMatchObject({ reason: 'too_large' })
  })
})
