// Which part of a file a body is: `X-Update-Range` of sabre/dav, `Content-Range` of curl and Apache.
import { AppError, badRequest } from '../lib/errors.ts'

export interface Part {
  /** Where it begins. */
  offsetBytes: number
  /** How long it is; null where the header does not say. */
  lengthBytes: number | null
  /** How long the whole file is at most; null where the header does not say. */
  totalBytes: number | null
}

/**
 * Reads `append`, `bytes=3-6`, `bytes=4-` or `bytes=-5` for a file of `sizeBytes` and a body of `bodyBytes`. Throws
 * `bad_request`, and that with 416 where the body is not as long as the range or the range begins before the file.
 */
export function readUpdateRange(header: string, sizeBytes: number, bodyBytes: number): Part {
  const part = (offsetBytes: number) => ({ offsetBytes, lengthBytes: bodyBytes, totalBytes: null })
  const wanted = header.trim().toLowerCase()
  if (wanted === 'append') return part(sizeBytes)
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(wanted) ?? []
  if (first === '' && last === '') throw badRequest('X-Update-Range cannot be read')
  if (first === '') {
    if (Number(last) > sizeBytes) throw unsatisfiable()
    return part(sizeBytes - Number(last))
  }
  if (last !== '' && Number(last) - Number(first) + 1 !== bodyBytes) throw unsatisfiable()
  return part(Number(first))
}

/** Reads `bytes 0-99/200` or `bytes 0-99/*`. Throws `bad_request`. */
export function readContentRange(header: string): Part {
  const [, first, last, total = '*'] =
    /^\s*bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header) ?? []
  const [offsetBytes, end] = [Number(first), Number(last) + 1]
  const totalBytes = total === '*' ? null : Number(total)
  if (first === undefined || end <= offsetBytes || (totalBytes !== null && end > totalBytes))
    throw badRequest('Content-Range cannot be read')
  return { offsetBytes, lengthBytes: end - offsetBytes, totalBytes }
}

function unsatisfiable(): AppError {
  return new AppError('bad_request', 'The body is not this part of the file.', {
    status: 416,
    expose: true,
  })
}
