import { jwtVerify, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { createTokens } from '../../src/auth/tokens.ts'
import { defaultSettings, type Session, type User } from '../../src/store/document.ts'

it('a token that somebody else issued with the same key is none of ours', async () => {
  const key = Buffer.alloc(64, 7)
  const tokens = createTokens(() => key.toString('base64'))
  const user = { ...defaultSettings().defaults, id: 1, username: 'mona' } as User
  const own = await tokens.issue(user, { id: 's' } as Session, 'api', 60_000)
  const { payload } = await jwtVerify(own, key)
  const sign = (issuer: string) =>
    new SignJWT({ ...payload, iss: issuer }).setProtectedHeader({ alg: 'HS256' }).sign(key)
  expect(await tokens.verify(await sign('File Browser'))).toMatchObject({ sessionId: 's' })
  expect(await tokens.verify(await sign('another'))).toBe(null)
})
