// Curves as an SVG picture that is readable on a light and on a dark page: small panels, both axes logarithmic.

export interface Panel {
  title: string
  /** Name to its values at 1, 10 and 100 times as much. */
  lines: Record<string, readonly number[]>
}

const PANEL = { width: 260, height: 190 } as const
const PLOT = { left: 46, top: 30, right: 14, bottom: 26 } as const
const COLUMNS = 3
const LEGEND_HEIGHT = 30
const LEGEND_STEP = 150
/** Of a line each; they differ without colour by their dashes. */
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'] as const
const COLOURS = {
  light: ['#1f6feb', '#b35900', '#1a7f37', '#8250df', '#cf222e', '#57606a'],
  dark: ['#6cb6ff', '#f0a04b', '#57d364', '#c39bff', '#ff7b72', '#9ea7b3'],
} as const

/** The picture as text; `alt` is what it shows in words. */
export function chart(alt: string, panels: readonly Panel[]): string {
  const names = [...new Set(panels.flatMap(({ lines }) => Object.keys(lines)))]
  const rows = Math.ceil(panels.length / COLUMNS)
  const width = PANEL.width * Math.min(COLUMNS, panels.length)
  const inRow = Math.floor(width / LEGEND_STEP)
  const legendRows = Math.ceil(names.length / inRow)
  const legendTop = rows * PANEL.height
  const height = legendTop + legendRows * 20 + LEGEND_HEIGHT - 20
  const legend = names.map((name, i) => {
    const x = 10 + (i % inRow) * LEGEND_STEP
    const y = legendTop + 14 + Math.floor(i / inRow) * 20
    return `<path class="l${i}" d="M${x} ${y}h24"/><text x="${x + 30}" y="${y + 4}">${name}</text>`
  })
  const drawn = panels.map((panel, i) => {
    const at = `${(i % COLUMNS) * PANEL.width} ${Math.floor(i / COLUMNS) * PANEL.height}`
    return `<g transform="translate(${at})">${drawPanel(panel, names)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${alt}">
<style>${styles(names.length)}</style>
<rect class="page" width="${width}" height="${height}" rx="6"/>
${[...drawn, ...legend].join('\n')}
</svg>
`
}

function styles(count: number): string {
  const colours = (of: readonly string[]) =>
    of
      .slice(0, count)
      .map((colour, i) => `.l${i}{stroke:${colour}}.d${i}{fill:${colour}}`)
      .join('')
  const dashes = DASHES.slice(0, count)
    .map((dash, i) => (dash ? `path.l${i}{stroke-dasharray:${dash}}` : ''))
    .join('')
  return [
    'text{font:11px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.end{text-anchor:end}.mid{text-anchor:middle}',
    'path{fill:none;stroke-width:1.8}.grid{stroke:#8b949e55;stroke-width:1}.page{fill:#fff}',
    colours(COLOURS.light),
    dashes,
    `@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#161b22}${colours(COLOURS.dark)}}`,
  ].join('')
}

function drawPanel({ title, lines }: Panel, names: readonly string[]): string {
  const values = Object.values(lines).flat()
  const [low, high] = decades(Math.min(...values), Math.max(...values))
  const inner = {
    width: PANEL.width - PLOT.left - PLOT.right,
    height: PANEL.height - PLOT.top - PLOT.bottom,
  }
  const x = (step: number) => round(PLOT.left + (inner.width * step) / 2)
  const y = (value: number) =>
    round(PLOT.top + (inner.height * (high - Math.log10(value))) / (high - low))
  const grid: string[] = []
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power)
    grid.push(
      `<path class="grid" d="M${PLOT.left} ${at}H${PANEL.width - PLOT.right}"/>`,
      `<text class="end" x="${PLOT.left - 5}" y="${at + 4}">${tick(power)}</text>`,
    )
  }
  for (const step of [0, 1, 2])
    grid.push(
      `<path class="grid" d="M${x(step)} ${PLOT.top}V${PANEL.height - PLOT.bottom}"/>`,
      `<text class="mid" x="${x(step)}" y="${PANEL.height - PLOT.bottom + 15}">×${10 ** step}</text>`,
    )
  const curves = Object.entries(lines).map(([name, of]) => {
    const i = names.indexOf(name)
    const points = of.map((value, step) => `${x(step)} ${y(value)}`)
    const dots = of.map(
      (value, step) => `<circle class="d${i}" cx="${x(step)}" cy="${y(value)}" r="2.5"/>`,
    )
    return `<path class="l${i}" d="M${points.join('L')}"/>${dots.join('')}`
  })
  const heading = `<text class="title" x="${PLOT.left}" y="18">${title}</text>`
  return [heading, ...grid, ...curves].join('')
}

/** Powers of ten around the values, at least two apart: noise must not look like growth. */
function decades(least: number, most: number): [number, number] {
  const low = Math.floor(Math.log10(least))
  const high = Math.ceil(Math.log10(most))
  return [low, Math.max(high, low + 2)]
}

const tick = (power: number) => (power < 0 ? (10 ** power).toFixed(-power) : String(10 ** power))

const round = (value: number) => Math.round(value * 10) / 10
