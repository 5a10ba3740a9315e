// Passkeys in the executable: its thread verifies, and nothing is lost or doubled when it is killed.
import { expect, it } from 'vitest'
import type { PasskeyList } from '../../src/api-types.ts'
import { loginAs } from '../support/login.ts'
import {
  addPasskey,
  authenticator,
  creationOptions,
  ORIGIN,
  send,
  signInOptions,
} from '../support/passkeys.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const asker = ({ origin }: Program) => ({
  fetch: (path: string, init?: RequestInit) => fetch(origin + path, init),
})

it('kill -9 beside passkeys: what was answered stays, and an answer counts once', async () => {
  await using tree = await makeTree({})
  const args = ['--externalURL', ORIGIN]
  let program = await startProgram(tree, { args })
  try {
    const key = authenticator()
    const who = await loginAs(program.origin)
    await addPasskey(who, key, { password: ADMIN.password })
    const signed = key.getJSON(ORIGIN, await signInOptions(asker(program)))
    const answer = await send(asker(program), '/api/login/passkey', { response: signed })
    expect(answer.status).toBe(200)
    const token = await answer.text()
    const begun = key.getJSON(ORIGIN, await signInOptions(asker(program)))
    const options = await creationOptions(who, undefined, ADMIN.password)
    const adding = send(who, '/api/passkeys', {
      name: 'Second',
      response: authenticator().createJSON(ORIGIN, options),
    }).then(
      ({ status }) => status,
      () => 0,
    )
    await program.kill()
    const added = await adding
    program = await startProgram(tree, { args })
    for (const response of [signed, begun])
      expect((await send(asker(program), '/api/login/passkey', { response })).status).toBe(403)
    const headers = { 'X-Auth': token }
    const list: PasskeyList = await (
      await asker(program).fetch('/api/passkeys', { headers })
    ).json()
    const names = list.passkeys.map(({ name }) => name)
    expect([['Phone'], ['Phone', 'Second']]).toContainEqual(names)
    if (added === 201) expect(names).toHaveLength(2)
    const again = key.getJSON(ORIGIN, await signInOptions(asker(program)))
    expect((await send(asker(program), '/api/login/passkey', { response: again })).status).toBe(200)
  } finally {
    await program[Symbol.asyncDispose]()
  }
})
