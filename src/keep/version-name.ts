// The name of a version in the folder of its file: when it was replaced, by whom, and whether it stays.

/** What the name tells. */
export interface VersionName {
  /** The name but for the mark. */
  id: string
  replacedAt: number
  /** Id of the account that replaced it; null for nobody's. */
  userID: number | null
  isKept: boolean
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(\d{1,15}|x)(-keep)?$/

/** The id of a version that was replaced at this time. */
export function versionID(replacedAt: number, userID: number | null): string {
  const iso = new Date(replacedAt).toISOString()
  // A version is made at each save, and a regular expression took a third as long as the link itself.
  const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 11)
  const time = iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19) + iso.slice(20)
  return `${day}${time}-${userID ?? 'x'}`
}

/** The name of a version by its id. */
export function nameOfVersion(id: string, isKept: boolean): string {
  return isKept ? `${id}-keep` : id
}

/** Reads a name; null for what is no version. */
export function parseVersionName(name: string): VersionName | null {
  const [, year, month, day, hour, minute, second, ms, account, mark] = NAME.exec(name) ?? []
  if (year === undefined) return null
  const replacedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  if (Number.isNaN(replacedAt)) return null
  const isKept = mark !== undefined
  return {
    id: isKept ? name.slice(0, -'-keep'.length) : name,
    replacedAt,
    userID: account === 'x' ? null : Number(account),
    isKept,
  }
}
