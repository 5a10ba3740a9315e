// Operations on files and folders.
import {
  binaryBody,
  bytes,
  empty,
  failures,
  flag,
  header,
  integer,
  json,
  jsonBody,
  list,
  needed,
  type Operation,
  object,
  oneOf,
  PATH,
  type Paths,
  PREVIEW_DISPLAY,
  PREVIEW_SIZE,
  query,
  ref,
  SIGNED_IN,
  SIGNED_IN_GET,
  status,
  text,
} from './types.ts'

const ETAG = { ETag: { description: 'Validator of what was written.', schema: text() } }
const OVERRIDE = query('override', 'Replaces what is there; needs modify.', flag())
const INLINE = query('inline', 'For showing in a page rather than saving.', flag())
const MODIFIED = header('X-Modified', 'Time to give the file, in milliseconds.', integer())
const RANGE = header('Range', 'Part of the file, as `bytes=0-499`.')
const TUS_ANSWER = {
  'Upload-Offset': { description: 'Bytes that have arrived.', schema: integer() },
  'Upload-Length': { description: 'Bytes announced.', schema: integer() },
}

const SEEN = {
  type: 'object',
  description: 'Times of change as listed, by path; null for folders.',
}

export const ARCHIVE_QUERY = [
  query(
    'algo',
    'Format of the archive of a folder; ignored for files.',
    oneOf([
      ...['zip', 'tar', 'targz', 'tarbz2', 'tarxz'],
      ...['tarlz4', 'tarsz', 'tarbr', 'tarzst', 'true', ''],
    ]),
  ),
  query(
    'files',
    'Entries of the folder to archive instead of all of it: names percent-encoded one by one, joined by commas, and the whole percent-encoded again.',
  ),
  query('selection', 'Id of registered entries of the folder, where `files` would be too long.'),
]

const SHOW_UPLOAD: Operation = {
  operationId: 'showUpload',
  summary: 'Ask how far an upload is',
  tags: ['Uploads'],
  security: SIGNED_IN,
  parameters: [PATH],
  responses: {
    200: status('The upload is under way.', TUS_ANSWER),
    ...failures(401, 403, 404),
  },
}

