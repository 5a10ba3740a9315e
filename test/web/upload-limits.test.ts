// What a person can drop at once, and how much of it goes out at the same time.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { startConfigured, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { pickFiles } from './upload-steps.ts'

const openIn = sharedBrowser()

describe('uploads', () => {
  it('send at most five files at the same time', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    const names = Array.from({ length: 12 }, (_, i) => `n${String(i).padStart(2, '0')}.txt`)
    const paths = names.map((name) => join(tree.base, name))
    for (const path of paths) await writeFile(path, 'a few bytes')
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    // Every request of a file stays under way until the page has had its chance to send more.
    const gate = Promise.withResolvers<void>()
    const underWay = new Set<string>()
    let most = 0
    await page.route(/\/api\/(tus|resources)\/n\d\d\.txt/, async (route) => {
      const request = route.request()
      if (request.method() === 'GET') return route.continue()
      const name = new URL(request.url()).pathname
      underWay.add(name)
      most = Math.max(most, underWay.size)
      await gate.promise
      const response = await route.fetch()
      underWay.delete(name)
      await route.fulfill({ response })
    })
    await pickFiles(page, paths)
    await waitFor('five requests', () => underWay.size === 5)
    const panel = page.getByRole('region', { name: 'Uploads' })
    await panel.getByText(/^Uploading \d+ of 12 files$/).waitFor()
    gate.resolve()
    await panel.getByText('12 files uploaded').waitFor()
    expect(most).toBe(5)
    expect(open.problems).toEqual([])
  })

  it.each([
    { retryCount: 0, failing: 1, end: '1 upload failed' },
    { retryCount: 2, failing: 2, end: '1 file uploaded' },
    { retryCount: 2, failing: 3, end: '1 upload failed' },
  ])(
    'with --tus.retryCount $retryCount and $failing refused pieces: $end',
    async ({ retryCount, failing, end }) => {
      await using tree = await makeTree({ 'old.txt': 'x' })
      await writeFile(join(tree.base, 'new.txt'), 'a few bytes')
      await using program = await startConfigured(tree, ['--tus.retryCount', String(retryCount)])
      await using open = await openIn(program, { path: '/files/' })
      let tries = 0
      await open.page.route('**/api/tus/new.txt*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue()
        return ++tries > failing ? route.continue() : route.fulfill({ status: 503 })
      })
      await pickFiles(open.page, [join(tree.base, 'new.txt')])
      const panel = open.page.getByRole('region', { name: 'Uploads' })
      await panel.getByText(end).waitFor()
      expect(tries).toBe(retryCount + 1)
      expect(await tree.read('new.txt').catch(() => null)).toBe(
        failing <= retryCount ? 'a few bytes' : null,
      )
    },
  )

  it('are tried again at once, and then after a pause that becomes twice as long', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await writeFile(join(tree.base, 'new.txt'), 'a few bytes')
    await using program = await startConfigured(tree, ['--tus.retryCount', '3'])
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    const triedAtMs: number[] = []
    await page.route('**/api/tus/new.txt*', (route) => {
      triedAtMs.push(performance.now())
      return route.fulfill({ status: 503 })
    })
    await pickFiles(page, [join(tree.base, 'new.txt')])
    await page.getByRole('region', { name: 'Uploads' }).getByText('1 upload failed').waitFor()
    const waitedMs = triedAtMs.slice(1).map((at, n) => at - (triedAtMs[n] ?? 0))
    expect(waitedMs).toHaveLength(3)
    // A busy machine makes them longer, none makes them shorter.
    expect(waitedMs[1]).toBeGreaterThan(900)
    expect(waitedMs[2]).toBeGreaterThan(1900)
  })
})
