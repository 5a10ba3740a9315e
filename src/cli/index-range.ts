// `<index> [index_end]` of the commands that remove list entries.

import { parseInteger } from '../config/option-values.ts'
import { badRequest } from '../lib/errors.ts'

/** First and last index, both inclusive. Throws AppError when they are not in the list. */
export function indexRange(args: readonly string[], length: number): [number, number] {
  const [from = 0, to = from] = args.map((text) => indexOf(text))
  if (to < from) throw badRequest(`index_end ${to} is smaller than index ${from}`)
  for (const index of [from, to]) {
    if (index < 0 || index >= length) {
      const known = length === 0 ? 'the list is empty' : `there are 0 to ${length - 1}`
      throw badRequest(`there is no index ${index}: ${known}`)
    }
  }
  return [from, to]
}

/** Throws AppError unless every text is a base-10 whole number. */
export function checkIndexes(args: readonly string[]): void {
  for (const text of args) indexOf(text)
}

function indexOf(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`"${text}" is no index, expected a whole number`)
  return parseInteger(text.replace(/^([+-]?)0+(?=\d)/, '$1'))
}
