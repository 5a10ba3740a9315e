// Operations on files and folders, uploads and shares.
import { call, type Group, operations } from './operations.ts'
import {
  bytesBody,
  bytesOf,
  choice,
  empty,
  failures,
  fileAnswers,
  flag,
  header,
  inPath,
  integer,
  json,
  jsonBody,
  list,
  object,
  plain,
  query,
  ref,
  required,
  sends,
  status,
  text,
} from './shorthands.ts'

const FILES: Group = { tag: 'Files' }
const UPLOADS: Group = { tag: 'Uploads' }
const SHARES: Group = { tag: 'Shares' }
const PUBLIC_SHARES: Group = {
  tag: 'Shares',
  access: 'share',
  inPath: { path: inPath('path', 'Path below the shared folder; empty for the share itself.') },
}

const ETAG = { ETag: sends('Validator of what was written.') }
const OVERRIDE = query('override', 'Replaces what is there; needs modify.', flag())
const INLINE = query('inline', 'For showing in a page rather than saving.', flag())
const MODIFIED = header('X-Modified', 'Time to give the file, in milliseconds.', integer())
const IF_MATCH = header('If-Match', 'Writes only while the file still has this validator.')
const IF_NONE_MATCH = header('If-None-Match', 'Writes nothing while the file has this validator.')
const RANGE = header('Range', 'Part of the file, as `bytes=0-499`.')
const UPLOAD_OFFSET = { 'Upload-Offset': sends('Bytes that have arrived.', integer()) }
const UPLOAD_LENGTH = { 'Upload-Length': sends('Bytes announced.', integer()) }

const PREVIEW_DISPLAY = query(
  'display',
  '`true` makes a picture any browser can show, whatever the file is; `full` keeps its width and height where the file itself is nothing for browsers.',
  choice(['true', 'full']),
)

const ARCHIVE_QUERY = [
  query(
    'algo',
    'Format of the archive of a folder; ignored for files.',
    choice([
      ...['zip', 'tar', 'targz', 'tarbz2', 'tarxz'],
      ...['tarlz4', 'tarsz', 'tarbr', 'tarzst', 'true', ''],
    ]),
  ),
  query(
    'files',
    'Entries of the folder to archive instead of all of it: names percent-encoded one by one, joined by commas, and the whole percent-encoded again.',
  ),
  query('selection', 'Id of registered entries of the folder, where `files` would be too long.'),
  query(
    'planned',
    '`true` walks the folder first, so that the archive has a length, a validator and parts; zip and tar only. `auto` does so where that is possible soon, and sends the archive as it is made otherwise. The validator of a plan, without quotes: 412 when it would be another.',
  ),
]

const CHECKSUMS = ['md5', 'sha1', 'sha256', 'sha512']

const SEEN = object({
  entries: { type: 'object', description: 'Times of change as listed, by path; null for folders.' },
})

const FILE = fileAnswers('The file or the archive.', 'Part of the file.')
const PICTURE = fileAnswers('The picture.', 'Part of the picture.', 'image/*')
const NO_PICTURE = empty('With `display=true`: there is no small picture of this file.')
const SUBTITLES = fileAnswers('The subtitles.', 'Part of the subtitles.', 'text/vtt')

