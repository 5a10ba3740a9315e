// A control group that takes no more memory than a limit (Linux, as root): cgroups(7), version 1 or 2.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const GROUPS = '/sys/fs/cgroup'

export interface MemoryGroup extends Disposable {
  /** Writes a program to `file` that runs the command in the group. */
  writeCommand(file: string, command: readonly string[]): void
  /** Processes that the kernel ended because there was no memory left. */
  killed(): number
  /** What cannot be taken back without swap, in bytes: unlike files that the kernel keeps at hand. */
  anonymousBytes(): number
}

export function makeMemoryGroup(name: string, limitBytes: number): MemoryGroup {
  const isSecond = existsSync(join(GROUPS, 'cgroup.controllers'))
  const folder = join(GROUPS, isSecond ? '' : 'memory', name)
  mkdirSync(folder)
  const put = (file: string, value: string) => writeFileSync(join(folder, file), value)
  const count = (file: string, key: string) =>
    Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(readFileSync(join(folder, file), 'utf8'))?.[1])
  if (isSecond) {
    writeFileSync(join(GROUPS, 'cgroup.subtree_control'), '+memory')
    put('memory.max', String(limitBytes))
    put('memory.swap.max', '0')
  } else {
    put('memory.limit_in_bytes', String(limitBytes))
    put('memory.swappiness', '0')
  }
  return {
    writeCommand(file, command) {
      const words = command.map((word) => `'${word}'`).join(' ')
      const lines = ['#!/bin/sh', `echo $$ > ${folder}/cgroup.procs`, `exec ${words} "$@"`, '']
      writeFileSync(file, lines.join('\n'))
      chmodSync(file, 0o755)
    },
    killed: () => count(isSecond ? 'memory.events' : 'memory.oom_control', 'oom_kill'),
    anonymousBytes: () => count('memory.stat', isSecond ? 'anon' : 'rss'),
    // Empty once all its processes have ended.
    [Symbol.dispose]: () => rmdirSync(folder),
  }
}
