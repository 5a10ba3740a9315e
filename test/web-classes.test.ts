// What stands in for the classes of fetch inside the bundle does as Node's own do.
import { describe, expect, it } from 'vitest'
import * as own from '../src/web-classes.ts'

const KINDS = [
  { kind: 'ours', Headers: own.Headers, Response: own.Response },
  { kind: "Node's", Headers: globalThis.Headers, Response: globalThis.Response },
] as const

describe.each(KINDS)('$kind', ({ Headers, Response }) => {
  it('headers know no case, are joined and sorted, cookies apart', () => {
    const headers = new Headers({ 'X-B': ' two ', 'Content-Type': 'text/plain' })
    headers.append('x-b', 'three')
    headers.append('Set-Cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    expect([...headers]).toEqual([
      ['content-type', 'text/plain'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-b', 'two, three'],
    ])
    expect(headers.get('X-B')).toBe('two, three')
    expect(headers.get('none')).toBeNull()
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    headers.set('x-b', 'one')
    headers.delete('CONTENT-TYPE')
    expect(headers.has('content-type')).toBe(false)
    const seen: string[] = []
    headers.forEach((value: string, name: string) => {
      seen.push(`${name}=${value}`)
    })
    expect(seen).toEqual(['set-cookie=a=1', 'set-cookie=b=2', 'x-b=one'])
    expect([...headers.keys()]).toEqual(['set-cookie', 'set-cookie', 'x-b'])
    expect([...new Headers(headers as never).values()]).toEqual(['a=1', 'b=2', 'one'])
    expect([...new Headers([['q', 'r']])]).toEqual([['q', 'r']])
  })

  it.each(['bad name', '', 'x\n'])('%j is no name', (name) => {
    expect(() => new Headers().append(name, 'x')).toThrow(TypeError)
  })

  it.each(['a\nb', 'a\0', 'ü€'])('%j is no value', (value) => {
    expect(() => new Headers().set('x', value)).toThrow(TypeError)
  })

  it('answers have status, headers and a body that is read once', async () => {
    const text = new Response('grüße', { status: 404, headers: { 'X-A': 'b' } })
    expect([text.status, text.ok, text.headers.get('x-a')]).toEqual([404, false, 'b'])
    expect(text.headers.get('content-type')).toBe('text/plain;charset=UTF-8')
    expect(await text.text()).toBe('grüße')
    const bytes = new Response(new Uint8Array([1, 2, 3]))
    expect(bytes.headers.get('content-type')).toBeNull()
    expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    expect(await new Response('{"a":1}').json()).toEqual({ a: 1 })
    expect(new Response(null).body).toBeNull()
    const streamed = new Response(
      new Response('one').body as never,
      new Response(null, { status: 201 }) as never,
    )
    expect([streamed.status, await streamed.text()]).toEqual([201, 'one'])
    expect(() => new Response(null, { status: 99 })).toThrow(RangeError)
  })
})

it('either knows the other', () => {
  expect(new Response('') instanceof own.Response).toBe(true)
  expect(new own.Response('') instanceof own.Response).toBe(true)
  expect(new Headers() instanceof own.Headers).toBe(true)
  expect({} instanceof own.Response).toBe(false)
  expect([...new Headers(new own.Headers({ a: 'b' }) as never)]).toEqual([['a', 'b']])
})

it("requests are Node's own, also those of a class made from ours", async () => {
  class Special extends (own.Request as typeof Request) {
    own = true
  }
  const request = new Special('http://example.org/a', { method: 'POST', body: 'x' })
  expect([request.url, request.method, request.own]).toEqual(['http://example.org/a', 'POST', true])
  expect(await request.text()).toBe('x')
  expect(request instanceof own.Request).toBe(true)
})
