// Many small files go in few requests, and nothing about them is different from single uploads.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, type TreeContent } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { panel, pickFiles } from './upload-steps.ts'

const COUNT = 60

const openIn = sharedBrowser()

/** A page behind a gateway, and a folder `trip` of the person's own with COUNT files. */
async function setUp(content: TreeContent = { 'old.txt': 'x' }) {
  const stack = new AsyncDisposableStack()
  const tree = stack.use(await makeTree(content))
  const names = Array.from({ length: COUNT }, (_, n) =>
    n % 3 === 0 ? `deep/er ü/f${n} 😀.txt` : `f${n}.txt`,
  )
  for (const name of names) {
    const path = join(tree.base, 'trip', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `content of ${name}`)
  }
  const program = stack.use(await startProgram(tree))
  const gateway = stack.use(await startGateway(program))
  const open = stack.use(await openIn(program, { path: '/files/', baseURL: gateway.origin }))
  const isThere = async () => {
    for (const name of names) expect(await tree.read(`trip/${name}`)).toBe(`content of ${name}`)
    const all = await readdir(tree.at('trip'), { recursive: true, withFileTypes: true })
    expect(all.filter((entry) => entry.isFile())).toHaveLength(COUNT)
  }
  const pick = () => pickFiles(open.page, [join(tree.base, 'trip')], 'Upload folder')
  return {
    ...open,
    tree,
    gateway,
    names,
    isThere,
    pick,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('many small files', () => {
  it('go in a few requests, with their folders and times', async () => {
    await using here = await setUp()
    await here.pick()
    await panel(here.page).getByText(`${COUNT} files uploaded`).waitFor()
    await here.isThere()
    const local = await stat(join(here.tree.base, 'trip/f1.txt'))
    const there = await stat(here.tree.at('trip/f1.txt'))
    expect(Math.abs(there.mtimeMs - local.mtimeMs)).toBeLessThan(2)
    const sent = here.gateway.seen.filter(({ method }) => method === 'POST')
    expect(sent.filter(({ path }) => path.includes('/api/tus/')).length).toBeLessThan(16)
    expect(sent.filter(({ path }) => path.includes('/api/bundle/')).length).toBeLessThan(6)
    expect(here.problems).toEqual([])
  })

  it.each(['half', 'cut', 413] as const)('go on after an answer that was %s', async (failure) => {
    await using here = await setUp()
    let failures = 0
    here.gateway.refuse = ({ url }) =>
      url?.startsWith('/api/bundle/') && ++failures <= 1 ? failure : null
    await here.pick()
    await panel(here.page).getByText(`${COUNT} files uploaded`).waitFor({ timeout: 60_000 })
    await here.isThere()
    expect(failures).toBeGreaterThan(0)
  })

  it('ask about what is there already, and replace it', async () => {
    await using here = await setUp({ 'trip/f1.txt': 'mine', 'trip/f2.txt': 'mine' })
    await here.pick()
    const dialog = here.page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Replace' }).first().waitFor()
    for (const choice of await dialog.getByRole('radio', { name: 'Replace' }).all())
      await choice.check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await panel(here.page).getByText(`${COUNT} files uploaded`).waitFor()
    await here.isThere()
  })

  it('are told one by one where they are refused', async () => {
    await using here = await setUp()
    await here.page.route('**/api/bundle/**', async (route) => {
      // Somebody else is quicker.
      await mkdir(here.tree.at('trip'), { recursive: true })
      await writeFile(here.tree.at('trip/f1.txt'), 'of somebody else')
      await route.continue()
    })
    await here.pick()
    await panel(here.page).getByText('1 upload failed').waitFor()
    expect(await here.tree.read('trip/f1.txt')).toBe('of somebody else')
    expect(await here.tree.read('trip/f2.txt')).toBe('content of f2.txt')
  })
})
