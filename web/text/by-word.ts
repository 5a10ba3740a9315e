/** Lists of words separated by spaces, turned round: each word leads to the name of its list. */
export function byWord<Name extends string>(
  lists: Partial<Record<Name, string>>,
): ReadonlyMap<string, Name> {
  const entries = Object.entries(lists) as [Name, string][]
  return new Map(entries.flatMap(([name, list]) => list.split(' ').map((word) => [word, name])))
}
