// Passwords that can be read aloud: syllables of one consonant and one vowel, and a number. They
// belong to no language and cannot spell much.

const CONSONANTS = 'bdfghjklmnprstvz'
const VOWELS = 'aeiou'
const GROUPS = 3
const SYLLABLES_PER_GROUP = 2

/** About 45 bits, such as `kavo-tiru-nemi-582`. `random` gives an integer below its argument. */
export function suggestPassword(random: (below: number) => number = secureRandom): string {
  const pick = (from: string) => from.charAt(random(from.length))
  const groups = Array.from({ length: GROUPS }, () =>
    Array.from({ length: SYLLABLES_PER_GROUP }, () => pick(CONSONANTS) + pick(VOWELS)).join(''),
  )
  return [...groups, String(100 + random(900))].join('-')
}

function secureRandom(below: number): number {
  // Values above the largest multiple would favour small results.
  const limit = Math.floor(0x1_0000_0000 / below) * below
  const value = new Uint32Array(1)
  do crypto.getRandomValues(value)
  while ((value[0] ?? 0) >= limit)
  return (value[0] ?? 0) % below
}
