// A disk that does not answer, as people see it.
import { expect, it } from 'vitest'
import { DESKTOP, PHONE } from '../support/browser.ts'
import { MAY_MOUNT, mountDead } from '../support/mounts.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { doubleClick, entry, showList, toast } from './listing-steps.ts'

const openIn = sharedBrowser()

it.runIf(MAY_MOUNT)(
  'is shown as one, is not opened but explained, and opens when it is back',
  async () => {
    await using tree = await makeTree({ 'a.txt': 'abc', 'disk/inside.txt': 'x' })
    await using program = await startProgram(tree)
    {
      await using _ = await mountDead(tree.at('disk'))
      await using open = await openIn(program, { path: '/files/' })
      const { page } = open
      await showList(page)
      await entry(page, 'disk').getByText('Disk isn’t responding').waitFor()
      expect(await entry(page, 'disk').locator('time').count()).toBe(0)
      await page.getByRole('radio', { name: 'Grid', exact: true }).check()
      const facts = entry(page, 'disk').locator('.facts[data-tip="Disk isn’t responding"]')
      await facts.waitFor()
      await expect.poll(() => facts.textContent()).toBe('Disk isn’t responding')
      await page.setViewportSize(PHONE)
      const cut = () =>
        facts.evaluate((words) => ({
          right: words.scrollWidth - words.clientWidth,
          below: words.scrollHeight - words.clientHeight,
        }))
      await expect.poll(cut).toEqual({ right: 0, below: 0 })
      await page.setViewportSize(DESKTOP)
      await doubleClick(entry(page, 'disk'))
      await toast(page, 'The disk isn’t responding. Try again later.').waitFor()
      await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
    }
    await using open = await openIn(program, { path: '/files/' })
    await doubleClick(entry(open.page, 'disk'))
    await entry(open.page, 'inside.txt').waitFor()
  },
)
