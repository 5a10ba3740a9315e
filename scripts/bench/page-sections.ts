// docs/performance.md: a page of sections, each written by the script that measures what it tells.
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../build/paths.ts'

const PAGE = join(ROOT, 'docs/performance.md')

/** The page with `text` as what stands below the heading; a new section comes last. */
export function withSection(page: string, heading: string, text: string): string {
  const [title = '', ...sections] = page.split(/^(?=## )/m).map((part) => part.trim())
  const first = `## ${heading}`
  const section = `${first}\n\n${text.trim()}`
  const at = sections.findIndex((one) => one.split('\n', 1)[0] === first)
  if (at === -1) sections.push(section)
  else sections[at] = section
  return `${[title, ...sections].join('\n\n')}\n`
}

export async function writeSection(heading: string, text: string): Promise<void> {
  await writeFile(PAGE, withSection(await readFile(PAGE, 'utf8'), heading, text))
}

/** Where a figure comes from. */
export interface Conditions {
  /** ISO 8601. */
  date: string
  cpus: number
  cpu?: string
  kernel: string
  /** How many programs wanted a processor in the quarter of an hour before. */
  load: number
}

/** This machine, now. */
export function conditionsHere(): Conditions {
  const [, , load = 0] = loadavg()
  const cpu = cpus()[0]?.model ?? 'unknown'
  return {
    date: new Date().toISOString(),
    cpus: availableParallelism(),
    cpu,
    kernel: release(),
    load,
  }
}

/** The first lines of a section: by what it was made, of what, where. */
export function madeBy(command: string, { rounds }: { rounds: number }, here: Conditions): string {
  const busy =
    here.load > 1
      ? `**The machine was busy with other work** (${here.load.toFixed(0)} programs on average wanted one of its ${here.cpus} processors): believe the ratios and not the figures, and of those only large differences.`
      : 'Nothing else ran on the machine.'
  return `Made by \`${command}\` on ${here.date.slice(0, 10)}: the packaged executable, ${rounds} rounds, on ${here.cpus} processors (${here.cpu ?? 'unknown'}), Linux ${here.kernel}, files in memory, the client on the same processors. ${busy}`
}

/** Three digits are all that a measurement has. */
export function number(value: number): string {
  return value >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
