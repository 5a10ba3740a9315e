import { afterEach, expect, it } from 'vitest'
import { keysAreTaken } from '../../../web/viewers/frame/viewer-keys.ts'

afterEach(() => document.body.replaceChildren())

function isTaken(type: string, key: string): boolean {
  const input = document.createElement('input')
  input.type = type
  document.body.append(input)
  let taken = false
  const listen = (event: KeyboardEvent) => {
    taken = keysAreTaken(event)
  }
  document.addEventListener('keydown', listen)
  input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  document.removeEventListener('keydown', listen)
  return taken
}

it.each(['ArrowRight', 'ArrowDown', 'PageDown', 'PageUp', 'Home', 'End'])(
  '%s moves the slider that has the focus, not to another file',
  (key) => expect(isTaken('range', key)).toBe(true),
)

it('other keys on a slider belong to the viewer, such as Space', () => {
  expect(isTaken('range', ' ')).toBe(false)
})
