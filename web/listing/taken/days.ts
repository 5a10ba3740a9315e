// Pictures by the day they were taken.

import type { FileEntry } from '../../../src/api-types.ts'
import { type DatesTaken, takenOf } from '../../lib/sorting/sort-queue.ts'
import type { Day } from '../grid/metrics.ts'

const DAY_CHARS = '2024-05-05'.length

/** The days of `files`, which are in the order of the dates: neighbours of one day are together. */
export function daysOf(files: readonly FileEntry[], dates: DatesTaken | undefined): Day[] {
  const days: Day[] = []
  for (const file of files) {
    const day = takenOf(dates, file).slice(0, DAY_CHARS)
    const last = days.at(-1)
    if (last?.day === day) last.count++
    else days.push({ day, count: 1 })
  }
  return days
}
