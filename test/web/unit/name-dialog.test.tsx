// The dialog for one name, after the server could not be reached.
import { act } from 'react'
import { expect, it } from 'vitest'
import { ApiError } from '../../../web/api/client.ts'
import { NameDialog } from '../../../web/prompts/name-dialog.tsx'
import { render } from './render.tsx'

it('is sent again unchanged when the first attempt failed', async () => {
  const answers: (string | null)[] = []
  let attempts = 0
  const place = await render(
    <NameDialog
      title="New folder"
      subtitle="In “My files”"
      label="Name"
      text="a"
      onChange={() => {}}
      error={null}
      ready
      name="a"
      submitLabel="Create"
      submit={async () => {
        attempts++
        if (attempts === 1) throw new ApiError(0, null, '')
        return '/a'
      }}
      answer={(path) => answers.push(path)}
    />,
  )
  const button = place.querySelector<HTMLButtonElement>('button[type=submit]')
  const submit = () =>
    act(async () => {
      const event = new Event('submit', { bubbles: true, cancelable: true })
      place.querySelector('form')?.dispatchEvent(event)
    })
  await submit()
  expect(place.querySelector('[role=alert]')?.textContent).toBe('No connection to the server.')
  expect([button?.disabled, button?.getAttribute('aria-disabled')]).not.toContain(true)
  expect(button?.getAttribute('aria-disabled')).not.toBe('true')
  await submit()
  expect(answers).toEqual(['/a'])
})
