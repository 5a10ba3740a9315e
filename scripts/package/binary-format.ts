// What platform a native file is for, read from its header. Executables for other platforms cannot
// be run here; this much of them can be checked.
import { open } from 'node:fs/promises'

const ELF_CPU: Record<number, string> = { 62: 'x64', 183: 'arm64' }
const MACHO_CPU: Record<number, string> = { 16777223: 'x64', 16777228: 'arm64' }
const PE_CPU: Record<number, string> = { 34404: 'x64', 43620: 'arm64' }
/** Node's mark that says whether a program is attached: `:1` follows it then. */
export const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const MARK = `${FUSE}:`

/** `linux-x64`, `darwin-arm64`, `win32-x64` and so on; null for anything else. */
export function formatOf(head: Buffer): string | null {
  if (head.length < 64) return null
  if (head.readUInt32BE(0) === 0x7f454c46) return name('linux', ELF_CPU[head.readUInt16LE(18)])
  if (head.readUInt32LE(0) === 0xfeedfacf) return name('darwin', MACHO_CPU[head.readUInt32LE(4)])
  if (head.toString('latin1', 0, 2) !== 'MZ') return null
  const at = head.readUInt32LE(0x3c)
  if (head.toString('latin1', at, at + 4) !== 'PE\0\0') return null
  return name('win32', PE_CPU[head.readUInt16LE(at + 4)])
}

export async function fileFormat(file: string): Promise<string | null> {
  const handle = await open(file)
  try {
    const head = Buffer.alloc(4096)
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return formatOf(head.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** True when the executable has a program attached. */
export async function hasProgram(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    let rest = ''
    for await (const chunk of handle.createReadStream({
      highWaterMark: 1 << 20,
      autoClose: false,
    })) {
      const text = rest + (chunk as Buffer).toString('latin1')
      const at = text.indexOf(MARK)
      if (at >= 0 && at + MARK.length < text.length) return text[at + MARK.length] === '1'
      rest = text.slice(-MARK.length - 1)
    }
    return false
  } finally {
    await handle.close()
  }
}

function name(os: string, cpu: string | undefined): string | null {
  return cpu ? `${os}-${cpu}` : null
}
