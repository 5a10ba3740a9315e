// Jump to a name by typing its first letters, diacritics and case ignored.

const PAUSE_MS = 700

export function foldForTyping(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/**
 * The position of the name that the typed text reaches. A single repeated letter walks through the
 * names that start with it; a longer text stays on the current name while that still matches.
 * Null when no name starts like that.
 */
export function findTyped(
  names: { length: number; at(index: number): string | undefined },
  typed: string,
  from: number,
): number | null {
  const wanted = foldForTyping(typed)
  if (wanted === '' || names.length === 0) return null
  const repeated = [...wanted].every((letter) => letter === wanted[0])
  const walks = wanted.length === 1 || repeated
  const prefix = walks ? (wanted[0] as string) : wanted
  const start = walks ? from + 1 : Math.max(from, 0)
  for (let step = 0; step < names.length; step++) {
    const index = (start + step) % names.length
    // Folding the head of a name is enough, and keeps 100,000 names within a few milliseconds.
    const head = (names.at(index) ?? '').slice(0, prefix.length * 2 + 4)
    if (foldForTyping(head).startsWith(prefix)) return index
  }
  return null
}

/** Collects letters until the typist pauses. `now` is milliseconds of any monotonic clock. */
export class TypedText {
  #text = ''
  #lastMs = Number.NEGATIVE_INFINITY

  add(letter: string, now: number): string {
    this.#text = now - this.#lastMs > PAUSE_MS ? letter : this.#text + letter
    this.#lastMs = now
    return this.#text
  }

  /** True while a space would still belong to the name being typed. */
  isOpen(now: number): boolean {
    return this.#text !== '' && now - this.#lastMs <= PAUSE_MS
  }
}
