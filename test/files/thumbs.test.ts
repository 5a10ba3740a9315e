import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { OpenFile } from '../../src/files/scope.ts'
import { createPreviews, type PreviewRequest, type Previews } from '../../src/files/thumbs.ts'
import { SAMPLES } from '../support/pictures.ts'

const realPath = join(SAMPLES, 'picture.jpg')

async function requestFor(): Promise<PreviewRequest> {
  const { ino, mtimeNs } = await stat(realPath, { bigint: true })
  const openFile = async () =>
    ({ handle: await open(realPath), ino, mtimeNs, sizeBytes: 0 }) as unknown as OpenFile
  const wanted = { kind: 'image', size: 'thumb', display: true, full: false } as const
  return { open: openFile, realPath, ino, mtimeNs, ...wanted }
}

function makePreviews(): Previews {
  return createPreviews({ cacheDir: '', cacheSizeBytes: 0, concurrency: 1, ffmpegPath: '' })
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
