import { expect, it } from 'vitest'
import { checkPassword } from '../../src/auth/password-policy.ts'

it('a password of a megabyte is refused for its length, before the search in the dictionary', async () => {
  await expect(checkPassword('password'.repeat(131_072), 1)).rejects.toThrow(/exceeds 72 bytes/)
  await expect(checkPassword('password'.repeat(2), 1)).rejects.toThrow('too easy')
})