const RESOURCE_PATHS = operations(FILES, {
  'GET /api/resources/{path}': call('readResource', 'List a folder, or read about a file', {
    description:
      'A folder comes with its entries, a text file with its content. With `X-Encoding: true` a text file is sent as bytes.',
    parameters: [
      query('checksum', 'Adds a checksum; needs download.', choice(CHECKSUMS)),
      query(
        'recursive',
        '`false` reads the entry of the root called `recursive`, and what is below it.',
        choice(['false']),
      ),
      query(
        'summary',
        '`true` gives of a folder how much is in it, and one of its pictures, without `items`.',
        flag(),
      ),
      query('duration', '`true` gives of a film how long it is, and no subtitles.', flag()),
      header('X-Encoding', '`true` asks for the bytes of a text file.'),
    ],
    answers: { 200: json(ref('FileOrFolder')), ...failures(202, 400, 403, 404, 429) },
  }),
  'POST /api/resources/{path}': call('createResource', 'Upload a file, or make a folder', {
    description:
      'With a trailing slash a folder is made, with its parents. Otherwise the body becomes the file; it is moved into place only when it is complete.',
    parameters: [OVERRIDE, IF_MATCH, IF_NONE_MATCH, MODIFIED],
    body: { ...bytesBody(), required: false },
    answers: { 200: status('Done.', ETAG), ...failures(403, 404, 409, 412, 507) },
  }),
  'PUT /api/resources/{path}': call('saveResource', 'Save a file that exists', {
    parameters: [IF_MATCH, IF_NONE_MATCH, MODIFIED],
    body: bytesBody(),
    answers: {
      200: status('Saved.', ETAG),
      405: status('A path with a trailing slash.'),
      ...failures(403, 404, 412, 507),
    },
  }),
  'POST /api/pictures/{path}': call('editPicture', 'Save a picture turned or cropped', {
    description:
      'Needs download, and modify or, with `to`, create. What is too large, damaged or in no format that can be written is refused.',
    parameters: [IF_MATCH],
    body: jsonBody(
      object({
        'rotate?': integer('Degrees clockwise: 0, 90, 180 or 270.'),
        'crop?': object(
          { left: integer(), top: integer(), width: integer(), height: integer() },
          'What stays of the picture as it is shown after the rotation, in pixels.',
        ),
        'to?': text('Path of a new file for the result; the picture stays as it is.'),
      }),
    ),
    answers: {
      200: status('Saved.', ETAG),
      ...failures(400, 403, 404, 409, 412, 413, 415, 507),
    },
  }),
  'POST /api/taken/{path}': call('readDatesTaken', 'When the pictures of a folder were taken', {
    description: 'Of those that tell it and may be downloaded.',
    body: jsonBody(object({ 'names?': list(text(), 'Those of these names alone.') })),
    answers: {
      200: json(
        list(
          object({
            name: text(),
            taken: text('As `2024-05-05T14:22:00`, in the time of the place.'),
          }),
        ),
      ),
      ...failures(400, 403, 404),
    },
  }),
  'PATCH /api/resources/{path}': call(
    'moveResource',
    'Copy, move, rename, or set permission bits',
    {
      parameters: [
        required(query('action', 'What to do.', choice(['copy', 'rename', 'mode']))),
        query('destination', 'Target path, percent-encoded twice; of a copy or move.'),
        query('mode', 'Permission bits, three octal digits; for `mode`, which needs modify.'),
        query(
          'recursive',
          'The same for all below; folders stay open to whoever may read.',
          flag(),
        ),
        OVERRIDE,
        query('rename', 'Takes the next free name, `name(1).txt`, when the target exists.', flag()),
      ],
      answers: {
        200: status('Done.', { 'X-Target': sends('The path that was used.') }),
        ...failures(400, 403, 404, 409, 507),
      },
    },
  ),
  'DELETE /api/resources/{path}': call(
    'deleteResource',
    'Delete a file, or a folder with all it holds',
    {
      description: 'Links are deleted, not followed. Shares of the caller at and below it end.',
      parameters: [
        query(
          'trash',
          'Whether it goes into the trash. Without it the setting of the server decides.',
          flag(),
        ),
        query(
          'seen',
          'Deletes what the body names, each folder before what it holds, and only while all is as it was seen; when something came or changed since, it stays (412).',
          flag(),
        ),
      ],
      body: { ...jsonBody(SEEN), required: false },
      answers: { 204: empty('Deleted.'), ...failures(400, 403, 404, 412) },
    },
  ),
  'GET /api/resources/recursive/{path}': call('listRecursively', 'List everything below a folder', {
    description:
      'Streamed in byte order, each folder before what it holds. Links are not followed.',
    answers: { 200: json(list(ref('RecursiveEntry'))), ...failures(400, 403, 404) },
  }),
  'GET /api/raw/{path}': call('download', 'Download a file, or a folder as an archive', {
    parameters: [INLINE, ...ARCHIVE_QUERY, RANGE],
    answers: { ...FILE, ...failures(202, 413, 429) },
  }),
  'POST /api/selections': call(
    'registerSelection',
    'Select entries that are too many for an address',
    {
      description:
        'The id goes into the `selection` query of a download by the same session. It is good for ten minutes; few are kept.',
      body: jsonBody(ref('Selection')),
      answers: { 200: json(ref('SelectionId')), ...failures(202, 400) },
    },
  ),
  'GET /api/preview/{size}/{path}': call('preview', 'Small picture of a file', {
    description: 'What is small enough already is sent as it is.',
    parameters: [
      INLINE,
      query('key', 'Anything that changes with the file, so that caches notice.'),
      PREVIEW_DISPLAY,
    ],
    answers: { ...PICTURE, 204: NO_PICTURE, ...failures(202, 413, 501) },
  }),
  'GET /api/subtitle/{path}': call('subtitle', 'Subtitles as WebVTT', {
    description: 'Converts `.srt`, `.ass` and `.ssa`; `.vtt` is sent as it is.',
    parameters: [INLINE],
    answers: { ...SUBTITLES, ...failures(202, 413, 429) },
  }),
  'GET /api/search/{path}': call('search', 'Search by name below a folder', {
    description:
      'One JSON object per line, sent as it is found. An empty line says that the search goes on.',
    parameters: [
      query(
        'query',
        'Words of which any may occur in the name, or a phrase in double quotes. `type:image`, `type:audio`, `type:video` and `type:<extension>` narrow it, `case:sensitive` makes case count. Empty finds everything.',
      ),
      query(
        'match',
        '`all`: a name has every word and phrase, in any order, whatever their accents.',
      ),
      query('details', 'Adds size and time to each hit.', flag()),
    ],
    answers: { 200: plain('Hits, one per line.', ref('SearchHit')) },
  }),
  'GET /api/locks/{path}': call('locks', 'Locks of WebDAV that hold at a path', {
    answers: { 200: json(ref('Locks')), ...failures(403, 404) },
  }),
  'DELETE /api/locks/{path}': call('endLock', 'End a lock', {
    description: 'By the account that has made it, or an administrator.',
    parameters: [query('id', 'Which lock.')],
    answers: { 204: empty('It is ended.'), ...failures(403, 404) },
  }),
  'GET /api/usage/{path}': call('usage', 'Space on the disk of a folder', {
    answers: { 200: json(ref('Usage')), ...failures(403, 404) },
  }),
  'GET /api/command/{path}': call('command', 'Run a command in a folder (WebSocket)', {
    description:
      'The client sends one text frame, the command line; each line of output comes back as a text frame. Only where the server allows commands, and only programs listed for the account.',
    answers: { 101: empty('The connection becomes a WebSocket.'), ...failures(400, 403) },
  }),
})

