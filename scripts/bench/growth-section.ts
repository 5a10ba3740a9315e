// What docs/performance.md says and shows of growth.
import { chart, type Panel } from './growth-chart.ts'
import type { Amounts } from './growth-data.ts'
import { type Conditions, madeBy, number, table } from './page-sections.ts'

/** What was measured at one size; megabytes and milliseconds. */
export interface Point {
  startMs: number
  residentMb: number
  privateMb: number
  getMs: number
  publicMs: number
  signInMs: number
  shareMs: number
  accountMs: number
  heldMs: number
  listingMs: number
  searchMs: number
  recursiveMs: number
  recountMs: number
  accountsMs: number
  sharesMs: number
}

export interface Series {
  what: keyof Amounts
  /** Small to large, with the point of each. */
  amounts: number[]
  points: Point[]
}

const NAMES: Record<keyof Amounts, string> = {
  files: 'files in the tree',
  entries: 'entries in a folder',
  accounts: 'accounts',
  sessions: 'sessions',
  shares: 'shares',
}

/** Column heads, and what makes the panels. */
const LASTING: Partial<Record<keyof Point, string>> = {
  startMs: 'Start until all is read, ms',
  residentMb: 'Resident, MB',
  privateMb: 'Private memory, MB',
  getMs: 'Small GET, ms',
  publicMs: 'GET of a share, ms',
  signInMs: 'Sign-in, ms',
  shareMs: 'New share, ms',
  accountMs: 'Account changed, ms',
  heldMs: 'Longest hold of the event loop, ms',
}
const PANELS = ['startMs', 'privateMb', 'getMs', 'signInMs', 'shareMs', 'heldMs'] as const

/** What may take as long as there is much: of which amount. */
const WORK: { figure: keyof Point; name: string; what: keyof Amounts }[] = [
  { figure: 'listingMs', name: 'listing of a folder', what: 'entries' },
  { figure: 'searchMs', name: 'search, no match', what: 'files' },
  { figure: 'recursiveMs', name: 'recursive listing', what: 'files' },
  { figure: 'recountMs', name: 'recount of a limit', what: 'files' },
  { figure: 'accountsMs', name: 'list of accounts', what: 'accounts' },
  { figure: 'sharesMs', name: 'list of shares', what: 'shares' },
]
/** More than this between two measurements is not noise. */
const NOISE = 1.5

/** File names in docs/pictures to pictures. */
export function pictures(series: readonly Series[]): Record<string, string> {
  const panels: Panel[] = PANELS.map((figure) => ({
    title: LASTING[figure] ?? figure,
    lines: Object.fromEntries(
      series.map(({ what, points }) => [NAMES[what], points.map((point) => point[figure])]),
    ),
  }))
  const each = (title: string, of: readonly (keyof Amounts)[]): Panel => ({
    title,
    lines: Object.fromEntries(
      WORK.filter(({ what }) => of.includes(what)).map(({ figure, name, what }) => [
        name,
        eachUs(series, figure, what),
      ]),
    ),
  })
  const work = [
    each('µs for each file', ['files', 'entries']),
    each('µs for each record', ['accounts', 'shares']),
  ]
  return {
    'growth.svg': chart('Start, memory, requests and holds by how much there is', panels),
    'growth-of-work.svg': chart('Time for each entry by how much there is', work),
  }
}

export function describeGrowth(
  series: readonly Series[],
  rounds: number,
  here: Conditions,
): string {
  const faster = WORK.filter(({ figure, what }) => {
    const [, middle = 0, most = 0] = eachUs(series, figure, what)
    return most > middle * NOISE
  })
  const verdict =
    faster.length === 0
      ? `Nothing here grows faster than the work: from 10 to 100 times as much, no time for an entry grows by more than ${NOISE} times.`
      : `Faster than the work grows: ${faster.map(({ name }) => name).join(', ')}.`
  const columns = Object.entries(LASTING) as [keyof Point, string][]
  const lasting = series.flatMap(({ what, amounts, points }) =>
    points.map((point, i) => [
      `${(amounts[i] ?? 0).toLocaleString('en')} ${NAMES[what]}`,
      ...columns.map(([figure]) => number(point[figure])),
    ]),
  )
  const work = WORK.map(({ figure, name, what }) => {
    const { amounts, points } = seriesOf(series, what)
    const each = eachUs(series, figure, what)
    const cells = points.map(
      (point, i) =>
        `${number(point[figure])} ms for ${(amounts[i] ?? 0).toLocaleString('en')}, ${number(each[i] ?? 0)} µs each`,
    )
    return [name, ...cells]
  })
  return `${madeBy('npm run bench -- growth', { rounds }, here)}

One amount at a time is 10 and 100 times as large; the others stay as in its first row. Files are empty, 1,000 in each folder of the tree. A small GET is a file of 4 KiB by the session that was opened last, the share the one that was made last. Memory is that 3 s after the first sign-in. The longest hold of the event loop is that of all the work in the second table, done for the first time after a start.

A change of an account or of a share writes the document of all accounts and shares anew, which is what makes it safe against crashes ([decision 3](decisions/0003-records-are-collections.md)): it takes longer the more of them there are. Sessions have a log of their own.

![Start, memory, requests and holds by how much there is](pictures/growth.svg)

${table(['', ...columns.map(([, name]) => name)], lasting)}

What has to look at everything takes longer where there is more; what counts is the time for each entry. ${verdict}

![Time for each entry by how much there is](pictures/growth-of-work.svg)

${table(['', '×1', '×10', '×100'], work)}
`
}

function seriesOf(series: readonly Series[], what: keyof Amounts): Series {
  const found = series.find((one) => one.what === what)
  if (!found) throw new Error(`${what} was not measured`)
  return found
}

/** Microseconds for each. */
function eachUs(series: readonly Series[], figure: keyof Point, what: keyof Amounts): number[] {
  const { amounts, points } = seriesOf(series, what)
  return points.map((point, i) => (point[figure] * 1000) / (amounts[i] ?? 1))
}
