// The figures of limits, without a disk.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLedger } from '../../src/quotas/ledger.ts'

const full = expect.objectContaining({ code: 'quota_exceeded', status: 507 })

function ledgerOf(limits: Record<string, number>) {
  const ledger = createLedger()
  ledger.setLimits(Object.entries(limits).map(([folder, bytes]) => ({ folder, bytes })))
  return ledger
}

describe('what is reserved', () => {
  it('is all or nothing over all limits above a file', () => {
    const ledger = ledgerOf({ '/': 100, '/a': 50, '/a/b': 10 })
    const hold = ledger.hold('/a/b/file')
    expect(() => hold.raise(11)).toThrow(full)
    expect([...ledger.counters.values()].map(({ reservedBytes }) => reservedBytes)).toEqual([
      0, 0, 0,
    ])
    hold.raise(10)
    expect([...ledger.counters.values()].map(({ reservedBytes }) => reservedBytes)).toEqual([
      10, 10, 10,
    ])
    expect(() => ledger.hold('/a/b/other').raise(1)).toThrow(full)
    ledger.hold('/a/other').raise(40)
    expect(() => ledger.hold('/a/third').raise(1)).toThrow(full)
  })

  it('becomes use in one step, and is free again when it is released', () => {
    const ledger = ledgerOf({ '/a': 10 })
    const [kept, dropped] = [ledger.hold('/a/x'), ledger.hold('/a/y')]
    kept.raise(6)
    dropped.raise(4)
    kept.settle(6)
    dropped.release()
    dropped.release()
    kept.release()
    expect(ledger.room('/a')).toEqual({ limitBytes: 10, usedBytes: 6 })
  })

  it('goes on under limits that are set meanwhile', () => {
    const ledger = ledgerOf({ '/a': 10 })
    const hold = ledger.hold('/a/b/x')
    hold.raise(8)
    ledger.setLimits([{ folder: '/a/b', bytes: 10 }])
    expect(() => ledger.hold('/a/b/y').raise(3)).toThrow(full)
    hold.settle(8)
    expect(ledger.room('/a/b')).toEqual({ limitBytes: 10, usedBytes: 8 })
  })

  it('is nothing for what comes from where it was counted', () => {
    const ledger = ledgerOf({ '/a': 10, '/a/b': 10 })
    ledger.add('/a/x', 10)
    const hold = ledger.hold('/a/b/x', '/a/x')
    hold.raise(10)
    expect(() => ledger.hold('/a/c/x', '/elsewhere').raise(1)).toThrow(full)
  })

  it('never passes a limit, whoever asks in whatever order', () => {
    const step = fc.record({
      file: fc.constantFrom('/a/x', '/a/b/y', '/a/b/c/z', '/d/w'),
      bytes: fc.nat(12),
      end: fc.constantFrom('settle', 'release', 'later'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const ledger = ledgerOf({ '/': 40, '/a': 30, '/a/b': 20 })
        for (const { file, bytes, end } of steps) {
          const hold = ledger.hold(file)
          try {
            hold.raise(bytes)
          } catch {
            hold.release()
            continue
          }
          if (end === 'settle') hold.settle(bytes)
          if (end === 'release') hold.release()
          for (const { usedBytes, reservedBytes, limitBytes } of ledger.counters.values())
            expect(usedBytes + reservedBytes).toBeLessThanOrEqual(limitBytes)
        }
      }),
    )
  })
})

it('an empty file is taken by a folder that is over its limit', () => {
  const ledger = ledgerOf({ '/a': 10 })
  ledger.add('/a/x', 20)
  ledger.hold('/a/y').raise(0)
  expect(() => ledger.hold('/a/y').raise(1)).toThrow(full)
})

it('the refusal says how much there may be, how much there is, and what to do', () => {
  const ledger = ledgerOf({ '/a': 10 * 1024 ** 3 })
  ledger.add('/a/x', 9.5 * 1024 ** 3)
  expect(() => ledger.hold('/a/y').raise(600 * 1024 ** 2)).toThrow(
    'the folder may hold 10 GiB and 9.5 GiB of them are taken, so 600 MiB more do not fit: ' +
      'delete something in it, or ask an administrator for more',
  )
})

it('of several limits the one is told of which the least is left', () => {
  const ledger = ledgerOf({ '/': 100, '/a': 50 })
  ledger.add('/x', 90)
  expect(ledger.room('/a')).toEqual({ limitBytes: 100, usedBytes: 90 })
  expect(createLedger().room('/a')).toBe(null)
})

it('a folder that moves takes its count along', () => {
  const ledger = ledgerOf({ '/a/b': 10 })
  ledger.add('/a/b/x', 4)
  ledger.move('/a', '/c')
  expect(ledger.room('/c/b')).toEqual({ limitBytes: 10, usedBytes: 4 })
  expect(ledger.room('/a/b')).toBe(null)
})
