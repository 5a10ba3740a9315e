// When the photographs of a folder were taken (docs/http-api.md 39).
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { defaultPermissions } from '../../src/store/document.ts'
import { type OpenedApp, openApp } from '../support/app.ts'

const picture = () => sharp({ create: { width: 32, height: 24, channels: 3, background: '#396' } })
const exif = (text: string) => ({ IFD0: { Make: 'Maker' }, IFD2: { DateTimeOriginal: text } })

async function photos(): Promise<Record<string, Buffer | string>> {
  const jpeg = (text: string) => picture().withExif(exif(text)).jpeg().toBuffer()
  const block = await jpeg('2021:01:02 03:04:05')
  return {
    'shoot/a.jpg': await jpeg('2024:05:05 14:22:00'),
    'shoot/b.JPEG': await jpeg('2023:12:31 23:59:59'),
    'shoot/c.heic': await picture().withExif(exif('2022:01:02 03:04:05')).avif().toBuffer(),
    // What EXIF data are made of is a TIFF file.
    'shoot/d.tif': block.subarray(block.indexOf('Exif') + 6),
    'shoot/unset.jpg': await jpeg('0000:00:00 00:00:00'),
    'shoot/plain.jpg': await picture().jpeg().toBuffer(),
    'shoot/broken.jpg': Buffer.from('ffd8ffe1ffff457869660000494900', 'hex'),
    'shoot/text.jpg': 'no picture',
    'shoot/e.txt': 'text',
    'shoot/inner/f.jpg': await jpeg('2020:01:01 00:00:00'),
  }
}

async function ask(app: OpenedApp, path: string, body: object = {}, as = 'admin') {
  const user = await app.as(as)
  return user.fetch(`/api/taken/${path}`, { method: 'POST', body: JSON.stringify(body) })
}

describe('dates of photographs', () => {
  it('are told of those that have one', async () => {
    await using app = await openApp({ tree: await photos() })
    const found = (await (await ask(app, 'shoot')).json()) as { name: string; taken: string }[]
    expect(Object.fromEntries(found.map(({ name, taken }) => [name, taken]))).toEqual({
      'a.jpg': '2024-05-05T14:22:00',
      'b.JPEG': '2023-12-31T23:59:59',
      'c.heic': '2022-01-02T03:04:05',
      'd.tif': '2021-01-02T03:04:05',
    })
  })

  it('are told of the names asked for, which are no paths', async () => {
    await using app = await openApp({ tree: await photos() })
    const names = ['b.JPEG', 'inner/f.jpg', '../shoot/a.jpg', 'gone.jpg']
    const found = await (await ask(app, 'shoot', { names })).json()
    expect(found).toEqual([{ name: 'b.JPEG', taken: '2023-12-31T23:59:59' }])
  })

  it('are nothing for who may not download, and of what is denied', async () => {
    const perm = { ...defaultPermissions(), download: false }
    const rules = [{ allow: false, regex: false, path: '/shoot/a.jpg', regexp: { raw: '' } }]
    await using app = await openApp({
      tree: await photos(),
      users: [
        { username: 'looking', perm },
        { username: 'ruled', rules },
      ],
    })
    expect(await (await ask(app, 'shoot', {}, 'looking')).json()).toEqual([])
    const names = ['a.jpg', 'b.JPEG']
    expect(await (await ask(app, 'shoot', { names }, 'ruled')).json()).toEqual([
      { name: 'b.JPEG', taken: '2023-12-31T23:59:59' },
    ])
  })

  it('belong to folders', async () => {
    await using app = await openApp({ tree: await photos() })
    expect((await ask(app, 'shoot/a.jpg')).status).toBe(400)
    expect((await ask(app, 'nowhere')).status).toBe(404)
  })
})
