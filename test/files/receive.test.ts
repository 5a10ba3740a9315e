import { open, readFile } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { receive } from '../../src/files/transfer/receive.ts'
import { makeTree } from '../support/tree.ts'

const LARGE = Buffer.alloc(200_000, 'large')

it('gives the memory of what is written back at once, except what is shared with others', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const [own, shared] = [Buffer.from(new ArrayBuffer(70_000)), LARGE.subarray(0, 5)]
  own.fill('x')
  expect(await receive(Readable.from([own, shared]), file.fd)).toEqual({ sizeBytes: 70_005 })
  expect(await readFile(tree.at('file'), 'latin1')).toBe(`${'x'.repeat(70_000)}large`)
  expect([own.byteLength, shared.toString()]).toEqual([0, 'large'])
})

for (const near of [true, false])
  it(`writes small and large bodies where they belong (near: ${near})`, async () => {
    await using tree = await makeTree({ file: 'head' })
    await using file = await open(tree.at('file'), 'r+')
    const text = LARGE.toString()
    await receive(Readable.from([Buffer.from(' small')]), file.fd, { position: 4, near })
    const chunks = [LARGE.subarray(0, 90_000), LARGE.subarray(90_000)].map((it) => Buffer.from(it))
    await receive(Readable.from(chunks), file.fd, { position: 10, near })
    expect(await readFile(tree.at('file'), 'utf8')).toBe(`head small${text}`)
  })

it('keeps what had arrived when the source breaks off', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const source = new PassThrough()
  const receiving = receive(source, file.fd, { near: true })
  source.once('data', () => source.destroy())
  source.write('begun')
  await expect(receiving).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await readFile(tree.at('file'), 'utf8')).toBe('begun')
})

it('writes nothing of a body that is too long after the step that noticed it', async () => {
  await using tree = await makeTree({ file: '' })
  await using file = await open(tree.at('file'), 'r+')
  const body = Readable.from([Buffer.from('123'), Buffer.from('456')])
  await expect(receive(body, file.fd, { maxBytes: 5, near: true })).rejects.toMatchObject({
    code: 'too_large',
  })
  expect((await readFile(tree.at('file'), 'utf8')).length).toBeLessThanOrEqual(3)
})
