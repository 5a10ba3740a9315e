import { readFile } from 'node:fs/promises'
import type { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lanAddresses } from '../../src/cli/start-block.ts'

test('a sandbox that hides the network interfaces does not stop the start', () => {
  const forbidden = () => {
    throw Object.assign(new Error('uv_interface_addresses'), { code: 'ERR_SYSTEM_ERROR' })
  }
  expect(lanAddresses(forbidden)).toEqual([])
})

test('only addresses that other machines can use are shown, and no more than three', () => {
  const at = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
    ({ address, family, internal }) as NonNullable<ReturnType<typeof networkInterfaces>[string]>[0]
  const interfaces = () => ({
    lo: [at('127.0.0.1', 'IPv4', true)],
    eth0: [at('fe80::1', 'IPv6'), at('10.0.0.1', 'IPv4'), at('10.0.0.2', 'IPv4')],
    eth1: [at('10.1.0.1', 'IPv4'), at('10.1.0.2', 'IPv4')],
  })
  expect(lanAddresses(interfaces)).toEqual(['10.0.0.1', '10.0.0.2', '10.1.0.1'])
})

test('the systemd unit lets the program list them', async () => {
  const unit = await readFile(join(import.meta.dirname, '../../docs/filebrowser.service'), 'utf8')
  expect(unit).toMatch(/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m)
})
