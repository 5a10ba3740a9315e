import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { ApiTokenRecord, Permissions } from '../../../src/api-types.ts'
import type { MadeToken } from '../../../web/api/tokens.ts'
import { dismissPrompts, prompts } from '../../../web/operations/prompts.ts'
import { MadeTokenPrompt } from '../../../web/prompts/tokens/made-token.tsx'
import { NewTokenPrompt } from '../../../web/prompts/tokens/new-token.tsx'
import { ApiTokens, offerToRemoveTokens } from '../../../web/settings/tokens.tsx'
import { session } from '../../../web/state/session.ts'
import { render } from './render.tsx'

const DAY_MS = 86_400_000

const nothing: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}
const token: ApiTokenRecord = {
  id: 'abc123',
  name: 'Backup',
  perm: { ...nothing, download: true, delete: true, create: true },
  folder: '/docs',
  created: '2026-01-01T00:00:00Z',
  expires: null,
  lastUsed: null,
}

function signIn(perm: Partial<Permissions>) {
  session.user = { id: 1, username: 'anna', perm: { ...nothing, ...perm } } as TokenUser
}

/** Answers every call with the next of these; gives what was asked. */
function answer(...answers: Response[]) {
  const asked: { call: string; body: Record<string, unknown> }[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    asked.push({ call: `${init.method} ${url}`, body: JSON.parse(String(init.body ?? 'null')) })
    return answers.shift() ?? Response.json([])
  })
  return asked
}

const refused = (status: number, code: string) =>
  new Response(code, { status, headers: { 'X-Error-Code': code } })

const buttonOf = (place: Element, label: string) =>
  [...place.querySelectorAll('button')].find(
    (button) => button.getAttribute('aria-label') === label || button.textContent === label,
  ) as HTMLButtonElement

/** What a field is called, what is in it and what is wrong with it. */
function field(place: Element, label: string) {
  const named = [...place.querySelectorAll('label')].find((each) =>
    each.textContent?.startsWith(label),
  )
  const input = place.querySelector<HTMLInputElement>(`[id="${named?.htmlFor}"]`)
  if (input === null) throw new Error(`no field ${label}`)
  return {
    input,
    error: () => {
      if (input.getAttribute('aria-invalid') !== 'true') return null
      return place.querySelector(`[id="${input.getAttribute('aria-describedby')}"]`)?.textContent
    },
    type: (text: string) =>
      act(async () => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }),
  }
}

const byPassword = () => Response.json({ confirmed: false, methods: ['password'] })
const confirmed = () => new Response(null, { status: 204 })

beforeEach(() => signIn({ download: true, create: true, share: true }))
afterEach(() => {
  vi.unstubAllGlobals()
  dismissPrompts()
  session.user = null
})

describe('the list of API tokens', () => {
  it('tells name, folder, rights that the account still has, end and last use', async () => {
    const ends = new Date(Date.now() + 90 * DAY_MS).toISOString()
    const used = new Date(Date.now() - 2 * 3_600_000).toISOString()
    answer(
      Response.json([token, { ...token, id: 'b', folder: '/', expires: ends, lastUsed: used }]),
    )
    const rows = [...(await render(<ApiTokens />)).querySelectorAll('li')]
    expect(rows[0]?.textContent).toBe(
      'Backup/docs · Download · Create and uploadNever expires · Never used',
    )
    expect(rows[1]?.textContent).toBe(
      'BackupMy files · Download · Create and uploadExpires: in 3 months · Last used: 2 hours ago',
    )
  })

  it('marks what has expired', async () => {
    answer(Response.json([{ ...token, expires: '2026-01-02T00:00:00Z' }]))
    const row = (await render(<ApiTokens />)).querySelector('li')
    expect(row?.querySelector('.badge')?.textContent).toBe('Expired')
    expect(row?.textContent).not.toContain('Expires')
  })

  it('removes one after a question, and is read again', async () => {
    const asked = answer(Response.json([token]), new Response(null, { status: 204 }))
    const place = await render(<ApiTokens />)
    await act(async () => buttonOf(place, 'Remove Backup').click())
    expect(asked).toHaveLength(1)
    await act(async () => prompts.stack[0]?.answer('remove'))
    expect(asked.map(({ call }) => call)).toEqual([
      'GET /api/tokens',
      'DELETE /api/tokens/abc123',
      'GET /api/tokens',
    ])
    expect(place.querySelector('li')).toBeNull()
  })
})

