// How long passwords must be in this instance, as far as this page knows.

import { boot } from '../../lib/boot.ts'

let bytes = boot.MinimumPasswordLength

/** In bytes of UTF-8, as the server counts. That of the start-up settings until another is saved here. */
export function minimumPasswordLength(): number {
  return bytes
}

/** Takes over the length of settings that were read or saved just now. */
export function setMinimumPasswordLength(length: number): void {
  bytes = length
}

/** False for no password at all: whether there has to be one is another question. */
export function isTooShort(password: string): boolean {
  return password !== '' && new TextEncoder().encode(password).length < bytes
}