const SHOW_UPLOAD = call('showUpload', 'Ask how far an upload is', {
  access: 'token',
  answers: {
    200: status('The upload is under way.', { ...UPLOAD_OFFSET, ...UPLOAD_LENGTH }),
    ...failures(403, 404),
  },
})

const UPLOAD_PATHS = operations(UPLOADS, {
  'POST /api/tus/{path}': call('createUpload', 'Begin a resumable upload', {
    description:
      'Announces the length. The file appears under its name when its last byte has arrived; until then what was there stays.',
    parameters: [
      OVERRIDE,
      required(header('Upload-Length', 'Bytes of the whole file.', integer())),
      MODIFIED,
    ],
    answers: {
      201: status('Begun.', { Location: sends('Where to send the bytes.') }),
      ...failures(400, 403, 409, 423, 429, 507),
    },
  }),
  'HEAD /api/tus/{path}': { ...SHOW_UPLOAD, id: 'probeUpload' },
  'GET /api/tus/{path}': SHOW_UPLOAD,
  'PATCH /api/tus/{path}': call('appendToUpload', 'Send the next bytes', {
    parameters: [required(header('Upload-Offset', 'Bytes that have arrived so far.', integer()))],
    body: bytesBody('application/offset+octet-stream'),
    answers: {
      204: empty('Taken.', UPLOAD_OFFSET),
      ...failures(400, 403, 404, 409, 413, 415, 507),
    },
  }),
  'DELETE /api/tus/{path}': call('cancelUpload', 'Give an upload up', {
    answers: { 204: empty('Gone.'), ...failures(403, 404) },
  }),
  'POST /api/bundle/{path}': call('bundle', 'Upload many files at once', {
    description:
      'Each entry of the tar becomes a file below the folder, as by a POST of its own. The answer has a line for each.',
    parameters: [OVERRIDE],
    body: bytesBody('application/x-tar'),
    answers: {
      200: {
        description: 'Lines of `{"name":…,"status":…,"code":…}`, as the entries land.',
        content: bytesOf('application/x-ndjson'),
      },
      ...failures(400, 403),
    },
  }),
  'GET /api/uploads': call('unfinishedUploads', 'Uploads of your own that are not finished', {
    answers: { 200: json(list(ref('UnfinishedUpload'))) },
  }),
  'DELETE /api/uploads/{path}': call('discardUpload', 'Give an upload of your own up', {
    description: 'Needs no right to delete, unlike `DELETE /api/tus/{path}`.',
    answers: { 204: empty('Gone.'), ...failures(403, 404) },
  }),
})

