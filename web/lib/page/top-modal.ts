/**
 * The dialog on top, or the page where none is open. What lies outside of it takes neither clicks nor keys, and is
 * not read out.
 */
export function topModal(): Element {
  return [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
}
