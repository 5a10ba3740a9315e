// Which letter a key press means for a command, on keyboards of every script.

/** A character of a script other than the Latin one, with the marks some keyboards type alone. */
const OTHER_SCRIPT = /^(?!\p{Script=Latin})[\p{L}\p{M}]/u

/**
 * The letter or sign in upper case, or the name of the key. A Latin letter counts as it is typed, so
 * that Dvorak and AZERTY keep theirs. Where the key types another script (`ф` for A) it is the letter
 * at its place on a Latin keyboard: that is what these keyboards have printed beside it.
 */
export function keyLetter({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  // By the first character: Arabic has a key that types two letters.
  if (OTHER_SCRIPT.test(key)) return /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? key.toUpperCase()
  return key.length === 1 ? key.toUpperCase() : key
}
