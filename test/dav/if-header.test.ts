import { describe, expect, it } from 'vitest'
import { holds, readIf, tokensIn } from '../../src/dav/if-header.ts'
import { readLockInfo, secondsOf } from '../../src/dav/lock-info.ts'
import { parseXml } from '../../src/dav/xml.ts'

describe('If', () => {
  it('is read with tags, tokens, entity tags and Not', () => {
    expect(readIf('(<urn:a> ["e"]) (Not <urn:b>)')).toEqual([
      {
        tag: null,
        conditions: [
          { isNot: false, token: 'urn:a' },
          { isNot: false, etag: '"e"' },
        ],
      },
      { tag: null, conditions: [{ isNot: true, token: 'urn:b' }] },
    ])
    const tagged = readIf('</dav/a> (<urn:a>)(["x)"]) <http://h/b> (not [W/"w"])')
    expect(tagged.map(({ tag }) => tag)).toEqual(['/dav/a', '/dav/a', 'http://h/b'])
    expect(tokensIn(tagged)).toEqual(['urn:a'])
  })

  it.each([
    '',
    '<a>',
    '()',
    '(<a>',
    '(a)',
    '(<a>) x',
    '(<a>) <b> (<c>)',
    `(${'<a>'.repeat(3_000)})`,
  ])('is refused as %s', (header) => {
    expect(() => readIf(header)).toThrow('If')
  })

  it('holds when all conditions of a list do', () => {
    const state = { tokens: new Set(['urn:a']), etag: '"e"' }
    const isTrue = (header: string) => readIf(header).some((list) => holds(list, state))
    for (const header of [
      '(<urn:a>)',
      '(["e"])',
      '(<urn:a> ["e"])',
      '(<urn:b>) (Not <urn:b>)',
      '(Not <DAV:no-lock>)',
    ])
      expect(isTrue(header), header).toBe(true)
    for (const header of [
      '(<urn:b>)',
      '(["x"])',
      '(<urn:a> ["x"])',
      '(Not <urn:a>)',
      '(<DAV:no-lock>)',
      '([W/"e"])',
    ])
      expect(isTrue(header), header).toBe(false)
  })
})

describe('a wanted lock', () => {
  const info = async (scope: string, more = '') =>
    readLockInfo(
      await parseXml(
        Buffer.from(
          `<lockinfo xmlns="DAV:"><lockscope><${scope}/></lockscope><locktype><write/></locktype>${more}</lockinfo>`,
        ),
      ),
    )

  it('is exclusive or shared, with what is said of its owner', async () => {
    expect(await info('shared', '<owner><href>x</href></owner>')).toEqual({
      isExclusive: false,
      ownerXml: '<D:owner><D:href>x</D:href></D:owner>',
    })
    await expect(info('other')).rejects.toThrow('exclusive or shared')
    await expect(info('shared', `<owner>${'x'.repeat(2_000)}</owner>`)).rejects.toThrow('too long')
  })

  it('lasts as long as the first time that is known, an hour at most', () => {
    expect(secondsOf('Second-600')).toBe(600)
    expect(secondsOf('Infinite, Second-4100000000')).toBe(3_600)
    expect(secondsOf('Extended, Second-5')).toBe(5)
    expect(secondsOf(undefined)).toBe(3_600)
  })
})
