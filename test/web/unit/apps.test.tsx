import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import { boot } from '../../../web/lib/boot.ts'
import { dismissPrompts, prompts } from '../../../web/operations/prompts.ts'
import { MadeTokenPrompt } from '../../../web/prompts/tokens/made-token.tsx'
import { NewTokenPrompt } from '../../../web/prompts/tokens/new-token.tsx'
import { Apps } from '../../../web/settings/apps.tsx'
import { session } from '../../../web/state/session.ts'
import { render } from './render.tsx'

const FULL = { download: true, create: true, modify: true, rename: true, delete: true, share: true }
const ADDRESS = `${location.origin}/dav/`

const opening = (isOpen: boolean) => Object.assign(boot, { Dav: isOpen || undefined })
const buttonOf = (place: Element, label: string) =>
  [...place.querySelectorAll('button')].find(
    (button) => button.getAttribute('aria-label') === label || button.textContent === label,
  ) as HTMLButtonElement
const valuesOf = (place: Element) => [...place.querySelectorAll('input')].map(({ value }) => value)

function choose(place: Element, value: string) {
  const select = place.querySelector('select') as HTMLSelectElement
  return act(async () => {
    select.value = value
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })
}

beforeEach(() => {
  opening(true)
  session.user = {
    id: 1,
    username: "o'neil",
    perm: { ...FULL, admin: false },
  } as never as TokenUser
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await act(async () => {
    dismissPrompts()
    session.user = null
  })
  opening(false)
})

describe('Apps and devices', () => {
  it('is not there where WebDAV is closed', async () => {
    opening(false)
    expect((await render(<Apps onMade={() => {}} />)).textContent).toBe('')
  })

  it('tells the address, as text and as a code to scan', async () => {
    const place = await render(<Apps onMade={() => {}} />)
    expect(valuesOf(place)).toEqual([ADDRESS])
    expect(place.querySelector('.qr')).toBeNull()
    await act(async () => buttonOf(place, 'QR code').click())
    expect(place.querySelector('.qr')?.getAttribute('data-text')).toBe(ADDRESS)
  })

  it('tells for each app how to connect, with the address and the name where they are needed', async () => {
    const place = await render(<Apps onMade={() => {}} />)
    expect(place.textContent).toContain('Map network drive')
    await choose(place, 'macos')
    expect(place.textContent).toContain('Connect to Server')
    await choose(place, 'linux')
    expect(place.textContent).toContain(ADDRESS.replace('http', 'dav'))
    expect(place.textContent).toContain(ADDRESS.replace('http', 'webdav'))
    await choose(place, 'phone')
    expect(place.textContent).toContain('Material Files')
    for (const app of ['rclone', 'curl']) {
      await choose(place, app)
      const command = place.querySelector('code')?.textContent
      expect(command).toContain(`'${ADDRESS}'`)
      expect(command).toContain(`'o'\\''neil'`)
    }
  })

  it('asks for an app password, and tells that there is one', async () => {
    const onMade = vi.fn()
    const place = await render(<Apps onMade={onMade} />)
    await act(async () => buttonOf(place, 'New app password').click())
    expect(prompts.stack.map(({ kind }) => kind)).toEqual(['newToken'])
    expect(onMade).not.toHaveBeenCalled()
    await act(async () => prompts.stack[0]?.answer({ token: 'fbt.a.b' } as never))
    expect(onMade).toHaveBeenCalledOnce()
    expect(prompts.stack.map(({ kind }) => kind)).toEqual(['madeToken'])
  })
})

describe('an app password', () => {
  it('may do with files what its account may, or read them alone', async () => {
    const bodies: { perm: object }[] = []
    vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
      const body = JSON.parse(String(init.body ?? 'null'))
      if (body?.name) bodies.push(body)
      return body?.name ? Response.json({}) : Response.json({ confirmed: true, methods: [] })
    })
    const place = await render(<NewTokenPrompt isForApp answer={() => {}} />)
    const name = place.querySelector('input') as HTMLInputElement
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(name, 'Phone')
      name.dispatchEvent(new Event('input', { bubbles: true }))
    })
    const submit = () => act(async () => place.querySelector('form')?.requestSubmit())
    await submit()
    await act(async () => place.querySelector<HTMLInputElement>('input[type=checkbox]')?.click())
    await submit()
    const { share, ...ofApps } = FULL
    expect(bodies.map(({ perm }) => perm)).toEqual([ofApps, { download: true }])
  })

  it('is shown with all that an app asks for', async () => {
    const made = { name: 'Phone', token: 'fbt.a.b' } as never
    const place = await render(<MadeTokenPrompt made={made} isForApp answer={() => {}} />)
    expect(place.textContent).toContain('App password “Phone” is ready')
    expect(valuesOf(place)).toEqual([ADDRESS, "o'neil", 'fbt.a.b'])
  })
})
