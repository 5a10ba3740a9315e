// Options of sign-in by a directory (LDAP), and what they have to fulfil together.
import { badRequest } from '../lib/errors.ts'
import { inGroup, onOff, parsed, text } from './option.ts'
import { parseCsvLine, parsePositiveDuration } from './option-values.ts'

export const LDAP_OPTIONS = inGroup('Directory (LDAP)', {
  'ldap.url': parsed(
    'URL',
    parseDirectoryUrl,
    '',
    'Directory that people sign in by: ldaps://host or ldap://host; empty for none',
    { ours: true },
  ),
  'ldap.startTLS': onOff('Encrypt the connection to an ldap:// address before anything is sent', {
    ours: true,
  }),
  'ldap.ca': text(
    'FILE',
    'Certificate authority of the directory (PEM); without it the well-known ones',
    {
      ours: true,
    },
  ),
  'ldap.plaintext': onOff(
    'Send passwords unencrypted to a directory that is neither on this machine nor at a private address',
    { ours: true },
  ),
  'ldap.bindDN': text('DN', 'Account that searches the directory; empty searches anonymously', {
    ours: true,
  }),
  'ldap.bindPassword': text('PASSWORD', 'Password of that account', { ours: true, secret: true }),
  'ldap.bindPasswordFile': text('FILE', 'File that holds that password', { ours: true }),
  'ldap.base': text('DN', 'Where people and groups are searched: dc=example,dc=org', {
    ours: true,
  }),
  'ldap.filter': parsed(
    'FILTER',
    parseFilterTemplate,
    '(|(uid={username})(sAMAccountName={username}))',
    'Finds the entry of whoever signs in; {username} stands for the name as typed',
    { ours: true },
  ),
  'ldap.nameAttribute': parsed(
    'NAMES',
    parseAttributes,
    'sAMAccountName,uid',
    'Attribute that gives an account its name; of several the first that an entry has',
    { ours: true },
  ),
  'ldap.groupAttribute': parsed(
    'NAME',
    parseAttribute,
    'memberOf',
    'Attribute that names the groups of an entry; where it is empty groups are searched',
    { ours: true },
  ),
  'ldap.create': onOff('Make an account for people of allowedGroups who have none', { ours: true }),
  'ldap.linkByName': onOff(
    'Hand an account that is there already to the person of that name in the directory, but no administrator',
    { ours: true },
  ),
  'ldap.allowedGroups': parsed(
    'LIST',
    parseGroups,
    '',
    'Groups whose people may sign in, by name or DN; * for everybody',
    { ours: true },
  ),
  'ldap.adminGroup': text('GROUP', 'Group whose people administrate, by name or DN', {
    ours: true,
  }),
  'ldap.sessionMax': parsed(
    'DURATION',
    parsePositiveDuration,
    '24h',
    'A session of people of the directory, and what its groups give, ends this long after sign-in',
    { ours: true },
  ),
})

type LdapKey = keyof typeof LDAP_OPTIONS
type LdapOption<K extends LdapKey> = ReturnType<(typeof LDAP_OPTIONS)[K]['parse']>

/** How a directory is reached and read. */
export type LdapConfig = { readonly [K in LdapKey]: LdapOption<K> }

/** Throws `bad_request` for options that make no sense together. */
export function checkDirectory(options: LdapConfig): void {
  if (options['ldap.url'] === '') return
  if (options['ldap.base'].trim() === '')
    throw badRequest(
      'ldap.url needs ldap.base: where people are searched, such as dc=example,dc=org',
    )
  if (options['ldap.startTLS'] && options['ldap.url'].startsWith('ldaps:'))
    throw badRequest('ldap.startTLS is for ldap:// addresses; ldaps:// is encrypted from the start')
  const secrets = [options['ldap.bindPassword'], options['ldap.bindPasswordFile']]
  const given = secrets.filter((value) => value !== '').length
  if (given === 2) throw badRequest('set ldap.bindPassword or ldap.bindPasswordFile, not both')
  if ((options['ldap.bindDN'] !== '') !== (given === 1))
    throw badRequest('ldap.bindDN and ldap.bindPassword (or ldap.bindPasswordFile) belong together')
}

function parseDirectoryUrl(value: string): string {
  if (value === '') return ''
  const [, scheme, host] =
    /^(ldaps?):\/\/(\[[\da-f:.]+\]|[^\s/?#@:[\]]+)(:\d{1,5})?\/?$/i.exec(value) ?? []
  if (!scheme || !host || !URL.canParse(value))
    throw new Error(
      'expected ldaps://host or ldap://host, with a port where it is not the usual one',
    )
  return value.replace(/\/$/, '')
}

/** Far above every filter somebody writes. */
const MAX_FILTER_LENGTH = 2_000

function parseFilterTemplate(value: string): string {
  const isOpen = value.split('(').length === value.split(')').length
  if (!value.startsWith('(') || !value.endsWith(')') || !isOpen)
    throw new Error('expected a filter in parentheses, such as (uid={username})')
  if (!value.includes('{username}')) throw new Error('{username} is missing')
  if (value.length > MAX_FILTER_LENGTH) throw new Error('the filter is too long')
  return value
}

function parseAttribute(value: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(value)) throw new Error('expected the name of an attribute')
  return value
}

function parseAttributes(value: string): readonly string[] {
  return value.split(',').map((name) => parseAttribute(name.trim()))
}

function parseGroups(value: string): readonly string[] {
  const names = parseCsvLine(value).map((name) => name.trim())
  // Pieces of a DN that was not put in quotes would be groups that nobody is in.
  if (names.some((name) => /^(dc|ou|o)=[^,]*$/i.test(name)))
    throw new Error('a DN among them needs double quotes: "cn=staff,ou=groups,dc=example,dc=org"')
  return names.filter((name) => name !== '')
}
