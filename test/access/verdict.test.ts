import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldName } from '../../src/access/rules.ts'
import { compileFolders, type Rights, rightsIn, withChanges } from '../../src/access/verdict.ts'
import type { GrantRecord } from '../../src/access-types.ts'
import type { Permissions, Verb } from '../../src/api-types.ts'
import { type PlaceText, parsePlace } from '../../src/lib/places.ts'
import { BITS, VERBS } from '../../src/lib/verbs.ts'
import { ROOT, type VPath } from '../../src/lib/vpath.ts'
import { defaultPermissions } from '../../src/store/document.ts'

const place = (text: string): PlaceText => parsePlace(text) ?? expect.unreachable(text)

/** Records as `place: who +verb -verb, who …`. */
function records(lines: readonly string[]) {
  return lines.map((line) => {
    const [where = '', said = ''] = line.split(/: (.*)/)
    const grants = said.split(', ').map((one): GrantRecord => {
      const [who = '', ...words] = one.split(' ')
      return { who, ...Object.fromEntries(words.map((w) => [w.slice(1), w.startsWith('+')])) }
    })
    return { place: place(where), as: '', quota: null, grants }
  })
}

interface Given {
  groups?: number[]
  perm?: Partial<Permissions>
  atMost?: Permissions
  fold?: boolean
}

/** What the records say to account 1. */
function rights(lines: readonly string[], { groups = [], perm = {}, fold, atMost }: Given = {}) {
  const tree = compileFolders(records(lines), fold ? foldName : (text) => text)
  return rightsIn(tree, { id: 1, groups, perm: { ...defaultPermissions(), ...perm }, atMost })
}

function may(found: Rights | null, where: string, verb: Verb | 'pass'): boolean {
  return ((found?.below(place(where))(ROOT) ?? 0) & BITS[verb]) !== 0
}

describe('the verdict', () => {
  it('is none where no record speaks of the account, its groups or everyone', () => {
    expect(rights(['/a: user:2 -see, group:7 -see'], { groups: [8] })).toBeNull()
  })

  it('is that of the nearest folder that says something', () => {
    const found = rights(['/: user:1 -modify', '/a/b: user:1 +modify', '/a/b/c: user:1 -delete'])
    expect(may(found, '/a', 'modify')).toBe(false)
    expect(may(found, '/a/b', 'modify')).toBe(true)
    expect(may(found, '/a/b/c/d', 'modify')).toBe(true)
    expect(may(found, '/a/bc', 'modify')).toBe(false)
  })

  it('lets the word for the account count before those for groups, however far it is', () => {
    const found = rights(['/: user:1 -create', '/a: group:2 +create, everyone +create'], {
      groups: [2],
    })
    expect(may(found, '/a', 'create')).toBe(false)
  })

  it('takes the generous one of two groups, each by its own nearest folder', () => {
    const found = rights(['/: group:2 +create', '/a: group:3 -create', '/a/b: group:2 -create'], {
      groups: [2, 3],
    })
    expect(may(found, '/a', 'create')).toBe(true)
    expect(may(found, '/a/b', 'create')).toBe(false)
  })

  it('is the word for everyone before the permissions, and these at the end', () => {
    const found = rights(['/a: everyone +create -delete'], { perm: { create: false } })
    expect(may(found, '/a', 'create')).toBe(true)
    expect(may(found, '/a', 'delete')).toBe(false)
    expect(may(found, '/b', 'create')).toBe(false)
    expect(may(found, '/b', 'delete')).toBe(true)
  })

  it('allows nothing to who does not see', () => {
    const found = rights(['/a: everyone -see +create', '/a: user:1 +create'])
    for (const verb of VERBS) expect(may(found, '/a/x', verb)).toBe(false)
  })

  it('is bounded by what a token allows', () => {
    const atMost = { ...defaultPermissions(), delete: false }
    const found = rights(['/a: user:1 +delete'], { atMost, perm: { delete: false } })
    expect(may(found, '/a', 'delete')).toBe(false)
    expect((found?.anywhere ?? 0) & BITS.delete).toBe(0)
  })

  it('lets one go through folders on the way to what is seen, and no others', () => {
    const found = rights(['/: everyone -see', '/a/b/c: user:1 +see', '/x/y: user:2 +see'])
    const ways = ['/', '/a', '/a/b'].map((at) => [may(found, at, 'pass'), may(found, at, 'see')])
    expect(ways).toEqual(Array(3).fill([true, false]))
    expect(may(found, '/a/b/c/d', 'pass')).toBe(true)
    for (const at of ['/x', '/a/b/d', '/a/c']) expect(may(found, at, 'pass')).toBe(false)
  })

  it('shows no way to what is hidden after all', () => {
    const found = rights(['/: user:1 -see', '/a/b: everyone +see'])
    expect(may(found, '/a', 'pass')).toBe(false)
  })

  it('keeps roots apart', () => {
    const found = rights(['photos:/: everyone -delete'])
    expect(may(found, 'photos:/2024', 'delete')).toBe(false)
    expect(may(found, '/photos:', 'delete')).toBe(true)
  })

  it('takes the no where a disk without case holds two spellings for one name', () => {
    const found = rights(['/A: user:1 -see', '/a: user:1 +see'], { fold: true })
    expect(may(found, '/a', 'see')).toBe(false)
  })

  it('tells where all below is alike', () => {
    const found = rights(['/a/b: everyone -delete'])
    const differ = ['/', '/a', '/a/b', '/c'].filter((at) => found?.differsBelow(place(at)))
    expect(differ).toEqual(['/', '/a'])
  })

  it('knows the record that speaks to the account', () => {
    const found = rights(['/a: everyone -delete', '/a/b: user:2 -see'])
    expect(found?.recordOf(place('/a/b/c'))).toBe('/a')
    expect(found?.recordOf(place('/b'))).toBeNull()
  })

  it('names what decided', () => {
    const found = rights(['/: everyone -see', '/a: group:2 +see -delete', '/a/b: user:1 +modify'], {
      groups: [2],
    })
    const by = (at: string, verb: Verb) => found?.explain(place(at), verb).by
    expect(by('/a/b', 'modify')).toEqual({ kind: 'account', place: '/a/b' })
    expect(by('/a/b', 'delete')).toEqual({ kind: 'group', place: '/a', groupID: 2 })
    expect(by('/', 'see')).toEqual({ kind: 'everyone', place: '/' })
    expect(by('/x', 'share')).toEqual({ kind: 'see' })
    expect(by('/a', 'share')).toEqual({ kind: 'permission' })
  })

  it('explains what it allows, at any path, asked in any order', () => {
    const random = numbers()
    const paths = ['/', '/a', '/a/b', '/a/b/c', '/a/c', '/b', '/b/a/b', '/c/c/c']
    const who = ['user:1', 'user:2', 'group:2', 'group:3', 'everyone']
    for (let round = 0; round < 300; round++) {
      const lines = paths
        .filter(() => random() < 0.5)
        .map((at) => {
          const said = () =>
            VERBS.filter(() => random() < 0.3).map((v) => (random() < 0.5 ? '+' : '-') + v)
          return `${at}: ${
            who
              .filter(() => random() < 0.5)
              .map((name) => [name, ...said()].join(' '))
              .join(', ') || 'everyone +see'
          }`
        })
      const perm = { delete: random() < 0.5, create: random() < 0.5 }
      const found = rights(lines, { groups: [2, 3], perm })
      if (!found) continue
      const read = found.below(place('/'))
      for (let i = 0; i < 40; i++) {
        const at = paths[Math.floor(random() * paths.length)] as VPath
        const verb = VERBS[Math.floor(random() * VERBS.length)] as Verb
        const allowed = (read(at) & BITS[verb]) !== 0
        expect({ lines, at, verb, allowed }).toEqual({
          lines,
          at,
          verb,
          allowed: found.explain(place(at), verb).allowed,
        })
      }
    }
  })
})

