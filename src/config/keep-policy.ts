// How long and how much is kept of what was deleted: what is configured, else what the settings say.
import { DEFAULT_KEEP_AGE, DEFAULT_KEEP_SIZE, type Settings } from '../store/document.ts'
import type { Config } from './config.ts'
import { type KeepSize, parseKeepSize, parsePositiveDuration } from './option-values.ts'

export const KEEP_KEYS = ['keepAge', 'keepSize'] as const

type KeepTexts = Record<(typeof KEEP_KEYS)[number], string>

export interface KeepPolicy {
  ageMs: number
  /** Of each disk. */
  size: KeepSize
}

/** What is in force. Text that means nothing, in records that were written by hand, counts as absent. */
export function keepPolicyOf(
  config: Pick<Config, 'keepAge' | 'keepSize'>,
  { keepAge, keepSize }: KeepTexts,
): KeepPolicy {
  return {
    ageMs: config.keepAge ?? readable(parsePositiveDuration, keepAge, DEFAULT_KEEP_AGE),
    size: config.keepSize ?? readable(parseKeepSize, keepSize, DEFAULT_KEEP_SIZE),
  }
}

function readable<T>(parse: (text: string) => T, text: string, otherwise: string): T {
  try {
    return parse(text)
  } catch {
    return parse(otherwise)
  }
}

/** What is wrong with these texts, or empty. */
export function problemIn({ keepAge, keepSize }: Partial<KeepTexts>): string {
  const tests = [
    ['keepAge', keepAge, parsePositiveDuration],
    ['keepSize', keepSize, parseKeepSize],
  ] as const
  for (const [key, text, parse] of tests) {
    try {
      if (text !== undefined) parse(text)
    } catch (error) {
      return `${key}: ${(error as Error).message}`
    }
  }
  return ''
}

/** Which of them are configured, so that the settings do not count. */
export function fixedIn(config: Pick<Config, 'keepAge' | 'keepSize'>) {
  return KEEP_KEYS.filter((key) => config[key] !== null)
}

/** As the settings show them. */
export function keepTexts(
  config: Pick<Config, 'keepAge' | 'keepSize'>,
  settings: Settings,
): KeepTexts {
  const { keepAge: ageMs, keepSize: size } = config
  return {
    keepAge: ageMs === null ? settings.keepAge : durationText(ageMs),
    keepSize: size === null ? settings.keepSize : sizeText(size),
  }
}

const DAY_MS = 86_400_000

function durationText(ms: number): string {
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${ms}ms`
}

function sizeText(size: KeepSize): string {
  return 'percent' in size ? `${size.percent}%` : String(size.bytes)
}
