// Whose turn it is to read a large folder.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLargeFolders } from '../../src/files/listing/large-folders.ts'

const LARGE_BYTES = 2 * 1024 * 1024
const forever = new AbortController().signal

/** Reads that end when they are told to, and the names of those that have begun. */
function heldReads() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const read = (name: string) => () => {
    begun.push(name)
    const { promise, resolve } = Promise.withResolvers<string>()
    ends.set(name, () => resolve(name))
    return promise
  }
  return { begun, read, end: (name: string) => ends.get(name)?.() }
}

it('large folders are read one after the other, small ones meanwhile', async () => {
  const inTurn = createLargeFolders()
  const { begun, read, end } = heldReads()
  const first = inTurn(LARGE_BYTES, read('first'), forever)
  const second = inTurn(LARGE_BYTES, read('second'), forever)
  const small = inTurn(4096, read('small'), forever)
  await turn()
  expect(begun).toEqual(['first', 'small'])
  end('small')
  end('first')
  expect(await Promise.all([first, small])).toEqual(['first', 'small'])
  await turn()
  expect(begun).toEqual(['first', 'small', 'second'])
  end('second')
  expect(await second).toBe('second')
})

it('who has left while waiting reads nothing, and what fails lets the next one in', async () => {
  const inTurn = createLargeFolders()
  const { begun, read, end } = heldReads()
  const { promise, reject } = Promise.withResolvers<string>()
  const failing = inTurn(LARGE_BYTES, () => promise, forever)
  const leaving = new AbortController()
  const left = inTurn(LARGE_BYTES, read('left'), leaving.signal)
  const next = inTurn(LARGE_BYTES, read('next'), forever)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  reject(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  await turn()
  expect(begun).toEqual(['next'])
  end('next')
  expect(await next).toBe('next')
})

it('a folder that is not read to its end keeps others waiting for a while only', async () => {
  const inTurn = createLargeFolders(20)
  const { read, end } = heldReads()
  const slow = inTurn(LARGE_BYTES, read('slow'), forever)
  expect(await inTurn(LARGE_BYTES, async () => 'other', forever)).toBe('other')
  end('slow')
  expect(await slow).toBe('slow')
})
