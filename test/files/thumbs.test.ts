import { open, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OpenFile } from '../../src/files/place/scope.ts'
import {
  createPreviews,
  type PreviewOptions,
  type PreviewRequest,
  type Previews,
} from '../../src/files/preview/previews.ts'
import { slowPdf } from '../support/hostile-pdf.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

const PICTURE = join(SAMPLES, 'picture.jpg')

async function requestFor(
  realPath = PICTURE,
  kind: PreviewRequest['kind'] = 'image',
): Promise<PreviewRequest> {
  const { ino, mtimeNs } = await stat(realPath, { bigint: true })
  const openFile = async () =>
    ({ handle: await open(realPath), ino, mtimeNs, sizeBytes: 0 }) as unknown as OpenFile
  const wanted = { kind, size: 'thumb', display: true, full: false } as const
  const asker = { name: 'anna', isVisitor: false }
  return { open: openFile, realPath, ino, mtimeNs, ...wanted, asker }
}

function makePreviews(more: Partial<PreviewOptions> = {}): Previews {
  const options = { cacheDir: '', cacheSizeBytes: 0, concurrency: 1, ffmpegPath: '' }
  return createPreviews({ ...options, ...more })
}

describe('a picture asked for by many', () => {
  it('is made for who comes right after the last one has left', async () => {
    const previews = makePreviews()
    try {
      const request = await requestFor()
      const gone = new AbortController()
      const first = previews.get(request, gone.signal)
      const second = previews.get(request, gone.signal)
      gone.abort(new Error('gone'))
      const third = previews.get(request, new AbortController().signal)
      await expect(first).rejects.toThrow('gone')
      await expect(second).rejects.toThrow('gone')
      expect(await third).toMatchObject({ contentType: 'image/jpeg' })
    } finally {
      previews.close()
    }
  })

  it('is made for who stays when another leaves', async () => {
    const previews = makePreviews()
    try {
      const request = await requestFor()
      const gone = new AbortController()
      const first = previews.get(request, gone.signal)
      const second = previews.get(request, new AbortController().signal)
      gone.abort(new Error('gone'))
      await expect(first).rejects.toThrow('gone')
      expect(await second).toMatchObject({ contentType: 'image/jpeg' })
    } finally {
      previews.close()
    }
  })
})

it('gives a PDF up that takes hours, for good, and holds up nothing else meanwhile', async () => {
  await using tree = await makeTree({ 'slow.pdf': slowPdf() })
  const path = tree.at('slow.pdf')
  const { signal } = new AbortController()
  const previews = makePreviews({ pdfMs: 6_000 })
  try {
    const order: string[] = []
    const slow = previews.get(await requestFor(path, 'pdf'), signal)
    const refused = expect(slow)
      .rejects.toThrow('not made within 6 seconds')
      .then(() => order.push('no page'))
    await previews.get(await requestFor(), signal)
    order.push('picture')
    await refused
    expect(order).toEqual(['picture', 'no page'])

    const unread = async () => expect.unreachable('it was opened again')
    const again = { ...(await requestFor(path, 'pdf')), open: unread }
    await expect(previews.get(again, signal)).rejects.toMatchObject({
      failure: 'too_slow',
      message: 'not made within 6 seconds, as before',
    })
    // Until it changes.
    await writeFile(path, await readFile(join(SAMPLES, 'paper.pdf')))
    await utimes(path, 1_000, 1_000)
    expect(await previews.get(await requestFor(path, 'pdf'), signal)).toMatchObject({
      contentType: 'image/jpeg',
    })
  } finally {
    previews.close()
  }
})
