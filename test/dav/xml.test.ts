import { describe, expect, it } from 'vitest'
import { hrefOf } from '../../src/dav/multistatus.ts'
import { readPropfind } from '../../src/dav/propfind.ts'
import { createXmlReader, escapeXml, parseXml, writeElement } from '../../src/dav/xml.ts'

const parse = (text: string) => parseXml(Buffer.from(text))

describe('a body', () => {
  it('is read with its namespaces', async () => {
    const root = await parse(
      '<propfind xmlns="DAV:"><prop><x:a xmlns:x="urn:x"/><b xmlns=""/></prop></propfind>',
    )
    expect(readPropfind(root)).toEqual({
      kind: 'some',
      names: [
        { ns: 'urn:x', local: 'a' },
        { ns: '', local: 'b' },
      ],
    })
  })

  it.each([
    ['is not closed', '<a>'],
    ['binds a prefix to nothing', '<a xmlns:b=""><b:c/></a>'],
    ['has a prefix that is not bound', '<b:a/>'],
    ['has text behind its root', '<a/>text'],
    ['has an attribute twice', '<a b="1" b="2"/>'],
    ['has a DOCTYPE', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['has an entity that nobody has defined', '<a>&b;</a>'],
    ['is 25 levels deep', '<a>'.repeat(25) + '</a>'.repeat(25)],
    ['is very deep', '<a>'.repeat(30_000)],
    ['has 65 attributes', `<a ${Array.from({ length: 65 }, (_, i) => `b${i}="1"`).join(' ')}/>`],
    ['is nothing', ' '],
    ['is no text', '\u0000'],
  ])('is refused when it %s', async (_, text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'bad_request' })
  })

  it('may be UTF-16, and is refused when it is not what it says', async () => {
    const text = '\ufeff<?xml version="1.0" encoding="utf-16"?><a>é</a>'
    expect((await parseXml(Buffer.from(text, 'utf16le'))).children).toEqual(['é'])
    await expect(parseXml(Buffer.from([0x3c, 0x61, 0x3e, 0xff]))).rejects.toThrow('decoded')
  })

  it('asks for one thing', async () => {
    const ask = async (inner: string) =>
      readPropfind(await parse(`<propfind xmlns="DAV:">${inner}</propfind>`))
    expect(readPropfind(null)).toEqual({ kind: 'all', also: [] })
    expect(await ask('<propname/>')).toEqual({ kind: 'names' })
    expect(await ask('<allprop/><include><x/></include>')).toEqual({
      kind: 'all',
      also: [{ ns: 'DAV:', local: 'x' }],
    })
    await expect(ask('')).rejects.toThrow('expected')
    await expect(ask('<allprop/><propname/>')).rejects.toThrow('expected')
    await expect(ask(`<prop>${'<a/>'.repeat(501)}</prop>`)).rejects.toThrow('more than 500')
  })
})

it('text is escaped, and what XML cannot hold is replaced', () => {
  expect(escapeXml(`a<b>&"']]>\r\u0001\ud800`)).toBe(
    `a&lt;b&gt;&amp;&quot;']]&gt;&#13;\ufffd\ufffd`,
  )
})

it('an element of another namespace declares it, one of none says so', () => {
  expect(writeElement({ ns: 'urn:a"b', local: 'c' }, '1')).toBe(
    '<x:c xmlns:x="urn:a&quot;b">1</x:c>',
  )
  expect(writeElement({ ns: '', local: 'c' })).toBe('<c xmlns=""/>')
})

it('an address is encoded part by part', () => {
  expect(hrefOf('/dav', '/', true)).toBe('/dav/')
  expect(hrefOf('/b/dav', '/a b/#%&+é', false)).toBe('/b/dav/a%20b/%23%25%26%2B%C3%A9')
})

it('short bodies that come again are known, and others are read for themselves', async () => {
  const read = createXmlReader()
  const text = (name: string, length = 0) => Buffer.from(`<${name}>${'x'.repeat(length)}</${name}>`)
  const first = await read(text('a'))
  expect(first.local).toBe('a')
  expect(await read(text('a'))).toBe(first)
  expect((await read(text('b'))).local).toBe('b')
  const long = await read(text('a', 2_000))
  expect(await read(text('a', 2_000))).not.toBe(long)
  await expect(read(Buffer.from('<a>'))).rejects.toThrow('XML')
  await expect(read(Buffer.from('<a>'))).rejects.toThrow('XML')
})
