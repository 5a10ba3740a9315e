// Folders fetch no whole file as a small picture of it.

import { expect, it } from 'vitest'
import { previewKind } from '../../../src/files/preview/previews.ts'
import { hasThumbnail } from '../../../web/lib/previews.ts'

const MIB = 1 << 20
const NAMES =
  'jpg JPEG jpe jfif png gif tif tiff webp avif bmp heic heif hif pdf svg apng ico ppm pgm pcx pict jxl psd'

it('takes of large files only those the server draws small', () => {
  for (const extension of NAMES.split(' ')) {
    const file = { name: `a.${extension}`, type: 'image' as const, size: 5 * MIB }
    const drawn = previewKind(extension.toLowerCase(), 'image/any') !== null
    expect(hasThumbnail(file), extension).toBe(drawn)
    expect(hasThumbnail({ ...file, size: MIB }), `small ${extension}`).toBe(true)
  }
  expect(hasThumbnail({ name: 'a.mkv', type: 'video', size: 500 * MIB })).toBe(true)
})
