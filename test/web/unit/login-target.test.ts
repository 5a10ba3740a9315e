import { describe, expect, it } from 'vitest'
import { targetOf } from '../../../web/lib/page/login-target.ts'
import { deviceOf } from '../../../web/settings/device-name.ts'

describe('the page after signing in', () => {
  it.each([
    ['/files/a%20b/', '/files/a%20b/'],
    ['/settings/profile', '/settings/profile'],
    ['//example.org/', '/files/'],
    ['/\\example.org/', '/files/'],
    ['https://example.org/', '/files/'],
    ['javascript:alert(1)', '/files/'],
    ['/login?redirect=/login', '/files/'],
    ['', '/files/'],
  ])('for redirect=%s is %s', (wanted, target) => {
    expect(targetOf(new URLSearchParams({ redirect: wanted }))).toBe(target)
  })
})

describe('the name of a device', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36 Edg/156.0',
      { browser: 'Edge', system: 'Windows' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1',
      { browser: 'Safari', system: 'iPhone' },
    ],
    [
      'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0',
      { browser: 'Firefox', system: 'Android' },
    ],
    ['something', { browser: null, system: null }],
  ])('%s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toEqual(device)
  })
})
