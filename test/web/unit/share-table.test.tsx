import { expect, it } from 'vitest'
import type { ShareRecord } from '../../../src/api-types.ts'
import { ShareTable } from '../../../web/settings/shares.tsx'
import { render } from './render.tsx'

const link: ShareRecord = { hash: 'h', path: '/a.txt', userID: 1, expire: 0, hasPassword: false }

const show = (shares: ShareRecord[]) =>
  render(<ShareTable shares={shares} users={[]} onChange={() => {}} />)

const labels = (place: Element) =>
  [...place.querySelectorAll('button')].map((button) => button.getAttribute('aria-label'))

it('a link that ended says so, opens and copies nothing, and can be deleted', async () => {
  const place = await show([{ ...link, ended: true }])
  expect(place.textContent).toContain('/a.txt')
  expect(place.textContent).toContain('Ended: the shared item no longer exists')
  expect(place.querySelector('a')).toBeNull()
  expect(labels(place)).toEqual(['Visits', 'Delete link'])
})

it('a link that leads somewhere opens and is copied', async () => {
  const place = await show([link])
  expect(place.textContent).not.toContain('Ended')
  expect(place.querySelector('a')?.href).toMatch(/\/share\/h$/)
  expect(labels(place)).toEqual(['Visits', 'Copy link', 'Delete link'])
})
