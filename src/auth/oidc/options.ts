// What the operator has said about the provider.
import type { Config } from '../../config/config.ts'
import type { ExternalRules } from '../external/admit.ts'

export interface OidcOptions {
  issuer: string
  clientId: string
  /** Empty for a public client, or where it stands in a file. */
  clientSecret: string
  /** Absolute, or empty. */
  clientSecretFile: string
  scopes: string
  label: string
  usernameClaim: string
  groupsClaim: string
  /** A session opened there lasts no longer. */
  sessionMaxMs: number
  /** Goes there without a click. */
  auto: boolean
  rules: ExternalRules
}

/** True for an identity or a session from there, whether or not the issuer was given with its last slash. */
export function isFrom({ issuer }: OidcOptions, other: { issuer: string }): boolean {
  return URL.parse(issuer)?.href === URL.parse(other.issuer)?.href
}

/** Null where no provider is configured. */
export function oidcOptionsOf(config: Config): OidcOptions | null {
  const issuer = config['oidc.issuer']
  const clientId = config['oidc.clientId']
  if (issuer === '' || clientId === '') return null
  const sessionMaxMs = config['oidc.sessionMax']
  return {
    issuer,
    clientId,
    clientSecret: config['oidc.clientSecret'],
    clientSecretFile: config['oidc.clientSecretFile'],
    scopes: config['oidc.scopes'],
    label: config['oidc.label'] || new URL(issuer).host,
    usernameClaim: config['oidc.usernameClaim'],
    groupsClaim: config['oidc.groupsClaim'],
    sessionMaxMs,
    auto: config['oidc.auto'],
    rules: {
      create: config['oidc.create'],
      linkByName: config['oidc.linkByName'],
      allowedGroups: config['oidc.allowedGroups'],
      adminGroup: config['oidc.adminGroup'],
      adminLifeMs: sessionMaxMs,
    },
  }
}
