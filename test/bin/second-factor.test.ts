// The program is killed between a second step and its answer.
import { stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Enrolment, SecondFactorRecord, SecondStep } from '../../src/api-types.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { codeOf } from '../support/totp.ts'
import { makeTree } from '../support/tree.ts'

const post = (program: Program, path: string, body: object) =>
  fetch(program.origin + path, { method: 'POST', body: JSON.stringify(body) })

async function enrol(program: Program) {
  const admin = await loginAs(program.origin)
  const json = { current_password: ADMIN.password }
  const ask = (method: string, body: object) =>
    admin.fetch('/api/second-factor', { method, body: JSON.stringify(body) })
  const { secret }: Enrolment = await (await ask('POST', json)).json()
  const done = await ask('PUT', { code: codeOf(secret) })
  const { recovery } = (await done.json()) as { recovery: string[] }
  return { admin, recovery }
}

async function ticketOf(program: Program): Promise<string> {
  const first = await post(program, '/api/login', { ...ADMIN, code: '' })
  expect(first.status).toBe(401)
  return ((await first.json()) as SecondStep).ticket
}

const statusOf = async (program: Program, recovery: string) => {
  const ticket = await ticketOf(program)
  return (await post(program, '/api/login/second', { ticket, recovery })).status
}

it('kill -9 between step and answer: a code counts once at most, the factor and other codes stay', async () => {
  await using tree = await makeTree({})
  const first = await startProgram(tree)
  const { admin, recovery } = await enrol(first)
  const log = `${first.database}.secondFactors`
  let program = first
  try {
    for (const [round, code] of recovery.slice(0, 4).entries()) {
      const ticket = await ticketOf(program)
      const { size } = await stat(log)
      let answered = 0
      const step = post(program, '/api/login/second', { ticket, recovery: code }).then(
        ({ status }) => {
          answered = status
        },
        () => {},
      )
      // At once, or as soon as the code has counted on the disk.
      if (round % 2 === 1)
        await waitFor('the step', async () => answered > 0 || (await stat(log)).size > size)
      await program.kill()
      await step
      const counted = answered === 200 || (await stat(log)).size > size
      program = await startProgram(tree)
      expect(await statusOf(program, code)).toBe(counted ? 403 : 200)
      expect(await statusOf(program, code)).toBe(403)
    }
    const headers = { 'X-Auth': admin.token }
    const own = await fetch(`${program.origin}/api/second-factor`, { headers })
    expect((await own.json()) as SecondFactorRecord).toMatchObject({ active: true, recovery: 6 })
  } finally {
    await program[Symbol.asyncDispose]()
  }
})
