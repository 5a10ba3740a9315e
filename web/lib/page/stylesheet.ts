// Style sheets of lazy chunks: linked once, and loaded before the chunk runs, so that nothing is painted unstyled.

import { retryOnceOnline } from './network.ts'

const loading = new Map<string, Promise<void>>()

/** Adds the style sheet to the page; resolves when it applies, also when it failed to load. */
export function loadStylesheet(href: string): Promise<void> {
  const known = loading.get(href)
  if (known) return known
  const promise = link(href).catch(() => {
    // An unstyled viewer is still usable; an endless spinner is not.
    retryOnceOnline(() => link(href)).catch(() => {})
  })
  loading.set(href, promise)
  return promise
}

function link(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sheet = document.createElement('link')
    sheet.rel = 'stylesheet'
    sheet.href = href
    sheet.onload = () => resolve()
    sheet.onerror = () => {
      sheet.remove()
      reject(new Error(`${href} could not be loaded`))
    }
    // Before an administrator's own styles: they have the last word, as over the styles of the page.
    const custom = document.querySelector('head > link[href$="/custom.css"]')
    document.head.insertBefore(sheet, custom)
  })
}
