// What a page loads for its first screen.
import type { Page } from 'playwright-core'
import { waitFor } from '../support/deadline.ts'

/** Compressed bytes. */
interface FirstScreen {
  script: number
  style: number
  /** The texts of the language. */
  text: number
}

const MARK = 'first row'

/** Opens a folder anew: all that has been asked for when its first row is drawn, once it has arrived. */
export async function firstScreenBytes(page: Page, path: string): Promise<FirstScreen> {
  await page.addInitScript(markFirstRow, MARK)
  await page.goto(path)
  const asked = await waitFor('what the first screen takes', async () => {
    const found = await page.evaluate(askedBefore, MARK)
    return found.length > 0 && found.every(({ bytes }) => bytes > 0) ? found : null
  })
  const sum = (kind: RegExp) =>
    asked.filter(({ name }) => kind.test(name)).reduce((all, { bytes }) => all + bytes, 0)
  const text = sum(/\/c-en-[^/]+\.js$/)
  return { script: sum(/\.js$/) - text, style: sum(/\.css$/), text }
}

/** In the page, before its own scripts. */
function markFirstRow(mark: string): void {
  const watching = new MutationObserver(() => {
    if (!document.querySelector('#listing [data-index]')) return
    performance.mark(mark)
    watching.disconnect()
  })
  watching.observe(document, { childList: true, subtree: true })
}

/** In the page: nothing before the first row is there. */
function askedBefore(mark: string): { name: string; bytes: number }[] {
  const [row] = performance.getEntriesByName(mark)
  if (!row) return []
  const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return all
    .filter(({ name, startTime }) => startTime < row.startTime && /\.(js|css)$/.test(name))
    .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }))
}
