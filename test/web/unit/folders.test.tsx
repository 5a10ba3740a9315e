import { act } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AccountRecord, FolderList, GroupRecord } from '../../../src/access-types.ts'
import { WhoMay } from '../../../web/listing/details/who-may.tsx'
import { dismissPrompts, prompts } from '../../../web/operations/prompts.ts'
import { FolderPage } from '../../../web/settings/access/folder.tsx'
import { FoldersPage } from '../../../web/settings/access/folders.tsx'
import { MayDo } from '../../../web/settings/access/may-do.tsx'
import { BarPlace } from '../../../web/settings/parts.tsx'
import type { UserDraft } from '../../../web/settings/users/user-draft.ts'
import { render } from './render.tsx'

const users = ['anna', 'bob'].map((username, at) => ({
  ...{ id: at + 1, username, scope: '/' },
})) as AccountRecord[]
const groups = [{ id: 7, name: 'Designers', members: [] }] as unknown as GroupRecord[]
const folders: FolderList = {
  items: [
    {
      ...{ place: '/docs', as: 'Documents', quota: 10 * 2 ** 30, usedBytes: 2 ** 30 },
      grants: [
        { who: 'everyone', see: true, delete: false },
        { who: 'group:7', create: true },
      ],
    },
    { ...{ place: 'photos:/2024', as: '', quota: null, grants: [] }, isMissing: true },
  ],
  roots: [{ name: 'photos', isMissing: true }],
}

const verbs = ['see', 'download', 'create', 'modify', 'rename', 'delete', 'share'] as const
const rightsOf = (may: readonly string[]) =>
  Object.fromEntries(verbs.map((verb) => [verb, may.includes(verb)]))

/** Answers reads with these, and changes with what is sent; gives the changes. */
function serve(access: object = {}) {
  const sent: { call: string; body: Record<string, unknown> }[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (init.method !== 'GET') {
      const { current_password: _, ...body } = JSON.parse(String(init.body))
      sent.push({ call: `${init.method} ${url}`, body })
      return Response.json(body)
    }
    if (url.includes('/access')) return Response.json(access)
    return Response.json(
      url.endsWith('/folders') ? folders : url.endsWith('/groups') ? groups : users,
    )
  })
  return sent
}

async function openFolder(place: string | null): Promise<Element> {
  history.replaceState(null, '', place === null ? '/' : `/?${new URLSearchParams({ place })}`)
  const bar = document.createElement('div')
  const shown = await render(
    <BarPlace value={bar}>
      <FolderPage id={place === null ? 'new' : 'record'} onName={() => {}} />
    </BarPlace>,
  )
  await act(() => vi.waitUntil(() => shown.querySelector('.picker') !== null))
  shown.append(bar)
  return shown
}

const buttonOf = (place: Element, label: string) =>
  [...place.querySelectorAll('button')].find(
    (button) => button.getAttribute('aria-label') === label || button.textContent === label,
  ) as HTMLButtonElement

/** The choice of one verb for one person or group. */
function choice(place: Element, who: number, verb: string) {
  const grant = place.querySelectorAll('.grant')[who]
  const group = [...(grant?.querySelectorAll('[role=radiogroup]') ?? [])].find(
    (each) => each.getAttribute('aria-label') === verb,
  )
  return (said: string) => group?.querySelector<HTMLInputElement>(`[value=${said}]`)
}

async function saveAndConfirm(place: Element) {
  await act(async () => buttonOf(place, 'Save changes').click())
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
  history.replaceState(null, '', '/')
})

describe('the list of folders', () => {
  it('tells place, name at the top, for whom something is said, limit and use, and what is missing', async () => {
    serve()
    const place = await render(<FoldersPage />)
    await act(() => vi.waitUntil(() => place.querySelector('td') !== null))
    const rows = [...place.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].slice(0, 4).map((cell) => cell.textContent),
    )
    expect(rows).toEqual([
      ['/docs', 'Documents', 'Everyone and Designers', '1.0 GiB of 10.0 GiB'],
      ['photos:/2024Missing', '', '', '—'],
    ])
  })
})

