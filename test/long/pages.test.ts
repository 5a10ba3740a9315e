// Pages of PDFs that nobody can draw, by the program as users get it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { slowPdf, swellingPdf } from '../support/hostile-pdf.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

it('gives pages up that take too long or too much memory, and draws the next ones', async () => {
  await using tree = await makeTree({
    'slow.pdf': slowPdf(),
    'swelling.pdf': swellingPdf(),
    'paper.pdf': await readFile(join(SAMPLES, 'paper.pdf')),
    'picture.jpg': await readFile(join(SAMPLES, 'picture.jpg')),
  })
  await using program = await startProgram(tree)
  const user = await loginAs(program.origin)
  const statusOf = async (name: string) =>
    (await user.fetch(`/api/preview/thumb/${name}?inline=true`)).status
  const ended: string[] = []
  const expectStatus = async (name: string, status: number) => {
    expect(await statusOf(name), name).toBe(status)
    ended.push(name)
  }
  const pages = ['slow.pdf', 'swelling.pdf'].map((name) => expectStatus(name, 501))
  await expectStatus('picture.jpg', 200)
  await Promise.all([...pages, expectStatus('paper.pdf', 200)])
  expect(ended[0]).toBe('picture.jpg')
  const before = performance.now()
  expect(await statusOf('slow.pdf')).toBe(501)
  expect(performance.now() - before).toBeLessThan(1_000)
}, 120_000)
