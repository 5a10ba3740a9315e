import { defaultPermissions, defaultSettings, type User } from '../../src/store/document.ts'

/** The record of an account without a password, which are all alike; the first is an administrator. */
export function userOf(id: number, scope: string): User {
  const { defaults } = defaultSettings()
  const own = { id, username: `user${id}`, scope, password: '', lockPassword: false, rules: [] }
  return { ...defaults, ...own, perm: { ...defaultPermissions(), admin: id === 1 } }
}
