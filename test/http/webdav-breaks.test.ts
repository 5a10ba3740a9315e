// What breaks off or finds no room leaves the old file whole and nothing beside it, in every form of writing.
import { describe, expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { basic, davAs, davOf, tokenFor } from '../support/dav.ts'
import {
  hiddenIn,
  PARTS,
  PARTS_1,
  PARTS_TARGET,
  sendSome,
  writeForms,
} from '../support/dav-writes.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'

const KIB = 1024
const OLD = 'old '.repeat(50 * KIB)
const namesOf = (bytes: number) => writeForms(bytes).map(({ name }) => `${name}.bin`)

describe('a write by WebDAV', () => {
  it('whose connection is cut leaves the old file, and nothing beside it, in every form', async () => {
    const bytes = 400 * KIB
    await using app = await startApp({
      tree: Object.fromEntries(namesOf(bytes).map((name) => [name, OLD])),
    })
    const dav = await davAs(app)
    await dav('MKCOL', PARTS, PARTS_TARGET)
    await dav('MKCOL', PARTS_1)
    const own = basic('', await tokenFor(app, 1))
    for (const form of writeForms(bytes)) {
      const socket = await sendSome(app.port, form, own, Buffer.alloc(bytes / 2, 'new'))
      // What collects parts is there before.
      if (form.path.startsWith('/dav'))
        await expect.poll(() => hiddenIn(app.tree.root)).toHaveLength(3)
      socket.destroy()
      await expect.poll(() => hiddenIn(app.tree.root), { message: form.name }).toHaveLength(2)
      expect(await app.tree.read(`${form.name}.bin`), form.name).toBe(OLD)
    }
    for (const parts of [PARTS, PARTS_1]) {
      expect(await (await dav('PROPFIND', parts, { Depth: '1' })).text()).not.toMatch(/\/2</)
      expect((await dav('DELETE', parts)).status).toBe(204)
    }
    expect(await hiddenIn(app.tree.root)).toEqual([])
    expect(app.errors).toEqual([])
  })

  it.skipIf(!MAY_MOUNT)(
    'that finds the disk full leaves the old file, and nothing beside it, in every form (needs root)',
    async () => {
      const bytes = 1024 * KIB
      await using app = await startApp({ tree: { small: null } })
      await using _disk = await mountDisk(app.tree.at('small'), 1024 * KIB)
      const root = app.tree.at('small')
      const dav = await davAs(app)
      const target = { Destination: PARTS_TARGET.Destination.replace('/admin/', '/admin/small/') }
      const begun = await dav('MKCOL', PARTS, target)
      expect(begun.status).toBe(201)
      const own = basic('', await tokenFor(app, 1))
      // Parts without a target are kept at the top of what the token shows.
      const small = await tokenFor(app, 1, { folder: '/small' })
      expect((await davOf(app, small)('MKCOL', PARTS_1)).status).toBe(201)
      for (const form of writeForms(bytes)) {
        const path = form.path.replace('/dav/', '/dav/small/')
        const at = form.path.startsWith('/dav') ? path : form.path
        expect((await dav('PUT', `/dav/small/${form.name}.bin`, {}, OLD)).status).toBe(201)
        const headers = { ...form.headers, ...('Destination' in form.headers && target) }
        const socket = await sendSome(
          app.port,
          { ...form, path: at, headers },
          form.path.startsWith(PARTS_1) ? basic('', small) : own,
          Buffer.alloc(bytes, 'new'),
        )
        const answer = new Promise<string>((resolve) => {
          socket.once('data', (data) => resolve(data.toString('latin1')))
        })
        expect(await answer, form.name).toMatch(/^HTTP\/1.1 507/)
        socket.destroy()
        await expect.poll(() => hiddenIn(root), { message: form.name }).toHaveLength(2)
        expect(await app.tree.read(`small/${form.name}.bin`), form.name).toBe(OLD)
        if (!form.name.startsWith('in-parts')) await dav('DELETE', `/dav/small/${form.name}.bin`)
        await app.as('admin').then((admin) => admin.fetch('/api/trash', { method: 'DELETE' }))
      }
      // They have room, but not a second time.
      const part = new Uint8Array(500 * KIB)
      expect((await dav('PUT', `${PARTS}/1`, {}, part)).status).toBe(201)
      expect((await dav('MOVE', `${PARTS}/.file`, target)).status).toBe(507)
      const whole = { Destination: '/dav/in-parts-1.bin' }
      expect((await dav('DELETE', PARTS)).status).toBe(204)
      expect((await davOf(app, small)('PUT', `${PARTS_1}/1`, {}, part)).status).toBe(201)
      expect((await davOf(app, small)('MOVE', `${PARTS_1}/.file`, whole)).status).toBe(507)
      for (const name of ['in-parts', 'in-parts-1'])
        expect(await app.tree.read(`small/${name}.bin`), name).toBe(OLD)
      expect((await davOf(app, small)('DELETE', PARTS_1)).status).toBe(204)
      expect(await hiddenIn(root)).toEqual([])
      expect(app.errors).toEqual([])
    },
  )
})
