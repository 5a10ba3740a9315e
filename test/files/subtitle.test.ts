import { describe, expect, it } from 'vitest'
import { findSubtitles } from '../../src/files/listing/subtitle-files.ts'
import type { DirEntry } from '../../src/files/place/list-folder.ts'
import { toWebVtt } from '../../src/files/subtitle/subtitle.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { cpuMs, leastMs } from '../support/cpu-time.ts'

const vtt = (text: string, format: 'srt' | 'ass' = 'srt') => toWebVtt(Buffer.from(text), format)
/** The text of the only cue. */
const cue = (text: string) =>
  vtt(`1\n00:00:01,000 --> 00:00:02,000\n${text}\n`).split('\n').slice(4).join('\n').trimEnd()

describe('SubRip', () => {
  it('becomes WebVTT', () => {
    const srt = `1
00:00:01,000 --> 00:00:02,500
Hello <i>it</i> & <b>bold</b><br>Two

2
00:01:02,003 --> 00:01:04,000
Line one
Line two

3
01:00:00,000 --> 01:00:01,000
<u>under</u> a < b <span>x</span>
`
    expect(vtt(srt)).toBe(`WEBVTT

1
00:00:01.000 --> 00:00:02.500
Hello <i>it</i> &amp; <b>bold</b>
Two

2
00:01:02.003 --> 00:01:04.000
Line one
Line two

3
01:00:00.000 --> 01:00:01.000
<u>under</u> a &lt; b x
`)
  })

  it('may have a byte order mark, Windows line ends, and lack numbers', () => {
    expect(
      vtt('\ufeff00:00:01,000 --> 00:00:02,000\r\nHi\r\n\r\n00:00:03,5 --> 00:00:04,25\r\nthere'),
    ).toBe(
      'WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nHi\n\n2\n00:00:03.500 --> 00:00:04.250\nthere\n',
    )
  })

  it.each([
    ['a<BR/>b<br />c<br class="x">d', 'a\nb\nc\nd'],
    ['<font color="#FF0000">red</font>', '<c.red>red</c>'],
    ['<font color=yellow>y</font>', '<c.yellow>y</c>'],
    ['<font color="#123456">odd</font>', 'odd'],
    ['<font face="x"><b>bold</font></b>', '<b>bold</b>'],
    ['<i>never closed', '<i>never closed</i>'],
    ['closed</i> too often', 'closed too often'],
    ['<script>alert(1)</script>', 'alert(1)'],
    ['<i onclick="x">safe</i>', '<i>safe</i>'],
    ['1 < 2 & 3 > 2', '1 &lt; 2 &amp; 3 > 2'],
    ['&amp; stays one', '&amp; stays one'],
    ['an --> arrow', 'an --&gt; arrow'],
    ['first\n\nafter an empty line', 'first\nafter an empty line'],
  ])('%j reads %j', (text, expected) => {
    expect(cue(text)).toBe(expected)
  })

  it('places cues by \\an', () => {
    expect(vtt('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}top\n')).toContain('02.000 line:0\ntop')
    expect(vtt('1\n00:00:01,000 --> 00:00:02,000\n{\\an1}left\n')).toContain(
      '02.000 position:10% align:start\nleft',
    )
  })

  it('reads UTF-16 and Windows-1252', () => {
    const text = '1\n00:00:01,000 --> 00:00:02,000\nÉté\n'
    expect(toWebVtt(Buffer.from(`\ufeff${text}`, 'utf16le'), 'srt')).toContain('Été')
    expect(toWebVtt(Buffer.from(text, 'latin1'), 'srt')).toContain('Été')
  })

  it.each(['', 'no cues here\n', '1\n00:00:02,000 --> 00:00:01,000\nbackwards\n'])(
    'is refused without a cue: %j',
    (text) => {
      expect(() => vtt(text)).toThrow(/no cues/)
    },
  )
})

it('converts SubStation Alpha', () => {
  const ass = `[Script Info]
Dialogue: not here
[V4+ Styles]
Format: Name, Fontname
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,a note
Dialogue: 0,0:00:05.00,0:00:06.50,Default,,0,0,0,,second, with a comma
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\i1}first{\\i0}\\Nline & more
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
`
  expect(vtt(ass, 'ass')).toBe(`WEBVTT

1
00:00:01.000 --> 00:00:02.000
first
line &amp; more

2
00:00:05.000 --> 00:00:06.500
second, with a comma
`)
})

it('takes linear time on hostile text', async () => {
  const texts = [
    '<'.repeat(500_000),
    '<a'.repeat(250_000),
    '{\\an'.repeat(200_000),
    '&'.repeat(500_000),
  ]
  const drawing = `Dialogue: 0:00:01.00,0:00:02.00,x${'{\\p1}'.repeat(100_000)}`
  const takenMs = await leastMs(3_000, () =>
    cpuMs(() => {
      for (const text of texts) cue(text)
      vtt(`[Events]\nFormat: Start, End, Text\n${drawing}`, 'ass')
    }),
  )
  expect(takenMs).toBeLessThan(3_000)
})

it('finds the subtitles of a video beside it and in subtitle folders', () => {
  const entry = (folder: string, name: string, kind: DirEntry['kind'] = 'file'): DirEntry => ({
    name,
    kind,
    vpath: `${folder}/${name}` as VPath,
  })
  const entries = [
    entry('/vid', 'Subs', 'dir'),
    entry('/vid', 'movie-notes', 'dir'),
    entry('/vid', 'movie.en.vtt'),
    entry('/vid', 'movie.mp4'),
    entry('/vid', 'movie.SRT'),
    entry('/vid', 'moviexvtt'),
    entry('/vid', 'other.srt'),
  ]
  const folders = new Map<VPath, DirEntry[]>([
    [
      '/vid/Subs' as VPath,
      [
        entry('/vid/Subs', 'any.srt'),
        entry('/vid/Subs', 'movie-x', 'dir'),
        entry('/vid/Subs', 'zzz', 'dir'),
        entry('/vid/Subs', 'x.txt'),
      ],
    ],
    ['/vid/Subs/movie-x' as VPath, [entry('/vid/Subs/movie-x', 'en.ass')]],
    ['/vid/Subs/zzz' as VPath, [entry('/vid/Subs/zzz', 'en.ass')]],
  ])
  expect(findSubtitles('movie.mp4', entries, folders)).toEqual([
    '/vid/Subs/any.srt',
    '/vid/Subs/movie-x/en.ass',
    '/vid/movie.en.vtt',
    '/vid/movie.SRT',
  ])
})

describe('hostile subtitles', () => {
  /** Many times what it takes, and nothing beside the hours of looking at all of it for each of it. */
  const MOST_MS = 10_000

  it('take no longer for tags closed that were never opened', () => {
    const text = `${'<b>'.repeat(100_000)}x${'</u>'.repeat(100_000)}`
    expect(cpuMs(() => cue(text))).toBeLessThan(MOST_MS)
  })

  it('take no longer for columns without end', () => {
    const columns = `Start, End, Text${','.repeat(500_000)}`
    const line = 'Dialogue: 0:00:01.00,0:00:02.00,words\n'
    const text = `[Events]\nFormat: ${columns}\n${line}${'Dialogue:\n'.repeat(20_000)}`
    expect(cpuMs(() => expect(vtt(text, 'ass')).toContain('words'))).toBeLessThan(MOST_MS)
  })
})
