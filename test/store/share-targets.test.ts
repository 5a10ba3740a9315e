import { expect, it } from 'vitest'
import type { ShareTarget } from '../../src/store/document.ts'
import { isSameTarget } from '../../src/store/share-targets.ts'

const NOTED_MS = 1_800_000_000_000

const noted: ShareTarget = {
  kind: 'file',
  dev: '1',
  ino: '10',
  bornNs: '1700000000000000000',
  place: '/srv/report',
  notedMs: NOTED_MS,
}

const bornAt = (ms: number): ShareTarget => ({ ...noted, ino: '11', bornNs: `${ms}000000` })

it('a file that another program saves right after it was shared is still the shared one', () => {
  // The kernel's clock ticks a hundred times a second.
  expect(isSameTarget(noted, bornAt(NOTED_MS - 9))).toBe(true)
  expect(isSameTarget(noted, bornAt(NOTED_MS + 1))).toBe(true)
})

it('a file that was there before is another one', () => {
  expect(isSameTarget(noted, bornAt(NOTED_MS - 1_000))).toBe(false)
})
