const DIRECTORY = 0x80000000
const SYMLINK = 0x08000000

/**
 * Mode numbers are those of Go: permission bits as usual, kind in the upper bits (docs/http-api.md
 * 1.8). `-rw-r--r-- (644)`.
 */
export function modeText(mode: number): string {
  const kind = mode >= DIRECTORY ? 'd' : (mode & SYMLINK) !== 0 ? 'l' : '-'
  let letters = ''
  for (let bit = 8; bit >= 0; bit--) {
    letters += (mode >>> bit) & 1 ? 'rwx'[(8 - bit) % 3] : '-'
  }
  return `${kind}${letters} (${(mode & 0o777).toString(8).padStart(3, '0')})`
}
