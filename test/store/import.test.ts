import { createHash } from 'node:crypto'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyPassword } from '../../src/auth/hash.ts'
import {
  convertBolt,
  importBoltFile,
  readConsistently,
  reportLines,
} from '../../src/store/legacy/import.ts'
import { writeBolt } from '../support/bolt-writer.ts'
import {
  idKey,
  LEGACY_HASH,
  type LegacyContent,
  legacyServer,
  legacySettings,
  legacyUser,
  randomContent,
  seeded,
  writeLegacyDatabase,
} from '../support/legacy-database.ts'
import { makeTree } from '../support/tree.ts'

const LEGACY = join(import.meta.dirname, '..', 'data', 'legacy')
const NOW = Date.parse('2026-11-20T00:00:00Z')

const convert = (content: LegacyContent, options = {}) =>
  convertBolt(writeLegacyDatabase(content, options), { file: '/x.db', sha256: '', nowMs: NOW })

function content(extra: Partial<LegacyContent> = {}): LegacyContent {
  return {
    settings: legacySettings(),
    server: legacyServer(),
    auther: { recaptcha: null },
    users: [legacyUser(1)],
    shares: [],
    lastUserId: 1,
    ...extra,
  }
}

describe('the sample database of File Browser 2.63.23', () => {
  const sample = join(LEGACY, 'filebrowser.db')

  test('gives the users, settings and shares that its own API showed', async () => {
    const expected = JSON.parse(await readFile(join(LEGACY, 'expected.json'), 'utf8'))
    const { doc } = await importBoltFile(sample, NOW)
    expect(doc.users.map((user) => ({ ...user, password: '' }))).toEqual(expected.users)
    for (const [key, value] of Object.entries(expected.settings)) {
      expect(doc.settings[key as keyof typeof doc.settings], key).toEqual(value)
    }
    const shares = doc.shares.map(({ hash, path, userID, expire, passwordHash }) => ({
      hash,
      path,
      userID,
      expire,
      hasPassword: passwordHash !== '',
    }))
    const byHash = (a: { hash: string }, b: { hash: string }) => (a.hash < b.hash ? -1 : 1)
    expect(shares.sort(byHash)).toEqual(expected.shares.sort(byHash))
    expect(doc.shares.find(({ passwordHash }) => passwordHash)?.token).toMatch(/^[\w-]{128}$/)
  })

  test('keeps every password', async () => {
    const { passwords } = JSON.parse(await readFile(join(LEGACY, 'expected.json'), 'utf8'))
    const { doc } = await importBoltFile(sample, NOW)
    for (const { username, password } of doc.users) {
      const plain =
        username === 'admin' ? passwords.admin : passwords.userN.replace('N', username.slice(4))
      expect(await verifyPassword(plain, password), username).toBe(true)
    }
  })

  test('is not changed, and the old signing key is not taken over', async () => {
    const before = createHash('sha256')
      .update(await readFile(sample))
      .digest('hex')
    const { doc, report } = await importBoltFile(sample, NOW)
    const exported = JSON.parse(await readFile(join(LEGACY, 'config-export.json'), 'utf8'))
    expect(doc.settings.key).not.toBe(exported.settings.key)
    expect(Buffer.from(doc.settings.key, 'base64')).toHaveLength(64)
    expect(report.sha256).toBe(before)
    expect(
      createHash('sha256')
        .update(await readFile(sample))
        .digest('hex'),
    ).toBe(before)
  })

  test('is reported in words an operator understands', async () => {
    const { report } = await importBoltFile(sample, NOW)
    const text = reportLines(report).join('\n')
    expect(text).toContain('4 (admin, user0, user1, user2)')
    expect(text).toContain('4, 1 of them with a password')
    expect(text).toContain('signs in once more')
  })
})

describe('random databases', () => {
  const layouts = [
    { pageSizeBytes: 4096 },
    { pageSizeBytes: 1024, gaps: true },
    { pageSizeBytes: 16_384, maxElements: 5 },
    { pageSizeBytes: 65_536 },
  ]
  for (const [i, layout] of layouts.entries()) {
    test(`import without loss: ${JSON.stringify(layout)}`, () => {
      const made = randomContent(1000 + i, 300, 200)
      const { doc, report } = convert(made, layout)
      expect(doc.users).toEqual(made.users)
      expect(doc.next.users).toBe(made.lastUserId + 1)
      expect(report.users).toHaveLength(300)
      const sorted = [...made.shares].sort((a, b) => (String(a.hash) < String(b.hash) ? -1 : 1))
      expect(doc.shares).toEqual(
        sorted.map(({ password_hash = '', token = '', ...share }) => ({
          ...share,
          passwordHash: password_hash,
          token,
        })),
      )
      expect(doc.settings.defaults).toEqual(made.settings.defaults)
    })
  }
})

