import { expect, it } from 'vitest'
import { describe, type Original, type Report } from '../scripts/bench/describe.ts'
import { chart } from '../scripts/bench/growth-chart.ts'
import { withSection } from '../scripts/bench/page-sections.ts'

const ORIGINAL: Original = {
  program: 'the original',
  machine: 'a machine',
  rows: [
    {
      case: 'download',
      metric: 'par',
      unit: 'MB/s',
      better: 'high',
      median: 3135,
      spread: '2738–3333',
      toAnchor: { nginx: 0.8 },
    },
    {
      case: 'search',
      metric: 'total',
      unit: 'ms',
      better: 'low',
      median: 5991,
      spread: '5874–7318',
      toAnchor: {},
    },
  ],
}

const REPORT: Report = {
  date: '2026-11-24T19:00:00.000Z',
  cpus: 2,
  cpu: 'a processor',
  kernel: '6.1',
  cases: {
    download: {
      metrics: {
        par: {
          servers: { new: { median: 2000, min: 1900, max: 2100, samples: [1900, 2000, 2100] } },
          ratios: { 'new/nginx': { median: 0.4, min: 0.3, max: 0.5 }, 'new/disk': null },
        },
      },
    },
  },
}

it('sets a ratio to the anchor against that of the original', () => {
  const page = describe(REPORT, ORIGINAL, 0)
  expect(page).toContain(
    '| download | par ↑ MB/s | 2000 (1900–2100) | nginx 0.4 (0.3–0.5) | 3135 (2738–3333) | nginx 0.8 | 0.5 (nginx) |',
  )
  expect(page).toContain('2026-11-24: the packaged executable, 3 rounds')
})

it('leaves out what was not measured, and says when the machine was busy', () => {
  expect(describe(REPORT, ORIGINAL, 0)).not.toContain('search')
  expect(describe(REPORT, ORIGINAL, 0)).toContain('Nothing else ran')
  expect(describe(REPORT, ORIGINAL, 12)).toContain('busy with other work')
})

it('keeps the sections that others have written', () => {
  const page = '# Performance\n\n## Growth\n\nold\n\n### Of one\n\n## The page\n\nquick\n'
  expect(withSection(page, 'Growth', 'new\n')).toBe(
    '# Performance\n\n## Growth\n\nnew\n\n## The page\n\nquick\n',
  )
  expect(withSection('# Performance\n', 'Growth', 'new')).toBe(
    '# Performance\n\n## Growth\n\nnew\n',
  )
})

it('draws ten times as much as high as the axis says', () => {
  const svg = chart('growth', [{ title: 'ms', lines: { files: [1, 10, 100] } }])
  const [, first, second] = /<path class="l0" d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)L/.exec(svg) ?? []
  const lines = [...svg.matchAll(/class="grid" d="M46 ([\d.]+)H/g)].map(([, y]) => Number(y))
  expect(lines).toHaveLength(3)
  expect(Number(first)).toBe(lines[0])
  expect(Number(second)).toBe(lines[1])
})
