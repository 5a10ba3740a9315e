// Before each test file: trees are made in memory where there is room. On a disk on which thousands of files
// are made and removed each takes its time. What is about disks has one.
import { tmpdir } from 'node:os'
import { expect } from 'vitest'
import { memoryFolder } from './tree.ts'

const NEEDS_DISK = /\/test\/(bin|files|long|store)\//

// A worker may have had other files before.
process.env.TESTS_DISK ??= tmpdir()
const disk = process.env.TESTS_DISK
const needsDisk = NEEDS_DISK.test(expect.getState().testPath ?? '')
process.env.TMPDIR = needsDisk ? disk : (memoryFolder() ?? disk)
