import { expect, it, onTestFinished } from 'vitest'
import { PhoneBar } from '../../../web/layout/phone-bar.tsx'
import { setPhoneBar } from '../../../web/state/slots.ts'
import { render } from './render.tsx'

it('the title on a phone keeps its own direction, so that a path begins with its slash in Arabic', async () => {
  const bar = document.createElement('div')
  setPhoneBar(bar)
  onTestFinished(() => setPhoneBar(null))
  await render(<PhoneBar title="/team" />)
  expect(bar.querySelector('strong > bdi')?.textContent).toBe('/team')
})
