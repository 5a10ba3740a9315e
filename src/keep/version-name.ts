// The name of a version in the folder of its file: when it was replaced, by whom, and whether it stays.
import { rememberLast } from '../lib/memo.ts'

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
  const second = Math.floor(replacedAt / 1000)
  const ms = String(replacedAt - second * 1000).padStart(3, '0')
  return `${secondText(second)}${ms}Z-${userID ?? 'x'}`
}

// Many files are replaced within a second.
const secondText = rememberLast((second) =>
  new Date(second * 1000).toISOString().slice(0, 19).replace(/[-:]/g, ''),
)

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
