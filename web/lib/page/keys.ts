import { useEffectEvent, useLayoutEffect } from 'react'

/** Key presses anywhere on the page; `capture` hears them before what has the focus does. */
export function useDocumentKeys(handle: (event: KeyboardEvent) => void, capture = false): void {
  const latest = useEffectEvent(handle)
  // In the same turn as the page shows what the keys are for: an effect comes some time later.
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => latest(event)
    document.addEventListener('keydown', listener, capture)
    return () => document.removeEventListener('keydown', listener, capture)
  }, [capture])
}

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
