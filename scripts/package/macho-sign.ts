// Ad-hoc signature of a 64-bit Mach-O executable: no identity, only digests of its pages. macOS on
// arm64 runs nothing without one, and the tools that make it run on macOS only.
// https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
import { createHash } from 'node:crypto'

const LC_SEGMENT_64 = 0x19
const LC_CODE_SIGNATURE = 0x1d
const HEADER_BYTES = 32
const SIGNATURE_COMMAND_BYTES = 16
const PAGE_BITS = 12
const PAGE_BYTES = 1 << PAGE_BITS
const HASH_BYTES = 32
const ALIGN = 16

const MAGIC_SUPERBLOB = 0xfade0cc0
const MAGIC_DIRECTORY = 0xfade0c02
const SLOT_DIRECTORY = 0
const DIRECTORY_VERSION = 0x20400
const DIRECTORY_BYTES = 88
const FLAG_ADHOC = 0x2
const HASH_SHA256 = 2
const MAIN_BINARY = 1n

interface Segment {
  commandAt: number
  fileOffset: bigint
  fileSize: bigint
}

/** Gives the signed file; throws when it already has a signature or no room for one. */
export function signAdHoc(file: Buffer, identifier: string): Buffer {
  const commands = file.readUInt32LE(16)
  const commandsBytes = file.readUInt32LE(20)
  const end = HEADER_BYTES + commandsBytes
  const segments = new Map<string, Segment>()
  let at = HEADER_BYTES
  for (let i = 0; i < commands; i++) {
    const command = file.readUInt32LE(at)
    if (command === LC_CODE_SIGNATURE) throw new Error('the file is signed already')
    if (command === LC_SEGMENT_64) segments.set(segmentName(file, at), segmentAt(file, at))
    at += file.readUInt32LE(at + 4)
  }
  const text = segments.get('__TEXT')
  const linkedit = segments.get('__LINKEDIT')
  if (!text || !linkedit) throw new Error('no __TEXT or __LINKEDIT segment')
  if (file.subarray(end, end + SIGNATURE_COMMAND_BYTES).some((byte) => byte !== 0)) {
    throw new Error('no room for one more load command')
  }

  // The signature is the end of __LINKEDIT, which is the end of the file.
  const contentBytes = Number(linkedit.fileOffset + linkedit.fileSize)
  const codeBytes = Math.ceil(contentBytes / ALIGN) * ALIGN
  const signatureBytes = sizeOfSignature(codeBytes, identifier)
  const signed = Buffer.alloc(codeBytes + signatureBytes)
  file.copy(signed, 0, 0, contentBytes)
  signed.writeUInt32LE(commands + 1, 16)
  signed.writeUInt32LE(commandsBytes + SIGNATURE_COMMAND_BYTES, 20)
  signed.writeUInt32LE(LC_CODE_SIGNATURE, end)
  signed.writeUInt32LE(SIGNATURE_COMMAND_BYTES, end + 4)
  signed.writeUInt32LE(codeBytes, end + 8)
  signed.writeUInt32LE(signatureBytes, end + 12)
  const linkeditBytes = BigInt(signed.length) - linkedit.fileOffset
  const roundedBytes = ((linkeditBytes + 0x3fffn) / 0x4000n) * 0x4000n
  signed.writeBigUInt64LE(roundedBytes, linkedit.commandAt + 32)
  signed.writeBigUInt64LE(linkeditBytes, linkedit.commandAt + 48)

  makeSignature(signed.subarray(0, codeBytes), identifier, text).copy(signed, codeBytes)
  return signed
}

function segmentName(file: Buffer, at: number): string {
  return file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')
}

function segmentAt(file: Buffer, at: number): Segment {
  return {
    commandAt: at,
    fileOffset: file.readBigUInt64LE(at + 40),
    fileSize: file.readBigUInt64LE(at + 48),
  }
}

const SUPERBLOB_BYTES = 12 + 8

function sizeOfSignature(codeBytes: number, identifier: string): number {
  const pages = Math.ceil(codeBytes / PAGE_BYTES)
  const bytes = SUPERBLOB_BYTES + DIRECTORY_BYTES + identifier.length + 1 + pages * HASH_BYTES
  return Math.ceil(bytes / ALIGN) * ALIGN
}

/** A super blob with a code directory as its only entry; all numbers are big-endian. */
function makeSignature(code: Buffer, identifier: string, text: Segment): Buffer {
  const pages = Math.ceil(code.length / PAGE_BYTES)
  const hashesAt = DIRECTORY_BYTES + identifier.length + 1
  const directory = Buffer.alloc(hashesAt + pages * HASH_BYTES)
  directory.writeUInt32BE(MAGIC_DIRECTORY, 0)
  directory.writeUInt32BE(directory.length, 4)
  directory.writeUInt32BE(DIRECTORY_VERSION, 8)
  directory.writeUInt32BE(FLAG_ADHOC, 12)
  directory.writeUInt32BE(hashesAt, 16)
  directory.writeUInt32BE(DIRECTORY_BYTES, 20)
  // 24: no special slots
  directory.writeUInt32BE(pages, 28)
  directory.writeUInt32BE(code.length, 32)
  directory.writeUInt8(HASH_BYTES, 36)
  directory.writeUInt8(HASH_SHA256, 37)
  directory.writeUInt8(PAGE_BITS, 39)
  // 40 to 63: no scatter, no team, no 64-bit limit
  directory.writeBigUInt64BE(text.fileOffset, 64)
  directory.writeBigUInt64BE(text.fileSize, 72)
  directory.writeBigUInt64BE(MAIN_BINARY, 80)
  directory.write(identifier, DIRECTORY_BYTES, 'latin1')
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(directory, hashesAt + page * HASH_BYTES)
  }
  const head = Buffer.alloc(SUPERBLOB_BYTES)
  head.writeUInt32BE(MAGIC_SUPERBLOB, 0)
  head.writeUInt32BE(SUPERBLOB_BYTES + directory.length, 4)
  head.writeUInt32BE(1, 8)
  head.writeUInt32BE(SLOT_DIRECTORY, 12)
  head.writeUInt32BE(SUPERBLOB_BYTES, 16)
  return Buffer.concat([head, directory])
}
