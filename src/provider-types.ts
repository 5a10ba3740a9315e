// What travels of the provider (docs/http-api.md 29): types only.

/** `GET /api/oidc`: what an administrator sees of the provider. */
export interface ProviderRecord {
  issuer: string
  label: string
  /** To enter at the provider. */
  redirectURI: string
  /** Where it tells of people who have signed out there. */
  logoutURI: string
  /** Where it sends them after signing out. */
  afterLogoutURI: string
  /** Why it cannot be asked; empty when it can. */
  problem: string
}

/** `GET /api/oidc/identity`: who one is at the provider. */
export interface OwnIdentityRecord {
  label: string
  /** The name there; null when the account is not connected. */
  username: string | null
  /** False for an account that only the provider opens. */
  hasPassword: boolean
}

/** Where an account comes from, as administrators see it. */
export interface AccountIdentityRecord {
  userID: number
  from: 'directory' | 'provider'
  /** A group there makes it an administrator for now. */
  admin: boolean
}
