// A real directory: OpenLDAP's slapd on a free port, without root, over a folder of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConfig, type Config } from '../../src/config/config.ts'
import { defaultServerOptions } from '../../src/store/document.ts'
import { waitFor } from './deadline.ts'
import { needProgram } from './programs.ts'

export const BASE = 'dc=example,dc=org'
const ROOT = { dn: `cn=root,${BASE}`, password: 'root of it' }
const TLS = join(import.meta.dirname, '../data/tls')
/** Its certificate is for localhost and 127.0.0.1, and signs itself. */
export const DIRECTORY_CA = join(TLS, 'first-cert.pem')
export const OTHER_CA = join(TLS, 'second-cert.pem')

interface SlapdOptions {
  /** Keeps `memberOf` of people, by the overlay. */
  memberOf?: boolean
  /** Takes a bind without a password for an anonymous one that succeeds. */
  anonymousCredentials?: boolean
  /** As Active Directory names people: `sAMAccountName`, `objectGUID`, and no `entryUUID`. */
  activeDirectory?: boolean
  /** Further entries. */
  ldif?: string
}

export interface Slapd extends AsyncDisposable {
  port: number
  url: string
  /** Of the same entries, encrypted. */
  secureUrl: string
  /** Changes entries as ldapmodify takes them. */
  modify(ldif: string): void
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops answering without closing anything, until resumed. */
  hang(): void
  resume(): void
}

/** Options that use it; further ones by name. */
export function ldapConfig(options: Record<string, unknown>): Partial<Config> {
  const { version: _, ...config } = buildConfig({
    overrides: Object.fromEntries(
      Object.entries({ base: BASE, ...options }).map(([key, value]) => [
        `ldap.${key}`,
        { value, text: String(value), source: key },
      ]),
    ),
    stored: defaultServerOptions(),
    database: '/none',
    cwd: '/',
    warn: () => {},
  })
  return Object.fromEntries(Object.entries(config).filter(([key]) => key.startsWith('ldap.')))
}

/** A person's entry; the password is PASSWORD of this directory. */
export function person(uid: string, more = ''): string {
  return `dn: uid=${uid},ou=people,${BASE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
userPassword: ${DIRECTORY_PASSWORD}
${more}`
}

/** A group's entry. */
export function group(cn: string, members: string[]): string {
  const lines = members.map((uid) => `member: uid=${uid},ou=people,${BASE}`).join('\n')
  return `dn: cn=${cn},ou=groups,${BASE}\nobjectClass: groupOfNames\ncn: ${cn}\n${lines}\n`
}

export const DIRECTORY_PASSWORD = 'Quiet-Harbour-31'

/** Starts a directory with `ou=people` and `ou=groups`; skips the test where slapd is missing. */
export async function startSlapd(options: SlapdOptions = {}): Promise<Slapd> {
  needProgram('/usr/sbin/slapd')
  needProgram('ldapmodify')
  const folder = mkdtempSync(join(tmpdir(), 'filebrowser-slapd-'))
  const conf = join(folder, 'slapd.conf')
  mkdirSync(join(folder, 'db'))
  writeFileSync(conf, configOf(folder, options))
  const ldif = join(folder, 'first.ldif')
  writeFileSync(ldif, firstEntries(options.ldif ?? ''))
  execFileSync('/usr/sbin/slapadd', ['-f', conf, '-l', ldif])
  const [port, securePort] = [await freePort(), await freePort()]
  const url = `ldap://127.0.0.1:${port}`
  const secureUrl = `ldaps://127.0.0.1:${securePort}`
  let child: ChildProcess | null = null
  const stop = async () => {
    if (!child) return
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await once(child, 'exit')
    child = null
  }
  const start = async () => {
    child = spawn('/usr/sbin/slapd', ['-f', conf, '-h', `${url}/ ${secureUrl}/`, '-d', '0'])
    const search = ['-x', '-LLL', '-H', url, '-s', 'base', '-b', BASE, '1.1']
    await waitFor('slapd', () => execFileSync('ldapsearch', search, { stdio: 'pipe' }).length > 0)
  }
  await start()
  return {
    port,
    url,
    secureUrl,
    modify: (input) => {
      const args = ['-x', '-H', url, '-D', ROOT.dn, '-w', ROOT.password]
      execFileSync('ldapmodify', args, { input, stdio: 'pipe' })
    },
    stop,
    start,
    hang: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const SERVICE = { bindDN: `cn=service,${BASE}`, bindPassword: 'may read' }

const ACTIVE_DIRECTORY = `
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP top AUXILIARY MAY ( sAMAccountName $ objectGUID ) )
`

function configOf(folder: string, options: SlapdOptions): string {
  const schemas = ['core', 'cosine', 'inetorgperson', 'nis']
  return `${schemas.map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
${options.activeDirectory ? ACTIVE_DIRECTORY : ''}
modulepath /usr/lib/ldap
moduleload back_mdb
${options.memberOf ? 'moduleload memberof' : ''}
${options.anonymousCredentials ? 'allow bind_anon_cred' : ''}
TLSCertificateFile ${join(TLS, 'first-cert.pem')}
TLSCertificateKeyFile ${join(TLS, 'first-key.pem')}
pidfile ${join(folder, 'pid')}
database mdb
maxsize 10485760
suffix "${BASE}"
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
directory ${join(folder, 'db')}
${options.activeDirectory ? 'access to attrs=entryUUID by * none' : ''}
access to attrs=userPassword by anonymous auth by * none
access to * by * read
${options.memberOf ? 'overlay memberof' : ''}
`
}

function firstEntries(more: string): string {
  const units = ['people', 'groups'].map(
    (ou) => `dn: ou=${ou},${BASE}\nobjectClass: organizationalUnit\nou: ${ou}\n`,
  )
  const service = `dn: ${SERVICE.bindDN}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: service\nuserPassword: ${SERVICE.bindPassword}\n`
  return [`dn: ${BASE}\nobjectClass: domain\ndc: example\n`, ...units, service, more].join('\n')
}

// Asked for by name, as slapd does not say which one it was given.
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
