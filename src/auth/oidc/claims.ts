// What providers say of people, in the many places where they say it.

export type Claims = Readonly<Record<string, unknown>>

/**
 * The claim of that name, else the one at that path: Keycloak has `realm_access.roles`, while the names of
 * Auth0 and Zitadel are addresses that hold dots themselves. Undefined when there is none.
 */
export function claimAt(claims: unknown, name: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined
  const record = claims as Record<string, unknown>
  if (Object.hasOwn(record, name)) return record[name]
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot)
    const inner = Object.hasOwn(record, head)
      ? claimAt(record[head], name.slice(dot + 1))
      : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Names of groups: a list, one name, or the keys of an object (Zitadel). Null where none are said. */
export function groupsAt(claims: Claims, name: string): string[] | null {
  const found = claimAt(claims, name)
  if (typeof found === 'string') return [found]
  if (Array.isArray(found)) return found.filter((group) => typeof group === 'string')
  if (typeof found === 'object' && found !== null) return Object.keys(found)
  return null
}

/** Cause of a refusal that the person can be told of. */
export const TOO_MANY_GROUPS = 'too many groups'

/** True where Entra leaves the groups out because there are more than 200. */
export function hasTooManyGroups(claims: Claims, name: string): boolean {
  return claimAt(claims._claim_names, name) !== undefined
}
