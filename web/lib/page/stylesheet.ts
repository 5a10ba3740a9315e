// Style sheets of lazy chunks: linked once, and loaded before the chunk runs, so that nothing is painted unstyled.

const loading = new Map<string, Promise<void>>()

/** Adds the style sheet to the page; resolves when it applies, also when it failed to load. */
export function loadStylesheet(href: string): Promise<void> {
  const known = loading.get(href)
  if (known) return known
  const promise = new Promise<void>((resolve) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    // An unstyled viewer is still usable; an endless spinner is not.
    link.onload = () => resolve()
    link.onerror = () => resolve()
    // Before an administrator's own styles: they have the last word, as over the styles of the page.
    const custom = document.querySelector('head > link[href$="/custom.css"]')
    document.head.insertBefore(link, custom)
  })
  loading.set(href, promise)
  return promise
}