describe('records of older versions', () => {
  test('field names match in any case, null and missing read as zero, unknown ones are told', () => {
    const { doc, report } = convert(
      content({
        users: [
          {
            id: 1,
            UserName: 'ada',
            PASSWORD: LEGACY_HASH,
            SingleClick: true,
            perm: { ADMIN: true, download: true },
            commands: null,
            rules: null,
            fancyNewField: 'x',
          },
        ],
      }),
    )
    expect(doc.users[0]).toMatchObject({
      id: 1,
      username: 'ada',
      password: LEGACY_HASH,
      viewMode: 'list',
      sorting: { by: 'name', asc: false },
      commands: [],
      rules: [],
    })
    expect(doc.users[0]?.perm).toMatchObject({ admin: true, download: true, create: false })
    expect(report.notes.join()).toContain('"fancyNewField" has no counterpart')
  })

  test('rules that cannot be evaluated are told, with whose they are', () => {
    const rules = [
      { regex: false, allow: false, path: '/a', regexp: null },
      { regex: true, allow: false, path: '', regexp: { raw: '(?!x)' } },
    ]
    const { report } = convert(
      content({
        users: [{ id: 1, username: 'ada', password: LEGACY_HASH, perm: { admin: true }, rules }],
        settings: legacySettings({
          rules: [{ regex: true, allow: true, path: '', regexp: { raw: '[' } }],
        }),
      }),
    )
    const notes = report.notes.filter((note) => note.includes('cannot be evaluated'))
    expect(notes).toEqual([
      expect.stringMatching(/^rule 0 for all, "\[", .* allows nothing/),
      expect.stringMatching(/^rule 1 of ada, "\(\?!x\)", .* hides everything/),
    ])
  })

  test('a record without the newer settings gets what the old program read into them', () => {
    const { doc } = convert(
      content({
        settings: {
          key: 'a2V5',
          authMethod: 'json',
          defaults: { scope: '.', perm: { create: true } },
        },
      }),
    )
    expect(doc.settings).toMatchObject({
      minimumPasswordLength: 12,
      fileMode: 0o640,
      dirMode: 0o750,
      userHomeBasePath: '/users',
      tus: { chunkSize: 10485760, retryCount: 5 },
    })
    expect(doc.settings.defaults).toMatchObject({ locale: 'en', viewMode: 'mosaic' })
  })

  test('switches that a database from before 2.48 never stored stay off, and it is said', () => {
    const { doc, report } = convert(content({ server: { root: '/srv', port: '80' } }))
    expect(doc.settings.server).toMatchObject({ enableThumbnails: false, resizePreview: false })
    expect(report.notes.join()).toContain('config set --disableThumbnails=false')
  })

  test('numbers beyond what JSON holds exactly are capped', () => {
    const { doc } = convert(
      content({ settings: legacySettings({ tus: { chunkSize: 2 ** 63, retryCount: 3 } }) }),
    )
    expect(doc.settings.tus.chunkSize).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('each sign-in method keeps its options', () => {
    const proxy = convert(
      content({ settings: legacySettings({ authMethod: 'proxy' }), auther: { header: 'X-User' } }),
    )
    expect(proxy.doc.settings.auther.header).toBe('X-User')
    const hook = convert(
      content({
        settings: legacySettings({ authMethod: 'hook' }),
        auther: { command: '/bin/x y' },
      }),
    )
    expect(hook.doc.settings.auther.command).toBe('/bin/x y')
    const recaptcha = { host: 'https://r', key: 'k', secret: 's' }
    const json = convert(content({ auther: { recaptcha } }))
    expect(json.doc.settings.auther.recaptcha).toEqual(recaptcha)
  })

  test('expired shares and those of deleted users are left out and counted', () => {
    const share = { path: '/a', userID: 1, expire: 0 }
    const { doc, report } = convert(
      content({
        shares: [
          { ...share, hash: '_live-01' },
          { ...share, hash: 'expired0', expire: 1000 },
          { ...share, hash: 'orphaned', userID: 77 },
        ],
      }),
    )
    expect(doc.shares.map(({ hash }) => hash)).toEqual(['_live-01'])
    expect(report).toMatchObject({ shares: 1, expiredShares: 1, orphanShares: 1 })
  })

  test('the number of the last user is kept, so that ids are never used again', () => {
    expect(convert(content({ lastUserId: 41 })).doc.next.users).toBe(42)
  })
})

describe('what cannot be imported is refused whole', () => {
  const refuse = (data: Buffer) => () => convertBolt(data, { file: '/x', sha256: '', nowMs: NOW })

  test('a database of version 1 is named as such', () => {
    const data = writeBolt({
      config: {
        records: [
          ['key', '"k"'],
          ['commands', '{}'],
        ],
      },
    })
    expect(refuse(data)).toThrow(/version 1/)
  })

  test('a database without settings, as a failed config init leaves it', () => {
    expect(refuse(writeBolt({ config: { records: [['version', '2']] } }))).toThrow(/no settings/)
    expect(refuse(writeBolt({}))).toThrow(/no settings/)
  })

  test('a record that is no JSON, or has the wrong type, is named', () => {
    const broken = writeBolt({
      config: {
        records: [
          ['settings', JSON.stringify(legacySettings())],
          ['server', JSON.stringify(legacyServer())],
          ['auther', '{}'],
        ],
      },
      User: { records: [[idKey(3), '{"username": ']] },
    })
    expect(refuse(broken)).toThrow(/user 3 is not JSON/)
    const wrong = content({ users: [legacyUser(3, seeded(1), { scope: 5 })] })
    expect(() => convert(wrong)).toThrow(/user 3.scope must be a string/)
  })

  test('two users of one name are refused', () => {
    const users = [1, 2].map((id) => legacyUser(id, undefined, { username: 'twin' }))
    expect(() => convert(content({ users }))).toThrow(/twin occurs twice/)
  })

  test('every truncation and every damage ends in a clear refusal or a whole document', () => {
    const random = seeded(7)
    const good = writeLegacyDatabase(randomContent(3, 40, 10), { pageSizeBytes: 1024 })
    const tried = { refused: 0, whole: 0 }
    for (let round = 0; round < 400; round++) {
      const length = round % 2 === 0 ? good.length : Math.floor(random() * good.length)
      const copy = Buffer.from(good.subarray(0, length))
      if (length === good.length)
        copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256)
      try {
        const { doc } = convertBolt(copy, { file: '/x', sha256: '', nowMs: NOW })
        expect(doc.users.length).toBeGreaterThan(0)
        tried.whole += 1
      } catch (error) {
        expect((error as Error).name, (error as Error).stack).not.toMatch(/RangeError|TypeError/)
        tried.refused += 1
      }
    }
    expect(tried.refused).toBeGreaterThan(50)
    expect(tried.whole).toBeGreaterThan(50)
  })
})

describe('a database that the old program writes to while it is read', () => {
  const PAGE_SIZES = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]

  // Changes the second head page, as every other commit does, after each read of the whole file.
  async function readBeside(pageSizeBytes: number, commits: number) {
    await using tree = await makeTree({})
    const file = `${tree.base}/old.db`
    const data = writeLegacyDatabase(content(), { pageSizeBytes })
    await writeFile(file, data)
    await using handle = await open(file, 'r+')
    let left = commits
    const read = async (to: Buffer, at: number, length: number, position: number) => {
      const result = await handle.read(to, at, length, position)
      if (length >= data.length && left > 0) {
        left -= 1
        data.writeUInt8(left, pageSizeBytes + 70)
        await handle.write(data, pageSizeBytes, 80, pageSizeBytes)
      }
      return result
    }
    const lying = { stat: () => handle.stat(), read } as unknown as typeof handle
    return { got: await readConsistently(lying), data }
  }

  test.each(PAGE_SIZES)('is read again, page size %d', async (pageSizeBytes) => {
    const { got, data } = await readBeside(pageSizeBytes, 2)
    expect(got.equals(data)).toBe(true)
  })

  test('is refused when it never rests', async () => {
    await expect(readBeside(2048, 100)).rejects.toThrow('it keeps changing')
  })
})
