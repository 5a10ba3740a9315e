// Entries told one after the other in the same answer: what the first of them has says nothing of the next.
import { describe, expect, it } from 'vitest'
import type { EntryFacts } from '../../src/dav/live.ts'
import { describeAs } from '../../src/dav/multistatus.ts'

const DAV = 'DAV:'
const file: EntryFacts = {
  name: 'a&b',
  isFolder: false,
  sizeBytes: 3,
  mtimeMs: 1_700_000_000_999,
  etag: '"ab1"',
  contentType: 'text/plain',
  mode: 0o644,
  may: () => true,
  room: null,
  locks: '',
}
const folder: EntryFacts = { ...file, name: 'c', isFolder: true, sizeBytes: 0 }

describe('entries of one answer', () => {
  it('have properties of files, or of folders, in whatever order they come', () => {
    const tell = describeAs({ kind: 'all', also: [] })
    const told = [folder, file, { ...file, mtimeMs: -1, sizeBytes: 4 }].map((one) =>
      tell('/x', one),
    )
    expect(told[0]).toContain('<D:resourcetype><D:collection/></D:resourcetype>')
    expect(told[0]).not.toMatch(/getcontentlength|getetag|getcontenttype| 404 /)
    expect(told[1]).toContain('<D:resourcetype/><D:displayname>a&amp;b</D:displayname>')
    expect(told[1]).toContain(
      '<D:getlastmodified>Tue, 14 Nov 2023 22:13:20 GMT</D:getlastmodified>',
    )
    expect(told[1]).toContain('<D:getetag>&quot;ab1&quot;</D:getetag>')
    expect(told[2]).toContain('<D:getcontentlength>4</D:getcontentlength>')
    expect(told[2]).toContain(
      '<D:getlastmodified>Wed, 31 Dec 1969 23:59:59 GMT</D:getlastmodified>',
    )
  })

  it('have locks, room and what clients set as each of them has it', () => {
    const names = ['lockdiscovery', 'quota-used-bytes'].map((local) => ({ ns: DAV, local }))
    const tell = describeAs({ kind: 'some', names: [...names, { ns: 'urn:a', local: 'mark' }] })
    const bare = tell('/c', folder)
    expect(bare).toContain('<D:prop><D:lockdiscovery/></D:prop><D:status>HTTP/1.1 200 OK')
    expect(bare).toContain('<D:quota-used-bytes/></D:prop><D:status>HTTP/1.1 404 Not Found')
    const room = { available: 1, used: 2 }
    const noted = new Map([['{urn:a}mark', '<x/>']])
    const full = tell('/c', { ...folder, locks: '<L/>', room }, noted)
    expect(full).toContain('<D:lockdiscovery><L/></D:lockdiscovery>')
    expect(full).toContain('<D:quota-used-bytes>2</D:quota-used-bytes>')
    expect(tell('/c', { ...folder, room })).toContain('<D:quota-used-bytes>2</D:quota-used-bytes>')
    expect(tell('/c', folder)).toBe(bare)
  })

  it('that have nothing of what was asked for say so', () => {
    const tell = describeAs({ kind: 'some', names: [{ ns: DAV, local: 'getcontentlength' }] })
    expect(tell('/c', folder)).not.toContain('200 OK')
    expect(tell('/x', file)).not.toContain('404')
  })
})
