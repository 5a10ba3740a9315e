import { type FileHandle, open, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { writeFully } from '../../src/files/disks/write-fully.ts'
import { hasArrived, receive } from '../../src/files/transfer/receive.ts'
import type { TempFile } from '../../src/files/volume/temp-file.ts'
import { makeTree } from '../support/tree.ts'

/** A temporary file, as far as bodies need one. */
function fileOf({ fd }: FileHandle, isDirect = true): Pick<TempFile, 'write'> {
  const device = createLocalDevice()
  return {
    write: (buffers, position, { direct }) =>
      writeFully(fd, device, buffers, position, direct && isDirect),
  }
}

const LARGE = Buffer.alloc(200_000, 'large')

it('gives the memory of what is written back at once, except what is shared with others', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const [own, shared] = [Buffer.from(new ArrayBuffer(70_000)), LARGE.subarray(0, 5)]
  own.fill('x')
  expect(await receive(Readable.from([own, shared]), fileOf(file))).toEqual({ sizeBytes: 70_005 })
  expect(await readFile(tree.at('file'), 'latin1')).toBe(`${'x'.repeat(70_000)}large`)
  expect([own.byteLength, shared.toString()]).toEqual([0, 'large'])
})

for (const isDirect of [true, false])
  it(`writes small and large bodies where they belong (isDirect: ${isDirect})`, async () => {
    await using tree = await makeTree({ file: 'head' })
    await using file = await open(tree.at('file'), 'r+')
    const text = LARGE.toString()
    await receive(Readable.from([Buffer.from(' small')]), fileOf(file, isDirect), { position: 4 })
    const chunks = [LARGE.subarray(0, 90_000), LARGE.subarray(90_000)].map((it) => Buffer.from(it))
    await receive(Readable.from(chunks), fileOf(file, isDirect), { position: 10 })
    expect(await readFile(tree.at('file'), 'utf8')).toBe(`head small${text}`)
  })

it('writes a small body that has come as a whole without events of its stream', async () => {
  await using tree = await makeTree({ file: 'head' })
  await using file = await open(tree.at('file'), 'r+')
  const seen: unknown[] = []
  await using server = createServer(async (incoming, response) => {
    // The body comes with the head.
    await null
    seen.push(hasArrived(incoming))
    const options = { position: 4, maxBytes: 6 }
    const receiving = receive(incoming, fileOf(file), options)
    seen.push(incoming.listenerCount('data'))
    seen.push(await receiving.catch((error) => error.code))
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  for (const body of [' small', ' too long', ''])
    await new Promise((resolve) =>
      request({ port, host: '127.0.0.1', method: 'POST' }, (response) =>
        response.resume().on('end', resolve),
      ).end(body),
    )
  expect(seen).toEqual([true, 0, { sizeBytes: 6 }, true, 0, 'too_large', true, 0, { sizeBytes: 0 }])
  expect(await readFile(tree.at('file'), 'utf8')).toBe('head small')
})

it('writes all of a small body that came in several packets', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const headers = { 'content-length': '12' }
  const source = Object.assign(new Readable({ read() {} }), { headers })
  for (const part of ['first', ' and ', 'so']) source.push(part)
  expect(hasArrived(source)).toBe(true)
  expect(await receive(source, fileOf(file))).toEqual({ sizeBytes: 12 })
  expect(await readFile(tree.at('file'), 'utf8')).toBe('first and so')
})

it('keeps what had arrived when the source breaks off', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const source = new PassThrough()
  const receiving = receive(source, fileOf(file))
  source.once('data', () => source.destroy())
  source.write('begun')
  await expect(receiving).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await readFile(tree.at('file'), 'utf8')).toBe('begun')
})

it('writes nothing of a body that is too long after the step that noticed it', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const body = Readable.from([Buffer.from('123'), Buffer.from('456')])
  await expect(receive(body, fileOf(file), { maxBytes: 5 })).rejects.toMatchObject({
    code: 'too_large',
  })
  expect((await readFile(tree.at('file'), 'utf8')).length).toBeLessThanOrEqual(3)
})
