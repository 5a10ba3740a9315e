import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { catalogues, linguiMacros } from './scripts/build/vite-plugins.ts'

const plugins = [linguiMacros(), catalogues()]
/** Browser tests that measure the page's main thread or memory: nothing else may run meanwhile. */
const MEASURED = ['csv-large', 'first-moments', 'large-folder'].map(
  (name) => `test/web/${name}.test.ts`,
)

const UNIT = {
  include: ['test/**/*.test.ts'],
  exclude: ['test/bin/**', 'test/web/*.test.ts', 'test/long/**', 'test/bench/**'],
}

/** Files that put something else in the place of a module, which a process loads once. */
const REPLACING = globSync(UNIT.include, {
  cwd: import.meta.dirname,
  exclude: UNIT.exclude,
}).filter((path) => readFileSync(join(import.meta.dirname, path), 'utf8').includes('vi.mock('))

/** Short files that take long: whatever begins last leaves the other workers idle. */
const LONG = ['bin/faults', 'web/names', 'web/round-trip', 'web/trash', 'web/upload-many']

/** Long files first, then the largest, as the default has it where nobody knows how long each took. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONG.some((name) => moduleId.endsWith(`/test/${name}.test.ts`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** The default leaves one of two cores idle, and one test in three waits for something else than them. */
const WORKERS = 3

/** Starting programs and ending them is mostly waiting, too. */
const PROGRAMS = 2

/** Pages wait for servers and for what they show longer than they work. */
const BROWSERS = 4

/** All ends are by the clock; the defaults of some seconds are for machines with nothing else to do. */
const TEST_MS = 120_000
const patience = { poll: { timeout: 40_000 } }

/** Comparing a mebibyte element by element takes a fifth of a second, and a disk takes longer than memory. */
const setupFiles = ['test/support/equal-bytes.ts', 'test/support/setup-trees.ts']

/** For the projects with browser tests that take accounts of it. */
const globalSetup = ['test/support/shared-server.ts']

const parallel: NonNullable<ViteUserConfig['test']> = {
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  expect: patience,
  maxWorkers: WORKERS,
}

/** One file at a time, where nothing else is said. */
const serial: NonNullable<ViteUserConfig['test']> = {
  fileParallelism: false,
  maxWorkers: 1,
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  expect: patience,
  setupFiles,
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        plugins,
        test: {
          ...parallel,
          name: 'unit',
          environment: 'node',
          ...UNIT,
          exclude: [...UNIT.exclude, ...REPLACING],
          setupFiles,
          // A process for each file took as long as the tests themselves.
          isolate: false,
        },
      },
      {
        plugins,
        test: { ...parallel, name: 'alone', environment: 'node', include: REPLACING, setupFiles },
      },
      {
        plugins,
        test: {
          ...parallel,
          name: 'dom',
          environment: 'happy-dom',
          include: ['test/**/*.test.tsx'],
          setupFiles: ['test/support/setup-dom.ts'],
          // Twelve times faster; each test cleans up its own document.
          isolate: false,
        },
      },
      {
        test: {
          ...serial,
          name: 'bin',
          include: ['test/bin/**/*.test.ts'],
          // What they measure is memory; each has a server of its own. `npm test` runs them beside units.
          fileParallelism: true,
          maxWorkers: PROGRAMS,
        },
      },
      {
        test: {
          ...serial,
          name: 'browser',
          globalSetup,
          include: ['test/web/*.test.ts'],
          exclude: MEASURED,
          fileParallelism: true,
          maxWorkers: BROWSERS,
          // One browser for all files of a worker, and its modules loaded once.
          isolate: false,
        },
      },
      {
        test: {
          ...serial,
          name: 'measured',
          include: MEASURED,
          // Each has a browser of its own; their process need not be started anew.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...serial,
          name: 'long',
          globalSetup,
          // The tables that `npm test` takes a part of (test/support/scale.ts) are here as a whole.
          include: [
            'test/long/**/*.test.ts',
            'test/http/extract-hostile.test.ts',
            'test/store/contract.test.ts',
            'test/web/names.test.ts',
            'test/web/round-trip.test.ts',
            'test/web/rtl.test.ts',
            'test/web/samples.test.ts',
            'test/web/viewer-unread.test.ts',
            'test/web/viewers-hostile.test.ts',
          ],
          env: { LONG_TESTS: '1' },
          testTimeout: 30 * 60_000,
        },
      },
    ],
  },
})
