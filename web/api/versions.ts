// Earlier versions of a file: listing and reading them, bringing one back.

import type { LeftVersionsPage, VersionItem } from '../../src/keep-types.ts'
import { encodePath, ROOT } from '../lib/paths.ts'
import { ApiError, apiUrl, call, callJson, operationHeader } from './client.ts'
import { readUpTo } from './content.ts'

const at = (vpath: string) => `/versions${encodePath(vpath)}`

/** The newest first. */
export async function listVersions(vpath: string, signal: AbortSignal): Promise<VersionItem[]> {
  return (await callJson<{ items: VersionItem[] }>(at(vpath), { signal })).items
}

/** Where the browser saves it. */
export function versionUrl(vpath: string, id: string): string {
  return apiUrl(at(vpath), { id })
}

/** @throws ApiError `too_large` when it has more than `maxBytes`. */
export async function readVersion(
  vpath: string,
  id: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await call(at(vpath), { query: { id }, signal })
  const bytes = new Uint8Array(await readUpTo(response, maxBytes + 1))
  if (bytes.length > maxBytes) throw new ApiError(413, 'too_large', '')
  return bytes
}

/** `keep` and `release`: whether it stays however old it becomes. */
export async function changeVersion(
  vpath: string,
  id: string,
  action: 'restore' | 'keep' | 'release',
): Promise<void> {
  await call(at(vpath), { method: 'POST', json: { id, action } })
}

/** Makes the file `to` of it. @throws ApiError `exists` when there is one. */
export async function copyVersion(
  vpath: string,
  id: string,
  to: string,
  operation: string,
): Promise<void> {
  const headers = operationHeader(operation)
  await call(at(vpath), { method: 'POST', json: { id, action: 'copy', to }, headers })
}

/** Of files that are not there any more. */
export async function listLeftVersions(signal: AbortSignal): Promise<LeftVersionsPage> {
  return callJson(at(ROOT), { query: { gone: true }, signal })
}

/** All versions of a file. */
export async function deleteVersions(vpath: string): Promise<void> {
  await call(at(vpath), { method: 'DELETE', query: { all: true } })
}

export async function deleteVersion(vpath: string, id: string): Promise<void> {
  await call(at(vpath), { method: 'DELETE', query: { id } })
}