/** The same numbers at each run. */
function numbers(): () => number {
  let state = 13
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}

it.each([
  ['exact', (text: string) => text],
  ['folded', foldName],
])('a change of records leads to what all of them say when they are read anew, %s', (_, spell) => {
  const places = ['/', '/a', '/A', '/a/b', '/a/b/c', '/b', 'x:/', 'x:/a/b']
  const said = fc.record({ see: fc.boolean(), create: fc.boolean() }, { requiredKeys: [] })
  const line = fc.record({
    place: fc.constantFrom(...places.map(place)),
    as: fc.constantFrom('', 'top'),
    quota: fc.constant(null),
    grants: fc.uniqueArray(
      fc
        .record({ who: fc.constantFrom('user:1', 'group:1', 'everyone'), said })
        .map(({ who, said }) => ({ who, ...said })),
      { selector: ({ who }) => who },
    ),
  })
  const list = fc
    .uniqueArray(line, { selector: ({ place }) => place })
    .map((lines) => lines.map((one) => ({ ...one, as: one.as && `${one.as} ${one.place}` })))
  // Neighbours in the list stay, others go, come or are replaced.
  const steps = fc.array(fc.record({ at: fc.nat(6), gone: fc.nat(2), come: list }), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(list, steps, (first, changes) => {
      let before = first
      let tree = compileFolders(before, spell)
      for (const { at, gone, come } of changes) {
        const stay = before.filter((_, i) => i < at || i >= at + gone)
        const added = come.filter((one) => stay.every((other) => other.place !== one.place))
        const now = [...stay.slice(0, at), ...added, ...stay.slice(at)]
        tree = withChanges(tree, before, now)
        before = now
        const asker = { id: 1, groups: [1], perm: defaultPermissions() }
        const [patched, fresh] = [tree, compileFolders(now, spell)].map((one) => {
          const found = rightsIn(one, asker)
          return (
            found && [
              found.anywhere,
              [...found.tops()].sort(),
              ...[...places, '/a/x', '/a/b/c/d', 'x:/a'].flatMap((text) => {
                const read = found.below(place(text))
                return [
                  ...['/', '/a', '/b', '/b/c', '/c'].map((path) => read(path as VPath)),
                  spell(found.recordOf(place(text)) ?? ''),
                  found.differsBelow(place(text)),
                  found.explain(place(text), 'create').allowed,
                ]
              }),
            ]
          )
        })
        expect(patched).toEqual(fresh)
      }
    }),
  )
})
