// What a page loads for its first screen.
import type { Page } from 'playwright-core'
import { waitFor } from '../support/deadline.ts'

/** Compressed bytes. */
interface FirstScreen {
  script: number
  style: number
  /** The texts of one language. */
  text: number
}

const TEXTS = 'link[rel=modulepreload][href*="/c-en-"]'
const SCRIPTS = `script[src], link[rel=modulepreload]:not(${TEXTS})`

/** Of what the page itself names: its entry, what that imports, and its styles; once all of it has arrived. */
export async function firstScreenBytes(page: Page): Promise<FirstScreen> {
  // What has arrived is noted a moment later.
  const bytes = (selector: string) => waitFor(selector, () => namedBytes(page, selector))
  return {
    script: await bytes(SCRIPTS),
    style: await bytes('link[rel=stylesheet]'),
    text: await bytes(TEXTS),
  }
}

/** NaN until all has arrived. */
function namedBytes(page: Page, selector: string): Promise<number> {
  return page.evaluate(async (links) => {
    // As it was sent: styles of other screens are named later.
    const html = await (await fetch(location.href)).text()
    const sent = new DOMParser().parseFromString(html, 'text/html')
    const named = [...sent.querySelectorAll<HTMLScriptElement & HTMLLinkElement>(links)]
    const sizes = named.map((link) => {
      const [resource] = performance.getEntriesByName(link.src || link.href)
      return (resource as PerformanceResourceTiming | undefined)?.encodedBodySize ?? Number.NaN
    })
    return sizes.reduce((sum, size) => sum + size, 0)
  }, selector)
}
