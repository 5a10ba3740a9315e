// The program is killed in the middle of writing: nothing half may carry a real name.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { appendFile, readdir, readFile, utimes } from 'node:fs/promises'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const TUS = 'application/offset+octet-stream'
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Sends the head of a body and leaves the request open. */
function begin(
  url: string,
  method: string,
  headers: Record<string, string | number>,
  part: Buffer,
) {
  const sending = request(url, { method, headers })
  // The kill ends it; that is the point.
  sending.on('error', () => {})
  sending.write(part)
  return sending
}

describe('kill -9 during uploads', () => {
  it('leaves the old file whole and goes on with a resumable upload after the restart', async () => {
    await using tree = await makeTree({ 'plain.bin': 'old plain', 'tus.bin': 'old tus' })
    const content = randomBytes(3_000_000)
    const part = content.subarray(0, 1_000_000)
    {
      await using program = await startProgram(tree)
      const admin = await loginAs(program.origin)
      const headers = { 'X-Auth': admin.token, 'Content-Length': content.length }
      begin(`${program.origin}/api/resources/plain.bin?override=true`, 'POST', headers, part)
      begin(`${program.origin}/api/resources/new.bin`, 'POST', headers, part)
      await admin.fetch('/api/tus/tus.bin?override=true', {
        method: 'POST',
        headers: { 'Upload-Length': String(content.length) },
      })
      begin(
        `${program.origin}/api/tus/tus.bin`,
        'PATCH',
        { ...headers, 'Content-Type': TUS, 'Upload-Offset': 0 },
        part,
      )
      await waitFor('three files to be written', async () => {
        const head = await admin.fetch('/api/tus/tus.bin', { method: 'HEAD' })
        const names = await readdir(tree.root)
        return names.length === 5 && head.headers.get('upload-offset') === String(part.length)
      })
      await program.kill()
    }
    expect(await tree.read('plain.bin')).toBe('old plain')
    expect(await tree.read('tus.bin')).toBe('old tus')
    expect(
      (await readdir(tree.root)).filter((name) => !name.startsWith('.fb-tmp-')).sort(),
    ).toEqual(['plain.bin', 'tus.bin'])

    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const listing = await (await admin.fetch('/api/resources/')).json()
    expect(listing.items.map((item: { name: string }) => item.name)).toEqual([
      'plain.bin',
      'tus.bin',
    ])
    const head = await admin.fetch('/api/tus/tus.bin', { method: 'HEAD' })
    expect(head.headers.get('upload-offset')).toBe(String(part.length))
    const rest = await admin.fetch('/api/tus/tus.bin', {
      method: 'PATCH',
      headers: { 'Content-Type': TUS, 'Upload-Offset': String(part.length) },
      body: content.subarray(part.length),
    })
    expect(rest.status).toBe(204)
    expect(sha256(await readFile(tree.at('tus.bin')))).toBe(sha256(content))
  })

  it('puts an upload in place all of whose bytes had come, though its client never comes back', async () => {
    await using tree = await makeTree({})
    {
      await using program = await startProgram(tree)
      const admin = await loginAs(program.origin)
      await admin.fetch('/api/tus/new/a.bin', { method: 'POST', headers: { 'Upload-Length': '6' } })
      await admin.fetch('/api/tus/new/a.bin', {
        method: 'PATCH',
        headers: { 'Content-Type': TUS, 'Upload-Offset': '0' },
        body: 'who',
      })
      await program.kill()
    }
    // As if the kill had come between the last byte and the move.
    const [name] = await readdir(tree.at('new'))
    const temp = tree.at(`new/${name}`)
    await appendFile(temp, 'le!')
    await utimes(temp, 1_000, 1_000)
    await using program = await startProgram(tree)
    // Before anything else is asked, which it would replace.
    expect(await readdir(tree.at('new'))).toEqual(['a.bin'])
    expect(await tree.read('new/a.bin')).toBe('whole!')
    await waitFor('the line that tells it', () =>
      program.output().includes('an upload that was complete is in place'),
    )
  })

  it('removes what was abandoned once it is old enough', async () => {
    await using tree = await makeTree({})
    {
      await using program = await startProgram(tree)
      const admin = await loginAs(program.origin)
      const headers = { 'X-Auth': admin.token, 'Content-Length': 2_000_000 }
      begin(`${program.origin}/api/resources/new.bin`, 'POST', headers, randomBytes(500_000))
      await waitFor('the temporary file', async () => (await readdir(tree.root)).length === 1)
      await program.kill()
    }
    const [name] = await readdir(tree.root)
    await utimes(tree.at(name ?? ''), 1_000, 1_000)
    await using _program = await startProgram(tree, { args: ['--tusExpiry', '1s'] })
    await waitFor('the clean-up', async () => (await readdir(tree.root)).length === 0)
  })
})

describe('kill -9 in a limited home', () => {
  const LIMIT = 1_000_000_000
  const limit = async (admin: SignedIn) => {
    const data = { id: 1, homeQuota: LIMIT }
    const body = { what: 'user', which: ['homeQuota'], data, current_password: ADMIN.password }
    const answer = await admin.fetch('/api/users/1', { method: 'PUT', body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
  }
  const usage = async (admin: SignedIn) => (await admin.fetch('/api/usage/')).json()

  /** What `du` says of the files; the trash counts, versions do not, nor what was not complete. */
  const filesByDu = ({ root }: Tree) => {
    const names = "-name .fb-versions -prune -o -type f ! -name '.fb-tmp-*' -print0"
    const du = `find "$0" ${names} | du -c -l --apparent-size -B1 --files0-from=-`
    const lines = execFileSync('bash', ['-c', du, root], { encoding: 'utf8', maxBuffer: 1 << 28 })
    return Number.parseInt(lines.trimEnd().split('\n').at(-1) ?? '', 10)
  }

  it('leaves what is counted anew to the byte, while files come, are replaced, moved and deleted', async () => {
    await using tree = await makeTree({ 'before/a.bin': 'there before' })
    {
      await using program = await startProgram(tree)
      const admin = await loginAs(program.origin)
      await limit(admin)
      let sent = 0
      const upload = async () => {
        for (;;) {
          const name = sent++
          const path = `/api/resources/${name % 7}/${name}.bin`
          const upload = (bytes: number) =>
            admin.fetch(`${path}?override=true`, { method: 'POST', body: randomBytes(bytes) })
          await upload(1 + (name % 5_000))
          if (name % 4 === 0) await upload(1 + (name % 7_000))
          if (name % 3 === 0) await admin.fetch(path, { method: 'DELETE' })
          if (name % 3 === 1)
            await admin.fetch(`${path}?action=rename&destination=/${name}`, { method: 'PATCH' })
        }
      }
      const ends = Array.from({ length: 8 }, () => upload().catch(() => {}))
      await waitFor('many uploads', () => sent > 150)
      await program.kill()
      await Promise.all(ends)
    }
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const kept = await readdir(tree.root)
    expect(kept).toEqual(expect.arrayContaining(['.fb-trash', '.fb-versions']))
    const used = filesByDu(tree)
    expect(used).toBeGreaterThan(10_000)
    expect(await usage(admin)).toEqual({ total: LIMIT, used })
    expect(await program.stop()).toBe(0)
    await using again = await startProgram(tree)
    expect(await usage(await loginAs(again.origin))).toEqual({ total: LIMIT, used })
  })
})
