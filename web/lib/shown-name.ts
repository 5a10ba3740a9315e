/** Control characters as their visible pictures, so that a line break in a name can be seen. */
export function shownName(name: string): string {
  return name.replace(/[\x00-\x1f\x7f]/g, (control) =>
    control === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
  )
}
