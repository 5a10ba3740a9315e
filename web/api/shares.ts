// Share links: those of the signed-in person, and what visitors of a link see.

import type { FileInfo, ShareRecord } from '../../src/api-types.ts'
import { boot } from '../lib/boot.ts'
import { encodePath, ROOT } from '../lib/paths.ts'
import { apiUrl, call, callJson, readJson } from './client.ts'
import type { PictureSize } from './files.ts'
import { selectionQuery } from './selections.ts'

export type LifeUnit = 'seconds' | 'minutes' | 'hours' | 'days'

interface NewShare {
  /** How long it lives in `unit`s; 0 or null is for ever. */
  expires: number | null
  unit: LifeUnit
  /** Trimmed; empty for none. */
  password: string
}

/** All links an administrator may see, or one's own. */
export async function listShares(signal?: AbortSignal): Promise<ShareRecord[]> {
  return callJson<ShareRecord[]>('/shares', { signal })
}

/**
 * The links of one path. The server compares paths to the letter, and other clients share folders
 * without the slash at the end: both spellings are asked for.
 */
export async function listSharesOf(
  vpath: string,
  isDir: boolean,
  signal?: AbortSignal,
): Promise<ShareRecord[]> {
  const paths = new Set([sharePath(vpath, isDir), sharePath(vpath, false)])
  const lists = await Promise.all(
    [...paths].map((path) => callJson<ShareRecord[]>(`/share${path}`, { signal })),
  )
  return [...new Map(lists.flat().map((share) => [share.hash, share])).values()]
}

export async function createShare(
  vpath: string,
  isDir: boolean,
  share: NewShare,
): Promise<ShareRecord> {
  const limited = share.expires !== null && share.expires > 0
  const password = share.password.trim()
  return callJson<ShareRecord>(`/share${sharePath(vpath, isDir)}`, {
    method: 'POST',
    json: {
      ...(password !== '' && { password }),
      ...(limited && { expires: String(share.expires), unit: share.unit }),
    },
  })
}

export async function deleteShare(hash: string): Promise<void> {
  await call(`/share/${encodeURIComponent(hash)}`, { method: 'DELETE' })
}

export function sharePageUrl(hash: string, inner = ROOT): string {
  const path = inner === ROOT ? '' : encodePath(inner)
  return `${location.origin}${boot.BaseURL}/share/${encodeURIComponent(hash)}${path}`
}

/** Visitors' access to one share: the password they typed, the ticket the server gave for it. */
export interface ShareAccess {
  hash: string
  /** Sent with every call of the page; never part of an address. */
  password: string
  /** Opens addresses the browser loads by itself (pictures, downloads) for a while. */
  ticket: string
}

export interface Shared {
  /** A file, or a folder with its items; paths are those inside the share. */
  info: FileInfo
  /** When the link ends, in ms since the epoch; null for never or not told. */
  expiresAtMs: number | null
}

/** @throws ApiError 401 when a password is needed or wrong, 404 for an unknown or expired link. */
export async function fetchShared(
  access: ShareAccess,
  inner: string,
  signal: AbortSignal,
): Promise<Shared> {
  const response = await call(publicPath('share', access.hash, inner), {
    signedIn: false,
    headers: passwordHeader(access),
    signal,
  })
  const expires = Number(response.headers.get('X-Share-Expires') ?? 0)
  return {
    info: await readJson<FileInfo>(response),
    expiresAtMs: expires > 0 ? expires * 1000 : null,
  }
}

export function sharedDownloadUrl(
  access: ShareAccess,
  inner: string,
  options: { inline?: boolean; ticket?: boolean } = {},
): string {
  const { inline, ticket = true } = options
  return apiUrl(publicPath('dl', access.hash, inner), {
    inline: inline === true ? true : undefined,
    token: ticket ? ticketOf(access) : undefined,
  })
}

/**
 * An archive of a shared folder, or of some of its entries by name.
 *
 * @throws ApiError when a long selection cannot be registered.
 */
export async function sharedArchiveUrl(
  access: ShareAccess,
  inner: string,
  names: readonly string[],
  algo: string,
): Promise<string> {
  const selected = await selectionQuery(
    names,
    `/public/selections/${encodeURIComponent(access.hash)}`,
    { signedIn: false, headers: passwordHeader(access) },
  )
  return apiUrl(publicPath('dl', access.hash, inner), {
    algo,
    planned: 'auto',
    ...selected,
    token: ticketOf(access),
  })
}

/** An address to give away: it works for anyone who knows the password, and holds no ticket. */
export function directLinkOf(hash: string, inner = ROOT): string {
  const access = { hash, password: '', ticket: '' }
  return new URL(sharedDownloadUrl(access, inner, { inline: true }), location.origin).href
}

export function sharedPreviewUrl(
  access: ShareAccess,
  inner: string,
  size: PictureSize,
  modified: string,
): string {
  const made = size === 'full' ? 'big' : size
  return apiUrl(`/public/preview/${made}/${encodeURIComponent(access.hash)}${encodeInner(inner)}`, {
    inline: true,
    display: size === 'full' ? 'full' : true,
    key: Date.parse(modified) || 0,
    token: ticketOf(access),
  })
}

/** WebVTT of a subtitle file inside the share. */
export function sharedSubtitleUrl(access: ShareAccess, inner: string): string {
  return apiUrl(`/public/subtitle/${encodeURIComponent(access.hash)}${encodeInner(inner)}`, {
    inline: true,
    token: ticketOf(access),
  })
}

/** Where the bytes of a shared file are read, and how, by the page itself. */
export function sharedContent(access: ShareAccess, inner: string) {
  return {
    path: publicPath('dl', access.hash, inner),
    options: { query: { inline: true }, signedIn: false, headers: passwordHeader(access) },
  }
}

function sharePath(vpath: string, isDir: boolean): string {
  return isDir && vpath !== ROOT ? `${encodePath(vpath)}/` : encodePath(vpath)
}

function publicPath(kind: 'share' | 'dl', hash: string, inner: string): string {
  return `/public/${kind}/${encodeURIComponent(hash)}${encodeInner(inner)}`
}

function encodeInner(inner: string): string {
  return inner === ROOT ? '' : encodePath(inner)
}

function ticketOf({ ticket }: ShareAccess): string | undefined {
  return ticket === '' ? undefined : ticket
}

function passwordHeader({ password }: ShareAccess): Record<string, string> {
  return password === '' ? {} : { 'X-SHARE-PASSWORD': encodeURIComponent(password) }
}
