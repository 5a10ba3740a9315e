import { describe, expect, it } from 'vitest'
import { readCommonPasswords } from '../../src/auth/common-passwords.ts'
import { checkPassword } from '../../src/auth/password-policy.ts'

it('a password of a megabyte is refused for its length, before the search in the list', async () => {
  await expect(checkPassword('password'.repeat(131_072), 1)).rejects.toThrow(/exceeds 72 bytes/)
  await expect(checkPassword('password'.repeat(2), 1)).rejects.toThrow('too easy')
})

describe('a password that is guessed soon is too easy', () => {
  it.each([
    ...['1q2w3e4r5t6y7u', '1234567890123', 'qwertyuiop[]', 'megaparol12345', 'aaaaaaaaaaaa'],
    ...['Password1234!', 'password1234', 'passwordpassword', '123456123456', 'QWERTYQWERTY'],
    ...[
      '!QAZ2wsx#EDC',
      '1qaz2wsx3edc',
      'zaq12wsxcde3',
      'qwertyuiop12',
      'asdfghjkl123456',
      '0987654321098',
    ],
    ...[
      'abcdefghijkl',
      'zyxwvutsrqpon',
      'abc1abc1abc1',
      '121212121212',
      '111122223333',
      'aaaabbbbcccc',
    ],
    ...[
      'sunshine12345',
      '12345sunshine',
      'Elephant#12345',
      'iloveyou1234',
      'qwertzuiop123',
      'azertyuiop1234',
    ],
    ...[
      '1234qwerasdf',
      'qwerty123456',
      'asdfasdfasdf',
      'poiuytrewq12',
      '  1234567890  ',
      '000000000000',
    ],
  ])('%s', async (password) => {
    await expect(checkPassword(password, 12)).rejects.toMatchObject({ code: 'weak_password' })
  })

  it('also where short ones are allowed', async () => {
    for (const password of ['123456', 'qwerty', 'secret', 'abcd1234'])
      await expect(checkPassword(password, 4), password).rejects.toThrow('too easy')
  })
})

describe('an honest password is taken', () => {
  it.each([
    ...['Blue-Kettle-77-Window', 'correct horse battery staple', 'Correct-Horse-9-Battery'],
    ...[
      'Green-Lantern-42-Stair',
      'Another-Long-Pass-55',
      'Sign-up-pass-1!',
      'kettlewindow',
      'sunshine-monkey',
    ],
    ...[
      'xK9#mQ2$vL7p',
      'u8fW2nRz6TqY',
      'Xk9#mQ2$vL7p1234',
      'Kettle-1234-Window',
      'Haus am See, Sommer 1987',
    ],
    ...[
      'mein Hund heißt Waldi',
      'я люблю старые карты',
      '山の上の静かな家です',
      'tr0ub4dor&3 twice',
      'a-b-c-d-e-f-g-h',
    ],
    ...['Wasser&Wein-2024', 'property understudy', 'fred went to 4 pubs', 'e7c1b0d29f64'],
  ])('%s', async (password) => {
    await expect(checkPassword(password, 12)).resolves.toBeUndefined()
  })

  it('also a short one where short ones are allowed', async () => {
    for (const password of ['k3#9', 'x7Kq9mPz', 'zr4!Lw'])
      await expect(checkPassword(password, 4), password).resolves.toBeUndefined()
  })
})

it('the list is looked up whole: its first, last and middle words, and nothing in between', async () => {
  const isCommon = await readCommonPasswords()
  for (const word of [
    'password',
    '123456',
    'qwertyuiop',
    '1q2w3e4r5t6y7u',
    'zzzzzz',
    'iloveyou1234',
  ])
    expect(isCommon(word), word).toBe(true)
  for (const word of ['', '\n', 'passwor\n', 'blue-kettle-77-window', '\u{10ffff}', ' '])
    expect(isCommon(word), word).toBe(false)
})