export const FILE_PATHS: Paths = {
  '/api/resources/{path}': {
    get: {
      operationId: 'readResource',
      summary: 'List a folder, or read about a file',
      description:
        'A folder comes with its entries, a text file with its content. With `X-Encoding: true` a text file is sent as bytes.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [
        PATH,
        query(
          'checksum',
          'Adds a checksum; needs download.',
          oneOf(['md5', 'sha1', 'sha256', 'sha512']),
        ),
        query(
          'recursive',
          '`false` reads the entry of the root called `recursive`, and what is below it.',
          oneOf(['false']),
        ),
        header('X-Encoding', '`true` asks for the bytes of a text file.'),
      ],
      responses: { 200: json(ref('FileOrFolder')), ...failures(202, 400, 401, 403, 404, 429) },
    },
    post: {
      operationId: 'createResource',
      summary: 'Upload a file, or make a folder',
      description:
        'With a trailing slash a folder is made, with its parents. Otherwise the body becomes the file; it is moved into place only when it is complete.',
      tags: ['Files'],
      security: SIGNED_IN,
      parameters: [PATH, OVERRIDE, MODIFIED],
      requestBody: { ...binaryBody('application/octet-stream'), required: false },
      responses: { 200: status('Done.', ETAG), ...failures(401, 403, 404, 409, 507) },
    },
    put: {
      operationId: 'saveResource',
      summary: 'Save a file that exists',
      tags: ['Files'],
      security: SIGNED_IN,
      parameters: [
        PATH,
        header('If-Match', 'Saves only while the file still has this validator.'),
        MODIFIED,
      ],
      requestBody: binaryBody('application/octet-stream'),
      responses: {
        200: status('Saved.', ETAG),
        405: status('A path with a trailing slash.'),
        ...failures(401, 403, 404, 412, 507),
      },
    },
    patch: {
      operationId: 'moveResource',
      summary: 'Copy, move or rename',
      tags: ['Files'],
      security: SIGNED_IN,
      parameters: [
        PATH,
        needed(query('action', 'What to do.', oneOf(['copy', 'rename']))),
        needed(query('destination', 'Target path, percent-encoded twice.')),
        OVERRIDE,
        query('rename', 'Takes the next free name, `name(1).txt`, when the target exists.', flag()),
      ],
      responses: {
        200: status('Done.', {
          'X-Target': { description: 'The path that was used.', schema: text() },
        }),
        ...failures(400, 401, 403, 404, 409, 507),
      },
    },
    delete: {
      operationId: 'deleteResource',
      summary: 'Delete a file, or a folder with all it holds',
      description: 'Links are deleted, not followed. Shares of the caller at and below it end.',
      tags: ['Files'],
      security: SIGNED_IN,
      parameters: [
        PATH,
        query(
          'seen',
          'Deletes what the body names, each folder before what it holds, and only while all is as it was seen; when something came or changed since, it stays (412).',
          flag(),
        ),
      ],
      requestBody: {
        ...jsonBody(object({ entries: SEEN })),
        required: false,
      },
      responses: { 204: empty('Deleted.'), ...failures(400, 401, 403, 404, 408, 412, 429) },
    },
  },
  '/api/resources/recursive/{path}': {
    get: {
      operationId: 'listRecursively',
      summary: 'List everything below a folder',
      description:
        'Streamed in byte order, each folder before what it holds. Links are not followed.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [PATH],
      responses: {
        200: json(list(ref('RecursiveEntry'))),
        ...failures(400, 401, 403, 404),
      },
    },
  },
  '/api/raw/{path}': {
    get: {
      operationId: 'download',
      summary: 'Download a file, or a folder as an archive',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [PATH, INLINE, ...ARCHIVE_QUERY, RANGE],
      responses: {
        200: bytes('The file or the archive.'),
        206: bytes('Part of the file.'),
        304: empty('Not changed.'),
        ...failures(202, 400, 401, 403, 404, 412, 416, 429),
      },
    },
  },
  '/api/selections': {
    post: {
      operationId: 'registerSelection',
      summary: 'Select entries that are too many for an address',
      description:
        'The id goes into the `selection` query of a download by the same session. It is good for ten minutes; few are kept.',
      tags: ['Files'],
      security: SIGNED_IN,
      requestBody: jsonBody(ref('Selection')),
      responses: { 200: json(ref('SelectionId')), ...failures(202, 400, 401, 408, 429) },
    },
  },
  '/api/preview/{size}/{path}': {
    get: {
      operationId: 'preview',
      summary: 'Small picture of a file',
      description: 'What is small enough already is sent as it is.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [
        PREVIEW_SIZE,
        PATH,
        INLINE,
        query('key', 'Anything that changes with the file, so that caches notice.'),
        PREVIEW_DISPLAY,
      ],
      responses: {
        200: bytes('The picture.', 'image/*'),
        206: bytes('Part of the picture.', 'image/*'),
        304: empty('Not changed.'),
        ...failures(202, 400, 401, 403, 404, 412, 413, 416, 501),
      },
    },
  },
  '/api/subtitle/{path}': {
    get: {
      operationId: 'subtitle',
      summary: 'Subtitles as WebVTT',
      description: 'Converts `.srt`, `.ass` and `.ssa`; `.vtt` is sent as it is.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [PATH, INLINE],
      responses: {
        200: bytes('The subtitles.', 'text/vtt'),
        206: bytes('Part of the subtitles.', 'text/vtt'),
        304: empty('Not changed.'),
        ...failures(202, 400, 401, 403, 404, 412, 413, 416, 429),
      },
    },
  },
  '/api/search/{path}': {
    get: {
      operationId: 'search',
      summary: 'Search by name below a folder',
      description:
        'One JSON object per line, sent as it is found. An empty line says that the search goes on.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [
        PATH,
        query(
          'query',
          'Words of which any may occur in the name, or a phrase in double quotes. `type:image`, `type:audio`, `type:video` and `type:<extension>` narrow it, `case:sensitive` makes case count. Empty finds everything.',
        ),
        query('details', 'Adds size and time to each hit.', flag()),
      ],
      responses: {
        200: {
          description: 'Hits, one per line.',
          content: { 'text/plain': { schema: ref('SearchHit') } },
        },
        ...failures(401),
      },
    },
  },
  '/api/usage/{path}': {
    get: {
      operationId: 'usage',
      summary: 'Space on the disk of a folder',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [PATH],
      responses: { 200: json(ref('Usage')), ...failures(401, 403, 404) },
    },
  },
  '/api/tus/{path}': {
    post: {
      operationId: 'createUpload',
      summary: 'Begin a resumable upload',
      description:
        'Announces the length. The file appears under its name when its last byte has arrived; until then what was there stays.',
      tags: ['Uploads'],
      security: SIGNED_IN,
      parameters: [
        PATH,
        OVERRIDE,
        needed(header('Upload-Length', 'Bytes of the whole file.', integer())),
        MODIFIED,
      ],
      responses: {
        201: status('Begun.', {
          Location: { description: 'Where to send the bytes.', schema: text() },
        }),
        ...failures(400, 401, 403, 409, 423, 429, 507),
      },
    },
    head: { ...SHOW_UPLOAD, operationId: 'probeUpload' },
    get: SHOW_UPLOAD,
    patch: {
      operationId: 'appendToUpload',
      summary: 'Send the next bytes',
      tags: ['Uploads'],
      security: SIGNED_IN,
      parameters: [
        PATH,
        needed(header('Upload-Offset', 'Bytes that have arrived so far.', integer())),
      ],
      requestBody: binaryBody('application/offset+octet-stream'),
      responses: {
        204: empty('Taken.', { 'Upload-Offset': TUS_ANSWER['Upload-Offset'] }),
        ...failures(400, 401, 403, 404, 409, 413, 415, 507),
      },
    },
    delete: {
      operationId: 'cancelUpload',
      summary: 'Give an upload up',
      tags: ['Uploads'],
      security: SIGNED_IN,
      parameters: [PATH],
      responses: { 204: empty('Gone.'), ...failures(401, 403, 404) },
    },
  },
  '/api/uploads': {
    get: {
      operationId: 'unfinishedUploads',
      summary: 'Uploads of your own that are not finished',
      tags: ['Uploads'],
      security: SIGNED_IN_GET,
      responses: { 200: json(list(ref('UnfinishedUpload'))), ...failures(401) },
    },
  },
  '/api/uploads/{path}': {
    delete: {
      operationId: 'discardUpload',
      summary: 'Give an upload of your own up',
      description: 'Needs no right to delete, unlike `DELETE /api/tus/{path}`.',
      tags: ['Uploads'],
      security: SIGNED_IN,
      parameters: [PATH],
      responses: { 204: empty('Gone.'), ...failures(401, 403, 404) },
    },
  },
  '/api/command/{path}': {
    get: {
      operationId: 'command',
      summary: 'Run a command in a folder (WebSocket)',
      description:
        'The client sends one text frame, the command line; each line of output comes back as a text frame. Only where the server allows commands, and only programs listed for the account.',
      tags: ['Files'],
      security: SIGNED_IN_GET,
      parameters: [PATH],
      responses: {
        101: empty('The connection becomes a WebSocket.'),
        ...failures(400, 401, 403),
      },
    },
  },
}
