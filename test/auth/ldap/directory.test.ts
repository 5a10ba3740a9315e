import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNear } from '../../../src/auth/ldap/connect.ts'
import { createDirectory } from '../../../src/auth/ldap/directory.ts'
import type { LdapConfig } from '../../../src/config/options-ldap.ts'
import {
  BASE,
  DIRECTORY_CA,
  DIRECTORY_PASSWORD,
  group,
  ldapConfig,
  OTHER_CA,
  person,
  SERVICE,
  type Slapd,
  startSlapd,
} from '../../support/slapd.ts'

const ENTRIES = [
  person('mona'),
  person('jörg'),
  person('star*'),
  person('paren)(x'),
  person('back\\slash').replace('uid=back\\slash,', 'uid=back\\5Cslash,'),
  person('twin').replace('uid=twin', 'cn=first+uid=twin').replace('cn: twin', 'cn: first'),
  person('twin').replace('uid=twin', 'cn=second+uid=twin').replace('cn: twin', 'cn: second'),
  group('Staff, Berlin', ['mona', 'jörg']).replace('cn=Staff, Berlin', 'cn=Staff\\, Berlin'),
  `dn: cn=posix,ou=groups,${BASE}\nobjectClass: posixGroup\ncn: posix\ngidNumber: 7\nmemberUid: mona\n`,
].join('\n')

let slapd: Slapd
beforeAll(async () => {
  slapd = await startSlapd({ anonymousCredentials: true, ldif: ENTRIES })
})
afterAll(() => slapd?.[Symbol.asyncDispose]())

function directory(options: Record<string, unknown> = {}) {
  return createDirectory(ldapConfig({ url: slapd.url, ...options }) as LdapConfig, () => {})
}

function ask(username: string, password: string, options: Record<string, unknown> = {}) {
  return directory(options).authenticate(username, () => password)
}

describe('who somebody is', () => {
  test('the one entry that is found proves itself by its password', async () => {
    const found = await ask('mona', DIRECTORY_PASSWORD)
    expect(found).toMatchObject({ username: 'mona' })
    expect(found?.subject).toMatch(/^[\da-f]{8}-/)
    expect(await ask('mona', 'wrong')).toBeNull()
    expect(await ask('nobody', DIRECTORY_PASSWORD)).toBeNull()
  })

  test('all spellings of a name that the directory takes for one give one person', async () => {
    const subjects = ['mona', 'MONA', ' mona ', 'Mo\u00adna', 'ｍona'].map((name) =>
      ask(name, DIRECTORY_PASSWORD),
    )
    const found = (await Promise.all(subjects)).filter((one) => one !== null)
    expect(found.length).toBeGreaterThanOrEqual(3)
    expect(new Set(found.map(({ subject }) => subject)).size).toBe(1)
    expect(new Set(found.map(({ username }) => username))).toEqual(new Set(['mona']))
  })

  test.each([
    '*',
    'm*',
    'mona)(uid=*',
    '*)(|(uid=*',
    'mona\0',
    'mona\\',
    '\\2a',
    '(',
    ')',
    '\ud800',
  ])('a name that would be more than a name in a filter finds nobody: %j', async (name) => {
    expect(await ask(name, DIRECTORY_PASSWORD)).toBeNull()
  })

  test.each(['jörg', 'star*', 'paren)(x', 'back\\slash'])(
    '%s is found by that name',
    async (name) => {
      expect((await ask(name, DIRECTORY_PASSWORD))?.username).toBe(name)
    },
  )

  test('of two entries nobody is taken', async () => {
    expect(await ask('twin', DIRECTORY_PASSWORD)).toBeNull()
  })

  test('an empty password never reaches a directory that would take it', async () => {
    expect(await ask('mona', '')).toBeNull()
    expect(
      await directory().verify((await ask('mona', DIRECTORY_PASSWORD))?.subject ?? '', ''),
    ).toBe(false)
  })

  test('without an allowed password nobody gets in', async () => {
    expect(await directory().authenticate('mona', () => null)).toBeNull()
  })

  test('an entry proves itself again by its subject alone', async () => {
    const { subject = '' } = (await ask('mona', DIRECTORY_PASSWORD)) ?? {}
    expect(await directory().verify(subject, DIRECTORY_PASSWORD)).toBe(true)
    expect(await directory().verify(subject, 'wrong')).toBe(false)
    expect(await directory().verify('*', DIRECTORY_PASSWORD)).toBe(false)
  })

  test('a service account searches', async () => {
    expect(await ask('mona', DIRECTORY_PASSWORD, SERVICE)).toMatchObject({ username: 'mona' })
  })

  test('a service account with a wrong password is nobody’s wrong password', async () => {
    await expect(
      ask('mona', DIRECTORY_PASSWORD, { ...SERVICE, bindPassword: 'wrong' }),
    ).rejects.toMatchObject({ code: 'sign_in_unavailable', status: 503 })
  })

  test('passwords of 72 bytes and more, with blanks, @ and umlauts go through unchanged', async () => {
    const long = ` p@ss wörter ${'ü'.repeat(100)} `
    const attribute = `userPassword:: ${Buffer.from(long).toString('base64')}`
    slapd.modify(
      `dn: uid=jörg,ou=people,${BASE}\nchangetype: modify\nreplace: userPassword\n${attribute}\n`,
    )
    expect(await ask('jörg', long)).toMatchObject({ username: 'jörg' })
    expect(await ask('jörg', long.trim())).toBeNull()
  })
})

