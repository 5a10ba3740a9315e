// What docs/performance.md says of a benchmark, from its report.
import { madeBy, number, table } from './page-sections.ts'

export interface Original {
  program: string
  machine: string
  rows: OriginalRow[]
}

interface OriginalRow {
  case: string
  metric: string
  unit: string
  better: 'high' | 'low'
  median: number
  /** `min–max` */
  spread: string
  /** Anchor to how many times as good the original was, measured in the same rounds. */
  toAnchor: Record<string, number>
}

interface Spread {
  median: number
  min: number
  max: number
}

export interface Report {
  /** ISO 8601. */
  date: string
  cpus: number
  cpu?: string
  kernel: string
  cases: Record<
    string,
    {
      metrics: Record<
        string,
        {
          servers: Record<string, Spread & { samples: number[] }>
          /** `new/nginx` to how many times as good we were, round by round. */
          ratios: Record<string, Spread | null>
        }
      >
    }
  >
}

const NAME = 'new'

/**
 * The section. A ratio to the original compares by the anchor: both were measured beside it, each in its own run
 * and perhaps on another machine. `load` is how many programs wanted a processor in the quarter of an hour before.
 */
export function describe(report: Report, original: Original, load: number): string {
  const rows = original.rows.flatMap((row) => describeRow(report, row))
  const rounds = Math.max(
    0,
    ...Object.values(report.cases).flatMap(({ metrics }) =>
      Object.values(metrics).map(({ servers }) => servers[NAME]?.samples.length ?? 0),
    ),
  )
  return `${madeBy('npm run bench', { rounds }, { ...report, load })}

Figures are medians, with the smallest and largest in brackets. “To the anchor” says how many times as good it was as nginx or the usual tool of the disk (\`cp\`, \`find\`, \`tar\`, \`openssl\`, …), which did the same in the same rounds; above 1 is better than the anchor.
The original is ${original.program}, measured on ${original.machine}. “To the original” divides our ratio to the anchor by that of the original, so it holds across machines; where no anchor does the same, there are only the figures.

${table(HEAD, rows)}
`
}

const HEAD = ['Case', '', 'Here', 'To the anchor', 'Original', 'To the anchor', 'To the original']

function describeRow(report: Report, row: OriginalRow): string[][] {
  const measured = report.cases[row.case]?.metrics[row.metric]
  const own = measured?.servers[NAME]
  if (!measured || !own) return []
  const anchors = Object.entries(measured.ratios).flatMap(([name, ratio]) =>
    ratio ? [{ anchor: name.slice(`${NAME}/`.length), ratio }] : [],
  )
  const here = anchors.map(
    ({ anchor, ratio }) => `${anchor} ${number(ratio.median)} (${span(ratio)})`,
  )
  const there = Object.entries(row.toAnchor).map(([anchor, ratio]) => `${anchor} ${number(ratio)}`)
  const both = anchors.flatMap(({ anchor, ratio }) => {
    const theirs = row.toAnchor[anchor]
    return theirs === undefined ? [] : [`${number(ratio.median / theirs)} (${anchor})`]
  })
  const arrow = row.better === 'high' ? '↑' : '↓'
  const cells = [
    row.case,
    `${row.metric} ${arrow} ${row.unit}`,
    `${number(own.median)} (${span(own)})`,
    here.join('; ') || '–',
    `${number(row.median)} (${row.spread})`,
    there.join('; ') || '–',
    both.join('; ') || '–',
  ]
  return [cells]
}

function span({ min, max }: Spread): string {
  return `${number(min)}–${number(max)}`
}
