// F6: the focus goes round the parts of the page.

/** In reading order; those that are not on the screen are passed over. */
const REGIONS = ['#header', '#sidebar', '.crumbbar', '.tools', '#listing', '#details', '.term']

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), [tabindex="0"]'

export function focusNextRegion(): void {
  const regions = REGIONS.flatMap((selector) => {
    const region = document.querySelector<HTMLElement>(selector)
    return region !== null && region.offsetParent !== null ? [region] : []
  })
  const at = regions.findIndex((region) => region.contains(document.activeElement))
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(at + step) % regions.length]
    const target = region === undefined ? null : firstIn(region)
    if (target === null) continue
    target.focus()
    if (document.activeElement === target) return
  }
}

function firstIn(region: HTMLElement): HTMLElement | null {
  // In the listing that is the entry with the tab stop, in the shell the line that is typed.
  return (
    region.querySelector<HTMLElement>('[data-index][tabindex="0"], .xterm-helper-textarea') ??
    region.querySelector<HTMLElement>(FOCUSABLE) ??
    (region.tabIndex >= 0 ? region : null)
  )
}
