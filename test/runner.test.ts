import { expect, it } from 'vitest'
import { createPrograms, KILL_DELAY_MS } from '../src/programs/runner.ts'
import { withDeadline } from './support/deadline.ts'

it.skipIf(process.platform === 'win32')(
  'a program that left the group and kept the output does not hold up the end',
  async () => {
    const programs = createPrograms()
    const pid = Promise.withResolvers<number>()
    const leave = `
      const { spawn } = require('node:child_process')
      const wait = ['-e', 'setInterval(() => {}, 1000)']
      console.log(spawn(process.execPath, wait, { detached: true, stdio: 'inherit' }).pid)
    `
    const result = programs.run([process.execPath, '-e', leave], {
      maxOutputBytes: 1_000,
      onStdout: (chunk) => pid.resolve(Number(chunk)),
    })
    const left = await withDeadline('the program', 60_000, pid.promise)
    try {
      await withDeadline('the end', KILL_DELAY_MS + 60_000, programs.close())
      expect(await result).toMatchObject({ ended: 'abort' })
    } finally {
      process.kill(left, 'SIGKILL')
    }
  },
)
