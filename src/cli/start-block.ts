// What the start tells whoever started it: addresses to open, the folder, a new account.
import { networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import type { RunningServer } from '../server.ts'
import type { FirstStart } from './first-start.ts'

const MAX_LAN_ADDRESSES = 3

/** True when only this machine can reach the server. */
export function isPrivateListener({ address, socket }: Config): boolean {
  return socket !== '' || address === 'localhost' || address === '::1' || address.startsWith('127.')
}

/** One line on the account made at the first start, with the password when it was made up. */
export function accountLine({ username, password }: FirstStart): string {
  return password === null
    ? `User '${username}' initialized with the password you gave\n`
    : `User '${username}' initialized with randomly generated password: ${password}\n`
}

/** The lines printed once the server listens. */
export function startBlock(
  config: Config,
  server: RunningServer,
  account: FirstStart | undefined,
): string {
  const rows: [string, string][] = []
  if (config.socket !== '') {
    rows.push(['Socket', config.socket])
  } else {
    const url = (host: string) =>
      `${server.tls ? 'https' : 'http'}://${host}:${server.port}${config.baseURL}/`
    const host = config.address.includes(':') ? `[${config.address}]` : config.address
    const everywhere = ['', '0.0.0.0', '::'].includes(config.address)
    rows.push(['Open', url(everywhere ? 'localhost' : host)])
    if (everywhere) for (const lan of lanAddresses()) rows.push(['Network', url(lan)])
    else if (isPrivateListener(config)) {
      rows.push(['Network', 'this machine only; start with -a 0.0.0.0 to open it to others'])
    }
  }
  rows.push(['Folder', config.root])
  if (account) rows.push(['Account', accountLine(account).trimEnd()])
  const lines = rows.map(([label, value]) => `  ${label.padEnd(9)}${value}\n`).join('')
  return `\n  File Browser ${config.version}\n\n${lines}\n`
}

/** IPv4 addresses other machines may use, at most three. */
export function lanAddresses(interfaces: typeof networkInterfaces = networkInterfaces): string[] {
  let all: ReturnType<typeof networkInterfaces>
  try {
    all = interfaces()
  } catch {
    // A sandbox without netlink sockets (systemd's RestrictAddressFamilies) cannot list them; they
    // are a courtesy and no reason to stop.
    return []
  }
  return Object.values(all)
    .flatMap((list) => list ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, MAX_LAN_ADDRESSES)
}