const SHARE_PATHS = operations(SHARES, {
  'GET /api/shares': call('listShares', 'Own shares; all of them for administrators', {
    answers: { 200: json(list(ref('Share'))), ...failures(403) },
  }),
  'GET /api/share/{path}': call('sharesOf', 'Shares of one entry', {
    answers: { 200: json(list(ref('Share'))), ...failures(403) },
  }),
  'POST /api/share/{path}': call('createShare', 'Make a public link', {
    body: jsonBody(ref('NewShare')),
    answers: { 200: json(ref('Share')), ...failures(400, 403, 404) },
  }),
  'DELETE /api/share/{path}': call('deleteShare', 'End a public link; the path is its hash', {
    answers: { 200: status('Ended.'), ...failures(400, 403, 404) },
  }),
})

const PUBLIC_PATHS = operations(PUBLIC_SHARES, {
  'GET /api/public/share/{hash}/{path}': call('readShare', 'What a share holds', {
    answers: { 200: json(ref('FileOrFolder')), ...failures(400, 403, 404, 429) },
  }),
  'GET /api/public/dl/{hash}/{path}': call('downloadShare', 'Download from a share', {
    parameters: [INLINE, ...ARCHIVE_QUERY, RANGE],
    answers: { ...FILE, ...failures(413, 429) },
  }),
  'POST /api/public/selections/{hash}': call(
    'registerSharedSelection',
    'Select entries of a share that are too many for an address',
    {
      description: 'The id goes into the `selection` query of a download from this share.',
      body: jsonBody(ref('Selection')),
      answers: { 200: json(ref('SelectionId')), ...failures(400, 403, 404) },
    },
  ),
  'GET /api/public/preview/{size}/{hash}/{path}': call(
    'previewShare',
    'Small picture of a shared file',
    {
      parameters: [INLINE, PREVIEW_DISPLAY],
      answers: { ...PICTURE, 204: NO_PICTURE, ...failures(413, 429, 501) },
    },
  ),
  'GET /api/public/subtitle/{hash}/{path}': call(
    'subtitleOfShare',
    'Subtitles of a shared video as WebVTT',
    { parameters: [INLINE], answers: { ...SUBTITLES, ...failures(413, 429) } },
  ),
})

export const FILE_PATHS = { ...RESOURCE_PATHS, ...UPLOAD_PATHS, ...SHARE_PATHS, ...PUBLIC_PATHS }
