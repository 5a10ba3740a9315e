// Where providers say which groups somebody is in.
import { describe, expect, it } from 'vitest'
import { groupsAt, hasTooManyGroups } from '../../src/auth/oidc/claims.ts'
import { isFrom, type OidcOptions } from '../../src/auth/oidc/options.ts'

describe('groups', () => {
  it.each<[string, object, string, string[] | null]>([
    ['a list', { groups: ['a', 'b', 3] }, 'groups', ['a', 'b']],
    ['one name', { groups: 'a b' }, 'groups', ['a b']],
    ['below a path (Keycloak)', { realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [
      'below a client whose name has a dot',
      { resource_access: { 'my.app': { roles: ['a'] } } },
      'resource_access.my.app.roles',
      ['a'],
    ],
    ['under an address (Auth0)', { 'https://x.example/g': ['a'] }, 'https://x.example/g', ['a']],
    ['keys of an object (Zitadel)', { 'urn:roles': { a: { 1: 'x' } } }, 'urn:roles', ['a']],
    ['nothing', {}, 'groups', null],
    ['what every object has', {}, 'constructor.name', null],
  ])('are read from %s', (_, claims, name, groups) => {
    expect(groupsAt(claims as Record<string, unknown>, name)).toEqual(groups)
  })

  it('are known to be left out where there are too many (Entra)', () => {
    expect(hasTooManyGroups({ _claim_names: { groups: 'src1' } }, 'groups')).toBe(true)
    expect(hasTooManyGroups({ groups: [] }, 'groups')).toBe(false)
  })
})

it('an issuer is the same with and without the slash of its root', () => {
  const options = { issuer: 'https://id.example.org/' } as OidcOptions
  expect(isFrom(options, { issuer: 'https://id.example.org' })).toBe(true)
  expect(isFrom(options, { issuer: 'https://id.example.org/realms/x' })).toBe(false)
})