describe('what is said of a folder', () => {
  it('is allowed, denied or unsaid for each verb', async () => {
    const sent = serve()
    const place = await openFolder('/docs')
    expect(choice(place, 0, 'See')('yes')?.checked).toBe(true)
    expect(choice(place, 0, 'Delete')('no')?.checked).toBe(true)
    expect(choice(place, 0, 'Share')('unsaid')?.checked).toBe(true)
    await act(async () => choice(place, 0, 'Delete')('unsaid')?.click())
    await act(async () => choice(place, 1, 'Edit files')('no')?.click())
    await saveAndConfirm(place)
    expect(sent).toEqual([
      {
        call: 'PUT /api/folders',
        body: {
          ...{ place: '/docs', as: 'Documents', quota: 10 * 2 ** 30 },
          grants: [
            { who: 'everyone', see: true },
            { who: 'group:7', create: true, modify: false },
          ],
        },
      },
    ])
  })

  it('asks nothing more where the folder is not seen', async () => {
    serve()
    const place = await openFolder('/docs')
    expect(choice(place, 0, 'Share')('yes')?.disabled).toBe(false)
    await act(async () => choice(place, 0, 'See')('no')?.click())
    expect(choice(place, 0, 'Share')('yes')?.disabled).toBe(true)
  })

  it('begins for a new person with seeing and downloading, in a root by its name', async () => {
    const sent = serve()
    const place = await openFolder(null)
    const field = place.querySelector<HTMLInputElement>('.mono-field input')
    const where = place.querySelector('select')
    const person = place.querySelector<HTMLInputElement>('[role=combobox]')
    const set = (control: HTMLInputElement | HTMLSelectElement | null, value: string) =>
      act(async () => {
        if (control === null) throw new Error('there is no such field')
        const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')
        own?.set?.call(control, value)
        control.dispatchEvent(new Event(control === where ? 'change' : 'input', { bubbles: true }))
      })
    await set(where, 'photos')
    await set(field, '/2025')
    await set(person, 'bob')
    await act(async () => place.querySelector<HTMLElement>('[role=option]')?.click())
    await saveAndConfirm(place)
    expect(sent[0]?.body).toMatchObject({
      place: 'photos:/2025',
      grants: [{ who: 'user:2', see: true, download: true }],
    })
  })

  it('is not begun for a folder of which something is said', async () => {
    const sent = serve()
    const place = await openFolder(null)
    const field = place.querySelector<HTMLInputElement>('.mono-field input')
    await act(async () => {
      if (field === null) throw new Error('there is no field for the folder')
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(
        field,
        '/docs',
      )
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })
    expect(field?.getAttribute('aria-invalid')).toBe('true')
    await act(async () => buttonOf(place, 'Save changes').click())
    expect(prompts.stack).toEqual([])
    expect(sent).toEqual([])
  })
})

describe('why', () => {
  it('is told for each verb: whose word, and where it was said', async () => {
    const unsaid = { allowed: false, by: { kind: 'permission' } }
    serve({
      ...{ user: { id: 2, username: 'bob' }, path: '/', place: '/docs' },
      verbs: {
        ...Object.fromEntries(verbs.map((verb) => [verb, unsaid])),
        see: { allowed: true, by: { kind: 'everyone', place: '/docs' } },
        create: {
          allowed: true,
          by: { kind: 'group', place: '/', group: { id: 7, name: 'Designers' } },
        },
        modify: {
          allowed: true,
          by: { kind: 'permission', group: { id: 7, name: 'Designers' } },
        },
        delete: { allowed: false, by: { kind: 'account', place: '/docs' } },
      },
    })
    const place = await render(<MayDo userID={2} saved={{ scope: '/' } as UserDraft} />)
    await act(() => vi.waitUntil(() => place.querySelector('td') !== null))
    const rows = [...place.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent).join(': '),
    )
    expect(rows).toEqual([
      'See: Allowed: Everyone · /docs',
      'Download: Denied: Permissions',
      'Create and upload: Allowed: Designers · /',
      'Edit files: Allowed: Permissions · Designers',
      'Rename and move: Denied: Permissions',
      'Delete: Denied: bob · /docs',
      'Share: Denied: Permissions',
    ])
  })
})

describe('who may do what', () => {
  it('names people with the same rights together, those who may most first', async () => {
    const item = (username: string, may: readonly string[]) => ({
      user: { id: 1, username },
      rights: rightsOf(may),
    })
    serve({
      place: '/docs',
      items: [
        item('anna', ['see', 'download']),
        item('root', verbs),
        item('bob', ['see', 'download']),
        item('zoë', []),
      ],
    })
    const place = await render(<WhoMay vpath="/docs" />)
    await act(async () => buttonOf(place, 'Show').click())
    await act(() => vi.waitUntil(() => place.querySelector('dt') !== null))
    const lines = [...place.querySelectorAll('dl > div')].map(
      (line) => `${line.children[0]?.textContent}: ${line.children[1]?.textContent}`,
    )
    const plain = lines.map((line) => line.replaceAll(/[\u2068\u2069]/g, ''))
    expect(plain).toEqual(['Everything: root', 'See and Download: anna, bob', 'Nothing: zoë'])
  })
})