test('people of Active Directory are known by sAMAccountName and objectGUID, whatever bytes that has', async () => {
  const guids = ['00ff5c2a28291080c3a9000102030405', '00ff5c2a28291080c3a9000102030406']
  const [first = '', second = ''] = guids.map((hex, i) => {
    const guid = Buffer.from(hex, 'hex').toString('base64')
    return person(`p${i}`, `objectClass: user\nsAMAccountName: M.Lisa${i}\nobjectGUID:: ${guid}\n`)
  })
  await using other = await startSlapd({ activeDirectory: true, ldif: `${first}\n${second}` })
  const found = await ask('m.lisa1', DIRECTORY_PASSWORD, { url: other.url, ...SERVICE })
  expect(found).toMatchObject({ username: 'M.Lisa1', subject: guids[1] })
  const verify = (password: string) =>
    directory({ url: other.url, ...SERVICE }).verify(guids[1] ?? '', password)
  expect(await verify(DIRECTORY_PASSWORD)).toBe(true)
  expect(await verify('wrong')).toBe(false)
})

test('an entry without an id of its own is nobody that could be known again', async () => {
  await using other = await startSlapd({ activeDirectory: true, ldif: person('mona') })
  await expect(ask('mona', DIRECTORY_PASSWORD, { url: other.url })).rejects.toMatchObject({
    status: 503,
  })
})

describe('groups', () => {
  test('are searched where the entry names none', async () => {
    const { groups = [] } = (await ask('mona', DIRECTORY_PASSWORD)) ?? {}
    expect(groups).toEqual(
      expect.arrayContaining(['Staff, Berlin', 'posix', `cn=posix,ou=groups,${BASE}`]),
    )
  })

  test('are those that the overlay memberof keeps', async () => {
    await using other = await startSlapd({ memberOf: true, ldif: person('mona') })
    const entry = group('readers', ['mona'])
    other.modify(entry.replace('\nobjectClass', '\nchangetype: add\nobjectClass'))
    const found = await ask('mona', DIRECTORY_PASSWORD, { url: other.url, ...SERVICE })
    expect(found?.groups).toEqual([`cn=readers,ou=groups,${BASE}`, 'readers'])
  })
})

describe('encryption', () => {
  test.each(['ldaps', 'StartTLS'])('%s with an authority of one’s own', async (kind) => {
    const options = kind === 'ldaps' ? { url: slapd.secureUrl } : { url: slapd.url, startTLS: true }
    const found = await ask('mona', DIRECTORY_PASSWORD, { ...options, ca: DIRECTORY_CA })
    expect(found).toMatchObject({ username: 'mona' })
    for (const ca of ['', OTHER_CA])
      await expect(ask('mona', DIRECTORY_PASSWORD, { ...options, ca })).rejects.toMatchObject({
        status: 503,
      })
  })

  test.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:192.168.1.4', true],
    ['10.1.2.3', true],
    ['fd00::1', true],
    ['192.0.2.1', false],
    ['2001:db8::1', false],
    ['', false],
  ])('%s is near: %s', (address, near) => {
    expect(isNear(address)).toBe(near)
  })

  test('what comes before the encryption is not taken for an answer from within', async () => {
    // The answer to StartTLS, and the beginning of an answer to a bind in the same packet.
    await using fake = await startFake((socket) => {
      socket.once('data', () =>
        socket.write(Buffer.from('300c02010178070a010004000400300c02010361070a0100', 'hex')),
      )
    })
    await expect(
      ask('mona', DIRECTORY_PASSWORD, { url: fake.url, startTLS: true, ca: DIRECTORY_CA }),
    ).rejects.toMatchObject({ status: 503, cause: { message: 'the directory refuses StartTLS' } })
    expect(fake.received()).not.toContain(DIRECTORY_PASSWORD)
  })

  test('a directory without StartTLS never reads a password', async () => {
    await using fake = await startFake((socket) => {
      socket.once('data', () => socket.write(Buffer.from('300c02010178070a010204000400', 'hex')))
    })
    await expect(
      ask('mona', DIRECTORY_PASSWORD, { url: fake.url, startTLS: true, ...SERVICE }),
    ).rejects.toMatchObject({ status: 503 })
    expect(fake.received()).not.toContain(SERVICE.bindPassword)
  })
})

describe('a directory that does not answer', () => {
  test('is told apart from a wrong password', async () => {
    await using other = await startSlapd({ ldif: person('mona') })
    await other.stop()
    await expect(ask('mona', DIRECTORY_PASSWORD, { url: other.url })).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      status: 503,
    })
    await other.start()
    expect(await ask('mona', DIRECTORY_PASSWORD, { url: other.url })).not.toBeNull()
  })

  test('a connection that breaks off is not made again behind one’s back', async () => {
    let connections = 0
    await using fake = await startFake((socket) => {
      connections++
      socket.once('data', () => socket.destroy())
    })
    await expect(ask('mona', 'x', { url: fake.url })).rejects.toMatchObject({ status: 503 })
    expect(connections).toBe(1)
  })

  test('is given up after its time', async () => {
    await using fake = await startFake(() => {})
    const config = ldapConfig({ url: fake.url }) as LdapConfig
    const asked = createDirectory(config, () => {}, 200).authenticate('mona', () => 'x')
    await expect(asked).rejects.toMatchObject({ status: 503 })
  })
})

interface Fake extends AsyncDisposable {
  url: string
  received(): string
}

/** A server that is no directory. */
async function startFake(onConnection: (socket: Socket) => void): Promise<Fake> {
  let received = ''
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ldap://127.0.0.1:${(server.address() as { port: number }).port}`,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
