import { describe, expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import type { FileSource } from '../../../web/viewers/frame/source.ts'
import { planImage } from '../../../web/viewers/picture/image-plan.ts'

const picture = (name: string, size = 1000) => ({ name, size }) as FileEntry
/** Only what the plan asks a source for. */
const sourceWith = (previews: boolean) =>
  ({ previewUrl: () => (previews ? '/preview' : null) }) as unknown as FileSource
/** 10,000 × `height` pixels. */
const sized = (height: number) => ({ width: 10_000, height })

describe('what shows a picture', () => {
  it.each([
    ['a gif', 'a.gif', true],
    ['an animated png', 'a.apng', true],
    ['an icon', 'a.ico', true],
    ['a jpeg without previews', 'a.jpg', false],
  ])('asks before more than 100 megapixels of %s are decoded', (_, name, previews) => {
    const plan = planImage(sourceWith(previews), picture(name), sized(10_001))
    expect(plan).toMatchObject({ first: null, hasOriginal: true })
    const below = planImage(sourceWith(previews), picture(name), sized(10_000))
    expect(below).toMatchObject({ first: 'original', hasOriginal: false })
  })

  it.each(['a.heic', 'a.TIF'])('is a picture in full for a close look at %s', (name) => {
    const source = sourceWith(true)
    const plan = planImage(source, picture(name), { width: 4000, height: 3000 })
    const full = { first: 'preview', sharp: 'full', hasOriginal: true, sharpenOnZoom: true }
    expect(plan).toMatchObject(full)
    // 10,000 × 6000: only when asked for.
    expect(planImage(source, picture(name), sized(6000))).toMatchObject({
      ...full,
      sharpenOnZoom: false,
    })
    const small = planImage(source, picture(name), { width: 1080, height: 900 })
    expect(small).toMatchObject({ hasOriginal: false, sharpenOnZoom: false })
  })

  it('is the preview for what is heavy, and never the original by itself when that is unsafe', () => {
    const source = sourceWith(true)
    expect(planImage(source, picture('a.jpg'), sized(6000))).toMatchObject({
      first: 'preview',
      second: null,
      sharpenOnZoom: false,
    })
    expect(planImage(source, picture('a.jpg', 5_000_000), sized(400))).toMatchObject({
      first: 'preview',
      second: 'original',
    })
    expect(planImage(source, picture('a.jpg'), sized(400)).first).toBe('original')
  })
})
