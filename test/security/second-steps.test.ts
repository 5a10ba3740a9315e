// What a second step and a passkey are worth; scripts/security-weakenings.ts takes each defence away.
import { expect, it } from 'vitest'
import type { Enrolment, SecondStep } from '../../src/api-types.ts'
import { type OpenedApp, openApp, PASSWORD } from '../support/app.ts'
import { addPasskey, authenticator, ORIGIN, send, signInOptions } from '../support/passkeys.ts'
import { codeOf } from '../support/totp.ts'

const open = () => openApp({ users: [{ username: 'anna' }], config: { externalURL: ORIGIN } })

/** Sets the second factor up with the code of the step before, so that that of now counts. */
async function enrol(app: OpenedApp) {
  const who = await app.as('anna')
  const begun = await send(who, '/api/second-factor', { current_password: PASSWORD })
  const { secret }: Enrolment = await begun.json()
  const done = await send(who, '/api/second-factor', { code: codeOf(secret, -1) }, 'PUT')
  const { recovery } = (await done.json()) as { recovery: string[] }
  return { secret, recovery }
}

async function statusOf(app: OpenedApp, proof: object): Promise<number> {
  const credentials = { username: 'anna', password: PASSWORD, code: '' }
  const { ticket }: SecondStep = await (await send(app, '/api/login', credentials)).json()
  return (await send(app, '/api/login/second', { ticket, ...proof })).status
}

it('a code counts once', async () => {
  await using app = await open()
  const { secret } = await enrol(app)
  const code = codeOf(secret, 1)
  expect(await statusOf(app, { code })).toBe(200)
  expect(await statusOf(app, { code })).toBe(403)
})

it('a recovery code is used up', async () => {
  await using app = await open()
  const [recovery] = (await enrol(app)).recovery
  expect(await statusOf(app, { recovery })).toBe(200)
  expect(await statusOf(app, { recovery })).toBe(403)
})

it('a passkey signs in at its own origin alone', async () => {
  await using app = await open()
  const key = authenticator()
  await addPasskey(await app.as('anna'), key)
  const response = key.getJSON(`${ORIGIN}:8443`, await signInOptions(app))
  expect((await send(app, '/api/login/passkey', { response })).status).toBe(403)
})

it('a passkey signs in alone only after its owner was verified', async () => {
  await using app = await open()
  const key = authenticator({ verifies: false })
  await addPasskey(await app.as('anna'), key)
  const response = key.getJSON(ORIGIN, await signInOptions(app))
  expect((await send(app, '/api/login/passkey', { response })).status).toBe(403)
})
