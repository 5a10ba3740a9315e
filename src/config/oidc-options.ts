// Signing in at a provider (OpenID Connect): the entries of the table of options.
import { BlockList, isIP } from 'node:net'
import { LOOPBACK_BLOCKS, PRIVATE_BLOCKS } from '../lib/address-blocks.ts'
import { onOff, parsed, text } from './option.ts'
import { parseCsvLine, parsePositiveDuration } from './option-values.ts'

/** https, or http where nobody else can listen; nothing behind the path, as in the provider's tokens. */
function parseIssuer(given: string): string {
  if (given === '') return ''
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(given))
    throw new Error('expected an address such as https://id.example.org/realms/home')
  if (url.protocol === 'http:' && !isNear(url.hostname))
    throw new Error('http is for this machine and private addresses: expected https')
  return given
}

function isNear(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  const family = { 4: 'ipv4', 6: 'ipv6' }[isIP(name)] as 'ipv4' | 'ipv6' | undefined
  if (family !== undefined) {
    const near = new BlockList()
    for (const block of [...LOOPBACK_BLOCKS, ...PRIVATE_BLOCKS]) {
      const [address = '', bits] = block.split('/')
      near.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
    }
    return near.check(name, family)
  }
  return name === 'localhost' || name.endsWith('.localhost')
}

function parseNames(given: string): string[] {
  return parseCsvLine(given).flatMap((name) => name.trim() || [])
}

export const OIDC_OPTIONS = {
  passwordLogin: onOff(
    'Show the form for name and password beside a provider; without it only at /login?local',
    { default: 'true', ours: true },
  ),
  'oidc.issuer': parsed(
    'URL',
    parseIssuer,
    '',
    'Provider to sign in at (OpenID Connect), as it names itself; http on private addresses alone',
    { ours: true },
  ),
  'oidc.clientId': text('ID', 'Name of this server at the provider', { ours: true }),
  'oidc.clientSecret': text('SECRET', 'Its secret there; empty for a public client', {
    ours: true,
    secret: true,
  }),
  'oidc.clientSecretFile': text('FILE', 'File that holds the secret, instead', { ours: true }),
  'oidc.scopes': text('NAMES', 'What is asked for, separated by blanks', {
    default: 'openid profile email',
    ours: true,
  }),
  'oidc.label': text('TEXT', 'Name of the provider on the login page; empty for its host', {
    ours: true,
  }),
  'oidc.usernameClaim': text('CLAIM', 'Claim that names a new account', {
    default: 'preferred_username',
    ours: true,
  }),
  'oidc.groupsClaim': text('CLAIM', 'Claim with the groups: its name, or a path such as a.b.c', {
    default: 'groups',
    ours: true,
  }),
  'oidc.allowedGroups': parsed(
    'NAMES',
    parseNames,
    '',
    'Groups that may come in, * for everybody; empty for accounts that are there already',
    { ours: true },
  ),
  'oidc.adminGroup': text('NAME', 'Group that administrates', { ours: true }),
  'oidc.create': onOff('Make an account for whoever is allowed in and has none', { ours: true }),
  'oidc.linkByName': onOff(
    'Open the account of the same name, but no administrator’s; only where people cannot choose their names',
    { ours: true },
  ),
  'oidc.auto': onOff('Go to the provider without a click', { ours: true }),
  'oidc.sessionMax': parsed(
    'DURATION',
    parsePositiveDuration,
    '24h',
    'A session of the provider’s people ends this long after sign-in',
    { ours: true },
  ),
}