describe('a new API token', () => {
  it('lets choose only what the account may, and sharing brings downloading', async () => {
    const place = await render(<NewTokenPrompt answer={() => {}} />)
    const boxes = [...place.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
    const states = () => boxes.map((box) => [box.checked, box.disabled])
    const labels = [...place.querySelectorAll('fieldset label')].map((label) => label.textContent)
    expect(labels).toEqual([
      'Download',
      'Create and upload',
      'Share Requires the Download permission.',
    ])
    const on = [true, false]
    const off = [false, false]
    expect(states()).toEqual([on, off, off])
    await act(async () => boxes[0]?.click())
    await act(async () => boxes[2]?.click())
    expect(states()).toEqual([[true, true], off, on])
  })

  it('asks for the name, has the password confirmed, and is sent with 90 days', async () => {
    const asked = answer(
      byPassword(),
      confirmed(),
      Response.json({ ...token, token: 'fbt.abc123.secret' }, { status: 201 }),
    )
    const made: unknown[] = []
    const place = await render(<NewTokenPrompt answer={(given) => made.push(given)} />)
    const submit = () => act(async () => place.querySelector('form')?.requestSubmit())
    const name = field(place, 'Name')
    const password = field(place, 'Your current password')
    await submit()
    expect(name.error()).toBe('Enter a name.')
    await name.type('Backup')
    expect(name.error()).toBeNull()
    await password.type('correct')
    await submit()
    expect(asked.map(({ call }) => call)).toEqual([
      'GET /api/confirm',
      'POST /api/confirm',
      'POST /api/tokens',
    ])
    expect(asked[1]?.body).toEqual({ password: 'correct' })
    const body = asked[2]?.body
    expect(body).toMatchObject({ name: 'Backup', folder: '/', perm: { download: true } })
    const days = (Date.parse(String(body?.expires)) - Date.now()) / DAY_MS
    expect(days).toBeCloseTo(90, 2)
    expect(made).toMatchObject([{ token: 'fbt.abc123.secret' }])
  })

  it.each([
    [409, 'exists', 'Name', 'You have a token with this name.'],
    [400, 'forbidden', 'Folder', 'You don’t have permission to do this.'],
  ])('says at its field what %i %s means', async (status, code, label, words) => {
    answer(byPassword(), confirmed(), refused(status, code))
    const place = await render(<NewTokenPrompt answer={() => {}} />)
    await field(place, 'Name').type('Backup')
    await field(place, 'Your current password').type('x')
    await act(async () => place.querySelector('form')?.requestSubmit())
    expect(field(place, label).error()).toBe(words)
  })

  it('says that the password is wrong, and sends nothing', async () => {
    const asked = answer(byPassword(), refused(400, 'invalid_password'))
    const place = await render(<NewTokenPrompt answer={() => {}} />)
    await field(place, 'Name').type('Backup')
    await field(place, 'Your current password').type('x')
    await act(async () => place.querySelector('form')?.requestSubmit())
    const words = 'Incorrect password.'
    expect(field(place, 'Your current password').error()).toBe(words)
    expect(asked).toHaveLength(2)
  })

  it('says when there are too many', async () => {
    answer(byPassword(), confirmed(), refused(409, 'conflict'))
    const place = await render(<NewTokenPrompt answer={() => {}} />)
    await field(place, 'Name').type('Backup')
    await field(place, 'Your current password').type('x')
    await act(async () => place.querySelector('form')?.requestSubmit())
    const alert = place.querySelector('[role=alert]')
    expect(alert?.textContent).toBe('You have too many tokens. Remove some first.')
  })

  it('is shown whole, with a command that lists its folder', async () => {
    const made: MadeToken = { ...token, folder: '/a b!', token: 'fbt.abc123.secret' }
    const place = await render(<MadeTokenPrompt made={made} answer={() => {}} />)
    expect(field(place, 'Your token').input.value).toBe('fbt.abc123.secret')
    expect(place.querySelector('code')?.textContent).toBe(
      `curl -H "X-Auth: fbt.abc123.secret" "${location.origin}/api/resources/a%20b%21"`,
    )
    expect(place.textContent).toContain('It won’t be shown again.')
  })
})

describe('a changed password', () => {
  it('asks nothing without tokens', async () => {
    answer(Response.json([]))
    await offerToRemoveTokens()
    expect(prompts.stack).toEqual([])
  })

  it('removes every token on request', async () => {
    const gone = () => new Response(null, { status: 204 })
    const asked = answer(Response.json([token, { ...token, id: 'b' }]), gone(), gone())
    const done = offerToRemoveTokens()
    await vi.waitUntil(() => prompts.stack.length > 0)
    prompts.stack[0]?.answer('remove')
    await done
    expect(asked.map(({ call }) => call).slice(1)).toEqual([
      'DELETE /api/tokens/abc123',
      'DELETE /api/tokens/b',
    ])
  })
})
