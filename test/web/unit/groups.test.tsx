import { act } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AccountRecord, GroupRecord } from '../../../src/access-types.ts'
import type { Permissions } from '../../../src/api-types.ts'
import { dismissPrompts, prompts } from '../../../web/operations/prompts.ts'
import { GroupPage } from '../../../web/settings/access/group.tsx'
import { GroupsPage } from '../../../web/settings/access/groups.tsx'
import { BarPlace } from '../../../web/settings/parts.tsx'
import { render } from './render.tsx'

const nothing: Permissions = {
  ...{ admin: false, execute: false, create: false, rename: false },
  ...{ modify: false, delete: false, share: false, download: false },
}
const people = ['anna', 'bob', 'zoë'].map((username, at) => ({
  ...{ id: at + 1, username, perm: nothing, scope: '/' },
})) as AccountRecord[]
const designers: GroupRecord = {
  ...{ id: 7, name: 'Designers', homeQuota: 5 * 2 ** 30, claims: ['design', 'cn=art'] },
  perm: { ...nothing, create: true, download: true },
  members: [
    { userID: 1, from: 'admin' },
    { userID: 2, from: 'ldap' },
    { userID: 2, from: 'oidc' },
  ],
}

/** Answers reads with these, and changes with what is sent; gives the changes. */
function serve(groups: readonly GroupRecord[]) {
  const sent: { call: string; body: Record<string, unknown> }[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (init.method !== 'GET') {
      const body = JSON.parse(String(init.body))
      sent.push({ call: `${init.method} ${url}`, body })
      return Response.json({ ...designers, ...body })
    }
    return Response.json(url.endsWith('/groups') ? groups : people)
  })
  return sent
}

async function openGroup(id: string): Promise<Element> {
  const bar = document.createElement('div')
  const place = await render(
    <BarPlace value={bar}>
      <GroupPage id={id} onName={() => {}} />
    </BarPlace>,
  )
  await act(() => vi.waitUntil(() => place.querySelector('.picker') !== null))
  place.append(bar)
  return place
}

const buttonOf = (place: Element, label: string) =>
  [...place.querySelectorAll('button')].find(
    (button) => button.getAttribute('aria-label') === label || button.textContent === label,
  ) as HTMLButtonElement

function type(input: HTMLInputElement | HTMLTextAreaElement | null, text: string) {
  return act(async () => {
    if (input === null) throw new Error('there is no such field')
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set?.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** Confirms what asks for the own password. */
async function confirmLast() {
  await act(() => vi.waitUntil(() => prompts.stack.length > 0))
  const [prompt] = prompts.stack
  if (prompt === undefined) throw new Error('nothing is asked')
  const { attempt } = prompt.props as { attempt: () => Promise<void> }
  await act(async () => {
    await attempt()
    prompt.answer(true)
  })
}

afterEach(() => {
  vi.unstubAllGlobals()
  dismissPrompts()
})

describe('the list of groups', () => {
  it('tells members once each, permissions and the limit of homes', async () => {
    serve([designers])
    const place = await render(<GroupsPage />)
    await act(() => vi.waitUntil(() => place.querySelector('td') !== null))
    const cells = [...place.querySelectorAll('td')].map((cell) => cell.textContent)
    expect(cells.slice(0, 4)).toEqual(['Designers', '2', 'Create and download', '5.0 GiB'])
  })
})

describe('a group', () => {
  it('keeps who comes from elsewhere, and says so', async () => {
    serve([designers])
    const place = await openGroup('7')
    const rows = [...place.querySelectorAll('.device')].map((row) => row.textContent)
    expect(rows).toEqual(['ANanna', 'BObobProvider'])
    expect(buttonOf(place, 'Remove anna').getAttribute('aria-disabled')).toBeNull()
    expect(buttonOf(place, 'Remove bob').getAttribute('aria-disabled')).toBe('true')
  })

  it('gets a member who is found by a part of the name, by keyboard', async () => {
    const sent = serve([designers])
    const place = await openGroup('7')
    const field = place.querySelector<HTMLInputElement>('[role=combobox]')
    await type(field, 'zoe')
    const press = (key: string) =>
      act(async () => {
        field?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      })
    expect(place.querySelector('[role=option]')?.textContent).toBe('ZOzoë')
    await press('Enter')
    await act(async () => buttonOf(place, 'Save changes').click())
    await confirmLast()
    expect(sent[0]?.call).toBe('PUT /api/groups/7')
    expect(sent[0]?.body).toMatchObject({
      name: 'Designers',
      homeQuota: 5 * 2 ** 30,
      claims: ['design', 'cn=art'],
      members: [
        { userID: 1, from: 'admin' },
        { userID: 3, from: 'admin' },
      ],
    })
  })

  it('is not made without a name, and takes names elsewhere line by line', async () => {
    const sent = serve([])
    const place = await openGroup('new')
    const name = place.querySelector<HTMLInputElement>('input:not([type=checkbox])')
    await act(async () => buttonOf(place, 'Save changes').click())
    expect(name?.getAttribute('aria-invalid')).toBe('true')
    await type(name, ' Art ')
    await type(place.querySelector('textarea'), 'cn=art,dc=x\n\n art of x ')
    await act(async () => buttonOf(place, 'Save changes').click())
    await confirmLast()
    expect(sent[0]?.call).toBe('POST /api/groups')
    expect(sent[0]?.body).toMatchObject({ name: 'Art', claims: ['cn=art,dc=x', 'art of x'] })
  })
})
