import {
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../src/lib/log.ts'
import { backupName, openLogFile } from '../src/lib/log-file.ts'
import { waitFor } from './support/deadline.ts'

const NOW = new Date(2026, 10, 20, 9, 5, 7)

function logger(format: 'text' | 'json') {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { log: createLogger({ write, format, now: () => NOW }), lines }
}

describe('text lines', () => {
  test('carry local time, a word for what is not plain information, and fields', () => {
    const { log, lines } = logger('text')
    log.info('Listening on x')
    log.warn('disk is slow', { ms: 12, path: '/a b' })
    log.error('failed')
    expect(lines).toEqual([
      '2026/11/20 09:05:07 Listening on x\n',
      '2026/11/20 09:05:07 warning: disk is slow ms=12 path="/a b"\n',
      '2026/11/20 09:05:07 error: failed\n',
    ])
  })

  test('of requests look as fail2ban recipes expect', () => {
    const { log, lines } = logger('text')
    log.request({ path: '/api/login', status: 403, address: '203.0.113.9', error: 'wrong' })
    log.request({ path: '/api/raw/x', status: 404, address: '::1', error: 'not found' })
    expect(lines).toEqual([
      '2026/11/20 09:05:07 /api/login: 403 203.0.113.9 <nil>\n',
      '2026/11/20 09:05:07 /api/raw/x: 404 ::1 not found\n',
    ])
  })

  test.each(['text', 'json'] as const)(
    'show no refused sign-in that was not one (%s)',
    (format) => {
      const { log, lines } = logger(format)
      const forged = '/api/login: 403 198.51.100.7 <nil>'
      log.request({ path: forged, status: 404, address: '203.0.113.9' })
      log.request({ path: `/api/raw${forged}`, status: 404, address: '::1', error: forged })
      log.request({ path: '/api/resources/api/login', status: 403, address: '203.0.113.9' })
      log.warn(`upload hook: ${forged}`, { path: forged })
      expect(lines.filter((line) => /\/api\/login: 403 /.test(line))).toEqual([])
      log.request({ path: '/api/login', status: 403, address: '203.0.113.9' })
      expect(lines.at(-1)).toContain('/api/login: 403 203.0.113.9 <nil>')
    },
  )

  test('stay one line whatever a name holds', () => {
    const { log, lines } = logger('text')
    log.request({ path: '/a\nb\u2028c\x1b[31m', status: 404, address: '::1' })
    expect(lines.join('')).toBe('2026/11/20 09:05:07 /a\\nb\\x2028c\\x1b[31m: 404 ::1 <nil>\n')
  })

  test('hide fields that are named like secrets', () => {
    const { log, lines } = logger('text')
    log.info('x', { token: 'abc', Authorization: 'abc', newPassword: 'abc', user: 'mona' })
    expect(lines.join('')).not.toContain('abc')
    expect(lines.join('')).toContain('user=mona')
  })
})

describe('json lines', () => {
  test('are one object each, errors with their stack', () => {
    const { log, lines } = logger('json')
    log.info('detail', { n: 1 })
    log.error('failed', { error: new Error('boom') })
    log.request({ path: '/p', status: 500, address: '::1', error: 'x' })
    const [info, error, request] = lines.map((line) => JSON.parse(line))
    expect(info).toEqual({ time: NOW.toISOString(), level: 'info', msg: 'detail', n: 1 })
    expect(error.error).toContain('Error: boom\n')
    expect(request).toMatchObject({ level: 'error', path: '/p', status: 500 })
  })
})

describe('a log file', () => {
  let folder: string
  let file: string
  const onError = (error: unknown) => {
    throw error
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'filebrowser-log-'))
    file = join(folder, 'deep', 'server.log')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('is appended to, for its owner only', async () => {
    for (const line of ['one\n', 'two\n']) {
      const log = await openLogFile(file, { onError })
      log.write(line)
      await log.close()
    }
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('that cannot be read is not left open', async () => {
    file = join(folder, 'server.log')
    await writeFile(file, 'one\n')
    const timeOf = () => {
      throw new Error('unreadable')
    }
    await expect(openLogFile(file, { onError, timeOf })).rejects.toThrow('unreadable')
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    expect(open).not.toContain(file)
  })

  test('takes lines that come together in one write to the disk', async () => {
    const log = await openLogFile(file, { onError, maxBytes: 10 })
    log.write('one\n', 'two\n', 'three\n')
    await log.flush()
    log.write('four\n')
    await log.close()
    const [piece] = (await readdir(join(folder, 'deep'))).filter((name) => name !== 'server.log')
    expect(await readFile(join(folder, 'deep', piece ?? ''), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(await readFile(file, 'utf8')).toBe('four\n')
  })

  test('is rotated by size without losing a line, and old pieces go', async () => {
    const log = await openLogFile(file, { onError, maxBytes: 1000, maxBackups: 3 })
    for (let i = 0; i < 400; i++) {
      log.write(`line ${i}\n`)
      if (i % 20 === 19) await new Promise((resolve) => setImmediate(resolve))
    }
    await log.close()
    const names = (await readdir(join(folder, 'deep'))).sort()
    expect(names.length).toBeGreaterThan(1)
    expect(names.length).toBeLessThanOrEqual(4)
    const kept = await Promise.all(
      names.map((name) => readFile(join(folder, 'deep', name), 'utf8')),
    )
    const lines = kept.join('').trim().split('\n')
    expect(lines.at(-1)).toBe('line 399')
    const numbers = lines.map((line) => Number(line.slice(5)))
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i))
  })

  test('pieces older than the limit go, other files stay', async () => {
    const log = await openLogFile(file, { onError, maxBytes: 10 })
    const old = backupName(file, new Date(Date.now() - 20 * 86_400_000))
    const young = backupName(file, new Date(Date.now() - 86_400_000))
    const other = join(folder, 'deep', 'server-notes.log')
    for (const name of [old, young, other]) await writeFile(name, 'x')
    await utimes(other, 0, 0)
    log.write('0123456789\n')
    log.write('a\n')
    await log.close()
    const again = await openLogFile(file, { onError, maxBytes: 10 })
    again.write('next, and too long\n')
    await again.close()
    const names = (await readdir(join(folder, 'deep'))).map((name) => join(folder, 'deep', name))
    expect(names).not.toContain(old)
    expect(names).toContain(young)
    expect(names).toContain(other)
  })

  test('that cannot be rotated grows and loses no line', async () => {
    const errors: unknown[] = []
    // Its own name is as long as one can be, so that pieces cannot be named after it.
    file = join(folder, `${'x'.repeat(250)}.log`)
    const log = await openLogFile(file, { onError: (error) => errors.push(error), maxBytes: 200 })
    const lines = Array.from({ length: 60 }, (_, i) => `line ${i}\n`)
    for (const [i, line] of lines.entries()) {
      log.write(line)
      const written = lines.slice(0, i + 1).join('').length
      await waitFor(line, async () => (await stat(file)).size === written)
    }
    await log.close()
    expect(await readFile(file, 'utf8')).toBe(lines.join(''))
    expect(errors[0]).toMatchObject({ code: 'ENAMETOOLONG' })
    // Tried again with each tenth, not with each line.
    expect(errors.length).toBeGreaterThan(3)
    expect(errors.length).toBeLessThan(20)
  })

  test('is opened anew after it was moved away', async () => {
    const log = await openLogFile(file, { onError })
    log.write('before\n')
    await log.close()
    const second = await openLogFile(file, { onError })
    await rename(file, `${file}.moved`)
    second.reopen()
    second.write('after\n')
    await second.close()
    expect(await readFile(file, 'utf8')).toBe('after\n')
    expect(await readFile(`${file}.moved`, 'utf8')).toBe('before\n')
  })

  test('names of pieces carry the time in UTC', () => {
    expect(backupName('/l/server.log', new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)))).toBe(
      '/l/server-2026-01-02T03-04-05.006.log',
    )
  })
})
